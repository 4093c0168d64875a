"""`scrapy extract` and `scrapy inspect` in a fresh project."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.cmdline import execute

import webcontent
from tests.crawl.crawls import TEXTS, article, listing, scrapy, serve
from webcontent.items import Page
from webcontent.saved_pages.archive import PageArchive

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

pytestmark = pytest.mark.process

HOSTILE = "</title></p><script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh `scrapy startproject` with a pipeline and a feed of its own, and without our add-on."""
    folder = tmp_path_factory.mktemp("fresh")
    assert scrapy("startproject", "fresh", str(folder), cwd=folder).returncode == 0
    with (folder / "fresh" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write('\nITEM_PIPELINES = {"fresh.pipelines.Broken": 100}\nFEEDS = {"own.jsonl": {"format": "jsonlines"}}\n')
        settings.write("TELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False\n")
    (folder / "fresh" / "pipelines.py").write_text(
        "class Broken:\n    def process_item(self, item):\n        raise RuntimeError('not used')\n"
    )
    return folder


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.html"
    file.write_text(article("大桥开工", links='<p><a href="/more.html">More news of the day</a></p>'), encoding="utf-8")
    return file


def test_the_commands_are_listed_everywhere(project: Path, tmp_path: Path):
    """They are listed inside and outside of projects."""
    for folder in (project, tmp_path):
        listed = scrapy(cwd=folder).stdout
        assert "  extract " in listed
        assert "  inspect " in listed


def test_a_file_is_extracted_to_standard_output(project: Path, page: Path):
    """It is one JSON line with readable Chinese. The project's own pipelines and feeds are not used."""
    done = scrapy("extract", str(page), "--url", "https://example.com/news/1.html", cwd=project)
    assert done.returncode == 0, done.stderr
    item = json.loads(done.stdout)
    assert (item["type"], item["title"], item["url"]) == ("article", "大桥开工", "https://example.com/news/1.html")
    assert "大桥开工" in done.stdout
    assert not (project / "own.jsonl").exists()


def test_a_further_page_of_a_list_has_not_the_title_of_an_entry():
    """Its title element names the site alone."""
    records = "".join(
        f'<article><h2><a href="/story/{n}.html">Headline number {n} about something that happened</a></h2><p>{TEXTS[n % 4]}</p></article>'
        for n in range(12)
    )
    page = f'<title>Home - The Courier</title><main>{records}</main><nav><a href="/page/1">1</a> 2 <a href="/page/3">3</a></nav>'
    item = webcontent.extract(page, url="https://courier.example/page/2")
    assert (item.type, len(item.entries)) == ("list", 12)
    assert "Headline" not in item.title


def test_addresses_and_files_go_into_one_feed(project: Path, page: Path, tmp_path: Path):
    """`-o FILE` writes the format of its suffix."""
    output = tmp_path / "items.jsonl"
    with serve({"/1.html": article("A bridge"), "/2.html": article("A tunnel")}) as site:
        done = scrapy("extract", f"{site.url}/1.html", str(page), f"{site.url}/2.html", "-o", str(output), cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    items = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert sorted(item["title"] for item in items) == ["A bridge", "A tunnel", "大桥开工"]


def test_a_saved_page_is_extracted(project: Path, page: Path, tmp_path: Path):
    """Its folder is named in place of a file, as for inspect. It keeps its address."""
    saved = Page.from_file(page, "https://example.com/1.html")
    folder = PageArchive(tmp_path / "pages").save(saved, {})
    done = scrapy("extract", str(folder), str(page), cwd=project)
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted((item["title"], item["url"] or "") for item in items) == [("大桥开工", ""), ("大桥开工", "https://example.com/1.html")]


def test_pages_become_markdown(project: Path, page: Path, tmp_path: Path):
    """On standard output, or in a file for each page."""
    done = scrapy("extract", "--format", "md", str(page), "--url", "https://example.com/news/1.html", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "\n# 大桥开工\n" in done.stdout
    assert 'url: "https://example.com/news/1.html"' in done.stdout
    folder = tmp_path / "pages"
    with serve({"/1.html": article("A bridge"), "/2.html": article("A tunnel")}) as site:
        scrapy("extract", "--format", "md", f"{site.url}/1.html", f"{site.url}/2.html", "-o", f"{folder}/", cwd=project)
    assert sorted(path.name for path in folder.iterdir()) == ["1.md", "2.md"]
    assert "\n# A tunnel\n" in (folder / "2.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def mixed_answers(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], str, dict[str, Any]]:
    """`scrapy extract` of URLs and files of all kinds in an empty folder, the address of the site, and the items by path."""
    folder = tmp_path_factory.mktemp("empty")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    with serve(ANSWERS) as site:
        urls = [site.url + path for path in ANSWERS if path not in ("/bridge", "/older")]
        options = ("-s", "WEBCONTENT_RENDER=False", "-s", "RETRY_ENABLED=False")
        done = scrapy("extract", *urls, f"{site.url}/gone", *FILES, *options, cwd=folder)
        items = [json.loads(line) for line in done.stdout.splitlines()]
        return done, site.url, {(item["url"] or "").removeprefix(site.url): item for item in items}


ANSWERS = {
    "/bridge": article("A bridge"),
    "/old": (301, {"Location": "/older"}, ""),
    "/older": (302, {"Location": "/bridge"}, ""),
    "/loop": (302, {"Location": "/loop"}, ""),
    "/report": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.4 \x00\xff"),
    "/mislabeled": (200, {}, b"%PDF-1.4 \x00\xff"),
    "/data": (200, {"Content-Type": "application/json"}, "{}"),
    "/xhtml": (200, {"Content-Type": "application/xml"}, '<?xml version="1.0"?>' + article("A tunnel")),
    "/broken": (500, {}, article("A fault")),
}
FILES = {
    "page.html": article("大桥开工").encode(),
    "wide.html": article("A wide page").encode("utf-16"),
    "report.html": b"%PDF-1.4 \x00\xff",
    "nothing.html": b"\n",
    "notes.txt": b"Remember the milk.",
    "feed.xml": b'<?xml version="1.0"?><rss><channel><item><link>http://a.example/1</link></item></channel></rss>',
    "data.json": b'{"html": "<p>no page"}',
    "saved.mhtml": b"From: <Saved by Blink>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n<html>",
    "noise.bin": bytes(range(256)) * 9,
}


def test_redirects_are_followed(mixed_answers: tuple[subprocess.CompletedProcess[str], str, dict[str, Any]]):
    """The item is that of the page at the end, under its URL."""
    _, _, items = mixed_answers
    assert items["/bridge"]["title"] == "A bridge"


def test_only_pages_give_items(mixed_answers: tuple[subprocess.CompletedProcess[str], str, dict[str, Any]]):
    """HTML in XML, too; each of the others is named, and the exit code is 1."""
    done, url, items = mixed_answers
    assert sorted(json.loads(line)["title"] for line in done.stdout.splitlines()) == ["A bridge", "A tunnel", "A wide page", "大桥开工"]
    assert set(items) == {"/bridge", "/xhtml", ""}
    assert done.returncode == 1
    for sentence in (
        f"{url}/loop (redirected to {url}/loop) was not fetched: max redirections reached",
        f"{url}/report is application/pdf and not an HTML page.",
        f"{url}/mislabeled is not an HTML page.",
        f"{url}/data is application/json and not an HTML page.",
        f"{url}/broken was answered with status 500.",
        f"{url}/gone was answered with status 404.",
        "report.html is not an HTML page.",
        "nothing.html is empty.",
        "notes.txt is not an HTML page.",
        "feed.xml is not an HTML page.",
        "data.json is not an HTML page.",
        "saved.mhtml is not an HTML page.",
        "noise.bin is not an HTML page.",
    ):
        assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_crawl_has_stored_does_not_hold_back_items(project: Path, page: Path, tmp_path: Path):
    """A project that emits articles only, each once, still gives the item of any page that is named, as often as it is named."""
    options = ("-s", "WEBCONTENT_RENDER=False", "--url", "https://example.com/news/")
    file = tmp_path / "list.html"
    file.write_text(listing("News", {f"/{n}.html": f"Headline number {n} about something" for n in range(12)}), encoding="utf-8")
    settings = project / "fresh" / "settings.py"
    before = settings.read_text(encoding="utf-8")
    settings.write_text(f"{before}\nWEBCONTENT_CRAWL_STATE = 'sqlite:///state.db'\nWEBCONTENT_EMIT = ['article']\n", encoding="utf-8")
    try:
        done = scrapy("extract", str(file), str(file), *options, cwd=project)
    finally:
        settings.write_text(before, encoding="utf-8")
    assert [json.loads(line)["title"] for line in done.stdout.splitlines()] == ["News", "News"]
    assert not (project / "state.db").exists()


def test_inspect_shows_an_error_page_and_says_so(project: Path):
    """It may say why the server refuses. The exit code is 1; a PDF file is not shown."""
    with serve(ANSWERS | {"/denied": (403, {}, article("Members only"))}) as site:
        denied, report = (
            scrapy("inspect", f"{site.url}/{name}", "-s", "WEBCONTENT_RENDER=False", cwd=project) for name in ("denied", "report")
        )
    assert (denied.returncode, report.returncode) == (1, 1)
    assert "Members only" in denied.stdout
    assert "was answered with status 403." in denied.stderr
    assert report.stdout == ""
    assert "is application/pdf and not an HTML page." in report.stderr


def test_a_url_that_does_not_respond_is_named(project: Path, page: Path):
    """The other pages give their items, and the exit code is 1."""
    done = scrapy("extract", "http://127.0.0.1:9/", str(page), "-s", "RETRY_ENABLED=False", "-s", "ROBOTSTXT_OBEY=False", cwd=project)
    assert done.returncode == 1
    assert "http://127.0.0.1:9/ was not fetched" in done.stderr
    assert json.loads(done.stdout)["title"] == "大桥开工"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("harvest",), "Give at least one site or file of sites, as in: scrapy harvest example.org -o items.jsonl"),
        (("harvest", "example.org", "--page-limit", "3"), "There is no option --page-limit; scrapy harvest -h lists them."),
        (("harvest", "example.org", "-o", "items.xyz"), "Unrecognized output format 'xyz'"),
        (("extract",), "Give at least one URL or file."),
        (("extract", "nowhere.html"), "'nowhere.html' is neither a file, a saved page, nor a URL that begins with http:// or https://."),
        (("extract", "http://127.0.0.1:9/", "--rendered"), "There is no option --rendered; scrapy extract -h lists them."),
        (("inspect", "http://127.0.0.1:9/", "--rendered"), "There is no option --rendered; scrapy inspect -h lists them."),
        (("report", "items.jsonl", "--output-file"), "There is no option --output-file; scrapy report -h lists them."),
        (("extract", "http://127.0.0.1:9/", "-o", "items.xyz"), "Unrecognized output format 'xyz'"),
        (("inspect",), "Give at least one URL or file."),
        (("inspect", "http://127.0.0.1:9/", "http://127.0.0.1:9/"), "Give one URL or file, not 2."),
        (("inspect", "http://127.0.0.1:9/", "-o", "page.pdf"), "'page.pdf' is not a .html file."),
    ],
)
def test_wrong_arguments_are_named(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The message is one sentence, and the exit code is 2."""
    monkeypatch.chdir(tmp_path)  # Scrapy would remember the project of this checkout
    with pytest.raises(SystemExit) as ended:
        execute(["scrapy", *arguments])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_missing_model_is_one_sentence(project: Path, page: Path):
    """It names the file."""
    done = scrapy("extract", str(page), "-s", "WEBCONTENT_PAGE_TYPE_MODEL=./nowhere", cwd=project)
    assert done.returncode == 1
    assert "nowhere/model.onnx is missing" in done.stderr
    assert "Traceback" not in done.stderr


# inspect


class Tags(HTMLParser):
    """All tags of a page, and all attributes that make a browser run or load something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str | None]] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value) for name, value in attrs if name.startswith("on") or name in ("src", "href", "action")}


