"""The screenshot as page type networks take it: the whole page in a square, or the top of the page in its own proportions."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

FORMATS = ("WEBP", "JPEG", "PNG")
MAX_PIXELS = 60_000_000
"""A larger image is refused before it is decoded: a decompression bomb. A screenshot of 1366 x 8000 px has 11 million."""
MAX_BYTES = 64 << 20
TOP_COLUMNS, TOP_ROWS = 512, 1536
"""The top of the page shows what a layout raster shows: the first 1366 x 4096 CSS px, 8 x 8 px a cell."""
TOP_STEP_ROWS = 64
"""Shorter pages have fewer rows, in steps of so many ..."""
TOP_WHITE_ROWS = 112
"""... of which at least so many are white: by them a network sees the end of the page."""
_WHITE = 255


def whole_page(screenshot: bytes, size: int, channels: int = 1) -> NDArray[np.float32] | None:
    """The whole page scaled to a square, as in I-AWCE section 1.2: float32 [1, channels, size, size], values 0 to 1.

    `channels`: 1 is grey, 3 are red, green and blue. None where the bytes are no WebP, JPEG or PNG, are damaged, or declare more than
    MAX_PIXELS.
    """
    mode = "L" if channels == 1 else "RGB"

    def scale(image: Image.Image) -> Image.Image:
        image.draft(mode, (size, size))  # JPEG only: decoded at a fraction of its size, grey without its colours
        return image.convert(mode).resize((size, size), Image.Resampling.BOX)

    square = _decode(screenshot, scale)
    if square is None:
        return None
    values = np.asarray(square, dtype=np.float32) / float(_WHITE)
    return values[None, None] if channels == 1 else np.ascontiguousarray(values.transpose(2, 0, 1)[None])


def top_of_page(screenshot: bytes) -> NDArray[np.uint8] | None:
    """The top of the page, its width scaled to 512 px and its height in proportion: uint8 [1, rows, 512, 3], red, green and blue.

    There are at most 1536 rows, a multiple of 64. A page that ends earlier has at least 112 white rows below its end. None as in
    `whole_page`.
    """

    def scale(image: Image.Image) -> Image.Image:
        image.draft("RGB", (TOP_COLUMNS, 1))
        rows = min(image.height, -(-TOP_ROWS * image.width // TOP_COLUMNS))
        height = max(1, min(TOP_ROWS, round(rows * TOP_COLUMNS / image.width)))
        top = image.crop((0, 0, image.width, rows)).convert("RGB")
        return top if top.size == (TOP_COLUMNS, height) else top.resize((TOP_COLUMNS, height), Image.Resampling.BOX)

    top = _decode(screenshot, scale)
    if top is None:
        return None
    rows = min(TOP_ROWS, -(-(top.height + TOP_WHITE_ROWS) // TOP_STEP_ROWS) * TOP_STEP_ROWS)
    pixels = np.full((1, rows, TOP_COLUMNS, 3), _WHITE, np.uint8)
    pixels[0, : top.height] = np.asarray(top)
    return pixels


def _decode(screenshot: bytes, scale: Callable[[Image.Image], Image.Image]) -> Image.Image | None:
    """The image as `scale` gives it; None where it can't be decoded."""
    if not isinstance(screenshot, bytes | bytearray | memoryview) or len(screenshot) > MAX_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns about sizes that MAX_PIXELS judges below
            with Image.open(io.BytesIO(screenshot), formats=FORMATS) as image:
                return None if image.width * image.height > MAX_PIXELS else scale(image)
    except Exception:  # decoders raise OSError, ValueError, SyntaxError, struct.error, EOFError, MemoryError ... on hostile bytes
        return None
