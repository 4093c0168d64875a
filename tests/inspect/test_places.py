"""Places of elements and texts on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.crawls import TEXTS
from tests.inspect.pages import FIRST, TITLE, make_page
from webcontent.inspect.inspection import inspect_page

if TYPE_CHECKING:
    from webcontent.inspect.inspection import Inspection
    from webcontent.pipeline import Options


def test_a_place_is_blocks(inspection: Inspection):
    """An element may be a block, contain blocks, or be inside a block."""
    places = inspection.places
    assert places.find("/html/body/article/h1") == (TITLE,)
    assert places.find("/html/body/article/div") == tuple(range(FIRST, FIRST + len(TEXTS)))
    assert places.find("/html/body/article/h1/span/b") == (TITLE,)
    assert places.find("/html/head/meta") == places.find(None) == ()


def test_boxes_inside_boxes_of_the_same_block_are_one(options: Options):
    """A bold word has a box of its own among the browser's boxes."""
    page = make_page()
    assert page.boxes is not None
    page.boxes.append(["/html/body/article/h1/b", "b", 30, 205, 100, 30, 16, 700, "#000000", "#ffffff", 5, 5, 0, 0, 0])
    boxes = inspect_page(page, options).places.text_boxes()
    assert [list(box.values()) for box, place in boxes if TITLE in place] == [["20", "200", "600", "40"]]
