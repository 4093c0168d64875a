"""Where numbers are drawn beside boxes, so that no number covers text of the page or another number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.inspect.places import Rectangle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

MAX_CONTRAST = 24
"""Difference of the lightest and the darkest pixel, of 255, up to which a part of the page is empty. JPEG noise reaches about ten."""


class FreeSpace:
    """The empty parts of a screenshot. Boxes do not tell them: the box of an element is larger than its text."""

    def __init__(self, screenshot: Image.Image, width_px: int) -> None:
        """`width_px`: width of the page in CSS px, in which boxes and badges are given."""
        self._scale = screenshot.width / width_px
        self._gray = np.array(screenshot.convert("L"))
        self._is_taken = np.zeros(self._gray.shape, np.bool_)

    def place_beside(self, box: Rectangle, width: float, height: float) -> Rectangle | None:
        """An empty place for a badge of this size: right of the box, left of it, above it or below it. None if there is none."""
        for x, y in _corners(box, width, height):
            left, top, right, bottom = (round(side * self._scale) for side in (x, y, x + width, y + height))
            if left < 0 or top < 0 or right > self._gray.shape[1] or bottom > self._gray.shape[0]:
                continue
            place = (slice(top, bottom), slice(left, right))
            if not self._is_taken[place].any() and np.ptp(self._gray[place]) <= MAX_CONTRAST:
                self._is_taken[place] = True
                return Rectangle(x, y, width, height)
        return None


def _corners(box: Rectangle, width: float, height: float) -> Iterator[tuple[float, float]]:
    """The upper left corners of a badge at the upper corners of a box, then below it."""
    right = box.x + box.width
    yield right, box.y
    yield box.x - width, box.y
    yield right - width, box.y - height
    yield box.x, box.y - height
    yield right - width, box.y + box.height
