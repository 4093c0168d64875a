"""The screenshot as the picture networks see it. Any bytes go in; what is no picture of sane size gives None."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMATS = ("WEBP", "JPEG", "PNG")
MAX_PIXELS = 60_000_000  # 1366 x 8000 is 11 million; a bomb is refused before it is decoded
MAX_BYTES = 64 << 20


def picture(screenshot: bytes, size: int) -> NDArray[np.float32] | None:
    """Grey values 0 to 1, float32 [1, 1, size, size]: the whole page pressed into a square, as in I-AWCE section 1.2.

    None when the bytes are no WebP, JPEG or PNG, are damaged, or claim an absurd size.
    """
    grey = _decode(screenshot, size)
    if grey is None:
        return None
    return (np.asarray(grey, dtype=np.float32) / 255.0)[None, None]


def _decode(screenshot: bytes, size: int) -> Image.Image | None:
    if not isinstance(screenshot, bytes | bytearray | memoryview) or len(screenshot) > MAX_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns about sizes that MAX_PIXELS judges below
            with Image.open(io.BytesIO(screenshot), formats=FORMATS) as image:
                if image.width * image.height > MAX_PIXELS:
                    return None
                image.draft("L", (size, size))  # JPEG only: decoded at a fraction of its size, without colour
                return image.convert("L").resize((size, size), Image.Resampling.BOX, reducing_gap=None)
    except Exception:  # decoders raise OSError, ValueError, SyntaxError, struct.error, EOFError, MemoryError ... on hostile bytes
        return None
