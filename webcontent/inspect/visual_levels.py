"""The visual blocks of a rendered page (VIPS), level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.vips import visual_blocks
from webcontent.inspect.places import Rectangle

if TYPE_CHECKING:
    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.positions import VisualTree
    from webcontent.inspect.places import Places

MAX_LEVELS = 12
"""Visual blocks below this level are rarely larger than a word."""
MAX_AREAS = 1500
"""A level with more visual blocks is not drawn, nor are those below it."""


class VisualArea(NamedTuple):
    """A visual block of the page."""

    rectangle: Rectangle
    coherence: int
    """Degree of coherence, 1 to 10."""
    blocks: tuple[int, ...]


def visual_levels(places: Places) -> list[list[VisualArea]]:
    """The visual blocks level by level, the largest first; empty without boxes.

    A visual block without children also appears on all levels below its own.
    """
    whole = visual_blocks(places.boxes)
    levels: list[list[VisualArea]] = []
    level = [] if whole is None else [whole]
    for _ in range(MAX_LEVELS):
        children = [child for block in level for child in block.children or [block]]
        if len(children) == len(level) or len(children) > MAX_AREAS:
            break
        level = children
        blocks = [tuple(sorted({i for xpath in block.xpaths for i in places.find(xpath).blocks})) for block in level]
        levels.append([VisualArea(Rectangle(*block.rectangle), block.doc, numbers) for block, numbers in zip(level, blocks, strict=True)])
    return levels


def reference_pages(document: Document | None) -> tuple[VisualTree, ...]:
    """A page as a reference page of `PageContext`; none without boxes."""
    tree = visual_tree(document) if document is not None else None
    return (tree,) if tree is not None else ()
