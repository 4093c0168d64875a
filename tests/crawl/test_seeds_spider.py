"""`scrapy crawl seeds`: from a front page to every article of its site."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest

from tests.crawl.crawls import CHECKOUT, Site, article, crawl_seeds, listing, scrapy, serve, start_scrapy
from webcontent.crawl.discovery.seedlist import iter_seeds
from webcontent.crawl.spiders.seeds import DEPTH, NEXT_PAGE, SITE, find_links, has_left_site
from webcontent.document.parsing import Document
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SITES = CHECKOUT.parent / "shared" / "sites"


def paths(items: list[dict[str, Any]]) -> list[str]:
    """Path and query of each item's address, sorted."""
    return sorted(urlsplit(item["url"])._replace(scheme="", netloc="").geturl() for item in items)


# Arguments


@pytest.mark.parametrize(
    ("urls", "seeds"),
    [
        ("https://example.com/", ["https://example.com/"]),
        ("example.com", ["https://example.com/"]),
        ("http://a.example/,http://b.example/x", ["http://a.example/", "http://b.example/x"]),
        ("a.example, b.example:8080/x", ["https://a.example/", "https://b.example:8080/x"]),
        ("http://a.example/x?ids=1,2,3", ["http://a.example/x?ids=1,2,3"]),
        ("localhost:8000", ["https://localhost:8000/"]),
    ],
)
def test_seeds_are_addresses(urls: str, seeds: list[str]):
    """One or several; https where there is no scheme; a comma may be part of an address."""
    assert [seed.url for seed in iter_seeds(urls)] == seeds


def test_seeds_may_stand_in_a_file(tmp_path: Path):
    """A line each; empty lines and comments are skipped."""
    file = tmp_path / "seeds.txt"
    file.write_text("# news\nhttps://a.example/\n\nb.example\n", encoding="utf-8-sig")
    assert [seed.url for seed in iter_seeds(f"{file},c.example")] == ["https://a.example/", "https://b.example/", "https://c.example/"]


@pytest.mark.parametrize("urls", ["nowhere.txt/", "javascript:alert(1)", "no file", "ftp://a.example/"])
def test_what_is_neither_address_nor_file_is_an_error(urls: str):
    """The message says what the argument takes."""
    if urls == "nowhere.txt/":  # looks like a host
        assert [seed.url for seed in iter_seeds(urls)] == ["https://nowhere.txt/"]
    else:
        with pytest.raises(ValueError, match="-a urls takes URL"):
            list(iter_seeds(urls))


@pytest.mark.parametrize("argument", ["urls=", "depth=x", "pages=-1"])
def test_a_wrong_argument_ends_the_crawl_before_page_one(argument: str):
    """With its name in the last line."""
    done = scrapy("crawl", "seeds", *(() if argument == "urls=" else ("-a", "urls=http://127.0.0.1:9/")), "-a", argument)
    assert done.returncode == 1
    assert argument.partition("=")[0] in done.stderr.strip().splitlines()[-1]


# Links


def links_of(html: str, url: str = "http://example.com/") -> dict[str, int]:
    return {link.url: link.priority for link in find_links(Document.from_page(Page(url=url, html=html)))}


@pytest.mark.parametrize(
    "html",
    [
        '<a rel="next" href="/news?from=20">older</a>',
        '<link rel="next" href="/news?from=20">',
        '<a href="/news/page/2/">»</a>',
        '<a href="/list?page=2">下一页</a>',
        '<a href="/news_2.html">2</a>',
        '<a href="/thread-9-3.html">第3页</a>',
    ],
    ids=["rel", "link tag", "arrow", "next in chinese", "number", "number in words"],
)
def test_pagination_is_known_in_any_language(html: str):
    """By rel, by an address with a page number, by a number that the address repeats."""
    assert list(links_of(html).values()) == [NEXT_PAGE]


def test_headlines_come_before_menu_words():
    """A Chinese headline has no blanks; two characters count as a word."""
    words = {"a": "新闻", "b": "市议会周一决定修建新桥", "c": "News", "d": "Council decides on new bridge"}
    links = links_of("".join(f'<a href="/{path}">{text}</a>' for path, text in words.items()))
    assert links["http://example.com/b"] == links["http://example.com/d"] > links["http://example.com/a"] == links["http://example.com/c"]


@pytest.mark.parametrize(
    "href",
    ["javascript:void(0)", "data:text/html,x", "file:///etc/passwd", "mailto:a@b.c", "tel:1", "#top", "", "http://[", "http://a:b/",
     "/a.pdf", "/a.ZIP", "/photo.jpg?w=3", "\x00"],
)  # fmt: skip
def test_no_request_is_made_for_what_is_no_page(href: str):
    """Scripts, data, files, broken addresses: nothing of a page can make the crawler ask for them."""
    assert links_of(f'<a href="{href}">A link that looks like a headline</a>') == {}


def test_links_that_a_page_disowns_are_left_alone():
    """rel=nofollow: answers, log-in forms, advertising."""
    assert links_of('<a rel="nofollow ugc" href="/reply?to=1">Reply</a><a href="/a">A</a>') == {"http://example.com/a": 0}


