"""`extract_many`: the items of many pages, in order, one at a time."""

from __future__ import annotations

import pytest

import webcontent
from tests.crawl.crawls import article
from webcontent import Page, SiteHistory, extract_many

TEXTS = (
    "Bread is baked in the town before anybody is awake.",
    "The ferry waits for nobody.",
    "A mill turns.",
    "Rain fell on the market all day.",
)


def page(number: int) -> Page:
    return Page(url=f"http://town.example/{number}", html=f"<title>Page {number}</title><h1>Page {number}</h1><p>{TEXTS[number]}</p>")


def test_items_come_in_the_order_of_the_pages():
    assert [item.url for item in extract_many(page(number) for number in (3, 1, 2))] == [page(number).url for number in (3, 1, 2)]


def test_pages_are_read_one_at_a_time():
    """A page is taken from the generator only when its item is requested, so that memory holds one page."""
    taken = []

    def pages():
        for number in range(3):
            taken.append(number)
            yield page(number)

    items = extract_many(pages())
    assert taken == []
    next(items)
    assert taken == [0]


def test_a_later_run_continues_with_the_history_of_an_earlier_one():
    history = SiteHistory()
    for number in (1, 2):
        list(extract_many([page(number)], history=history))
    assert history.find("http://town.example/").count == 2


def test_an_extractor_may_be_named():
    assert next(extract_many([page(1)], extractor="awce")).extractor == "awce"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("<p>html</p>", "pages contains '<p>html</p>'; it takes Page objects"),
        (Page(html=5), "html is int; it takes str or bytes"),
    ],
)
def test_wrong_pages_are_named(wrong, message):
    with pytest.raises(TypeError, match=message):
        next(extract_many([wrong]))


def test_public_names():
    assert webcontent.extract_many is extract_many
    assert webcontent.SiteHistory is SiteHistory


def test_pages_that_are_all_alike_keep_their_text():
    """Articles that differ only in a number are not taken for repeated navigation."""
    items = list(extract_many(Page(url=f"http://example.org/{n}.html", html=article(f"Article {n}")) for n in range(40)))
    assert all(item.body.count(f"Article {n}: ") > 3 for n, item in enumerate(items))
