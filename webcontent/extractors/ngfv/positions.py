"""The visual tree of a page, and the alignment of its positions with those of another page of the same site.

Alignment goes from the page down, the parts of two aligned blocks in their order; docs/ngfv.md describes it ("Positions").
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from webcontent.extractors.ngfv.vips import visual_blocks
from webcontent.hashing import hash64

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.vips import VisualBlock

    Numbers = NDArray[np.float64]
    Rows = NDArray[np.int32]

MAX_POSITIONS = 1000
"""Positions of a tree, those of the upper levels first: at most 600 KB."""
MAX_CELLS = 20_000
"""Cells of all alignment tables of a pair of pages. Beyond them children are aligned by path alone."""
TWIN = 0.95
"""A page with this share of its text in the same positions of another is that page again, under another address."""
UPPER, RELATED = 30, 0.2
"""This share of another page's upper positions has to be aligned with a page; otherwise the two are of different designs."""
FITTING = 0.8
"""Share of the text in a page's boxes that its document has to hold: scripts change pages, and parsers differ on broken ones."""


@dataclass(slots=True, eq=False)
class VisualTree:
    """The visual blocks of a page that are single elements, level by level; n positions, the first is the page."""

    xpaths: list[str]
    names: list[tuple[str, str]]
    """The tag, and id and class."""
    parent: list[int]
    """Position of the block around each one, -1 for the page."""
    children: list[list[int]]
    fingerprints: list[int | None]
    """64-bit hash of the text, in any order of its lines; None where the document lacks the element."""
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

    @property
    def share(self) -> Numbers:
        """Area as a share of the page's: gamma (definition 1)."""
        return self.area / max(1.0, float(self.area[0]))


_trees: WeakKeyDictionary[Document, VisualTree | None] = WeakKeyDictionary()
"""The trees of the documents in use: a crawl needs a page's tree to find its reference pages, and the extractor needs it again."""


def visual_tree(document: Document) -> VisualTree | None:
    """The tree of a rendered page; None without boxes, where they show nothing, or where they show another state of the page."""
    if document not in _trees:
        _trees[document] = _built_tree(document.boxes, document.blocks)
    return _trees[document]


def _built_tree(boxes: Sequence[Sequence[Any]] | None, blocks: Blocks) -> VisualTree | None:
    root = visual_blocks(boxes) if boxes else None
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
    return VisualTree(
        xpaths=[part.xpaths[0] for part in parts],
        names=[_name(part.xpaths[0], blocks.elements, row) for part, row in zip(parts, rows.tolist(), strict=True)],
        parent=parent,
        children=children,
        fingerprints=_fingerprints(blocks.texts, rows, start, end),
        text=text,
        link_text=np.array([float(part.link_text) for part in parts]),
        links=np.array([float(part.links) for part in parts]),
        area=np.array([part.rectangle[2] * part.rectangle[3] for part in parts]),
        start=start,
        end=end,
    )


def _name(xpath: str, elements: Elements, row: int) -> tuple[str, str]:
    """The tag of a path's last step; id and class of a row of elements, -1 for none."""
    return xpath.rpartition("/")[2].partition("[")[0], f"{elements.ids[row]} {elements.classes[row]}" if row >= 0 else ""


def _fingerprints(texts: list[str], rows: NDArray[np.int64], start: Rows, end: Rows) -> list[int | None]:
    """For each position the sum of its blocks' hashes, which does not depend on their order; None where it has no row."""
    sums = np.cumsum(np.array([0, *map(hash64, texts)], np.uint64))  # modulo 2 ** 64
    return [own if row >= 0 else None for row, own in zip(rows.tolist(), (sums[end] - sums[start]).tolist(), strict=True)]


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
    def is_same(self) -> NDArray[np.bool_]:
        """Which positions show the same text on both pages."""
        fingerprints = self.other.fingerprints
        pairs = zip(self.one.fingerprints, self.matches.tolist(), strict=True)
        return np.array([match >= 0 and own is not None and own == fingerprints[match] for own, match in pairs])

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
            if match < 0 or match in taken:
                continue
            matches[position] = match
            taken.add(match)
        own = one.children[position]
        theirs = [child for child in other.children[matches[position]] if child not in taken]
        if own and theirs and len(own) * len(theirs) <= cells:
            cells -= len(own) * len(theirs)
            for child, match in _aligned(one, other, own, theirs, KEYS):
                matches[child] = match
                taken.add(match)
    return Alignment(one, other, matches)


def _aligned(
    one: VisualTree, other: VisualTree, own: list[int], theirs: list[int], keys: Sequence[Callable[[VisualTree, int], object]]
) -> Iterator[tuple[int, int]]:
    """Pairs of children in their order on both sides: those equal by the first key, and between them those equal by the next ones."""
    if own and theirs and keys:
        key, *more = keys
        rows, columns = [key(one, child) for child in own], [key(other, child) for child in theirs]
        first = second = 0
        for row, column, size in SequenceMatcher(None, rows, columns, autojunk=False).get_matching_blocks():
            yield from _aligned(one, other, own[first:row], theirs[second:column], more)
            yield from zip(own[row : row + size], theirs[column : column + size], strict=True)
            first, second = row + size, column + size


def _text_key(tree: VisualTree, position: int) -> object:
    fingerprint = tree.fingerprints[position]
    return object() if fingerprint is None else (tree.names[position][0], fingerprint)


KEYS = (_text_key, lambda tree, position: tree.names[position], lambda tree, position: tree.names[position][0])
"""By which two children are the same: text, then id and class, then the tag alone."""
