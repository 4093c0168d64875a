"""The browser's boxes as a small image for a network: where text, links and images stand, and what the text looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    rows = _overlap(boxes.y, boxes.h, HEIGHT_PX / ROWS, ROWS)
    columns = _overlap(boxes.x, boxes.w, WIDTH_PX / COLUMNS, COLUMNS)
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
    sums = [(rows * weight.astype(np.float32)[:, None]).T @ columns for weight in (*coverage, *means)]
    covered = np.maximum(sums[0], 1)
    texts, links, images = (np.minimum(one, 1) for one in sums[:3])
    font, length, *others = (one / covered for one in sums[3:])
    return np.stack([texts, links, font, images, length, *others])[None].astype(np.float32)


def _overlap(start: NDArray[Any], length: NDArray[Any], cell_px: float, cells: int) -> NDArray[Any]:
    """The share of each cell that each box covers along one axis, float32 [n, cells]."""
    low = np.arange(cells, dtype=np.float32) * cell_px
    first, last = start.astype(np.float32)[:, None], (start + length).astype(np.float32)[:, None]
    share: NDArray[Any] = np.clip((np.minimum(last, low + cell_px) - np.maximum(first, low)) / cell_px, 0, 1)
    return share
