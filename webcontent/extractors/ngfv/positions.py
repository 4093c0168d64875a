"""The visual tree of a page, and the alignment of its positions with those of another page of the same site.

Alignment goes from the page down. The children of two aligned blocks are aligned in their order, as the lines of two versions of a text
are. Two children can be aligned when their tags are equal. Equal text counts most, then id and class, then left edge and width, then
the last step of the path. The vertical position never counts: a banner that pushes everything down and shifts the numbers in the paths
is one more child, and all others are aligned as without it. A child that is left over is looked up by its whole path, because its block
may be on another level of the other page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from webcontent.extractors.ngfv.vips import MAX_DOC, visual_blocks
from webcontent.hashing import hash64

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.vips import VisualBlock

    Numbers = NDArray[np.float64]
    Rows = NDArray[np.int32]
    Mask = NDArray[np.bool_]

MAX_POSITIONS = 1000
"""Positions of a tree, those of the upper levels first: at most 600 KB."""
MAX_CELLS = 20_000
"""Cells of all alignment tables of a pair of pages. Beyond them children are aligned by path alone."""
NEAR_PX, NEAR_SHARE = 12.0, 0.06
"""Left edges and widths are nearly equal when they differ by at most this many px or this share of the page's width."""
SAME_TEXT, SAME_NAME, SAME_LEFT, SAME_WIDTH, SAME_STEP = 3.0, 2.0, 1.0, 1.0, 0.5
"""Contributions to the likeness of two positions of the same tag."""
MIN_LIKENESS = 1.0
"""Likeness from which on two positions can be aligned."""
TWIN = 0.95
"""A page with this share of its text in the same positions of another is that page again, under another address."""
UPPER, RELATED = 30, 0.2
"""This share of another page's upper positions has to be aligned with a page; otherwise the two are of different designs."""
FITTING = 0.8
"""Share of the text in a page's boxes that its document has to hold: scripts change pages, and parsers differ on broken ones."""
UNKNOWN = -1
_MASK = (1 << 64) - 1


@dataclass(slots=True, eq=False)
class VisualTree:
    """The visual blocks of a page that are single elements, level by level; n positions, the first is the page."""

    url: str | None
    width: float
    """Of the page, px."""
    xpaths: list[str]
    names: list[tuple[str, str]]
    """The tag, and id and class."""
    parent: list[int]
    """Position of the block around each one, -1 for the page."""
    children: list[list[int]]
    left: list[float]
    widths: list[float]
    fingerprints: list[int]
    """64-bit hash of the text, in any order of its lines; UNKNOWN where the document lacks the element."""
    share: Numbers
    """Area as a share of the page's: gamma (definition 1)."""
    text: Numbers
    """Characters."""
    link_text: Numbers
    """Characters inside links."""
    links: Numbers
    """Number of links: num_link (definition 4)."""
    area: Numbers
    """Square px."""
    start: Rows
    end: Rows
    """A position covers the blocks [start, end) of its document; none where the document lacks the element."""

    def __len__(self) -> int:
        return len(self.xpaths)


_trees: WeakKeyDictionary[Document, VisualTree | None] = WeakKeyDictionary()
"""The trees of the documents in use: a crawl needs a page's tree to find its reference pages, and the extractor needs it again."""


def visual_tree(document: Document) -> VisualTree | None:
    """The tree of a rendered page; None without boxes, where they show nothing, or where they show another state of the page."""
    if document not in _trees:
        _trees[document] = _built_tree(document.boxes, document.blocks, document.url)
    return _trees[document]


def _built_tree(boxes: Sequence[Sequence[Any]] | None, blocks: Blocks, url: str | None) -> VisualTree | None:
    root = visual_blocks(boxes, permitted_doc=MAX_DOC) if boxes else None
    if root is None:
        return None
    parts, parent = _positions(root)
    row_of_path = {path: row for row, path in enumerate(blocks.elements.xpaths())}
    rows = np.array([row_of_path.get(part.xpaths[0], -1) for part in parts], np.int64)
    text = np.array([float(part.text) for part in parts])
    if text[rows >= 0].sum() < FITTING * text.sum():
        return None
    start, end = (np.where(rows >= 0, column[rows], 0).astype(np.int32) for column in (blocks.elements.start, blocks.elements.end))
    children: list[list[int]] = [[] for _ in parts]
    for position, above in enumerate(parent[1:], 1):
        children[above].append(position)
    area = np.array([part.rectangle[2] * part.rectangle[3] for part in parts])
    return VisualTree(
        url=url,
        width=root.rectangle[2],
        xpaths=[part.xpaths[0] for part in parts],
        names=[_name(part.xpaths[0], blocks.elements, row) for part, row in zip(parts, rows.tolist(), strict=True)],
        parent=parent,
        children=children,
        left=[part.rectangle[0] for part in parts],
        widths=[part.rectangle[2] for part in parts],
        fingerprints=_fingerprints(blocks.texts, rows, start, end),
        share=area / max(1.0, root.rectangle[2] * root.rectangle[3]),
        text=text,
        link_text=np.array([float(part.link_text) for part in parts]),
        links=np.array([float(part.links) for part in parts]),
        area=area,
        start=start,
        end=end,
    )


def _name(xpath: str, elements: Elements, row: int) -> tuple[str, str]:
    """The tag of a path's last step; id and class of a row of elements, -1 for none."""
    return xpath.rpartition("/")[2].partition("[")[0], f"{elements.ids[row]} {elements.classes[row]}" if row >= 0 else ""


