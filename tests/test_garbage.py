"""Python's garbage collector belongs to the process, and pages give it nothing to do."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

import webcontent
from webcontent.extraction import Extraction

if TYPE_CHECKING:
    from webcontent.document.parsing import Document


def test_a_call_leaves_the_collector_alone() -> None:
    """It runs during a call. What another part of the process switches meanwhile stays so."""
    states = []

    def switching(document: Document) -> Extraction:
        states.append(gc.isenabled())
        gc.disable()
        return Extraction()

    try:
        webcontent.extract(f"<h1>A bridge</h1>{TEXT}", extractor=switching)
        assert not gc.isenabled()
    finally:
        gc.enable()
    assert states == [True]


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
