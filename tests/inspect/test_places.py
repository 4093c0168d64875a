"""Places of elements and texts on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.crawl.crawls import TEXTS
from tests.inspect.pages import FIRST, TITLE, make_page
from webcontent.inspect.inspection import inspect_page
from webcontent.inspect.places import Rectangle, union

if TYPE_CHECKING:
    from webcontent.inspect.inspection import Inspection
    from webcontent.pipeline import Options


def test_a_place_is_blocks_and_a_rectangle(inspection: Inspection):
    """An element may be a block, contain blocks, or be inside a block."""
    places = inspection.places
    assert places.find("/html/body/article/h1").blocks == (TITLE,)
    assert places.find("/html/body/article/h1").rectangle == Rectangle(20, 200, 600, 40)
    whole = places.find("/html/body/article/div")
    assert whole.blocks == tuple(range(FIRST, FIRST + len(TEXTS)))
    assert whole.rectangle == Rectangle(20, 320, 600, 60 * len(TEXTS) - 20)
    assert places.find("/html/body/article/h1/span/b").blocks == (TITLE,)
    assert places.find("/html/head/meta") == places.find(None)


def test_boxes_inside_boxes_of_the_same_block_are_one(options: Options):
    """A bold word has a box of its own among the browser's boxes."""
    page = make_page()
    assert page.boxes is not None
    page.boxes.append(["/html/body/article/h1/b", "b", 30, 205, 100, 30, 16, 700, "#000000", "#ffffff", 5, 5, 0, 0, 0])
    boxes = inspect_page(page, options).places.text_boxes()
    assert [rectangle for rectangle, place in boxes if TITLE in place.blocks] == [Rectangle(20, 200, 600, 40)]


def test_the_union_of_rectangles():
    assert union([Rectangle(1, 2, 3, 4), Rectangle(0, 5, 2, 9)]) == Rectangle(0, 2, 4, 12)
    assert union([]) is None
