"""The search for cyclic garbage waits while a page is worked on, and goes on after it."""

from __future__ import annotations

import gc

import pytest

import webcontent
from webcontent.garbage import without_collection


@without_collection()
def fail() -> None:
    raise ValueError(str(gc.isenabled()))


def test_it_goes_on_after_an_error() -> None:
    """Off inside, on again behind it, whatever happened."""
    assert gc.isenabled()
    with pytest.raises(ValueError, match="False"):
        fail()
    assert gc.isenabled()


def test_what_the_user_switched_off_stays_off() -> None:
    """A process without the search keeps it so."""
    gc.disable()
    try:
        with without_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


LINKS = "".join(
    f"<li><h2><a href='/{i}.html'>A headline about harbour number {i}</a></h2><p>{i} May 2026. A summary of the story." for i in range(9)
)
TEXT = "<p>The council said that it would build a new bridge over the river before the end of next year." * 9


@pytest.mark.parametrize("html", [f"<h1>A bridge</h1>{TEXT}<h3>Related articles</h3><ul>{LINKS}</ul>", f"<h1>News</h1><ul>{LINKS}</ul>"])
def test_a_page_holds_no_cycles(html: str) -> None:
    """Its memory is free as soon as its item is there.

    Cycles of a page come with each extraction. Others may come with one: of a pattern's first use, or of what an earlier test left running.
    """
    item = webcontent.extract(html, url="https://paper.example/x")
    assert item.related or item.type == "list"
    assert min(_cycles_of(html) for _ in range(3)) == 0


def _cycles_of(html: str) -> int:
    """Objects in cycles that an extraction leaves."""
    gc.collect()
    gc.disable()
    try:
        webcontent.extract(html, url="https://paper.example/x")
        return gc.collect()
    finally:
        gc.enable()
