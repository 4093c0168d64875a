"""extract_many: pages in, items out, in order, one at a time."""

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
    """A generator of pages is asked for the next one only when its item is: memory stays that of a page."""
    asked = []

    def pages():
        for number in range(3):
            asked.append(number)
            yield page(number)

    items = extract_many(pages())
    assert asked == []
    next(items)
    assert asked == [0]


def test_what_was_learned_can_be_kept(tmp_path):
    """A memory of the caller's own, saved and loaded."""
    sites = SiteHistory()
    list(extract_many([page(1)], history=sites))
    sites.save(tmp_path / "sites.npz")
    again = SiteHistory.load(tmp_path / "sites.npz")
    list(extract_many([page(2)], history=again))
    assert again.find("http://town.example/").count == 2


def test_an_extractor_may_be_named():
    assert next(extract_many([page(1)], extractor="awce")).extractor == "awce"


@pytest.mark.parametrize(
    ("given", "message"),
    [("<p>html</p>", "pages holds a str; it takes Page objects"), (Page(html=5), "html is int; it takes str or bytes")],
)
def test_wrong_pages_are_named(given, message):
    with pytest.raises(TypeError, match=message):
        next(extract_many([given]))


def test_public_names():
    assert webcontent.extract_many is extract_many
    assert webcontent.SiteHistory is SiteHistory


def test_pages_that_are_all_alike_keep_their_text():
    """A site whose stories differ in a number is not taken for one that repeats its menu."""
    items = list(extract_many(Page(url=f"http://example.org/{n}.html", html=article(f"Story {n}")) for n in range(40)))
    assert all(item.body.count(f"Story {n}: ") > 3 for n, item in enumerate(items))
