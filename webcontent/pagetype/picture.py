"""The screenshot as the picture networks see it. Any bytes go in; what is no picture of sane size gives None."""

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
MAX_PIXELS = 60_000_000  # 1366 x 8000 is 11 million; a bomb is refused before it is decoded
MAX_BYTES = 64 << 20
STRIP_COLUMNS, STRIP_ROWS = 512, 1536
"""A strip shows what a layout picture shows: the first 1366 x 4096 CSS px, 8 x 8 px a cell."""
STEP_ROWS, WHITE_ROWS = 64, 112
"""A shorter page has a shorter strip, in steps of so many rows; so much white below it is what the network sees of a page's end."""


def picture(screenshot: bytes, size: int, channels: int = 1) -> NDArray[np.float32] | None:
    """Values 0 to 1, float32 [1, channels, size, size]: the whole page pressed into a square, as in I-AWCE section 1.2.

    `channels`: 1 is grey, 3 are red, green and blue. None when the bytes are no WebP, JPEG or PNG, are damaged, or claim an absurd size.
    """
    mode = "L" if channels == 1 else "RGB"

    def press(image: Image.Image) -> Image.Image:
        image.draft(mode, (size, size))  # JPEG only: decoded at a fraction of its size, grey without its colours
        return image.convert(mode).resize((size, size), Image.Resampling.BOX)

    square = _decode(screenshot, press)
    if square is None:
        return None
    values = np.asarray(square, dtype=np.float32) / 255.0
    return values[None, None] if channels == 1 else np.ascontiguousarray(values.transpose(2, 0, 1)[None])


def strip(screenshot: bytes) -> NDArray[np.uint8] | None:
    """Colours, uint8 [1, rows, 512, 3]: the first part of the page, its width scaled to 512 px and its height in proportion. At most 1536
    rows, a multiple of 64; below a page that ends earlier at least 112 of them are white. None as in `picture`."""

    def scale(image: Image.Image) -> Image.Image:
        image.draft("RGB", (STRIP_COLUMNS, 1))
        rows = min(image.height, -(-STRIP_ROWS * image.width // STRIP_COLUMNS))
        height = max(1, min(STRIP_ROWS, round(rows * STRIP_COLUMNS / image.width)))
        shown = image.crop((0, 0, image.width, rows)).convert("RGB")
        return shown if shown.size == (STRIP_COLUMNS, height) else shown.resize((STRIP_COLUMNS, height), Image.Resampling.BOX)

    shown = _decode(screenshot, scale)
    if shown is None:
        return None
    rows = min(STRIP_ROWS, -(-(shown.height + WHITE_ROWS) // STEP_ROWS) * STEP_ROWS)
    whole = np.full((1, rows, STRIP_COLUMNS, 3), 255, np.uint8)
    whole[0, : shown.height] = np.asarray(shown)
    return whole


def _decode(screenshot: bytes, shape: Callable[[Image.Image], Image.Image]) -> Image.Image | None:
    if not isinstance(screenshot, bytes | bytearray | memoryview) or len(screenshot) > MAX_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns about sizes that MAX_PIXELS judges below
            with Image.open(io.BytesIO(screenshot), formats=FORMATS) as image:
                return None if image.width * image.height > MAX_PIXELS else shape(image)
    except Exception:  # decoders raise OSError, ValueError, SyntaxError, struct.error, EOFError, MemoryError ... on hostile bytes
        return None