def test_places_on_the_page_itself_are_not_asked_for():
    """Single-page applications name them in the query; a query that names no element of the page is another page."""
    html = '<h2 id="安装">安装</h2><a href="/guide?id=%E5%AE%89%E8%A3%85">安装</a><a href="/guide?id=7">7</a><a href="/other?id=安装">x</a>'
    assert [url.partition("/")[2] for url in links_of(html, "https://example.com/guide")] == [
        "/example.com/guide?id=7",
        "/example.com/other?id=安装",
    ]


@pytest.mark.parametrize(
    ("url", "site", "depth", "left"),
    [
        ("https://www.example.com/b", "example.com", 1, False),
        ("https://other.example.org/", "example.com", 1, True),
        ("https://other.example.org/", "example.com", 0, False),
        ("http://192.168.0.1/", "example.com", 0, True),
        ("http://localhost/", "example.com", 0, True),
        ("http://127.0.0.1:9000/", "127.0.0.1:8000", 0, False),
        ("http://127.0.0.1:9000/", "127.0.0.1:8000", 1, True),
    ],
    ids=["same site", "redirected away", "seed moved", "seed into the own network", "seed to localhost", "private seed", "another port"],
)
def test_redirects_do_not_lead_out_of_the_site(url: str, site: str, depth: int, left: bool):
    """Only a seed may move, and never from the internet into the own network."""
    assert has_left_site(url, {SITE: site, DEPTH: depth}) is left


# Whole crawls


STORIES = {f"/story/{n}.html": f"Headline number {n} about something that happened" for n in range(6)}


@pytest.fixture
def news() -> Iterator[Site]:
    """A front page with two pages of a list, six stories, one of them linked only from another story."""
    first, second = dict(list(STORIES.items())[:3]), dict(list(STORIES.items())[3:5])
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
    for path, title in STORIES.items():
        pages[path] = article(title, links='<p><a href="/">Home</a></p>')
    pages["/story/0.html"] = article(
        STORIES["/story/0.html"],
        links='<h3>Related</h3><ul><li><a href="/story/5.html?utm_source=related#top">Headline number 5 about something</a></ul>'
        '<a href="javascript:alert(1)">x</a><a href="/report.pdf">Report</a><a href="/download">Download</a>'
        '<a href="http://192.168.77.77/admin">Router</a><a href="http://[broken">?</a><a href="/gone.html">Gone</a>'
        '<a href="/story/0.html?fbclid=1">Share</a>',
    )
    with serve(pages) as site:
        yield site


def test_every_page_that_links_reach_becomes_one_item(news: Site, tmp_path: Path):
    """List -> article, list -> next page, article -> related article; nothing twice, nothing that robots.txt forbids."""
    items = crawl_seeds(news.url, tmp_path)
    assert paths(items) == sorted(["/", "/page/2", *STORIES])
    assert {item["type"] for item in items if item["url"].endswith(".html")} == {"article"}
    assert "/private/secret.html" not in news.asked
    assert "/report.pdf" not in news.asked
    twice = {path for path, count in Counter(news.asked).items() if count > 1}
    assert twice <= {"/story/0.html", "/robots.txt"}  # by the redirect; for what it forbids and for the sitemaps that it names


def test_the_depth_counts_links_but_not_next_pages(news: Site, tmp_path: Path):
    """One link deep: the list, its next page and their stories, but no related story of a story."""
    items = crawl_seeds(news.url, tmp_path, "-a", "depth=1")
    assert paths(items) == sorted(["/", "/page/2", *list(STORIES)[:5]])


def test_the_number_of_pages_is_a_limit(news: Site, tmp_path: Path):
    """Exactly so many, lists first."""
    items = crawl_seeds(news.url, tmp_path, "-a", "pages=3", "-s", "CONCURRENT_REQUESTS=1")
    assert len(items) == 3
    assert {"/", "/page/2"} <= set(paths(items))


def test_the_same_text_under_two_addresses_is_one_item(tmp_path: Path):
    """A print view, an address with a session in it, index.html."""
    story = article("A story that is told once", head='<link rel="canonical" href="/story.html">')
    links = {
        "/story.html": "A story that is told once",
        "/story.html?print=1": "Print this story on paper",
        "/index.html": "The front page",
    }
    with serve({"/": listing("Front", links), "/index.html": listing("Front", links), "/story.html": story}) as site:
        items = crawl_seeds(site.url, tmp_path)
    assert sorted(item["type"] for item in items) == ["article", "list"]


def test_addresses_that_only_point_into_a_page_are_the_page(tmp_path: Path):
    """A query that changes nothing of the text; pages of different text stay apart, and so do empty shells."""
    sections = {f"/story?part={n}": f"Part {n} of the story about the bridge" for n in range(4)}
    others = {f"/show?id={n}": f"Another story, this time about number {n}" for n in range(3)}
    shells = {f"/app?id={n}": f"An application that is filled by script {n}" for n in range(3)}
    pages: dict[str, Any] = {"/": listing("Front", {**sections, **others, **shells}), "/story": article("A bridge")}
    pages |= {address: article(title) for address, title in others.items()}
    pages["/app"] = "<title>App</title><div id=app></div><script src=/app.js></script>"
    with serve(pages) as site:
        items = crawl_seeds(site.url, tmp_path)
    assert len([path for path in paths(items) if path.startswith("/story")]) == 1
    assert [path for path in paths(items) if not path.startswith("/story")] == sorted(["/", *others, *shells])


