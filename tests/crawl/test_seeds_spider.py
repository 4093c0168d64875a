"""`scrapy crawl seeds`: from a front page to every article of its site."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.crawl.crawls import OUR_PROJECT, Site, article, crawl_seeds, listing, serve, start_scrapy
from webcontent.evaluation.site_snapshots import load_facts, serve_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.process


def paths(items: list[dict[str, Any]]) -> list[str]:
    """Path and query of each item's URL, sorted."""
    return sorted(urlsplit(item["url"])._replace(scheme="", netloc="").geturl() for item in items)


ARTICLES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(6)}


def news_pages() -> dict[str, Any]:
    """A front page with two pages of a listing, and six articles, one of them linked only from another article."""
    first, second = dict(list(ARTICLES.items())[:3]), dict(list(ARTICLES.items())[3:5])
    pages: dict[str, Any] = {
        "/": listing(
            "News", first, more='<p><a href="/page/2">2</a> <a href="/private/secret.html">Something that is not for crawlers</a></p>'
        ),
        "/page/2": listing(
            "News, page 2", second, more='<a href="/">1</a> <a href="/old.html">A story that has moved to another address</a>'
        ),
        "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private/"),
        "/private/secret.html": article("A secret"),
        "/old.html": (301, {"Location": "/story/0.html"}, ""),
        "/report.pdf": (200, {"Content-Type": "application/pdf"}, "%PDF-1.4"),
        "/download": (200, {"Content-Type": "application/pdf"}, "%PDF-1.4"),
    }
    for path, title in ARTICLES.items():
        pages[path] = article(title, links='<p><a href="/">Home</a></p>')
    pages["/story/0.html"] = article(
        ARTICLES["/story/0.html"],
        links='<h3>Related</h3><ul><li><a href="/story/5.html?utm_source=related#top">Headline number 5 about something</a></ul>'
        '<a href="javascript:alert(1)">x</a><a href="/report.pdf">Report</a><a href="/download">Download</a>'
        '<a href="http://192.168.77.77/admin">Router</a><a href="http://[broken">?</a><a href="/gone.html">Gone</a>'
        '<a href="/story/0.html?fbclid=1">Share</a>',
    )
    return pages


@pytest.fixture
def news() -> Iterator[Site]:
    with serve(news_pages()) as site:
        yield site


def test_the_number_of_pages_is_a_limit(news: Site, tmp_path: Path):
    """Exactly as many, listings first."""
    items = crawl_seeds(news.url, tmp_path, "-a", "pages=3", "-s", "CONCURRENT_REQUESTS=1")
    assert len(items) == 3
    assert {"/", "/page/2"} <= set(paths(items))


def with_gaps() -> dict[str, Any]:
    """A front page with 60 links, of which every second one leads nowhere."""
    stories = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(60)}
    pages: dict[str, Any] = {path: article(title) for path, title in list(stories.items())[::2]}
    return pages | {"/": listing("News", stories), "/robots.txt": (404, {}, ""), "/feed": (404, {}, "")}


