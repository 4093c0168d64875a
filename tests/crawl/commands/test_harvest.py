"""`scrapy harvest` in an empty folder, without a project and without environment variables."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.cmdline import execute

from tests.crawl.crawls import article, listing, scrapy, serve
from tests.crawl.servers import free_port

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crawl.crawls import Site

pytestmark = pytest.mark.process

FAST = ("--no-render", "-s", "AUTOTHROTTLE_ENABLED=False", "-s", "RETRY_ENABLED=False")
STORIES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(4)}


@pytest.fixture
def news() -> Iterator[Site]:
    pages: dict[str, Any] = {path: article(title) for path, title in STORIES.items()}
    links = {**STORIES, "/gone.html": "A headline whose page is gone since yesterday", "/private.html": "A headline that is not for robots"}
    pages["/"] = listing("News", links)
    pages["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private")
    with serve(pages) as site:
        yield site


def harvest(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = scrapy("harvest", *arguments, *FAST, cwd=cwd)
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return done


def rows(table: str) -> list[list[str]]:
    """The cells of each line of the table after its heading: site, five counts, the reasons."""
    lines = table.splitlines()
    start = next(number for number, line in enumerate(lines) if line.split()[:2] == ["site", "pages"]) + 1
    return [line.split(maxsplit=6) for line in lines[start:] if line[:4] == "http"]


def test_a_site_from_an_empty_folder_to_a_file(news: Site, tmp_path: Path):
    """All articles and lists, a table with what failed and why, and next time only what is new."""
    done = harvest(news.url, "-o", "items.jsonl", cwd=tmp_path)
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(item["title"] for item in items) == sorted(["News", *STORIES.values()])
    assert rows(done.stdout) == [[f"{news.url}/", "5", "4", "1", "5", "2", "forbidden by robots.txt, status 404"]]
    assert "New items in items.jsonl: 5. The next run adds only what is new, by items.jsonl.state.db." in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.jsonl", "items.jsonl.state.db"]

    news.pages["/story/9.html"] = article("A late story")
    news.pages["/"] = listing("News", {**STORIES, "/story/9.html": "A headline that came after the first run"})
    again = harvest(news.url, "-o", "items.jsonl", cwd=tmp_path)
    titles = [json.loads(line)["title"] for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert titles[5:] == ["A late story"]
    assert rows(again.stdout)[0][4] == "1"
    assert again.returncode == 0

    (tmp_path / "items.jsonl").unlink()  # otherwise nobody would know why there is nothing; --all gives everything again
    without = harvest(news.url, "-o", "items.jsonl", cwd=tmp_path)
    assert "items.jsonl is gone, but items.jsonl.state.db knows what was in it. Use --all to get everything again." in without.stderr
    assert without.returncode == 0
    harvest(news.url, "-o", "items.jsonl", "--all", cwd=tmp_path)
    assert len((tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()) == 6


def test_each_site_has_its_row_and_a_site_without_pages_is_an_error(news: Site, tmp_path: Path):
    """A file names sites with options of their own. Names are counted once; the sums come last."""
    nobody = f"http://127.0.0.1:{free_port()}/"
    with serve({"/": article("The only page of its site"), "/report.pdf": (200, {"Content-Type": "application/pdf"}, "%PDF-1.4")}) as small:
        (tmp_path / "sites.txt").write_text(f"# ours\n{news.url} pages=2\n{nobody}\n{small.url}/report.pdf\n", encoding="utf-8")
        done = harvest("sites.txt", f"{small.url}/", f"{small.url}/", "-O", "items.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert rows(done.stdout) == [
        [f"{news.url}/", "2", "1", "1", "2", "0"],
        [nobody, "0", "0", "0", "0", "1", "the server refuses connections"],
        [f"{small.url}/report.pdf", "0", "0", "0", "0", "1", "not an HTML page"],
        [f"{small.url}/", "1", "1", "0", "1", "0"],
    ]
    assert "4 sites" in done.stdout
    assert " 3 " in next(line for line in done.stdout.splitlines() if line.startswith("4 sites"))
    with (tmp_path / "items.csv").open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.DictReader(file))) == 2
    assert not list(tmp_path.glob("*.db"))  # -O: everything, each time


def test_a_site_that_leads_to_another_one_of_the_file_is_no_failure(news: Site, tmp_path: Path):
    """Its pages are in the other site's row. Attempts at addresses that were only guessed print no errors."""
    with serve({"/": (301, {"Location": f"{news.url}/"}, "")}) as moved:
        (tmp_path / "sites.txt").write_text(f"{news.url}\n{moved.url}\n", encoding="utf-8")
        outputs = ("-o", "items.jsonl", "-o", "items.csv")
        done = scrapy("harvest", "sites.txt", *outputs, "--no-render", "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path)
    first, second = rows(done.stdout)
    assert first[:5] == [f"{news.url}/", "5", "4", "1", "5"]
    assert second == [f"{moved.url}/", "0", "0", "0", "0", "0", f"the same site as {news.url}/"]
    assert "New items in items.jsonl, items.csv, items.listings.csv: 5." in done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_a_server_that_fails_is_a_row_and_no_log(tmp_path: Path):
    """All attempts at its pages, robots.txt and sitemaps fail; the log stays empty."""
    with serve(
        {path: (500, {}, "broken") for path in ("/", "/robots.txt", "/sitemap.xml", "/sitemap_index.xml", "/sitemap.xml.gz")}
    ) as broken:
        done = scrapy("harvest", broken.url, "-o", "items.jsonl", "--no-render", "-s", "AUTOTHROTTLE_ENABLED=False", cwd=tmp_path)
    assert rows(done.stdout) == [[f"{broken.url}/", "0", "0", "0", "0", "1", "status 500"]]
    assert (done.returncode, done.stderr) == (1, "")


def test_a_single_article_may_be_harvested_again(tmp_path: Path):
    """It leads nowhere and gives nothing new, which is no failure. A pipeline that -s names is used."""
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def process_item(self, item):\n        open('seen', 'a').write('x')\n        return item\n"
    )
    with serve({"/story.html": article("The only page of its site")}) as site:
        arguments = (f"{site.url}/story.html", "-o", "items.jsonl", "-s", 'ITEM_PIPELINES={"mine.Mine": 800}')
        done = [scrapy("harvest", *arguments, *FAST, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}) for _ in range(2)]
    assert [part.returncode for part in done] == [0, 0], done[1].stdout + done[1].stderr
    assert (tmp_path / "seen").read_text() == "x"


