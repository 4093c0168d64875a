"""Boxes -> visual blocks: the segments that a person sees on a page, as a tree, from the rectangles that a browser drew.

VIPS (D. Cai, S. Yu, J.-R. Wen, W.-Y. Ma: VIPS: a Vision-based Page Segmentation Algorithm, MSR-TR-2003-79): blocks are extracted
(section 3 there; its rules are named below), separators are found and weighed (4), and the tree is built from the heaviest one down (5).
The degree of coherence, DoC, is ten times the probability that a person leaves the block whole, from a regression over the report's cues
(`CUES`). Elements that show nothing are left out (rule 1). docs/ngfv.md has the differences from the report, and the measurements.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.boxes import box_columns
from webcontent.extractors.decoding import sigmoid
from webcontent.extractors.ngfv.visual_layout import Layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

MAX_DOC = 10
"""Degree of coherence of a single text or image."""
MAX_CUTS = 32
"""Nested groups between an element and its children; deeper ones stay flat. It keeps spiral layouts from taking quadratic time."""
ROUNDING_PX = 1
"""Rectangles are rounded, so neighbours may overlap by this."""
SCREEN_PX, MAX_SCREENS, MAX_DEPTH, AREA_PX2 = 900, 4, 12, 1000
"""Units and limits of the cues: height of a screen, screens, depth, and the unit of areas."""
GROUP = "+"
"""The tag of a block that is no element."""

SIGN = 2.0
"""Weight of each sign that two parts belong apart. The report's section 4 orders the weights without numbers; these are those of vips_java
and FitLayout."""
GAPS_PX, GAP_WEIGHTS = (0, 8, *range(15, 76, 10)), (0.0, 1.0, *range(2, 17, 2))
"""Widths of separators, and the weights of those up to each width; the last one is for all wider ones."""

CUES = {
    "log_area": 0.1217,
    "area_share": 1.382,
    "width_share": 1.101,
    "height_share": 2.701,
    "screens": -1.043,
    "log_parts": -0.9012,
    "rows": -0.3327,
    "separator": 0.07877,
    "fonts": -0.2756,
    "colors": 0.2971,
    "log_text": 0.2077,
    "link_share": 0.3856,
    "log_elements": 0.894,
    "depth": -0.1762,
    "biggest": 0.08296,
    "height_spread": -0.02995,
    "link_spread": 1.086,
    "text_spread": -1.141,
    "own_text": -1.171,
    "is_list": -1.41,
    "is_division": -0.3585,
    "is_group": 0.5607,
}
"""Weights of the cues by name, for values as `_cues` gives them: above 0 the block looks like several."""
BIAS = -3.663


@dataclass(slots=True, eq=False)
class VisualBlock:
    """A rectangle of the page that belongs together, and what is in it."""

    rectangle: tuple[float, float, float, float]
    """x, y, width, height of what it shows, CSS px from the page's upper left corner."""
    xpaths: list[str]
    """Its elements, in document order: one, or several neighbours between two separators."""
    doc: int
    """Degree of coherence, 1 (unrelated things) to 10 (one text); not below that of the block that it is part of."""
    children: list[VisualBlock]
    """Its parts in reading order; empty where nothing in it can be divided."""
    text: int
    """Characters in it, without blanks at the ends of elements."""
    link_text: int
    """Characters inside links."""
    links: int
    """Number of links in it."""


def visual_blocks(boxes: Sequence[Sequence[Any]] | dict[str, NDArray[Any]]) -> VisualBlock | None:
    """The visual blocks of a page: the block that is the whole page, or None where the table shows nothing.

    `boxes`: rows in the order of `document.boxes.COLUMNS`, or the table of their columns. Time grows as n log n.
    """
    layout = Layout(boxes if isinstance(boxes, dict) else box_columns(boxes))
    if not layout.shows(0):
        return None
    structure = Structure(layout)
    return build_tree(structure, coherence(structure))


