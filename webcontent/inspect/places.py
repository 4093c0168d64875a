"""Where elements, blocks and texts of a page are, and the rectangles that the browser drew around them."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.document.boxes import box_columns

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from webcontent.document.parsing import Document

MAX_BLOCKS = 4000
"""Blocks that are listed, and whose features are in the file."""


class Rectangle(NamedTuple):
    """A part of the page, in CSS px from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def attributes(self) -> dict[str, str]:
        """The attributes of an SVG rectangle."""
        return {name: f"{number:g}" for name, number in self._asdict().items()}


class Place(NamedTuple):
    """The blocks of a page that belong to an element or a text, and the rectangle around the element if there are boxes."""

    blocks: tuple[int, ...] = ()
    rectangle: Rectangle | None = None


class Places:
    """Finds the places of elements and texts in a document, among its first MAX_BLOCKS blocks."""

    def __init__(self, document: Document) -> None:
        blocks = document.blocks
        self.paths: list[str] = blocks.xpaths[:MAX_BLOCKS]
        """XPath of each block."""
        self.texts = blocks.texts[:MAX_BLOCKS], blocks.link_texts[:MAX_BLOCKS]
        self.boxes = box_columns(document.boxes)
        """The columns of the document's boxes."""
        edges = (self.boxes["x"], self.boxes["y"], np.maximum(self.boxes["w"], 0), np.maximum(self.boxes["h"], 0))
        self.elements = list(zip(map(str, self.boxes["xpath"]), map(Rectangle, *(edge.tolist() for edge in edges)), strict=True))
        """XPath and rectangle of each element that the browser drew."""
        self.find = cache(self._find)
        """The place of an element: the blocks in it, or the block that it is a part of. An empty place if it shows nothing."""

    def text_boxes(self) -> list[tuple[Rectangle, Place]]:
        """The boxes that hold text, each with its blocks: several where <br> separates lines. Empty without boxes."""
        shown = {xpath: rectangle for (xpath, rectangle), own in zip(self.elements, self.boxes["own"], strict=True) if own > 0}
        boxes = []
        for xpath, rectangle in shown.items():
            home = nearest_path(xpath, self._blocks_of)
            outer = nearest_path(xpath.rpartition("/")[0], shown)
            # The box of a bold word inside a box that is already there adds nothing.
            if home is not None and not f"{outer}/".startswith(f"{home}/"):
                boxes.append((rectangle, Place(tuple(self._blocks_of[home]))))
        return boxes

    def _find(self, xpath: str | None) -> Place:
        if not xpath:
            return Place()
        inside = f"{xpath}/"
        blocks = [i for i, path in enumerate(self.paths) if f"{path}/".startswith(inside)]
        if not blocks and (ancestor := nearest_path(xpath, self._blocks_of)) and ancestor not in ("/html", "/html/body"):
            blocks = self._blocks_of[ancestor]
        return Place(tuple(blocks), union([rectangle for path, rectangle in self.elements if f"{path}/".startswith(inside)]))

    def find_texts(self, texts: Iterable[str]) -> Place:
        """The blocks whose whole text, or whole link text, equals one of the texts."""
        wanted = set(texts) - {""}
        return Place(tuple(i for i, both in enumerate(zip(*self.texts, strict=True)) if not wanted.isdisjoint(both)))

    @cached_property
    def _blocks_of(self) -> defaultdict[str, list[int]]:
        blocks_of: defaultdict[str, list[int]] = defaultdict(list)
        for block, path in enumerate(self.paths):
            blocks_of[path].append(block)
        return blocks_of


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
