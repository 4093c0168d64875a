"""The elements of a rendered page as a tree, from the table of its boxes.

The table lacks the elements that only hold others. They are restored from the paths, each as large as its contents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Font = tuple[float, bool]

MAX_BOXES = 100_000
"""Further rows of a table are not read."""
MAX_STEPS = 120
"""Deeper elements count as the element at this depth."""
MAX_PX = 1e6
"""Larger lengths are cut to this."""
BOLD = 600
"""Font weight from which on a font is bold."""
PLAIN = 400.0
"""Font weight where the table has none."""

INLINE = frozenset(
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark q s samp select small span "
    "strike strong sub sup textarea time tt u var".split()
)
IMAGES = frozenset("img picture svg canvas video iframe object embed".split())
CONTROLS = frozenset("input button select textarea".split())
NO_MEDIUM, IMAGE, CONTROL = 0.0, 1.0, 2.0
"""Values of the column `media`."""


class Layout:
    """The elements of a table's paths, in document order, with what each shows. Element 0 stands for the page.

    Columns are lists where elements are read one by one, and arrays where sums are taken.
    """

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._read_paths(columns["xpath"][:MAX_BOXES].tolist())
        self._read_columns(columns)

    def shows(self, element: int) -> bool:
        """Whether an element shows anything."""
        return self.left[element] <= self.right[element]

    def _read_paths(self, paths: list[Any]) -> None:
        """The tree: xpaths, parents, children, ends of subtrees, and the row of each element, -1 for none."""
        known, names, parents, rows = {"": 0}, [""], [-1], [-1]
        for row, value in enumerate(paths):
            path = str(value)
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
        """Numbers the elements so that each subtree is contiguous, in whichever order the rows are."""
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
            column = columns[name].tolist() if name in columns else ()
            return [str(column[row]) if row >= 0 and column else "" for row in self.rows]

        x, y, width, height = (numbers(name) for name in ("x", "y", "w", "h"))
        own, text, link_text = numbers("own"), numbers("text"), numbers("link_text")
        drawn = [IMAGE if tag in IMAGES else CONTROL if tag in CONTROLS else NO_MEDIUM for tag in self.tags]
        media = numbers("media") if "media" in columns else np.array(drawn)
        is_leaf = self.ends == np.arange(len(rows)) + 1
        is_drawn = (own > 0) | (media > NO_MEDIUM) | (is_leaf & (numbers("background_image") > 0))
        is_drawn &= has_row & (numbers("visible", 1.0) > 0) & (width > 0) & (height > 0)
        self.own = np.where(is_drawn, own, 0.0)
        self.fonts: list[Font] = list(zip(numbers("font_size").tolist(), (numbers("font_weight", PLAIN) >= BOLD).tolist(), strict=True))
        self._spread(is_drawn, (x, y, x + width, y + height), words("background"))
        is_shown = np.array(self.left) <= np.array(self.right)
        displays = zip(words("display"), self.tags, (media == IMAGE).tolist(), strict=True)
        breaks = np.array([is_image or not (display == "inline" if display else tag in INLINE) for display, tag, is_image in displays])
        self.text = self._sums(self.own)
        self.link_text = self._sums(np.where((link_text > 0) & (link_text >= text), self.own, 0.0))
        self.links = self._sums(np.array([tag == "a" for tag in self.tags]))
        self.count = self._sums(is_shown)
        self.breaks = self._sums(breaks) - breaks
        """Elements inside it that begin a new line."""
        self.parts = [[child for child in children if is_shown[child]] for children in self.children]

    def _spread(self, is_drawn: NDArray[np.bool_], edges: tuple[Numbers, ...], backgrounds: list[str]) -> None:
        """Edges, first and main font, and background of each element, from everything that is drawn in it."""
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
