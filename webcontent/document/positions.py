"""Positions: where things stand on the pages of one site. The visual tree of a page, and which of its positions are those of another page.

The same position is found from the page down: the parts of two blocks in the same position are aligned in their order, as the lines of
two versions of a text are. Parts can be the same when their tags are; the same text counts most, then the same id and class, then left edge
and width, then the last step of the path. How far down a part stands never counts, so a banner that pushes everything down and
shifts the numbers in the paths is one part more, and all others find their place. A part that is left over is looked up by its whole
path: where one page has two parts in a block and the other a single one, their blocks stand on different levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.vips import visual_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.document.vips import VisualBlock

    Numbers = NDArray[np.float64]
    Rows = NDArray[np.int32]
    Mask = NDArray[np.bool_]

MAX_POSITIONS = 1000
"""Of a page, those of the upper levels first: at most 600 KB."""
MAX_CELLS = 20_000
"""Of the tables by which parts are aligned, all tables of a pair of pages together; beyond, parts are matched by path alone."""
NEAR_PX, NEAR_SHARE = 12.0, 0.06
"""Left edges and widths are about the same when they differ by less than this many px or this share of the page's width."""
SAME_TEXT, SAME_NAME, SAME_LEFT, SAME_WIDTH, SAME_STEP, LEAST = 3.0, 2.0, 1.0, 1.0, 0.5, 1.0
"""What counts how much for the likeness of two parts of the same tag, and the likeness that two parts need."""
TWIN = 0.95
"""A page with this share of its text in the same positions of another is that page again, under another address."""
UPPER, RELATED = 30, 0.2
"""Of the upper positions of another page this share has to be found on a page, or the two are of different designs."""
FITTING = 0.8
"""Of the text in a page's boxes, what its document has to know: scripts change pages, and parsers differ on broken ones."""
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
    """Tag; id and class."""
    parent: list[int]
    """Position of the block around it, -1 for the page."""
    children: list[list[int]]
    left: list[float]
    widths: list[float]
    fingerprints: list[int]
    """64 bits of the text, whatever the order of its lines; UNKNOWN where the document lacks the element."""
    share: Numbers
    """Area as a share of the page's: gamma (definition 1)."""
    text: Numbers
    """Characters."""
    link_text: Numbers
    """Of these inside links."""
    links: Numbers
    """Number of links: num_link (definition 4)."""
    area: Numbers
    """Square px."""
    start: Rows
    end: Rows
    """A position covers the blocks [start, end) of its document; none where the document lacks the element."""

    def __len__(self) -> int:
        return len(self.xpaths)


def visual_tree(document: Document) -> VisualTree | None:
    """The tree of a rendered page; None without boxes, where they show nothing, or where they show another state of the page."""
    root = visual_blocks(document.boxes, permitted_doc=10) if document.boxes else None
    if root is None:
        return None
    blocks, parent = _positions(root)
    rows = _rows_by_path(document)
    elements = document.blocks.elements
    found = [rows.get(block.xpaths[0], -1) for block in blocks]
    text = np.array([float(block.text) for block in blocks])
    if text[np.array(found) >= 0].sum() < FITTING * text.sum():
        return None
    start, end = (np.array([column[row] if row >= 0 else 0 for row in found], np.int32) for column in (elements.start, elements.end))
    sums = [0]
    for line in document.blocks.texts:
        sums.append((sums[-1] + _fingerprint(line)) & _MASK)
    area = np.array([block.rectangle[2] * block.rectangle[3] for block in blocks])
    return VisualTree(
        url=document.url,
        width=root.rectangle[2],
        xpaths=[block.xpaths[0] for block in blocks],
        names=[
            (block.xpaths[0].rpartition("/")[2].partition("[")[0], f"{elements.ids[row]} {elements.classes[row]}" if row >= 0 else "")
            for block, row in zip(blocks, found, strict=True)
        ],
        parent=parent,
        children=_children(parent),
        left=[block.rectangle[0] for block in blocks],
        widths=[block.rectangle[2] for block in blocks],
        fingerprints=[
            (sums[last] - sums[first]) & _MASK if row >= 0 else UNKNOWN
            for row, first, last in zip(found, start.tolist(), end.tolist(), strict=True)
        ],
        share=area / max(1.0, root.rectangle[2] * root.rectangle[3]),
        text=text,
        link_text=np.array([float(block.link_text) for block in blocks]),
        links=np.array([float(block.links) for block in blocks]),
        area=area,
        start=start,
        end=end,
    )


def pruned(tree: VisualTree, kept: Mask) -> VisualTree:
    """The tree with only the kept positions and what stands around them."""
    wanted = kept.copy()
    wanted[0] = True
    for position in range(len(tree) - 1, 0, -1):
        if wanted[position]:
            wanted[tree.parent[position]] = True
    rows = np.flatnonzero(wanted)
    place = {old: new for new, old in enumerate(rows.tolist())}
    parent = [place.get(tree.parent[row], -1) for row in rows.tolist()]
    picked: dict[str, Any] = {
        name: [getattr(tree, name)[row] for row in rows.tolist()] for name in ("xpaths", "names", "left", "widths", "fingerprints")
    }
    picked |= {name: getattr(tree, name)[rows] for name in ("share", "text", "link_text", "links", "area", "start", "end")}
    return VisualTree(url=tree.url, width=tree.width, parent=parent, children=_children(parent), **picked)


