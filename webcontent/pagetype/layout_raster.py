"""The browser's boxes as a small image for a network: where text, links and images stand, and what the text looks like."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.document.boxes import box_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WIDTH_PX, HEIGHT_PX = 1366, 4096
"""The part of the page that the raster shows."""
COLUMNS, ROWS = 64, 192
PIXEL_CHANNELS = ("text", "link", "font", "image", "length")
"""Channels that can be read off a screenshot, too."""
CHANNELS = (*PIXEL_CHANNELS, "large", "repeated", "heading", "repeated_link")
LENGTH_SCALE, REPEATED_SCALE = 6, 4
"""Divisors that bring the logarithms of lengths and of repetitions near 1."""
MAX_FONT_PX = 200
DEFAULT_FONT_PX = 16
"""The font size of browsers."""

_NUMBERS = ("x", "y", "w", "h", "font_size", "own", "text", "link_text", "background_image")
_IMAGE_TAGS = frozenset({"img", "picture", "svg", "video", "canvas", "object", "embed", "image"})
_INDEX = re.compile(r"\[\d+\]")
_IN_HEADING = re.compile(r"/h[1-4]\b")


class Boxes(NamedTuple):
    """Columns of a page's boxes; n rows in document order. Lengths are in characters, the rest in CSS px."""

    x: NDArray[Any]
    y: NDArray[Any]
    w: NDArray[Any]
    h: NDArray[Any]
    font: NDArray[Any]
    own: NDArray[Any]
    """Length of its own text."""
    whole: NDArray[Any]
    """Length of all text in it."""
    link: NDArray[Any]
    """Length of the text in links."""
    image: NDArray[Any]
    """1.0 where the box is an image or has one as its background."""
    repeated: NDArray[Any]
    """Number of boxes with text that have the same path."""
    heading: NDArray[Any]
    """1.0 inside h1 to h4."""
    tags: list[str]
    paths: list[str]
    """XPaths without their indices: the same for all records of a list."""


def read_boxes(rows: Any) -> Boxes | None:
    """The columns of a table of boxes; None where no row is valid. Any table may be given."""
    columns = box_columns(rows)
    if not len(columns["x"]):
        return None
    tags = [str(tag).lower() for tag in columns["tag"]]
    paths = [_INDEX.sub("", str(path)) for path in columns["xpath"]]
    x, y, w, h, font, own, whole, link, background = (columns[name].astype(np.float64) for name in _NUMBERS)
    image = np.array([tag in _IMAGE_TAGS for tag in tags], dtype=bool) | (background > 0)
    count = Counter(path for path, length in zip(paths, own.tolist(), strict=True) if length > 0)
    heading = np.array([float(_IN_HEADING.search(path) is not None) for path in paths])
    return Boxes(
        x, y, np.maximum(w, 0), np.maximum(h, 0), np.clip(font, 1, MAX_FONT_PX), np.maximum(own, 0), np.maximum(whole, 0),
        np.maximum(link, 0), image.astype(float), np.array([count[path] for path in paths]), heading,
        tags, paths,
    )  # fmt: skip


def body_font(boxes: Boxes) -> float:
    """Font size of the running text in px: half of the characters are no larger. The default where there is no text."""
    with_text = boxes.own > 0
    if not with_text.any():
        return float(DEFAULT_FONT_PX)
    font, own = boxes.font[with_text], boxes.own[with_text]
    order = np.argsort(font, kind="stable")
    return float(font[order][np.searchsorted(np.cumsum(own[order]), own.sum() / 2).clip(0, len(font) - 1)])


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
