"""Where elements, blocks and texts of a page are, and the rectangles that the browser drew around them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from webcontent.document.boxes import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from webcontent.document.parsing import Document

MAX_PLACE_BLOCKS = 400
"""Blocks in the place of one field. More are not listed."""
MAX_BOX_BLOCKS = 50
"""Blocks in one text box: lines of an element that are separated by <br>. More are not listed."""
TOLERANCE_PX = 1
"""Browsers round the edges of nested boxes differently."""
_X, _Y, _WIDTH, _HEIGHT, _OWN_TEXT = (COLUMNS.index(name) for name in ("x", "y", "w", "h", "own"))
_NUMBERS = slice(_X, _HEIGHT + 1)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A part of the page, in CSS px from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, other: Rectangle) -> bool:
        """Whether the other rectangle lies inside this one, within TOLERANCE_PX."""
        return (
            self.x <= other.x + TOLERANCE_PX
            and self.y <= other.y + TOLERANCE_PX
            and other.x + other.width <= self.x + self.width + TOLERANCE_PX
            and other.y + other.height <= self.y + self.height + TOLERANCE_PX
        )


@dataclass(frozen=True, slots=True)
class Place:
    """The blocks of a page that belong to an element or a text, and the rectangle around the element if there are boxes."""

    blocks: tuple[int, ...] = ()
    rectangle: Rectangle | None = None


@dataclass(frozen=True, slots=True)
class TextBox:
    """A rectangle with the text of one or more blocks."""

    blocks: tuple[int, ...]
    """More than one if an element holds lines that are separated by <br>."""
    label: str
    rectangle: Rectangle


class DrawnElement(NamedTuple):
    """An element that the browser drew."""

    xpath: str
    rectangle: Rectangle
    has_text: bool
    """Whether it has text of its own, outside of its child elements."""


class Places:
    """Finds the places of elements and texts in a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.paths: list[str] = document.blocks.xpaths
        """XPath of each block."""
        self._places: dict[str, Place] = {}

    @cached_property
    def elements(self) -> list[DrawnElement]:
        """The elements in the document's boxes, without damaged rows; empty without boxes."""
        return [DrawnElement(row[0], Rectangle(*row[_NUMBERS]), row[_OWN_TEXT] > 0) for row in readable_rows(self.document.boxes)]

    def text_boxes(self, labels: Sequence[str]) -> list[TextBox]:
        """The boxes that hold text, each with the label of its block; `labels` has one label per block. Empty without boxes."""
        blocks_of: defaultdict[str, list[int]] = defaultdict(list)
        for block, path in enumerate(self.paths):
            blocks_of[path].append(block)
        rectangles_of: defaultdict[str, list[Rectangle]] = defaultdict(list)
        for xpath, rectangle, has_text in self.elements:
            home = nearest_path(xpath, blocks_of) if has_text else None
            # The box of a bold word inside a box that is already there adds nothing.
            if home is not None and not any(outer.contains(rectangle) for outer in rectangles_of[home]):
                rectangles_of[home].append(rectangle)
        return [
            TextBox(tuple(blocks), first_label(blocks, labels), rectangle)
            for path, rectangles in rectangles_of.items()
            for blocks in [blocks_of[path][:MAX_BOX_BLOCKS]]
            for rectangle in rectangles
        ]

    def find(self, xpath: str | None) -> Place:
        """The place of an element: the blocks in it, or the block that it is a part of. An empty place if it shows nothing."""
        if not xpath:
            return Place()
        if xpath not in self._places:
            self._places[xpath] = self._find(xpath)
        return self._places[xpath]

    def _find(self, xpath: str) -> Place:
        prefix = f"{xpath}/"
        blocks = [i for i, path in enumerate(self.paths) if path == xpath or path.startswith(prefix)][:MAX_PLACE_BLOCKS]
        if not blocks:
            ancestor = nearest_path(xpath, frozenset(self.paths))
            if ancestor not in (None, "/html", "/html/body"):
                blocks = [i for i, path in enumerate(self.paths) if path == ancestor]
        rectangles = [element.rectangle for element in self.elements if element.xpath == xpath or element.xpath.startswith(prefix)]
        return Place(tuple(blocks), union(rectangles))

    def find_texts(self, texts: Sequence[str]) -> Place:
        """The blocks whose whole text, or whole link text, equals one of the texts."""
        blocks = {block for text in texts for block in self._blocks_by_text.get(text, ())}
        return Place(tuple(sorted(blocks)[:MAX_PLACE_BLOCKS]))

    @cached_property
    def _blocks_by_text(self) -> dict[str, list[int]]:
        blocks_by_text: dict[str, list[int]] = {}
        blocks = self.document.blocks
        for i, (text, link_text) in enumerate(zip(blocks.texts, blocks.link_texts, strict=True)):
            blocks_by_text.setdefault(text, []).append(i)
            if link_text and link_text != text:
                blocks_by_text.setdefault(link_text, []).append(i)
        return blocks_by_text


def first_label(blocks: Sequence[int], labels: Sequence[str]) -> str:
    """The first label of these blocks that is not noise."""
    return next((labels[i] for i in blocks if labels[i] != "noise"), "noise")


def readable_rows(rows: Sequence[Any] | None) -> list[Sequence[Any]]:
    """The rows of boxes that can be drawn. Boxes may come from a file that a user edited."""
    return [row for row in rows or () if _is_readable(row)]


def _is_readable(row: Any) -> bool:
    if not isinstance(row, (list, tuple)) or len(row) <= _OWN_TEXT or not isinstance(row[0], str):
        return False
    return all(isinstance(number, (int, float)) and isfinite(number) for number in (*row[_NUMBERS], row[_OWN_TEXT]))


def union(rectangles: Sequence[Rectangle]) -> Rectangle | None:
    """The smallest rectangle around all of them; None without rectangles."""
    if not rectangles:
        return None
    x, y = min(one.x for one in rectangles), min(one.y for one in rectangles)
    right, bottom = max(one.x + one.width for one in rectangles), max(one.y + one.height for one in rectangles)
    return Rectangle(x, y, right - x, bottom - y)


def nearest_path(path: str, known: Container[str]) -> str | None:
    """The nearest known path at or above a path.

    >>> nearest_path("/html/body/p/b", {"/html/body", "/html/body/p"})
    '/html/body/p'
    """
    while path:
        if path in known:
            return path
        path = path.rpartition("/")[0]
    return None