def test_hostile_pages_end_like_others(tmp_path: Path):
    """Bytes that are no text, endless relative links, broken markup: an item each, and the crawl ends."""
    pages = {
        "/": listing(
            "Front", {f"/{name}": f"A page named {name} with some trouble" for name in ("bytes", "loop/", "empty", "deep", "gbk")}
        ),
        "/bytes": b"\x00\xff\xfe\x00<p>" + bytes(range(256)) * 20,
        "/empty": b"",
        "/deep": b"<div>" * 20_000 + b"<p>The end of the tunnel.",
        "/gbk": (
            200,
            {"Content-Type": "text/html; charset=utf-8"},
            "<title>新闻</title><p>大桥开工的消息传来，市民们议论纷纷。".encode("gbk"),
        ),
    }
    pages |= {"/" + "loop/" * n: article(f"Loop {n}", links='<a href="loop/">Deeper and deeper into it</a>') for n in range(1, 9)}
    with serve(pages) as site:
        items = crawl_seeds(site.url, tmp_path)
    assert {"/", "/bytes", "/deep", "/gbk"} <= set(paths(items))
    assert next(item for item in items if item["url"].endswith("/gbk"))["title"] == "新闻"
    assert max(path.count("loop") for path in site.asked) <= 3


def test_a_csv_file_a_class(news: Site, tmp_path: Path):
    """`-O a.csv` gives articles and lists, each with its own columns, in UTF-8 that spreadsheets know."""
    done = scrapy("crawl", "seeds", "-a", f"urls={news.url}", "-O", "a.csv", "-s", "AUTOTHROTTLE_ENABLED=False", cwd=_project(tmp_path))
    assert done.returncode == 0, done.stderr[-2000:]
    data = {name: (tmp_path / name).read_bytes() for name in ("a.csv", "a.listings.csv")}
    assert all(text.startswith(b"\xef\xbb\xbfurl,title,") for text in data.values())
    rows = {name: list(csv.DictReader(text.decode("utf-8-sig").splitlines(keepends=True))) for name, text in data.items()}
    assert sorted(row["title"] for row in rows["a.csv"]) == sorted(STORIES.values())
    assert len(json.loads(rows["a.listings.csv"][0]["entries"])) in (2, 3)


def test_an_interrupted_crawl_keeps_what_it_has(tmp_path: Path):
    """One SIGINT: no further page, and every finished item in the file."""
    stories = {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(200)}
    with serve({"/": listing("News", stories), **{path: article(title) for path, title in stories.items()}}) as site:
        output = tmp_path / "items.jsonl"
        process = start_scrapy(
            *("crawl", "seeds", "-a", f"urls={site.url}", "-O", str(output), "-s", "AUTOTHROTTLE_ENABLED=False"),
            *("-s", "DOWNLOAD_DELAY=0.1", "-s", "WEBCONTENT_RENDER=False"),
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


def test_a_stopped_crawl_goes_on_where_it_was(news: Site, tmp_path: Path):
    """With a JOBDIR: the second run adds what the first left, and nothing twice."""
    job = ("-s", f"JOBDIR={tmp_path / 'job'}", "-s", "CONCURRENT_REQUESTS=1")
    first = crawl_seeds(news.url, tmp_path, *job, "-s", "CLOSESPIDER_PAGECOUNT=3")
    second = crawl_seeds(news.url, tmp_path, *job)
    assert 1 <= len(first) < 8
    assert paths(first + second) == sorted(["/", "/page/2", *STORIES])


def _project(folder: Path) -> Path:
    """A folder where Scrapy finds our project."""
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = webcontent.crawl.settings\n")
    return folder


@pytest.mark.corpora
@pytest.mark.parametrize("site", ["wpblog", "art350", "philagov"])
def test_real_sites_are_crawled_whole(site: str, tmp_path: Path):
    """Every article that the front page leads to is one item."""
    gold = json.loads((SITES / f"{site}.json").read_text(encoding="utf-8"))
    server = subprocess.Popen([sys.executable, "serve.py", site], cwd=SITES, stdout=subprocess.PIPE, text=True)
    try:
        items = crawl_seeds(server.stdout.readline().strip(), tmp_path, timeout_s=300)
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
    found = Counter(_page_path(item["url"]) for item in items)
    wanted = {_page_path(path) for path in gold["articles"]}
    assert wanted <= set(found)
    assert max(found.values()) == 1


def _page_path(url: str) -> str:
    """The path of a page, whichever way a mirror writes it."""
    path = unquote(urlsplit(url).path)
    return path.removesuffix("index.html").removesuffix(".html").rstrip("/") or "/"
