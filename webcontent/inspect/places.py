"""Where elements, blocks and texts of a page are, and the rectangles that the browser drew around them."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.document.boxes import box_columns

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from webcontent.document.parsing import Document

MAX_PLACE_BLOCKS = 400
"""Blocks in the place of one field, and in one text box. More are not listed."""
TOLERANCE_PX = 1
"""Browsers round the edges of nested boxes differently."""


class Rectangle(NamedTuple):
    """A part of the page, in CSS px from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def attributes(self) -> dict[str, str]:
        """The attributes of an SVG rectangle."""
        return {name: f"{number:g}" for name, number in self._asdict().items()}

    def contains(self, other: Rectangle) -> bool:
        """Whether the other rectangle lies inside this one, within TOLERANCE_PX."""
        return (
            self.x <= other.x + TOLERANCE_PX
            and self.y <= other.y + TOLERANCE_PX
            and other.x + other.width <= self.x + self.width + TOLERANCE_PX
            and other.y + other.height <= self.y + self.height + TOLERANCE_PX
        )


class Place(NamedTuple):
    """The blocks of a page that belong to an element or a text, and the rectangle around the element if there are boxes."""

    blocks: tuple[int, ...] = ()
    rectangle: Rectangle | None = None


class TextBox(NamedTuple):
    """A rectangle with the text of one or more blocks."""

    blocks: tuple[int, ...]
    """More than one if an element holds lines that are separated by <br>."""
    rectangle: Rectangle


class Places:
    """Finds the places of elements and texts in a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.paths: list[str] = document.blocks.xpaths
        """XPath of each block."""
        self.boxes = box_columns(document.boxes)
        """The columns of the document's boxes."""
        edges = (self.boxes["x"], self.boxes["y"], np.maximum(self.boxes["w"], 0), np.maximum(self.boxes["h"], 0))
        self.elements = list(zip(map(str, self.boxes["xpath"]), map(Rectangle, *(edge.tolist() for edge in edges)), strict=True))
        """XPath and rectangle of each element that the browser drew."""
        self.find = cache(self._find)
        """The place of an element: the blocks in it, or the block that it is a part of. An empty place if it shows nothing."""

    def text_boxes(self) -> list[TextBox]:
        """The boxes that hold text; empty without boxes."""
        blocks_of: defaultdict[str, list[int]] = defaultdict(list)
        for block, path in enumerate(self.paths):
            blocks_of[path].append(block)
        rectangles_of: defaultdict[str, list[Rectangle]] = defaultdict(list)
        for (xpath, rectangle), characters in zip(self.elements, self.boxes["own"], strict=True):
            home = nearest_path(xpath, blocks_of) if characters > 0 else None
            # The box of a bold word inside a box that is already there adds nothing.
            if home is not None and not any(outer.contains(rectangle) for outer in rectangles_of[home]):
                rectangles_of[home].append(rectangle)
        return [
            TextBox(tuple(blocks_of[path][:MAX_PLACE_BLOCKS]), rectangle)
            for path, rectangles in rectangles_of.items()
            for rectangle in rectangles
        ]

    def _find(self, xpath: str | None) -> Place:
        if not xpath:
            return Place()
        prefix = f"{xpath}/"
        blocks = [i for i, path in enumerate(self.paths) if path == xpath or path.startswith(prefix)][:MAX_PLACE_BLOCKS]
        if not blocks:
            ancestor = nearest_path(xpath, frozenset(self.paths))
            if ancestor not in (None, "/html", "/html/body"):
                blocks = [i for i, path in enumerate(self.paths) if path == ancestor]
        rectangles = [rectangle for path, rectangle in self.elements if path == xpath or path.startswith(prefix)]
        return Place(tuple(blocks), union(rectangles))

    def find_texts(self, texts: Sequence[str]) -> Place:
        """The blocks whose whole text, or whole link text, equals one of the texts."""
        blocks = {block for text in texts if text for block in self._blocks_by_text.get(text, ())}
        return Place(tuple(sorted(blocks)[:MAX_PLACE_BLOCKS]))

    @cached_property
    def _blocks_by_text(self) -> dict[str, set[int]]:
        blocks_by_text: defaultdict[str, set[int]] = defaultdict(set)
        for texts in (self.document.blocks.texts, self.document.blocks.link_texts):
            for i, text in enumerate(texts):
                blocks_by_text[text].add(i)
        return blocks_by_text


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
