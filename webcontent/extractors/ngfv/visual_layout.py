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

MAX_STEPS = 120
"""Deeper elements count as the element at this depth."""
BOLD = 600
"""Font weight from which on a font is bold."""

INLINE = frozenset(
    "a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark q s samp select small span "
    "strike strong sub sup textarea time tt u var".split()
)
IMAGES = frozenset("img picture svg canvas video iframe object embed".split())
CONTROLS = frozenset("input button select textarea".split())


class Layout:
    """The elements of a table's paths, in document order, with what each shows. Element 0 stands for the page.

    Columns are lists where elements are read one by one, and arrays where sums are taken.
    """

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._read_paths(columns["xpath"].tolist())
        self._read_columns(columns)

    def shows(self, element: int) -> bool:
        """Whether an element shows anything."""
        return self.left[element] <= self.right[element]

    def _read_paths(self, paths: list[Any]) -> None:
        """The tree: xpaths, parents, children, ends of subtrees, and the row of each element, -1 for none."""
        rows: dict[str, int] = {"": -1}
        parts: dict[str, list[str]] = {}
        for row, value in enumerate(paths):
            path = above = "/".join(str(value).split("/", MAX_STEPS + 1)[: MAX_STEPS + 1])
            missing = []
            while above not in rows:
                missing.append(above)
                above = above.rpartition("/")[0]
            for step in reversed(missing):
                rows[step] = -1
                parts.setdefault(step.rpartition("/")[0], []).append(step)
            if rows[path] < 0:
                rows[path] = row
        self.xpaths, stack = [], [""]
        while stack:  # the rows may stand in any order
            self.xpaths.append(path := stack.pop())
            stack.extend(reversed(parts.get(path, ())))
        place = {path: element for element, path in enumerate(self.xpaths)}
        self.tags = [path.rpartition("/")[2].partition("[")[0] for path in self.xpaths]
        self.parent = [place[path.rpartition("/")[0]] if path else -1 for path in self.xpaths]
        self.rows = [rows[path] for path in self.xpaths]
        self.children = [[place[part] for part in parts.get(path, ())] for path in self.xpaths]
        ends = [element + 1 for element in range(len(self.xpaths))]
        for element in range(len(ends) - 1, 0, -1):
            ends[self.parent[element]] = max(ends[self.parent[element]], ends[element])
        self.ends = np.array(ends, np.int64)

    def _read_columns(self, columns: dict[str, NDArray[Any]]) -> None:
        def column(name: str, default: Any = 0.0) -> NDArray[Any]:
            """A column of the elements, whatever the table lacks filled in."""
            known = columns[name] if name in columns else np.full(len(columns["xpath"]), default)
            return np.append(known, default)[self.rows]

        x, y, width, height, own, text, link_text = map(column, ("x", "y", "w", "h", "own", "text", "link_text"))
        is_control = np.array([tag in CONTROLS for tag in self.tags])
        is_image = column("media") == 1 if "media" in columns else np.array([tag in IMAGES for tag in self.tags])
        has_media = column("media") > 0 if "media" in columns else is_image | is_control
        is_leaf = self.ends == np.arange(len(self.rows)) + 1
        is_drawn = (own > 0) | has_media | (is_leaf & (column("background_image") > 0))
        is_drawn &= (np.array(self.rows) >= 0) & (column("visible", 1.0) > 0) & (width > 0) & (height > 0)
        self.own: Numbers = np.where(is_drawn, own, 0.0)
        self.fonts: list[Font] = list(zip(column("font_size").tolist(), (column("font_weight") >= BOLD).tolist(), strict=True))
        self._spread(is_drawn, (x, y, x + width, y + height), [str(color) for color in column("background", "")])
        is_shown = np.array(self.left) <= np.array(self.right)
        displays = zip(column("display", "").tolist(), self.tags, is_image.tolist(), strict=True)
        breaks = np.array([image or not (display == "inline" if display else tag in INLINE) for display, tag, image in displays])
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
        return sums[self.ends] - sums[:-1]
