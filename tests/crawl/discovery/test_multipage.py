"""Articles that continue on further pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import TEXTS, article, crawl_seeds, listing, scrapy, serve
from webcontent.crawl.discovery.multipage import Pager, find_pager, merge
from webcontent.document.parsing import Document
from webcontent.items import Article, Image, Page

if TYPE_CHECKING:
    from pathlib import Path


def pager_of(html: str, url: str = "http://a.example/n/12.html") -> Pager | None:
    return find_pager(Document.from_page(Page(url=url, html=html)))


@pytest.mark.parametrize(
    ("url", "html", "links"),
    [
        ("http://a.example/n/12.html", '<a href="12_2.html">2</a><a href="12_3.html">3</a>', {2: "n/12_2.html", 3: "n/12_3.html"}),
        ("http://a.example/n/12.html", '<a href="/n/12_2.html">下一页</a>', {2: "n/12_2.html"}),
        ("http://a.example/n/12.html", '<span>1</span><a href="/n/12-2.html">[2]</a>', {2: "n/12-2.html"}),
        ("http://a.example/n/c12.htm", '<a href="/n/c12_2.htm">下页</a>', {2: "n/c12_2.htm"}),
        ("http://a.example/story", '<a href="/story?page=2">Next page</a>', {2: "story?page=2"}),
        ("http://a.example/show?id=7", '<a href="/show?id=7&page=2">第2页</a>', {2: "show?id=7&page=2"}),
        ("http://a.example/post/", '<a href="/post/2/">2</a>', {2: "post/2/"}),
        ("http://a.example/post", '<link rel="next" href="/post/page/2/">', {2: "post/page/2/"}),
        ("http://a.example/story.html", '<a rel="next" href="/story.html?page=1">»</a><a href="/story.html?page=1">2</a>', {2: "story.html?page=1"}),
    ],
    ids=["underscore", "chinese", "hyphen", "letter", "query", "second parameter", "segment", "link tag", "counted from zero"],
)  # fmt: skip
def test_a_pager_leads_to_the_own_address_with_another_number(url: str, html: str, links: dict[int, str]):
    """Whatever the words of its links and the place of the number."""
    pager = pager_of(html, url)
    assert pager is not None
    assert pager.number == 1
    assert pager.links == {number: f"http://a.example/{path}" for number, path in links.items()}


@pytest.mark.parametrize(
    ("url", "html", "number"),
    [
        ("http://a.example/n/12_2.html", '<a href="/n/12.html">1</a><b>2</b><a href="/n/12_3.html">3</a>', 2),
        ("http://a.example/story?page=3", '<a href="/story">1</a><a href="/story?page=2">2</a>', 3),
        ("http://a.example/post/2/", '<a href="/post/">1</a>', 2),
    ],
)
def test_a_further_page_knows_its_number(url: str, html: str, number: int):
    """By its address, where the pager leads back to the first page."""
    pager = pager_of(html, url)
    assert pager is not None
    assert pager.number == number
    assert 1 in pager.links


@pytest.mark.parametrize(
    ("url", "html"),
    [
        ("http://a.example/n/12.html", '<a rel="next" href="/n/13.html">Next</a>'),
        ("http://a.example/n/12.html", '<a href="/n/13.html">下一页</a>'),
        ("http://a.example/n/1.html", '<a href="/n/2.html">2</a>'),
        ("http://a.example/first-post/", '<a rel="next" href="/second-post/">Next</a>'),
        ("http://a.example/n/12.html", '<a href="/n/12.html?comment-page=2">2</a>'),
        ("http://a.example/n/12.html", '<a href="/n/12_2.html">Two bridges were opened in the city today</a>'),
        ("http://a.example/n/12.html", '<a href="/list_2.html">2</a>'),
        ("http://a.example/", '<a href="/page/2/">2</a>'),
        ("http://a.example/n/12.html", '<a href="http://b.example/n/12_2.html">2</a>'),
        ("http://a.example/n/12.html", '<a href="javascript:go(2)">2</a><a href="http://[">2</a><a href="#2">2</a>'),
    ],
    ids=["next story", "next story in chinese", "numbered stories", "next post", "comments", "another story", "list", "front page", "another site",
         "no address"],
)  # fmt: skip
def test_what_leads_elsewhere_is_no_pager(url: str, html: str):
    """Neighbours in a row of stories, comments, lists, other sites."""
    assert pager_of(html, url) is None


def test_parts_are_put_together_in_order():
    """What stands at the head of each page comes once and first, what stands at the end of each once and last."""
    parts = [
        Article(body="Bridge opens\nOne.\nEditor: Li", body_html="<p>One.</p>", images=[Image("a"), Image("b")]),
        Article(body="Bridge opens\nTwo.\nEditor: Li", body_html="<p>Two.</p>", images=[Image("b"), Image("c")]),
        Article(body="Bridge opens\nThree.\nEditor: Li", body_html="<p>Three.</p>"),
    ]
    merge(parts)
    assert parts[0].body == "Bridge opens\nOne.\nTwo.\nThree.\nEditor: Li"
    assert parts[0].body_html == "<p>One.</p>\n<p>Two.</p>\n<p>Three.</p>"
    assert [image.url for image in parts[0].images] == ["a", "b", "c"]


def test_a_text_of_one_line_a_page_stays_whole():
    """Nothing is taken for a head when nothing would be left."""
    parts = [Article(body="Same."), Article(body="Same.")]
    merge(parts)
    assert parts[0].body == "Same.\nSame."


def part(title: str, number: int, count: int, address: str) -> str:
    """A page of an article, with a pager in the text."""
    paragraphs = "".join(f"<p>{title}, page {number}, paragraph {place}: {text}</p>" for place, text in enumerate(TEXTS))
    others = "".join(
        f"<b>{other}</b> " if other == number else f'<a href="{address.format("" if other == 1 else f"_{other}")}">{other}</a> '
        for other in range(1, count + 1)
    )
    return f"<html><head><title>{title}</title></head><body><article><h1>{title}</h1>{paragraphs}</article><div class=pages>{others}</div></body></html>"


def pages_of(title: str, stem: str, count: int) -> dict[str, str]:
    numbers = {number: stem.format("" if number == 1 else f"_{number}") for number in range(1, count + 1)}
    return {address: part(title, number, count, stem) for number, address in numbers.items()}


def test_a_crawl_gives_whole_articles(tmp_path: Path):
    """Each part once and in order, no part as an item of its own, the list's pagination followed; found from any of its pages."""
    pages: dict[str, Any] = pages_of("A long story about the bridge", "/long/7{}.html", 4)
    pages |= pages_of("Another story in two parts", "/two/8{}.html", 2)
    pages["/"] = listing(
        "News",
        {
            "/long/7.html": "A long story about the bridge",
            "/two/8_2.html": "Another story, seen from its end",
            "/short.html": "A short story of one page",
        },
        more='<a rel="next" href="/page/2">Next page</a>',
    )
    pages["/page/2"] = listing("News, page 2", {"/last.html": "The last story of the second list page"}, more='<a href="/">1</a>')
    pages |= {"/short.html": article("A short story of one page"), "/last.html": article("The last story of the second list page")}
    with serve(pages) as site:
        items = {item["url"].removeprefix(site.url): item for item in crawl_seeds(site.url, tmp_path)}
    assert sorted(items) == ["/", "/last.html", "/long/7.html", "/page/2", "/short.html", "/two/8.html"]
    numbers = [line.split("page ")[1][0] for line in items["/long/7.html"]["body"].splitlines() if "page " in line]
    assert numbers == sorted(numbers)
    assert set(numbers) == {"1", "2", "3", "4"}
    assert len(numbers) == 4 * len(TEXTS)
    assert max(site.asked.count(path) for path in pages if path.startswith(("/long", "/two"))) <= 2