def _fingerprints(texts: list[str], rows: NDArray[np.int64], start: Rows, end: Rows) -> list[int]:
    """For each position the sum of its blocks' hashes, which does not depend on their order; UNKNOWN where it has no row."""
    sums = [0]
    for text in texts:
        sums.append((sums[-1] + hash64(text)) & _MASK)
    positions = zip(rows.tolist(), start.tolist(), end.tolist(), strict=True)
    return [(sums[last] - sums[first]) & _MASK if row >= 0 else UNKNOWN for row, first, last in positions]


def _positions(root: VisualBlock) -> tuple[list[VisualBlock], list[int]]:
    """The blocks that are single elements, level by level, and the position of the block around each."""
    blocks: list[VisualBlock] = []
    parent: list[int] = []
    level = [(root, -1)]
    while level and len(blocks) < MAX_POSITIONS:
        following = []
        for block, above in level[: MAX_POSITIONS - len(blocks)]:
            following += [(part, len(blocks)) for part in _element_parts(block)]
            blocks.append(block)
            parent.append(above)
        level = following
    return blocks, parent


def _element_parts(block: VisualBlock) -> list[VisualBlock]:
    """The parts of a block, groups opened."""
    parts, stack = [], block.children[::-1]
    while stack:
        part = stack.pop()
        if len(part.xpaths) > 1:
            stack.extend(reversed(part.children))
        else:
            parts.append(part)
    return parts


@dataclass(eq=False)
class Alignment:
    """Pairs of the same position on two pages."""

    one: VisualTree
    other: VisualTree
    matches: Rows
    """For each position of `one` the position of `other`, -1 where it has none."""

    @cached_property
    def is_same(self) -> Mask:
        """Which positions show the same text on both pages."""
        fingerprints = self.other.fingerprints
        pairs = zip(self.one.fingerprints, self.matches.tolist(), strict=True)
        return np.array([match >= 0 and own == fingerprints[match] != UNKNOWN for own, match in pairs])

    @cached_property
    def same_share(self) -> float:
        """Share of the page's text that is the same in the same positions of the other."""
        same, text, parent = self.is_same, self.one.text, self.one.parent
        inside = same.copy()
        total = float(text[0]) if same[0] else 0.0
        for position in range(1, len(parent)):
            above = bool(inside[parent[position]])
            total += float(text[position]) if same[position] and not above else 0.0
            inside[position] |= above
        return total / max(1.0, float(text[0]))

    @property
    def is_useful(self) -> bool:
        """Whether the other page can tell noise from content: it is another page of the same design."""
        upper = min(UPPER, len(self.other) - 1)
        count = int(((self.matches > 0) & (self.matches <= upper)).sum())
        return upper > 0 and count >= RELATED * upper and self.same_share < TWIN


def align(one: VisualTree, other: VisualTree) -> Alignment:
    """The alignment of two trees. Time is bounded by MAX_CELLS and the sizes of the trees."""
    matches = np.full(len(one), -1, np.int32)
    matches[0] = 0
    by_path = {path: position for position, path in enumerate(other.xpaths)}
    taken = {0}
    cells = MAX_CELLS
    for position in range(len(one)):  # parents come before their children
        if matches[position] < 0:
            match = by_path.get(one.xpaths[position], -1)
            if match < 0 or match in taken or not _is_near(one.left[position], other.left[match], one):
                continue
            matches[position] = match
            taken.add(match)
        own = one.children[position]
        theirs = [child for child in other.children[matches[position]] if child not in taken]
        if own and theirs and len(own) * len(theirs) <= cells:
            cells -= len(own) * len(theirs)
            for child, match in _aligned(one, other, own, theirs):
                matches[child] = match
                taken.add(match)
    return Alignment(one, other, matches)


def _aligned(one: VisualTree, other: VisualTree, own: list[int], theirs: list[int]) -> list[tuple[int, int]]:
    """Pairs of children, in their order on both sides, whose likenesses have the largest sum (Needleman and Wunsch 1970)."""
    likeness = [[_likeness(one, other, child, match) for match in theirs] for child in own]
    best = [[0.0] * (len(theirs) + 1) for _ in range(len(own) + 1)]
    for row in range(len(own) - 1, -1, -1):
        here, below, of_row = best[row], best[row + 1], likeness[row]
        for column in range(len(theirs) - 1, -1, -1):
            together = below[column + 1] + of_row[column] if of_row[column] else 0.0
            here[column] = max(below[column], here[column + 1], together)
    pairs, row, column = [], 0, 0
    while row < len(own) and column < len(theirs):
        if likeness[row][column] and best[row][column] == best[row + 1][column + 1] + likeness[row][column]:
            pairs.append((own[row], theirs[column]))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _likeness(one: VisualTree, other: VisualTree, child: int, match: int) -> float:
    """How much speaks for two positions being the same; 0 where they can't be."""
    tag, name = one.names[child]
    if tag != other.names[match][0]:
        return 0.0
    likeness = SAME_TEXT if one.fingerprints[child] == other.fingerprints[match] != UNKNOWN else 0.0
    if name == other.names[match][1]:
        likeness += SAME_NAME
    if _is_near(one.left[child], other.left[match], one):
        likeness += SAME_LEFT
        if _is_near(one.widths[child], other.widths[match], one):
            likeness += SAME_WIDTH
    if one.xpaths[child].rpartition("/")[2] == other.xpaths[match].rpartition("/")[2]:
        likeness += SAME_STEP
    return likeness if likeness >= MIN_LIKENESS else 0.0


def _is_near(one_px: float, other_px: float, page: VisualTree) -> bool:
    """Whether two lengths are nearly equal on a page of that width."""
    return abs(one_px - other_px) <= max(NEAR_PX, NEAR_SHARE * page.width)
