"""The browser's boxes as a small image for a network: where text, links and images stand, and what the text looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.pagetype.box_table import DEFAULT_FONT_PX, body_font

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.pagetype.box_table import Boxes

WIDTH_PX, HEIGHT_PX = 1366, 4096
"""The part of the page that the raster shows."""
COLUMNS, ROWS = 64, 192
PIXEL_CHANNELS = ("text", "link", "font", "image", "length")
"""Channels that can be read off a screenshot, too."""
CHANNELS = (*PIXEL_CHANNELS, "large", "repeated", "heading", "repeated_link")
LENGTH_SCALE, REPEATED_SCALE = 6, 4
"""Divisors that bring the logarithms of lengths and of repetitions near 1."""


def layout_raster(boxes: Boxes) -> NDArray[Any]:
    """The channels of a page's first 1366 x 4096 px: float32 [1, len(CHANNELS), 192, 64].

    `text`, `link` and `image` are the share of a cell that is covered. The others are means over the text of a cell: `font`, the logarithm
    of the font size over 16 px; `length`, that of the length; `large`, that of the font size over that of the running text; `repeated`,
    that of the number of boxes with the same path; `heading`, the share in headings; `repeated_link`, `repeated` of links alone.
    """
    steps = _Steps.of(boxes)
    text = (boxes.own > 0).astype(np.float32)
    linked = text * np.minimum(1, boxes.link / np.maximum(boxes.whole, 1))
    repeated = text * np.log1p(boxes.repeated) / REPEATED_SCALE
    coverage = (text, linked, boxes.image * (text == 0))
    means = (
        text * np.log(boxes.font / DEFAULT_FONT_PX),
        text * np.log1p(boxes.own) / LENGTH_SCALE,
        text * np.log(boxes.font / body_font(boxes)),
        repeated,
        text * boxes.heading,
        repeated * linked,
    )
    sums = [steps.sum(weight) for weight in (*coverage, *means)]
    covered = np.maximum(sums[0], 1)
    texts, links, images = (np.minimum(one, 1) for one in sums[:3])
    font, length, *others = (one / covered for one in sums[3:])
    return np.stack([texts, links, font, images, length, *others])[None].astype(np.float32)


class _Steps(NamedTuple):
    """Where the share of a cell that a box covers changes from one cell to the next, along both axes.

    A box has at most four such steps along an axis, two at each of its ends. Sums over boxes add those, and one running sum over the cells
    gives the shares, in a thirtieth of the time of a product of two tables of boxes by cells.
    """

    cells: NDArray[np.int64]
    """[n, 16]: number of a cell in a grid that has two rows and two columns more than the raster."""
    amounts: NDArray[np.float64]
    """[n, 16]."""

    @classmethod
    def of(cls, boxes: Boxes) -> _Steps:
        rows, row_amounts = _steps_along(boxes.y, boxes.h, HEIGHT_PX / ROWS, ROWS)
        columns, column_amounts = _steps_along(boxes.x, boxes.w, WIDTH_PX / COLUMNS, COLUMNS)
        cells = rows[:, :, None] * (COLUMNS + 2) + columns[:, None, :]
        amounts = row_amounts[:, :, None] * column_amounts[:, None, :]
        return cls(cells.reshape(len(rows), -1), amounts.reshape(len(rows), -1))

    def sum(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """For each cell, the sum of the weights of the boxes, each times the share of the cell that the box covers: [ROWS, COLUMNS]."""
        weighted = (self.amounts * weights[:, None]).ravel()
        steps = np.bincount(self.cells.ravel(), weighted, minlength=(ROWS + 2) * (COLUMNS + 2)).reshape(ROWS + 2, COLUMNS + 2)
        return steps.cumsum(0).cumsum(1)[:ROWS, :COLUMNS]


def _steps_along(start: NDArray[Any], length: NDArray[Any], cell_px: float, cells: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cells at which the share that each box covers changes along one axis, and by how much: both [n, 4]."""
    ends = np.stack([start, start + length], 1).astype(np.float64).clip(0, cells * cell_px) / cell_px
    first = np.floor(ends).astype(np.int64)
    behind = ends - first
    amounts = np.stack([1 - behind[:, 0], behind[:, 0], behind[:, 1] - 1, -behind[:, 1]], 1)
    return np.stack([first[:, 0], first[:, 0] + 1, first[:, 1], first[:, 1] + 1], 1), amounts