COPIES = {
    "/story.html": "A story that is told once",
    "/story.html?print=1": "Print this story on paper",
    "/index.html": "The front page",
}
SECTIONS = {f"/story?part={n}": f"Part {n} of the story about the bridge" for n in range(4)}
OTHERS = {f"/show?id={n}": f"Another story, this time about number {n}" for n in range(3)}
SHELLS = {f"/app?id={n}": f"An application that is filled by script {n}" for n in range(3)}
SITES: dict[str, dict[str, Any]] = {
    "news": news_pages(),
    "near": news_pages(),
    "many": with_gaps(),
    "few": with_gaps(),
    "copies": {
        "/": listing("Front", COPIES),
        "/index.html": listing("Front", COPIES),
        "/story.html": article("A story that is told once", head='<link rel="canonical" href="/story.html">'),
    },
    "sections": {
        "/": listing("Front", {**SECTIONS, **OTHERS, **SHELLS}),
        "/story": article("A bridge"),
        "/app": "<title>App</title><div id=app></div><script src=/app.js></script>",
        **{address: article(title) for address, title in OTHERS.items()},
    },
    "hostile": {
        "/": listing(
            "Front", {f"/{name}": f"A page named {name} with some trouble" for name in ("bytes", "loop/", "empty", "deep", "gbk")}
        ),
        "/bytes": b"\x00\xff\xfe\x00<p>" + bytes(range(256)) * 20,
        "/empty": b"",
        "/deep": b"<div>" * 20_000 + b"<p>The end of the tunnel.",
        "/gbk": (
            200,
            {"Content-Type": "text/html; charset=utf-8"},
            "<title>大桥开工建设</title><p>大桥开工的消息传来，市民们议论纷纷。".encode("gbk"),
        ),
        **{"/" + "loop/" * n: article(f"Loop {n}", links='<a href="loop/">Deeper and deeper into it</a>') for n in range(1, 9)},
    },
}
OPTIONS = {"near": " depth=1", "many": " pages=12", "few": " pages=3"}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[dict[str, Any]], list[str]]]:
    """Of each of SITES, crawled together: its items, and what was asked for."""
    with ExitStack() as stack:
        sites = {name: stack.enter_context(serve(pages)) for name, pages in SITES.items()}
        folder = tmp_path_factory.mktemp("sites")
        (folder / "seeds.txt").write_text("".join(f"{site.url}{OPTIONS.get(name, '')}\n" for name, site in sites.items()))
        items = crawl_seeds("seeds.txt", folder, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=16")
    return {name: ([item for item in items if item["url"].startswith(f"{site.url}/")], site.asked) for name, site in sites.items()}


def test_every_linked_page_becomes_one_item(crawled: dict[str, tuple[list[dict[str, Any]], list[str]]]):
    """From listing to article, to next page, and to related articles; nothing twice, and nothing that robots.txt forbids."""
    items, asked = crawled["news"]
    assert paths(items) == sorted(["/", "/page/2", *ARTICLES])
    assert {item["type"] for item in items if item["url"].endswith(".html")} == {"article"}
    assert "/private/secret.html" not in asked
    assert "/report.pdf" not in asked
    twice = {path for path, count in Counter(asked).items() if count > 1}
    assert twice <= {"/story/0.html", "/robots.txt"}  # by the redirect; for what it forbids and for the sitemaps that it names


def test_the_depth_counts_links_but_not_next_pages(crawled: dict[str, tuple[list[dict[str, Any]], list[str]]]):
    """One link deep: the listing, its next page and their articles, but no related articles of these."""
    assert paths(crawled["near"][0]) == sorted(["/", "/page/2", *list(ARTICLES)[:5]])


@pytest.mark.parametrize(("name", "pages"), [("many", 12), ("few", 3)])
def test_a_seed_has_its_own_limit(name: str, pages: int, crawled: dict[str, tuple[list[dict[str, Any]], list[str]]]):
    """And other seeds go on. Pages that give no item are replaced, and no more is asked than is wanted."""
    items, asked = crawled[name]
    assert len(items) == pages
    assert len([path for path in asked if path in SITES[name] and SITES[name][path][0] != 404]) == pages


def test_the_same_text_under_two_urls_is_one_item(crawled: dict[str, tuple[list[dict[str, Any]], list[str]]]):
    """A print view, index.html."""
    assert sorted(item["type"] for item in crawled["copies"][0]) == ["article", "list"]


def test_urls_that_only_point_into_a_page_are_the_page(crawled: dict[str, tuple[list[dict[str, Any]], list[str]]]):
    """Their query does not change the text. Pages with different texts are separate items, and so are empty shells."""
    found = paths(crawled["sections"][0])
    assert len([path for path in found if path.startswith("/story")]) == 1
    assert [path for path in found if not path.startswith("/story")] == sorted(["/", *OTHERS, *SHELLS])


def test_a_crawl_of_hostile_pages_ends(crawled: dict[str, tuple[list[dict[str, Any]], list[str]]]):
    """Bytes that are no text, endless relative links, broken markup: each page is an item."""
    items, asked = crawled["hostile"]
    assert {"/", "/bytes", "/deep", "/gbk"} <= set(paths(items))
    assert next(item for item in items if item["url"].endswith("/gbk"))["title"] == "大桥开工建设"
    assert max(path.count("loop") for path in asked) <= 3


def test_every_page_of_a_list_is_an_item(tmp_path: Path):
    """All declare the first page as their canonical address, and have its title."""
    numbers = {page: range(4 * page, 4 * page + 4) for page in range(1, 5)}
    pages: dict[str, Any] = {}
    for page, stories in numbers.items():
        links = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in stories}
        further = f'<p><a href="/?page={page + 1}">{page + 1}</a></p>' if page < 4 else ""
        html = listing("News", links, further).replace("</head>", '<link rel="canonical" href="/"></head>')
        pages["/" if page == 1 else f"/?page={page}"] = html
    pages |= {f"/story/{n}.html": article(f"Story {n}") for stories in numbers.values() for n in stories}
    with serve(pages) as site:
        items = crawl_seeds(site.url, tmp_path, "-s", "WEBCONTENT_DUPLICATES=drop")
    assert paths([item for item in items if item["type"] == "list"]) == sorted(path for path in pages if "story" not in path)


def test_an_interrupted_crawl_keeps_what_it_has(tmp_path: Path):
    """After one SIGINT there is no further page, and every finished item is in the file."""
    stories = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(200)}
    with serve({"/": listing("News", stories), **{path: article(title) for path, title in stories.items()}}) as site:
        output = tmp_path / "items.jsonl"
        process = start_scrapy(
            *("crawl", "seeds", "-a", f"urls={site.url}", "-O", str(output), "-s", "AUTOTHROTTLE_ENABLED=False"),
            *("-s", "DOWNLOAD_DELAY=0.1", "-s", "WEBCONTENT_RENDER=False"),
            cwd=tmp_path,
            env=OUR_PROJECT,
        )
        until = time.monotonic() + 60
        while len(site.asked) < 12 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=60)
    items = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert 5 <= len(items) < 100
    assert "'finish_reason': 'shutdown'" in log
    assert f"'item_scraped_count': {len(items)}," in log


def test_a_stopped_crawl_continues(news: Site, tmp_path: Path):
    """With a JOBDIR the second run adds what the first left, and nothing twice."""
    job = ("-s", f"JOBDIR={tmp_path / 'job'}", "-s", "CONCURRENT_REQUESTS=1")
    first = crawl_seeds(news.url, tmp_path, *job, "-s", "CLOSESPIDER_PAGECOUNT=3")
    second = crawl_seeds(news.url, tmp_path, *job)
    assert 1 <= len(first) < 8
    assert paths(first + second) == sorted(["/", "/page/2", *ARTICLES])


@pytest.mark.corpora
def test_a_real_site_is_crawled_whole(tmp_path: Path):
    """Every article that the front page leads to is exactly one item."""
    with serve_snapshot("art350") as url:
        items = crawl_seeds(url, tmp_path, timeout_s=300)
    counts = Counter(_page_path(item["url"]) for item in items)
    wanted = {_page_path(path) for path in load_facts("art350")["articles"]}
    assert wanted <= set(counts)
    assert max(counts.values()) == 1


def _page_path(url: str) -> str:
    """The path of a page, in whichever form a mirror has it."""
    path = unquote(urlsplit(url).path)
    return path.removesuffix("index.html").removesuffix(".html").rstrip("/") or "/"
