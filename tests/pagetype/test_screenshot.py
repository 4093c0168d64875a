"""The screenshot as page type networks take it."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests.pagetype.pages import BAD_SCREENSHOTS, encoded, image_bytes
from webcontent.pagetype.screenshot import top_of_page, whole_page


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_screenshots_are_read_in_three_formats(form: str):
    """They give grey values from 0 to 1 in a square."""
    pixels = whole_page(image_bytes((1366, 3000), form), 224)
    assert pixels is not None
    assert pixels.shape == (1, 1, 224, 224)
    assert pixels.dtype == np.float32
    assert pixels.min() > 0.98


@pytest.mark.parametrize(("height", "is_read"), [(10_000, True), (10_001, False)])
def test_sixty_million_pixels_are_read(height: int, is_read: bool):
    assert (whole_page(encoded(Image.new("1", (6000, height))), 32) is not None) is is_read


def test_the_square_shows_the_whole_page():
    """The upper half is black and the lower white, whatever the page's height."""
    page = Image.new("L", (512, 3000), 255)
    page.paste(0, (0, 0, 512, 1500))
    pixels = whole_page(encoded(page), 224)
    assert pixels is not None
    assert pixels[0, 0, :110].max() < 0.02
    assert pixels[0, 0, 114:].min() > 0.98


def test_the_square_may_have_colours():
    """Three channels are red, green and blue; a red page is red."""
    pixels = whole_page(encoded(Image.new("RGB", (300, 500), "red")), 64, channels=3)
    assert pixels is not None
    assert pixels.shape == (1, 3, 64, 64)
    assert pixels[0, 0].min() > 0.98
    assert pixels[0, 1:].max() < 0.02


@pytest.mark.parametrize(("width", "form"), [(512, "JPEG"), (1366, "PNG"), (1366, "JPEG"), (390, "WEBP")])
def test_the_top_of_the_page_keeps_its_proportions(width: int, form: str):
    """A mark of 100 x 100 px on a page 512 px wide is as large at any width, and white follows the end of the page."""
    scale = width / 512
    page = Image.new("RGB", (width, round(1000 * scale)), "grey")
    page.paste((0, 0, 0), tuple(round(edge * scale) for edge in (200, 600, 300, 700)))
    pixels = top_of_page(encoded(page, form))
    assert pixels is not None
    assert pixels.shape == (1, 1152, 512, 3)  # 1,000 rows, at least 112 white ones, a multiple of 64
    assert pixels[0, 605:695, 205:295].max() < 40
    assert pixels[0, :595].min() > 90
    assert pixels[0, 1002:].min() == 255


def test_the_top_of_a_long_page_is_cut():
    """What lies below 4,096 px of a page 1,366 px wide is left out."""
    page = Image.new("L", (512, 4000), 255)
    page.paste(0, (0, 1536, 512, 4000))
    pixels = top_of_page(encoded(page))
    assert pixels is not None
    assert pixels.shape[1] == 1536
    assert pixels.min() == 255


@pytest.mark.parametrize("screenshot", BAD_SCREENSHOTS.values(), ids=BAD_SCREENSHOTS)
def test_bytes_that_are_no_screenshot_give_none(screenshot: bytes):
    """Nothing is raised, and a decompression bomb is refused before it is decoded."""
    assert whole_page(screenshot, 224) is None
    assert top_of_page(screenshot) is None