class Structure:
    """The content structure before DoC: every block down to single texts and images, parents before children."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.members: list[list[int]] = []
        """Elements of each block."""
        self.parent: list[int] = []
        self.separator: list[float] = []
        """Weight of the separators between a block's parts; 0 where it has none."""
        stack: list[tuple[list[int], int, int]] = [([0], -1, 0)]
        while stack:
            members, parent, cuts = stack.pop()
            if len(members) == 1:
                members, cuts = [self._innermost(members[0])], 0
            parts = members if len(members) > 1 else self._parts(members[0])
            weight, groups = self._cut(parts, cuts)
            block = len(self.members)
            self.members.append(members)
            self.parent.append(parent)
            self.separator.append(weight)
            stack.extend((group, block, cuts + 1) for group in reversed(groups))

    def _innermost(self, element: int) -> int:
        """Rule 2: an element with a single child and no text of its own is its child."""
        layout = self.layout
        while len(layout.parts[element]) == 1 and not layout.own[element]:
            element = layout.parts[element][0]
        return element

    def _parts(self, element: int) -> list[int]:
        """Rule 4: an element with text all of whose children are virtual text is one text."""
        is_text = self.layout.own[element] > 0 and not self.layout.breaks[element]
        return [] if is_text else self.layout.parts[element]

    def _cut(self, parts: list[int], cuts: int) -> tuple[float, list[list[int]]]:
        """Weight of the heaviest separators between parts, of one direction, and the groups between them; single parts without one."""
        best: tuple[float, list[int], list[int]] | None = None
        if len(parts) > 1 and cuts < MAX_CUTS:
            for is_horizontal in (True, False):
                order, separators = self._separators(parts, is_horizontal=is_horizontal)
                heaviest = max((weight for weight, _ in separators), default=-np.inf)
                if separators and (best is None or heaviest > best[0]):
                    best = heaviest, order, [place for weight, place in separators if weight == heaviest]
        if best is None:
            return 0.0, [[part] for part in parts]
        weight, order, places = best
        groups = [order[start:end] for start, end in zip([0, *places], [*places, len(order)], strict=True)]
        return weight, groups

    def _separators(self, parts: list[int], *, is_horizontal: bool) -> tuple[list[int], list[tuple[float, int]]]:
        """Parts in order along the axis, and (weight, place in the order) of each gap that no part crosses, those of width 0 included."""
        layout = self.layout
        starts, ends = (layout.top, layout.bottom) if is_horizontal else (layout.left, layout.right)
        order = sorted(parts, key=starts.__getitem__)
        reach, nearest = ends[order[0]], order[0]
        separators = []
        for place, part in enumerate(order[1:], 1):
            if starts[part] >= reach - ROUNDING_PX:
                separators.append((self._weight(nearest, part, starts[part] - reach, is_horizontal=is_horizontal), place))
            if ends[part] >= reach:
                reach, nearest = ends[part], part
        return order, separators

    def _weight(self, before: int, after: int, gap: float, *, is_horizontal: bool) -> float:
        """Weight of a separator (section 4): width, lines, other colours and fonts, and a heading below add to it; likeness takes off."""
        layout = self.layout
        signs = ("hr" in (layout.tags[before], layout.tags[after])) + (layout.backgrounds[before] != layout.backgrounds[after])
        signs -= layout.tags[before] == layout.tags[after]
        above, below = layout.main_font[before], layout.first_font[after]
        if is_horizontal and above and below:
            signs += (above < below) + (1 if above != below else -1)
        return float(GAP_WEIGHTS[bisect_left(GAPS_PX, gap)] + SIGN * signs)


def coherence(structure: Structure) -> Numbers:
    """The probability of each block that a person leaves it whole: float64 [blocks], 0 to 1."""
    return np.asarray(sigmoid(-BIAS - cues(structure) @ np.array(list(CUES.values()))), np.float64)


