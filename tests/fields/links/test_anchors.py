"""The links of a page: which of them count, and the titles that they show."""

from __future__ import annotations

import pytest

from tests.fields.pages import URL
from webcontent.document.parsing import Document
from webcontent.fields.links.anchors import Anchors, address_key
from webcontent.items import Page


def anchors_of(html: str) -> Anchors:
    return Anchors(Document.from_page(Page(url=URL, html=html)))


@pytest.mark.parametrize(
    "href",
    ["", "#top", "javascript:void(0)", "JavaScript:x()", "mailto:a@b.example", "tel:1", "/", "./", "../index.html", "//news.example/"],
)
def test_a_link_that_leads_to_no_article_does_not_count(href: str) -> None:
    """Scripts, places on the page and front pages are no articles."""
    assert anchors_of(f"<a href='{href}'>A link with a text</a>").all == []


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<a href=/a>The  whole\n title</a>", "The whole title"),
        ("<a href=/a title='The whole title'>The whole ...</a>", "The whole title"),
        ("<a href=/a title='The whole title of it'>The whole title</a>", "The whole title of it"),
        ("<a href=/a title='Open in a new window'>The whole title</a>", "The whole title"),
        ("<a href=/a title='The whole title'></a>", "The whole title"),
        ("<a href=/a><img src=/a.jpg alt='The whole title'></a>", "The whole title"),
        ("<a href=/a><p>A label</p><h3>The whole title</h3><p>And a summary of it</p></a>", "The whole title"),
        (
            "<a href=/a><p>2024-05-01</p><p>New</p><p>The whole title</p><p>And a summary that is longer than it</p></a>",
            "The whole title",
        ),
        ("<a href=/a><p>Label</p><p>The whole title</p></a>", "The whole title"),
        ("<a href=/a><p>Titles</p><p>And a summary of it</p></a>", "Titles"),
    ],
    ids="text ellipsis cut-without-ellipsis other-attribute attribute-alone image heading-inside wrapped-record label short-title".split(),
)
def test_the_title_of_a_link_is_what_it_shows(html: str, title: str) -> None:
    """It is the heading inside a link that wraps a record, else the text, completed by the title attribute."""
    assert [anchor.title for anchor in anchors_of(html).all] == [title]


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("<a href=/a>Read more</a>", "<a href=/b>Ice stops</a>"),
        ("<a href=/a>Ice stops</a>", "<a href=/b>Ice stops the ferry</a>"),
        (f"<a href=/a>{'x' * 62}</a>", "<h3><a href=/b>Ice</a></h3>"),
        ("<h3><a href=/a>Ice</a></h3>", f"<a href=/b>{'x' * 63}</a>"),
    ],
    ids=["no-title", "length", "heading", "longer-than-a-heading"],
)
def test_titles_weigh_more_than_other_links(lower: str, higher: str) -> None:
    """By text and heading, in this order."""
    first, second = anchors_of(lower + higher).all
    assert first.title_weight < second.title_weight


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.news.example/a/", "news.example/a"),
        ("http://news.example/a#comments", "news.example/a"),
        ("https://news.example/a?page=2", "news.example/a?page=2"),
        ("http://[bad#a", "http://[bad#a"),
        (None, ""),
    ],
)
def test_addresses_of_one_page_have_the_same_key(url: str | None, key: str) -> None:
    """Scheme, www., fragment and the last slash make no difference."""
    assert address_key(url) == key
