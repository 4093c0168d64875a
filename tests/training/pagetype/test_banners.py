"""Banners over training pages: where they stand, what they cover, and that they change nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.pagetype.layout_raster import PIXEL_CHANNELS, WIDTH_PX, layout_raster
from webcontent.training.pagetype.augmentation.banners import (
    DESIGNS,
    SCREEN_PX,
    banner_boxes,
    joined,
    make_banner,
    over_image,
    over_layout,
)
from webcontent.training.pagetype.augmentation.variations import synthetic_boxes

WHITE = np.full((768, 512, 3), 255, np.uint8)


@pytest.mark.parametrize("design", DESIGNS)
def test_a_banner_stands_in_the_first_screen_with_its_text_and_buttons_on_it(design: str):
    for seed in range(50):
        banner = make_banner(np.random.default_rng(seed), (design,))
        x, y, width, height = banner.place
        assert 0 <= x <= x + width <= WIDTH_PX
        assert 0 <= y <= y + height <= SCREEN_PX
        assert banner.buttons
        for left, top, across, _ in [banner.text, *banner.buttons]:
            assert x <= left
            assert left + across <= x + width + 1e-6
            assert y <= top < y + height


def test_the_boxes_of_the_page_stay_and_those_of_the_banner_follow():
    page = synthetic_boxes(1)
    generator = np.random.default_rng(0)
    banner = banner_boxes(make_banner(generator), generator)
    covered = joined(page, banner)
    assert covered.tags == page.tags + banner.tags
    assert covered.paths == page.paths + banner.paths
    np.testing.assert_array_equal(covered.own[: len(page.own)], page.own)
    np.testing.assert_array_equal(covered.own[len(page.own) :], banner.own)


def test_a_screenshot_is_covered_by_the_banner_and_darkened_by_its_veil_only_in_the_first_screen():
    first_screen = round(SCREEN_PX * 512 / WIDTH_PX)
    veils = set()
    for seed in range(20):
        generator = np.random.default_rng(seed)
        banner = make_banner(generator, ("card",))
        covered = over_image(WHITE, banner, generator)
        veils.add(banner.veil > 0)
        assert (covered[first_screen:] == 255).all()
        assert (covered[0, 256] == 255).all() == (banner.veil == 0)
        x, y, width, _ = (round(value * 512 / WIDTH_PX) for value in banner.place)
        assert (covered[y + 2, x + width // 2] == banner.background).all()
    assert veils == {True, False}
    assert (WHITE == 255).all()


def test_the_layout_below_a_banner_is_that_of_the_banner():
    page = layout_raster(synthetic_boxes(1))[0, : len(PIXEL_CHANNELS)]
    generator = np.random.default_rng(3)
    banner = make_banner(generator, ("drawer",))
    boxes = banner_boxes(banner, generator)
    covered, alone = over_layout(page, banner, boxes), layout_raster(boxes)[0, : len(PIXEL_CHANNELS)]
    first, last = round(banner.place[0] * 64 / WIDTH_PX), round((banner.place[0] + banner.place[2]) * 64 / WIDTH_PX)
    rows = round(SCREEN_PX * 192 / 4096)
    np.testing.assert_array_equal(covered[:, :rows, first:last], alone[:, :rows, first:last])
    np.testing.assert_array_equal(covered[:, rows:], page[:, rows:])
