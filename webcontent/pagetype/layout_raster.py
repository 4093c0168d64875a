"""The browser's boxes as a small image for a network: where text, links and images stand, and what the text looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.pagetype.box_table import DEFAULT_FONT_PX, body_font

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    sums = _cell_sums(boxes, (*coverage, *means))
    covered = np.maximum(sums[0], 1)
    texts, links, images = (np.minimum(one, 1) for one in sums[:3])
    font, length, *others = (one / covered for one in sums[3:])
    return np.stack([texts, links, font, images, length, *others])[None].astype(np.float32)


def _cell_sums(boxes: Boxes, weights: Sequence[NDArray[Any]]) -> list[NDArray[np.float64]]:
    """For each weight and each cell, the sum over the boxes of the weight times the share of the cell that the box covers: [ROWS, COLUMNS].

    That share changes from one cell to the next in at most four steps along an axis, two at each end of a box. Sums over boxes add those,
    and one running sum over the cells gives the shares, in a thirtieth of the time of a product of two tables of boxes by cells.
    """
    rows, row_amounts = _steps_along(boxes.y, boxes.h, HEIGHT_PX / ROWS, ROWS)
    columns, column_amounts = _steps_along(boxes.x, boxes.w, WIDTH_PX / COLUMNS, COLUMNS)
    shape = ROWS + 2, COLUMNS + 2
    cells = (rows[:, :, None] * shape[1] + columns[:, None, :]).ravel()
    amounts = (row_amounts[:, :, None] * column_amounts[:, None, :]).reshape(len(rows), -1)
    steps = (np.bincount(cells, (amounts * weight[:, None]).ravel(), shape[0] * shape[1]).reshape(shape) for weight in weights)
    return [grid.cumsum(0).cumsum(1)[:ROWS, :COLUMNS] for grid in steps]


def _steps_along(start: NDArray[Any], length: NDArray[Any], cell_px: float, cells: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cells at which the share that each box covers changes along one axis, and by how much: both [n, 4]."""
    ends = np.stack([start, start + length], 1).astype(np.float64).clip(0, cells * cell_px) / cell_px
    first = np.floor(ends).astype(np.int64)
    behind = ends - first
    amounts = np.stack([1 - behind[:, 0], behind[:, 0], behind[:, 1] - 1, -behind[:, 1]], 1)
    return np.stack([first[:, 0], first[:, 0] + 1, first[:, 1], first[:, 1] + 1], 1), amounts
