"""Inspections as images."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.inspect.pages import HEIGHT_PX, WIDTH_PX, make_page
from webcontent.inspect.inspection import inspect_page
from webcontent.inspect.labels import COLORS
from webcontent.inspect.png import png

if TYPE_CHECKING:
    from webcontent.inspect.inspection import Inspection
    from webcontent.pipeline import Options


def test_the_image_shows_the_labels(inspection: Inspection):
    """It is the screenshot with the blocks in the colors of their labels."""
    with Image.open(BytesIO(png(inspection))) as image:
        assert image.size == (WIDTH_PX, HEIGHT_PX)
        colors = {color for _, color in image.getcolors(1_000_000)}
    assert {bytes.fromhex(COLORS[label][1:]) for label in ("title", "time", "body")} <= {bytes(color) for color in colors}


def test_a_damaged_screenshot_is_an_error_with_a_message(options: Options):
    """The traceback of the image library is not shown."""
    page = make_page()
    page.screenshot = b"\x89PNG not an image"
    with pytest.raises(ValueError, match="the screenshot can't be read"):
        png(inspect_page(page, options))
