"""The pager of an article."""

from __future__ import annotations

import pytest

from webcontent.crawl.pipelines.pager import Pager, find_pager
from webcontent.document.parsing import Document
from webcontent.items import Page


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
def test_a_pager_leads_to_the_own_url_with_another_number(url: str, html: str, links: dict[int, str]):
    """With any words in its links, and the number anywhere in the URL."""
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
    """By its URL, where the pager leads back to the first page."""
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
def test_links_to_other_pages_are_no_pager(url: str, html: str):
    """To the next article, to comments, listings and other sites."""
    assert pager_of(html, url) is None