def cues(structure: Structure) -> Numbers:
    """The cues of each block's coherence: float64 [blocks, len(CUES)], columns in the order of CUES."""
    layout, members = structure.layout, structure.members
    count = len(members)
    starts = np.cumsum([0, *map(len, members)])[:-1]
    flat = np.fromiter((element for group in members for element in group), np.int64)
    left, top = (np.minimum.reduceat(np.array(edge)[flat], starts) for edge in (layout.left, layout.top))
    right, bottom = (np.maximum.reduceat(np.array(edge)[flat], starts) for edge in (layout.right, layout.bottom))
    text, link_text, elements = (np.add.reduceat(column[flat], starts) for column in (layout.text, layout.link_text, layout.count))
    width, height = right - left, bottom - top
    area, link_share = width * height, link_text / np.maximum(text, 1)
    tags = [layout.tags[group[0]] if len(group) == 1 else GROUP for group in members]
    parts = _Parts(np.array(structure.parent, np.int64))
    depth = np.zeros(count)
    for block, parent in enumerate(structure.parent[1:], 1):
        depth[block] = depth[parent] + 1
    page_width, page_height = max(1.0, float(width[0])), max(1.0, float(height[0]))
    columns = {
        "log_area": np.log1p(area / AREA_PX2),
        "area_share": area / (page_width * page_height),
        "width_share": width / page_width,
        "height_share": height / page_height,
        "screens": np.minimum(height / SCREEN_PX, MAX_SCREENS),
        "log_parts": np.log1p(parts.count),
        "rows": parts.distinct(np.round(top).tolist()) / np.maximum(parts.count, 1),
        "separator": np.array(structure.separator),
        "fonts": parts.distinct([layout.first_font[group[0]] for group in members]),
        "colors": parts.distinct([layout.backgrounds[group[0]] for group in members]),
        "log_text": np.log1p(text),
        "link_share": link_share,
        "log_elements": np.log1p(elements),
        "depth": np.minimum(depth, MAX_DEPTH),
        "biggest": parts.largest(area) / np.maximum(area, 1),
        "height_spread": parts.spread(height) / (parts.mean(height) + 1),
        "link_spread": parts.spread(link_share),
        "text_spread": parts.spread(text) / (parts.mean(text) + 1),
        "own_text": np.array([len(group) == 1 and bool(layout.own[group[0]]) for group in members]),
        "is_list": np.array([tag in ("ul", "ol", "dl") for tag in tags]),
        "is_division": np.array([tag in ("div", "section", "body") for tag in tags]),
        "is_group": np.array([tag == GROUP for tag in tags]),
    }
    return np.stack(list(columns.values()), axis=1).astype(np.float64)


class _Parts:
    """Statistics of the parts of every block at once."""

    def __init__(self, parent: NDArray[np.int64]) -> None:
        self.blocks = len(parent)
        self.of = parent[1:]
        self.count = np.bincount(self.of, minlength=self.blocks).astype(np.float64)

    def mean(self, column: Numbers) -> Numbers:
        sums = np.bincount(self.of, weights=column[1:], minlength=self.blocks)
        return np.asarray(sums / np.maximum(self.count, 1), np.float64)

    def spread(self, column: Numbers) -> Numbers:
        """Standard deviation."""
        return np.sqrt(np.maximum(0, self.mean(column * column) - self.mean(column) ** 2))

    def largest(self, column: Numbers) -> Numbers:
        largest = np.zeros(self.blocks)
        np.maximum.at(largest, self.of, column[1:])
        return largest

    def distinct(self, values: list[Any]) -> Numbers:
        """How many different values the parts have."""
        pairs = set(zip(self.of.tolist(), values[1:], strict=True))
        blocks = np.fromiter((block for block, _ in pairs), np.int64, len(pairs))
        return np.bincount(blocks, minlength=self.blocks).astype(np.float64)


def build_tree(structure: Structure, whole: Numbers) -> VisualBlock:
    """The blocks; `whole`: the coherence of each block of the structure."""
    layout, has_parts = structure.layout, set(structure.parent)
    built: list[VisualBlock] = []
    for block, (members, parent) in enumerate(zip(structure.members, structure.parent, strict=True)):
        doc = min(MAX_DOC - 1, 1 + int(MAX_DOC * whole[block])) if block in has_parts else MAX_DOC
        above = built[parent] if parent >= 0 else None
        left, top = (min(edges[element] for element in members) for edges in (layout.left, layout.top))
        right, bottom = (max(edges[element] for element in members) for edges in (layout.right, layout.bottom))
        xpaths = [layout.xpaths[element] for element in members]
        sums = (int(column[members].sum()) for column in (layout.text, layout.link_text, layout.links))
        built.append(VisualBlock((left, top, right - left, bottom - top), xpaths, max(doc, above.doc if above else 1), [], *sums))
        if above:
            above.children.append(built[block])
    return built[0]
