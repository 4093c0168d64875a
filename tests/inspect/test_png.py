"""Inspections as images."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image, ImageDraw

from tests.inspect.pages import HEIGHT_PX, WIDTH_PX, make_page
from webcontent.inspect.badges import FreeSpace
from webcontent.inspect.inspection import inspect_page
from webcontent.inspect.labels import COLORS
from webcontent.inspect.places import Rectangle
from webcontent.inspect.png import HEADER_PX, png

if TYPE_CHECKING:
    from webcontent.inspect.inspection import Inspection
    from webcontent.pipeline import Options


def test_the_image_shows_colors_and_scores(inspection: Inspection):
    """It has a header above the page, and the blocks in the colors of their labels."""
    with Image.open(BytesIO(png(inspection))) as image:
        assert image.size == (WIDTH_PX, HEIGHT_PX + HEADER_PX)
        colors = {color for _, color in image.crop((0, HEADER_PX, WIDTH_PX, HEIGHT_PX)).getcolors(1_000_000)}
        score_colors = image.crop((621, HEADER_PX + 320, 660, HEADER_PX + 340)).getcolors(1_000_000)
    assert {bytes.fromhex(COLORS[label][1:]) for label in ("title", "time", "body")} <= {bytes(color) for color in colors}
    assert len(score_colors) > 2  # the score of the first paragraph beside its box


def test_a_damaged_screenshot_is_an_error_with_a_message(options: Options):
    """The traceback of the image library is not shown."""
    page = make_page()
    page.screenshot = b"\x89PNG not an image"
    with pytest.raises(ValueError, match="the screenshot can't be read"):
        png(inspect_page(page, options))


def test_no_number_covers_text():
    """A number goes where the screenshot is empty, and nowhere if no side of the box is."""
    image = Image.new("L", (400, 200), 255)
    draw = ImageDraw.Draw(image)
    draw.rectangle((100, 50, 200, 100), fill=200)
    draw.text((205, 50), "beside", fill=0)
    space, box = FreeSpace(image, 400), Rectangle(100, 50, 100, 50)
    assert space.place_beside(box, 30, 15) == Rectangle(70, 50, 30, 15)
    assert space.place_beside(box, 30, 15) == Rectangle(170, 35, 30, 15)
    assert space.place_beside(Rectangle(0, 0, 400, 200), 30, 15) is None


def test_numbers_are_placed_on_a_scaled_screenshot():
    """Boxes have the coordinates of the page."""
    image = Image.new("L", (200, 100), 255)
    ImageDraw.Draw(image).rectangle((101, 25, 199, 60), fill=0)
    assert FreeSpace(image, 400).place_beside(Rectangle(100, 50, 100, 50), 30, 15) == Rectangle(70, 50, 30, 15)
