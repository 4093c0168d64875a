"""The links of a page that lead on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from webcontent.crawl.discovery.feeds_and_sitemaps import SourceEntry
from webcontent.crawl.discovery.links import (
    DATED,
    HEADLINE,
    NEXT_PAGE,
    links_of_entries,
    links_of_page,
)
from webcontent.crawl.discovery.seedlist import with_options
from webcontent.document.parsing import Document
from webcontent.items import Page


def links_of(html: str, url: str = "http://example.com/") -> dict[str, int]:
    return {link.url: link.priority for link in links_of_page(Document.from_page(Page(url=url, html=html))).links}


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
def test_pagination_is_recognised_in_any_language(html: str):
    """By rel, by a URL with a page number, by a number as link text that the URL repeats."""
    assert list(links_of(html).values()) == [NEXT_PAGE]


def test_headlines_come_before_menu_words():
    """A Chinese headline has no blanks; two of its characters count as one word."""
    words = {"a": "新闻", "b": "市议会周一决定修建新桥", "c": "News", "d": "Council decides on new bridge"}
    links = links_of("".join(f'<a href="/{path}">{text}</a>' for path, text in words.items()))
    assert links["http://example.com/b"] == links["http://example.com/d"] > links["http://example.com/a"] == links["http://example.com/c"]


@pytest.mark.parametrize(
    "href",
    ["javascript:void(0)", "data:text/html,x", "file:///etc/passwd", "mailto:a@b.c", "tel:1", "#top", "", "http://[", "http://a:b/",
     "/a.pdf", "/a.ZIP", "/photo.jpg?w=3", "\x00"],
)  # fmt: skip
def test_no_request_is_made_for_what_is_no_page(href: str):
    """Scripts, data, files, broken URLs: no page can make the crawler request them."""
    assert links_of(f'<a href="{href}">A link that looks like a headline</a>') == {}


def test_nofollow_links_are_not_followed():
    """They lead to replies, log-in forms and advertising."""
    assert links_of('<a rel="nofollow ugc" href="/reply?to=1">Reply</a><a href="/a">A</a>') == {"http://example.com/a": 0}


def test_the_parts_of_an_article_are_not_followed():
    """They are fetched when the article is assembled. Of its pages only the link to the first page is followed."""
    html = '<a href="/a.html">1</a><a href="/a_2.html">2</a><a href="/b.html">Another article with a long headline</a>'
    document = Document.from_page(Page(url="http://example.com/a_3.html", html=html))
    page_links = links_of_page(document, ["http://example.com/a_2.html"])
    assert {link.url for link in page_links.links} == {"http://example.com/a.html", "http://example.com/b.html"}


def test_entries_of_feeds_are_requested_newest_first():
    """Entries that are too old or out of scope are left out, and the limits are kept."""
    now = datetime.now(UTC)
    entries = [
        SourceEntry("http://example.com/new", now),
        SourceEntry("http://example.com/tag/x", now),
        SourceEntry("http://example.com/yesterday", now - timedelta(days=1)),
        SourceEntry("http://example.com/old", now - timedelta(days=30)),
        SourceEntry("http://example.com/undated"),
    ]
    seed = with_options({"deny": ["/tag/"], "days": ["7"]})
    links = links_of_entries(entries, seed, 0)
    assert [link.url.rpartition("/")[2] for link in links] == ["new", "yesterday", "undated"]
    assert [link.priority for link in links] == [DATED, DATED, HEADLINE]
    assert links_of_entries(entries, seed, 1) == links[:1]


def test_the_links_of_a_page_are_bounded():
    """5,000 of them are read."""
    links = links_of("".join(f"<a href=/{n}>x</a>" for n in range(5001)))
    assert ("http://example.com/4999" in links, "http://example.com/5000" in links) == (True, False)
