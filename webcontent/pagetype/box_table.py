"""The browser's boxes as columns of numbers, the input of the layout raster and of the box features."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.document.boxes import box_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