def test_options_are_options(news: Site, tmp_path: Path):
    """Without a file items go to standard output, and the table does not."""
    done = harvest(news.url, "--pages", "3", "--allow", "story/[12]|/$", "--depth", "1", "--days", "9", "--no-feeds", cwd=tmp_path)
    titles = {json.loads(line)["title"] for line in done.stdout.splitlines()}
    assert titles == {"News", STORIES["/story/1.html"], STORIES["/story/2.html"]}
    assert rows(done.stderr)[0][:2] == [f"{news.url}/", "3"]
    assert "/feed" not in news.asked
    assert not list(tmp_path.iterdir())


def test_a_wrong_number_is_named(tmp_path: Path):
    done = harvest("example.org", "--pages", "many", cwd=tmp_path)
    assert "The argument pages is 'many'; it takes a number of 0 or more." in done.stderr
    assert done.returncode == 1


def test_the_help_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """At any width: Scrapy makes a heading of each line that ends with a colon."""
    monkeypatch.chdir(tmp_path)  # Scrapy would remember the project of this checkout
    for width in (60, 80, 100, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        with pytest.raises(SystemExit):
            execute(["scrapy", "harvest", "-h"])
        text = capsys.readouterr().out
        lines = text.splitlines()
        headings = [before for before, line in pairwise(lines) if line and set(line) <= {"=", "-"}]
        assert headings == ["Usage", "Options", "Output", "Scope", "Global Options"]
    assert all(option in text for option in ("--pages", "--depth", "--days", "--allow", "--no-render", "--new-only", "--all"))
