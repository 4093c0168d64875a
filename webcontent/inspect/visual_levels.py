"""The visual blocks of a rendered page (VIPS), level by level, each with the label of its text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.vips import visual_blocks
from webcontent.inspect.places import Rectangle, readable_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.positions import VisualTree
    from webcontent.extractors.ngfv.vips import VisualBlock
    from webcontent.inspect.places import Places

MAX_LEVELS = 12
"""Visual blocks below this level are rarely larger than a word."""
MAX_AREAS = 1500
"""A level with more visual blocks is not drawn, nor are those below it."""
TEXT_WEIGHT = 2
"""Text counts this many times as much as noise, so that a headline decides the label of a block that also holds tags."""


@dataclass(frozen=True, slots=True)
class VisualArea:
    """A visual block of the page."""

    rectangle: Rectangle
    label: str
    """The label of most of its text."""
    coherence: int
    """Degree of coherence, 1 to 10."""
    blocks: tuple[int, ...]


def visual_levels(document: Document, labels: Sequence[str], places: Places) -> list[list[VisualArea]]:
    """The visual blocks level by level, the largest first; `labels` has one label per block. Empty without boxes.

    A visual block without children also appears on all levels below its own.
    """
    whole = visual_blocks(readable_rows(document.boxes))
    if whole is None:
        return []
    areas: dict[int, VisualArea] = {}
    levels: list[list[VisualArea]] = []
    level = [whole]
    for _ in range(MAX_LEVELS):
        children = [child for block in level for child in block.children or [block]]
        if len(children) == len(level) or len(children) > MAX_AREAS:
            break
        level = children
        for block in level:
            if id(block) not in areas:
                areas[id(block)] = _area(block, document.blocks.texts, labels, places)
        levels.append([areas[id(block)] for block in level])
    return levels


def reference_pages(document: Document | None) -> tuple[VisualTree, ...]:
    """A page as a reference page of `PageContext`; none without boxes."""
    tree = visual_tree(document) if document is not None else None
    return (tree,) if tree is not None else ()


def _area(block: VisualBlock, texts: Sequence[str], labels: Sequence[str], places: Places) -> VisualArea:
    text_blocks = sorted({i for xpath in block.xpaths for i in places.find(xpath).blocks})
    characters: Counter[str] = Counter()
    for i in text_blocks:
        characters[labels[i]] += len(texts[i]) * (1 if labels[i] == "noise" else TEXT_WEIGHT)
    label = characters.most_common(1)[0][0] if characters else "noise"
    return VisualArea(Rectangle(*block.rectangle), label, block.doc, tuple(text_blocks))
