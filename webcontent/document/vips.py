"""Boxes -> visual blocks: the segments that a person sees on a page, as a tree, from the rectangles that a browser drew.

VIPS (D. Cai, S. Yu, J.-R. Wen, W.-Y. Ma: VIPS: a Vision-based Page Segmentation Algorithm, MSR-TR-2003-79): blocks are extracted
(section 3 there), separators between them found and weighed (4), the content structure is built from the heaviest separator down
(5), and each block gets a degree of coherence, DoC, 1 to 10, that never falls from parent to child. A block is divided as long as
its DoC is below the permitted one (6).

What differs. The report's rules decide with thresholds and a DoC "by tag and size" that it does not print. Here the same cues (tag,
colour, text, size, separators) are weighed, and DoC is ten times the chance that a person would leave the block whole. CUES holds
the weights, fitted by `python -m benchmarks.vips` on 83 pages whose blocks were marked by volunteers (corpus segmentation).
Sites held out in turn, the word characters of a page are grouped with BCubed F1 .857 and rectangles are hit with F1 .464, where
the printed rules with the start values of other implementations give .69 and .25. A round divides one element or one group
of its parts, so all rounds together are one pass, and the tree keeps to the page's own. Elements whose children all are of one line
(rule 4) are whole; an only child stands for its parent (rule 2); what shows nothing is left out (rule 1).

The table of boxes lacks the elements that only hold others: they come back from the paths, each as large as what it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.boxes import table
from webcontent.document.garbage import without_collection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Font = tuple[float, bool]

PERMITTED_DOC = 7
"""Blocks of this DoC are not divided: of 2 to 10 the best on the other four folds for each fold of the corpus."""
SECTION_DOC = 3
"""Permitted DoC of the large parts of a page: header, columns, footer."""
MAX_BOXES = 100_000
"""More rows of a table are not read."""
MAX_STEPS = 120
"""Deeper elements count as the element at this depth."""
MAX_CUTS = 32
"""Groups inside each other between an element and its children; deeper ones stay flat. Keeps spirals from costing the square."""
MAX_PX = 1e6

INLINE = frozenset(
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark q s samp select small span "
    "strike strong sub sup textarea time tt u var".split()
)
PICTURES = frozenset("img picture svg canvas video iframe object embed".split())
CONTROLS = frozenset("input button select textarea".split())
BOLD = 600
GROUP = "+"
"""Stands for the tag of a block that is no element."""

# Weights of a separator, added up (the report's section 4 orders them without figures; these are those of vips_java and FitLayout).
RULE, COLOR, FONT, HEADING, SIMILAR, WIDEST = 2.0, 2.0, 2.0, 2.0, -2.0, 16.0

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
    """Its elements, in document order: one, or several neighbours that a separator parts from the others."""
    doc: int
    """Degree of coherence, 1 (unrelated things) to 10 (one text); not below that of the block that it is part of."""
    children: list[VisualBlock]
    """Its parts in reading order; empty where its DoC is at least the permitted one, or nothing in it can be divided."""
    text: int
    """Characters in it, blanks at the ends of elements left out."""
    link_text: int
    """Of these inside links."""
    links: int
    """Number of links in it."""

    def walk(self) -> Iterator[VisualBlock]:
        """The block and all blocks in it, level by level."""
        level = [self]
        while level:
            yield from level
            level = [child for block in level for child in block.children]

    def segments(self, permitted_doc: int = 10) -> list[VisualBlock]:
        """The blocks that are not divided at a permitted DoC, in reading order: a segmentation of the page."""
        found, stack = [], [self]
        while stack:
            block = stack.pop()
            if block.children and block.doc < permitted_doc:
                stack.extend(reversed(block.children))
            else:
                found.append(block)
        return found


@without_collection()
def visual_blocks(boxes: Sequence[Sequence[Any]] | dict[str, NDArray[Any]], *, permitted_doc: int = PERMITTED_DOC) -> VisualBlock | None:
    """The visual blocks of a page: the one that is the whole page, or None where the table shows nothing.

    `boxes`: rows in the order of `document.boxes.COLUMNS`, or the table of their columns. `permitted_doc`: 1 (no division) to 10
    (down to single texts and pictures). Time grows as n log n. ValueError for another `permitted_doc`.
    """
    if not 1 <= permitted_doc <= 10:
        raise ValueError(f"permitted_doc is {permitted_doc!r}; it takes 1 to 10")
    layout = Layout(boxes if isinstance(boxes, dict) else table(boxes))
    if not layout.shows(0):
        return None
    structure = Structure(layout)
    return build_tree(structure, coherence(structure), permitted_doc)


class Layout:
    """The elements that the paths of a table tell of, in document order, each with what it shows.

    Element 0 stands for the page. Lists where the structure is built element by element, arrays where sums are taken.
    """

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._read_paths(columns["xpath"][:MAX_BOXES].tolist())
        self._read_columns(columns)

    def shows(self, element: int) -> bool:
        """Whether there is anything to see of an element."""
        return self.left[element] <= self.right[element]

    def _read_paths(self, paths: list[Any]) -> None:
        """The tree: xpaths, parents, children, ends of subtrees, and the row of each element, -1 for those that have none."""
        known, names, parents, rows = {"": 0}, [""], [-1], [-1]
        for row, given in enumerate(paths):
            path = str(given)
            if path.count("/") > MAX_STEPS:
                path = "/".join(path.split("/", MAX_STEPS + 1)[: MAX_STEPS + 1])
            missing = []
            above = path
            while above not in known:
                missing.append(above)
                above = above.rpartition("/")[0]
            element = known[above]
            for step in reversed(missing):
                parents.append(element)
                element = known[step] = len(names)
                names.append(step)
                rows.append(-1)
            if rows[element] < 0:
                rows[element] = row
        self._number(names, parents, rows)

    def _number(self, names: list[str], parents: list[int], rows: list[int]) -> None:
        """Numbers the elements so that each subtree is a run, whatever the order of the rows was."""
        count = len(names)
        children: list[list[int]] = [[] for _ in range(count)]
        for element in range(1, count):
            children[parents[element]].append(element)
        order, stack = [], [0]
        while stack:
            element = stack.pop()
            order.append(element)
            stack.extend(reversed(children[element]))
        place = [0] * count
        for new, element in enumerate(order):
            place[element] = new
        self.xpaths = [names[element] for element in order]
        self.tags = [name.rpartition("/")[2].partition("[")[0] for name in self.xpaths]
        self.parent = [place[parents[element]] if element else -1 for element in order]
        self.rows = [rows[element] for element in order]
        self.children = [[place[child] for child in children[element]] for element in order]
        ends = [0] * count
        for element in range(count - 1, -1, -1):
            ends[element] = ends[self.children[element][-1]] if self.children[element] else element + 1
        self.ends = np.array(ends, np.int64)

    def _read_columns(self, columns: dict[str, NDArray[Any]]) -> None:
        rows = np.array(self.rows, np.int64)
        has_row = rows >= 0

        def numbers(name: str, default: float = 0.0) -> Numbers:
            column = np.full(len(rows), default)
            if name in columns:
                column[has_row] = columns[name][rows[has_row]]
            return np.asarray(np.nan_to_num(np.clip(column, -MAX_PX, MAX_PX)), np.float64)

        def words(name: str) -> list[str]:
            found = columns[name].tolist() if name in columns else ()
            return [str(found[row]) if row >= 0 and found else "" for row in self.rows]

        x, y, width, height = (numbers(name) for name in ("x", "y", "w", "h"))
        own, text, link_text = numbers("own"), numbers("text"), numbers("link_text")
        media = numbers("media") if "media" in columns else np.array([_medium(tag) for tag in self.tags])
        is_leaf = self.ends == np.arange(len(rows)) + 1
        is_drawn = (own > 0) | (media > 0) | (is_leaf & (numbers("background_image") > 0))
        is_drawn &= has_row & (numbers("visible", 1.0) > 0) & (width > 0) & (height > 0)
        self.own = np.where(is_drawn, own, 0.0)
        self.fonts: list[Font] = list(zip(numbers("font_size").tolist(), (numbers("font_weight", 400.0) >= BOLD).tolist(), strict=True))
        self._spread(is_drawn, (x, y, x + width, y + height), words("background"))
        is_shown = np.array(self.left) <= np.array(self.right)
        displays = zip(words("display"), self.tags, (media == 1).tolist(), strict=True)
        breaks = np.array([not ((d == "inline" if d else tag in INLINE) and not picture) for d, tag, picture in displays])
        self.text = self._sums(self.own)
        self.link_text = self._sums(np.where((link_text > 0) & (link_text >= text), self.own, 0.0))
        self.links = self._sums(np.array([tag == "a" for tag in self.tags]))
        self.count = self._sums(is_shown)
        self.breaks = self._sums(breaks) - breaks
        """Elements inside it that begin a new line."""
        self.parts = [[child for child in children if is_shown[child]] for children in self.children]

    def _spread(self, is_drawn: NDArray[np.bool_], edges: tuple[Numbers, ...], backgrounds: list[str]) -> None:
        """What an element shows, from all that is drawn in it: its edges, its first and its main font, its background."""
        nothing = (np.inf, np.inf, -np.inf, -np.inf)
        left, top, right, bottom = (np.where(is_drawn, edge, none).tolist() for edge, none in zip(edges, nothing, strict=True))
        weights = self.own.tolist()
        has_own = [weight > 0 for weight in weights]
        first: list[Font | None] = [font if own else None for font, own in zip(self.fonts, has_own, strict=True)]
        main = list(first)
        for element, parent in enumerate(self.parent):
            if parent >= 0 and not backgrounds[element] and self.rows[element] >= 0:
                backgrounds[element] = backgrounds[parent]
        for element in range(len(left) - 1, 0, -1):
            if left[element] > right[element]:
                continue
            parent = self.parent[element]
            left[parent] = min(left[parent], left[element])
            top[parent] = min(top[parent], top[element])
            right[parent] = max(right[parent], right[element])
            bottom[parent] = max(bottom[parent], bottom[element])
            if first[element] is not None and not has_own[parent]:
                first[parent] = first[element]
            if main[element] is not None and weights[element] >= weights[parent]:
                weights[parent], main[parent] = weights[element], main[element]
            if self.rows[parent] < 0 and backgrounds[parent] != backgrounds[element]:
                backgrounds[parent] = "mixed" if backgrounds[parent] else backgrounds[element]
        self.left: list[float] = left
        self.top: list[float] = top
        self.right: list[float] = right
        self.bottom: list[float] = bottom
        self.first_font, self.main_font, self.backgrounds = first, main, backgrounds

    def _sums(self, column: NDArray[Any]) -> Numbers:
        """For each element the sum of a column over its subtree."""
        sums = np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))
        result: Numbers = sums[self.ends] - sums[:-1]
        return result


def _medium(tag: str) -> float:
    return 1.0 if tag in PICTURES else 2.0 if tag in CONTROLS else 0.0


class Structure:
    """The content structure before DoC: every block down to single texts and pictures, parents before children."""

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
                members, cuts = [self._inmost(members[0])], 0
            parts = members if len(members) > 1 else self._parts(members[0])
            weight, groups = self._cut(parts, cuts)
            block = len(self.members)
            self.members.append(members)
            self.parent.append(parent)
            self.separator.append(weight)
            stack.extend((group, block, cuts + 1) for group in reversed(groups))

    def _inmost(self, element: int) -> int:
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
        """The heaviest separators between parts, of one direction, and the groups between them; single parts where there is none."""
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
        """Parts in order along the axis, and (weight, place in the order) of each gap that no part crosses; one of width 0 counts."""
        layout = self.layout
        starts, ends = (layout.top, layout.bottom) if is_horizontal else (layout.left, layout.right)
        order = sorted(parts, key=starts.__getitem__)
        reach, nearest = ends[order[0]], order[0]
        found = []
        for place, part in enumerate(order[1:], 1):
            if starts[part] >= reach - 1:  # rectangles are rounded
                found.append((self._weight(nearest, part, starts[part] - reach, is_horizontal=is_horizontal), place))
            if ends[part] >= reach:
                reach, nearest = ends[part], part
        return order, found

    def _weight(self, before: int, after: int, gap: float, *, is_horizontal: bool) -> float:
        """Section 4: the wider the heavier; lines, changes of colour and font, a heading below add to it, likeness takes off."""
        layout = self.layout
        weight = 0.0 if gap <= 0 else 1.0 if gap <= 8 else 2.0 if gap < 16 else min(WIDEST, 4 + 2 * ((gap - 16) // 10))
        if "hr" in (layout.tags[before], layout.tags[after]):
            weight += RULE
        if layout.backgrounds[before] != layout.backgrounds[after]:
            weight += COLOR
        if layout.tags[before] == layout.tags[after]:
            weight += SIMILAR
        above, below = layout.main_font[before], layout.first_font[after]
        if is_horizontal and above and below:
            weight += SIMILAR if above == below else FONT
            if above < below:
                weight += HEADING
        return weight


def coherence(structure: Structure) -> Numbers:
    """The chance of each block that a person would leave it whole: float64 [blocks], 0 to 1."""
    logit = cues(structure) @ np.array(list(CUES.values())) + BIAS
    return np.asarray(1 / (1 + np.exp(np.clip(logit, -40, 40))), np.float64)


def cues(structure: Structure) -> Numbers:
    """What the coherence of each block is judged by: float64 [blocks, len(CUES)], columns in the order of CUES."""
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
        "log_area": np.log1p(area / 1000),
        "area_share": area / (page_width * page_height),
        "width_share": width / page_width,
        "height_share": height / page_height,
        "screens": np.minimum(height / 900, 4),
        "log_parts": np.log1p(parts.count),
        "rows": parts.distinct(np.round(top).tolist()) / np.maximum(parts.count, 1),
        "separator": np.array(structure.separator),
        "fonts": parts.distinct([layout.first_font[group[0]] for group in members]),
        "colors": parts.distinct([layout.backgrounds[group[0]] for group in members]),
        "log_text": np.log1p(text),
        "link_share": link_share,
        "log_elements": np.log1p(elements),
        "depth": np.minimum(depth, 12),
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
    """Figures of the parts of every block at once."""

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
        found = np.zeros(self.blocks)
        np.maximum.at(found, self.of, column[1:])
        return found

    def distinct(self, values: list[Any]) -> Numbers:
        """How many different values the parts have."""
        pairs = set(zip(self.of.tolist(), values[1:], strict=True))
        blocks = np.fromiter((block for block, _ in pairs), np.int64, len(pairs))
        return np.bincount(blocks, minlength=self.blocks).astype(np.float64)


def build_tree(structure: Structure, whole: Numbers, permitted_doc: int) -> VisualBlock:
    """The blocks down to the permitted DoC; `whole`: the coherence of each block of the structure."""
    has_parts = set(structure.parent)
    made: dict[int, VisualBlock] = {}
    for block, (members, parent) in enumerate(zip(structure.members, structure.parent, strict=True)):
        above = made.get(parent)
        if block and (above is None or above.doc >= permitted_doc):
            continue
        doc = min(9, 1 + int(10 * whole[block])) if block in has_parts else 10
        made[block] = _visual_block(structure.layout, members, max(doc, above.doc if above else 1))
        if above:
            above.children.append(made[block])
    return made[0]


def _visual_block(layout: Layout, members: list[int], doc: int) -> VisualBlock:
    left, top = min(layout.left[element] for element in members), min(layout.top[element] for element in members)
    right, bottom = max(layout.right[element] for element in members), max(layout.bottom[element] for element in members)
    return VisualBlock(
        rectangle=(left, top, right - left, bottom - top),
        xpaths=[layout.xpaths[element] for element in members],
        doc=doc,
        children=[],
        text=int(layout.text[members].sum()),
        link_text=int(layout.link_text[members].sum()),
        links=int(layout.links[members].sum()),
    )
