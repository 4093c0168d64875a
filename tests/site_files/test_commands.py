"""Site files through the command line: `scrapy inspect --site`, crawls, a project's package, scrapy-poet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import crawl_seeds, listing, scrapy, serve
from tests.site_files.pages import TITLES, body_lines, story_html
from webcontent.crawl.middlewares import PageMiddleware
from webcontent.saved_pages.archive import saved_pages

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
PAGES = {f"/news/{number}.html": story_html(number) for number in range(4)}
START = {"/": listing("News", {f"/news/{number}.html": TITLES[number] for number in range(4)})}
FILE = 'title = ".kicker"\nauthors = { select = ".pen", strip = "^Written by " }\nbody = ".text"\ndrop = [".promo"]\n'


def write_file(folder: Path, text: str = FILE) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "127.0.0.1.toml").write_text(text)


def test_a_site_is_mended_by_right_values(tmp_path: Path):
    """Pages are saved, one item is corrected, one value is set: the command writes the lines, and shows what they do."""
    with serve(PAGES) as site:
        for number in range(3):
            done = scrapy("inspect", f"{site.url}/news/{number}.html", "--no-render", "--save", "saved", cwd=tmp_path)
            assert done.returncode == 0, done.stderr
        first = next(saved_pages(tmp_path / "saved"))
        item = json.loads((first / "item.json").read_text())
        (first / "item.json").write_text(json.dumps(item | {"title": TITLES[0], "body": body_lines(0)}))
        done = scrapy(
            "inspect", f"{site.url}/news/3.html", "--no-render", "--save", "saved", "--set", "source=Example", cwd=tmp_path
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "sites" / "127.0.0.1.toml").read_text().splitlines() == [
        'title = ".kicker"',
        'source = { select = ".logo", strip = "^The " }',
        'body = ".text"',
        'drop = [".text .promo"]',
    ]
    assert "title = '.kicker' (right on 1 pages; finds something on 3 of 3 others)" in done.stdout
    (title,) = [line for line in done.stdout.splitlines() if line.startswith("title  ")]
    assert title.split("  ")[0] == "title"
    assert TITLES[3] in title
    assert f"{'':14} {'with 127.0.0.1.toml':48} without" in done.stdout
    assert title.endswith(".kicker")
    # a redesign: the saved pages lack what the file names
    write_file(tmp_path / "sites", f'{FILE}source = ".gone"')
    done = scrapy("inspect", str(first), "--site", cwd=tmp_path)
    assert "source: .gone finds nothing on 3 of 3 saved pages" in done.stdout
    assert "its design may have changed" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--set", "headline=x"), "--set takes FIELD=VALUE with one of title, time"),
        (("--set", "title="), "--set takes FIELD=VALUE with one of title, time"),
        (("--set", "title=Words that no page has"), "title: no selector gives the right value on all 1 pages where it is known."),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, arguments: tuple[str, ...], message: str):
    (tmp_path / "page.html").write_text(story_html(0))
    done = scrapy("inspect", "page.html", "--url", "https://news.example.org/1.html", *arguments, cwd=tmp_path)
    assert message in done.stdout + done.stderr
    assert not (tmp_path / "sites").exists()


def test_a_crawl_uses_site_files(tmp_path: Path):
    """Types and fields; what its selectors miss has a flag."""
    write_file(tmp_path / "sites", f'{FILE}articles = ["/news/*"]\nlists = ["/"]\nsource = ".gone"\n')
    with serve({**START, **PAGES}) as site:
        items = crawl_seeds(site.url, tmp_path, "-s", "WEBCONTENT_RENDER=False", "-a", "sources=0")
    articles = {item["title"]: item for item in items if item["type"] == "article"}
    assert set(articles) == set(TITLES)
    assert articles[TITLES[1]]["authors"] == ["Ann Lee 1"]
    assert articles[TITLES[1]]["body"] == "\n".join(body_lines(1))
    assert all("site-file-missed" in item["flags"] for item in articles.values())


def test_a_mistake_ends_the_crawl_before_its_first_page(tmp_path: Path):
    """In one sentence, without a traceback."""
    write_file(tmp_path / "sites", 'titel = "h1"')
    with serve(PAGES) as site:
        done = scrapy("extract", f"{site.url}/news/0.html", cwd=tmp_path)
        assert site.asked == []
    assert done.returncode == 1
    assert "127.0.0.1.toml: there is no key 'titel'; did you mean 'title'?" in done.stderr
    assert "Traceback" not in done.stderr


PROJECT_SPIDER = """
import scrapy
import webcontent

class News(scrapy.Spider):
    name = "news"
    custom_settings = {"WEBCONTENT_AUTO": True, "WEBCONTENT_RENDER": False, "ROBOTSTXT_OBEY": False}

    async def start(self):
        yield scrapy.Request(self.url)

    def parse(self, response):
        pass
"""


def test_site_files_of_a_projects_package(tmp_path: Path):
    """An existing spider with the add-on uses them; `sites` beside scrapy.cfg would take precedence."""
    package = tmp_path / "project"
    write_file(package / "sites")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project.settings\n")
    (package / "__init__.py").touch()
    (package / "settings.py").write_text(
        'SPIDER_MODULES = ["project.news"]\nADDONS = {"webcontent.Addon": 300}\nTELNETCONSOLE_ENABLED = False\n'
    )
    (package / "news.py").write_text(PROJECT_SPIDER)
    with serve(PAGES) as site:
        done = scrapy("crawl", "news", "-a", f"url={site.url}/news/2.html", "-O", "items.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (item,) = map(json.loads, (tmp_path / "items.jsonl").read_text().splitlines())
    assert (item["title"], item["authors"]) == (TITLES[2], ["Ann Lee 2"])


def test_requests_have_the_options_of_the_file(tmp_path: Path):
    """Those of the request itself take precedence."""
    write_file(
        tmp_path, 'render = false\nscroll = "page"\nwait_for = ".late"\nextractor = "awce"\nheaders = { "X-Reader" = "mine", "DNT" = "1" }'
    )
    middleware = PageMiddleware(get_crawler(settings_dict={"WEBCONTENT_SITE_FILES": str(tmp_path)}))
    request = Request("http://127.0.0.1/1", headers={"DNT": "0"}, meta={"webcontent": {"scroll": "none"}})
    marked = middleware._marked(request)
    assert marked.meta["webcontent"] == {"render": False, "scroll": "none", "wait_for": ".late", "extractor": "awce"}
    assert (marked.headers["X-Reader"], marked.headers["DNT"]) == (b"mine", b"0")
    assert middleware._marked(Request("http://127.0.0.2/1")).meta["webcontent"] == {}


@pytest.mark.browser
def test_a_browser_waits_for_what_the_file_names(tmp_path: Path):
    """The file asks for rendering, too: the page looks complete before its script adds the last paragraph."""
    late = '<script>setTimeout(() => document.querySelector(".text").insertAdjacentHTML("beforeend", "<p class=late>The last words of this story come late, but they are a part of it.</p>"), 1500)</script>'
    write_file(tmp_path / "sites", 'render = true\nwait_for = ".late"\n')
    with serve({"/news/0.html": story_html(0).replace("</body>", f"{late}</body>")}) as site:
        done = scrapy("extract", f"{site.url}/news/0.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "The last words of this story" in json.loads(done.stdout)["body"]