def _positions(root: VisualBlock) -> tuple[list[VisualBlock], list[int]]:
    """The blocks that are single elements, level by level, and the place of the block around each."""
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
    found, stack = [], block.children[::-1]
    while stack:
        part = stack.pop()
        if len(part.xpaths) > 1:
            stack.extend(reversed(part.children))
        else:
            found.append(part)
    return found


def _children(parent: Sequence[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parent]
    for position, above in enumerate(parent):
        if above >= 0:
            children[above].append(position)
    return children


def _rows_by_path(document: Document) -> dict[str, int]:
    """Rows of the document's elements by their path, as a browser writes it."""
    elements = document.blocks.elements
    keys = [(above, str(node.tag)) for above, node in zip(elements.parent.tolist(), elements.nodes, strict=True)]
    counts: dict[tuple[int, str], int] = {}
    numbers = []
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
        numbers.append(counts[key])
    paths: list[str] = []
    for key, number in zip(keys, numbers, strict=True):
        above, tag = key
        paths.append(f"{paths[above] if above >= 0 else ''}/{tag}" + (f"[{number}]" if counts[key] > 1 else ""))
    return {path: row for row, path in enumerate(paths)}


def _fingerprint(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


@dataclass(eq=False)
class Alignment:
    """Which position of one page is which of another."""

    one: VisualTree
    other: VisualTree
    found: Rows
    """For each position of `one` the position of `other`, -1 where it has none."""

    @cached_property
    def is_same(self) -> Mask:
        """Which positions show the same text on both pages."""
        fingerprints = self.other.fingerprints
        pairs = zip(self.one.fingerprints, self.found.tolist(), strict=True)
        return np.array([place >= 0 and mine == fingerprints[place] != UNKNOWN for mine, place in pairs])

    @cached_property
    def same_share(self) -> float:
        """Share of the page's text that stands in the same positions of the other."""
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
        """Whether the other page tells noise from content: another page, of the same design."""
        upper = min(UPPER, len(self.other) - 1)
        found = int(((self.found > 0) & (self.found <= upper)).sum())
        return upper > 0 and found >= RELATED * upper and self.same_share < TWIN


def align(one: VisualTree, other: VisualTree) -> Alignment:
    """Positions of one tree in the other. Time is bounded by MAX_CELLS and the sizes of the trees."""
    found = np.full(len(one), -1, np.int32)
    found[0] = 0
    places = {path: position for position, path in enumerate(other.xpaths)}
    taken = {0}
    cells = MAX_CELLS
    for position in range(len(one)):  # parents come before their parts
        if found[position] < 0:
            place = places.get(one.xpaths[position], -1)
            if place < 0 or place in taken or not _is_near(one, other, position, place):
                continue
            found[position] = place
            taken.add(place)
        mine = one.children[position]
        theirs = [part for part in other.children[found[position]] if part not in taken]
        if mine and theirs and len(mine) * len(theirs) <= cells:
            cells -= len(mine) * len(theirs)
            for part, place in _aligned(one, other, mine, theirs):
                found[part] = place
                taken.add(place)
    return Alignment(one, other, found)


def _aligned(one: VisualTree, other: VisualTree, mine: list[int], theirs: list[int]) -> list[tuple[int, int]]:
    """Pairs of parts, in their order on both sides, whose likenesses have the largest sum (Needleman and Wunsch 1970)."""
    likes = [[_likeness(one, other, part, place) for place in theirs] for part in mine]
    best = [[0.0] * (len(theirs) + 1) for _ in range(len(mine) + 1)]
    for row in range(len(mine) - 1, -1, -1):
        here, below, likeness = best[row], best[row + 1], likes[row]
        for column in range(len(theirs) - 1, -1, -1):
            together = below[column + 1] + likeness[column] if likeness[column] else 0.0
            here[column] = max(below[column], here[column + 1], together)
    pairs, row, column = [], 0, 0
    while row < len(mine) and column < len(theirs):
        if likes[row][column] and best[row][column] == best[row + 1][column + 1] + likes[row][column]:
            pairs.append((mine[row], theirs[column]))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return pairs


def _likeness(one: VisualTree, other: VisualTree, part: int, place: int) -> float:
    """0 for two parts that can't be in the same position."""
    tag, name = one.names[part]
    if tag != other.names[place][0]:
        return 0.0
    near = max(NEAR_PX, NEAR_SHARE * one.width)
    likeness = SAME_TEXT if one.fingerprints[part] == other.fingerprints[place] != UNKNOWN else 0.0
    if name == other.names[place][1]:
        likeness += SAME_NAME
    if abs(one.left[part] - other.left[place]) <= near:
        likeness += SAME_LEFT
        if abs(one.widths[part] - other.widths[place]) <= near:
            likeness += SAME_WIDTH
    if one.xpaths[part].rpartition("/")[2] == other.xpaths[place].rpartition("/")[2]:
        likeness += SAME_STEP
    return likeness if likeness >= LEAST else 0.0


def _is_near(one: VisualTree, other: VisualTree, part: int, place: int) -> bool:
    return abs(one.left[part] - other.left[place]) <= max(NEAR_PX, NEAR_SHARE * one.width)