def test_inspect_lists_the_blocks(project: Path, page: Path):
    """Without -o it prints the page type, the item, and one line per block with its label. It needs no browser."""
    done = scrapy("inspect", str(page), "-s", "WEBCONTENT_RENDER=False", cwd=project)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("article (")
    assert "大桥开工" in lines[1]
    assert sum(line.startswith("body ") and TEXTS[n][:40] in line for line in lines for n in range(len(TEXTS))) == len(TEXTS)
    assert sum(line.startswith("title ") for line in lines) == 1


def test_inspection_pages_run_nothing_of_the_page(project: Path, tmp_path: Path):
    """Hostile text stays text: there is no frame, no handler, no URL that a browser would load, and no script but ours."""
    page, output = tmp_path / "hostile.html", tmp_path / "view.html"
    escaped = HOSTILE.replace("<", "&lt;")
    page.write_text(article(escaped, head=f'<meta name="author" content="{escaped}">'), encoding="utf-8")
    done = scrapy("inspect", str(page), "-o", str(output), "--compare", "awce", "-s", "WEBCONTENT_RENDER=False", cwd=project)
    assert done.returncode == 0, done.stderr
    html = output.read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in html
    page_tags = Tags(html)
    assert not page_tags.tags & {"iframe", "object", "embed", "link", "base", "form", "a"}
    assert all(name == "src" and value.startswith("data:image/") for name, value in page_tags.attributes)
    assert html.count("<script") == 2  # ours, and its data
    assert "default-src &#x27;none&#x27;" in html


@pytest.mark.browser
def test_entries_of_a_list_are_labeled(project: Path, tmp_path: Path):
    """The blocks that became entries have that label."""
    output = tmp_path / "view.html"
    links = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(12)}
    with serve({"/": listing("News", links)}) as site:
        done = scrapy("inspect", f"{site.url}/", "-o", str(output), cwd=project)
    assert done.returncode == 0, done.stderr
    assert output.read_text(encoding="utf-8").count('<tr data-label="entry"') == 12