def test_joining_is_bounded_and_a_missing_page_shows(tmp_path: Path):
    """The largest number of pages is a limit, a page that does not come is a gap: both leave the flag `truncated`."""
    pages: dict[str, Any] = {
        **pages_of("A story without an end", "/long/7{}.html", 6),
        **pages_of("A story with a hole", "/hole/8{}.html", 3),
    }
    del pages["/hole/8_2.html"]
    pages["/"] = listing("News", {"/long/7.html": "A story without an end", "/hole/8.html": "A story with a hole in the middle"})
    with serve(pages) as site:
        items = crawl_seeds(site.url, tmp_path, "-s", "WEBCONTENT_JOIN_PAGES=3")
    bodies = {item["title"]: item["body"] for item in items if item["type"] == "article"}
    assert "page 3," in bodies["A story without an end"]
    assert "page 4," not in bodies["A story without an end"]
    assert "page 1," in bodies["A story with a hole"]
    assert [item["flags"] for item in items if "story" in item["title"]] == [["truncated"]] * 2


def test_pages_of_another_text_are_not_joined(tmp_path: Path):
    """An address with a number that gives the same page again, or one of another title, is no further page."""
    story = article("A story that is told once", links='<a href="/once.html?page=2">2</a>')
    other = article("A story about the harbour", links='<a href="/harbour_2.html">2</a>')
    pages: dict[str, Any] = {
        "/": listing("News", {"/once.html": "A story that is told once", "/harbour.html": "A story about the harbour"}),
        "/once.html": story,
        "/harbour.html": other,
        "/harbour_2.html": article("Quite different: cats and dogs"),
    }
    with serve(pages) as site:
        items = crawl_seeds(site.url, tmp_path)
    bodies = {item["title"]: item["body"] for item in items if item["type"] == "article"}
    assert bodies["A story that is told once"].count(TEXTS[0]) == 1
    assert "cats" not in bodies["A story about the harbour"]


def test_other_spiders_join_where_they_ask_for_it(tmp_path: Path):
    """The setting is 0 outside of `seeds`."""
    spider = tmp_path / "own.py"
    spider.write_text(
        "import scrapy\nfrom webcontent import Page\n\n"
        "class Own(scrapy.Spider):\n    name = 'own'\n    custom_settings = {'ADDONS': {'webcontent.Addon': 300}, 'WEBCONTENT_RENDER': False,"
        " 'TELNETCONSOLE_ENABLED': False, 'REMOTE_CONTROL_ENABLED': False}\n"
        "    def parse(self, response):\n        yield Page.from_response(response)\n"
    )
    with serve(pages_of("A long story about the bridge", "/long/7{}.html", 3)) as site:
        for count, parts in (("0", {"1"}), ("5", {"1", "2", "3"})):
            run = ("runspider", str(spider), "-a", f"start_urls={site.url}/long/7.html", "-s", f"WEBCONTENT_JOIN_PAGES={count}")
            text = spider.read_text().replace("name = 'own'", f"name = 'own'\n    start_urls = ['{site.url}/long/7.html']", 1)
            own = tmp_path / f"own{count}.py"
            own.write_text(text)
            done = scrapy("runspider", str(own), "-O", f"{tmp_path}/{count}.csv:csv", *run[4:], cwd=tmp_path)
            assert done.returncode == 0, done.stderr[-2000:]
            body = (tmp_path / f"{count}.csv").read_text(encoding="utf-8-sig")
            assert {number for number in "123" if f"page {number}," in body} == parts
