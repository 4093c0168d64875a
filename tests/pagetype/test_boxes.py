"""The browser's boxes: the table, and the layout raster."""

from __future__ import annotations

import numpy as np
import pytest

from tests.pagetype.pages import BAD_BOXES, box
from webcontent.pagetype.layout_raster import CHANNELS, Boxes, body_font, layout_raster, read_boxes


def boxes_of(rows: list) -> Boxes:
    boxes = read_boxes(rows)
    assert boxes is not None
    return boxes


@pytest.mark.parametrize("rows", BAD_BOXES.values(), ids=BAD_BOXES)
def test_a_table_without_a_valid_row_is_no_table(rows: list):
    """Nothing is raised."""
    assert read_boxes(rows) is None


def test_invalid_rows_are_left_out():
    """The others are read."""
    assert boxes_of([box("/p[1]", 0, 100), ["/p[2]", "p"], box("/p[3]", 0, 50)]).own.tolist() == [100, 50]


def test_boxes_have_the_columns_that_the_features_need():
    """Boxes at the same path are counted; images are known by tag or background, headings by path."""
    background = [*box("/div", 0, 0)[:-1], 1]
    boxes = boxes_of([box("/p[1]", 0, 9), box("/p[2]", 0, 9), box("/h2/a", 0, 9, tag="A"), box("/img", 0, 0, tag="img"), background])
    assert boxes.paths == ["/p", "/p", "/h2/a", "/img", "/div"]
    assert boxes.tags[2] == "a"
    assert boxes.repeated.tolist() == [2, 2, 1, 0, 0]
    assert boxes.heading.tolist() == [0, 0, 1, 0, 0]
    assert boxes.image.tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    ("rows", "font"),
    [
        ([box("/p", 0, 300, font=15), box("/h1", 0, 20, font=32)], 15),
        ([box("/p", 0, 20, font=15), box("/h1", 0, 300, font=32)], 32),
        ([box("/h1", 0, 300, font=300)], 200),
        ([box("/img", 0, 0, tag="img")], 16),
    ],
    ids=["small", "large", "huge", "no text"],
)
def test_the_font_of_the_running_text_is_that_of_most_characters(rows: list, font: float):
    """Without text it is the default of browsers."""
    assert body_font(boxes_of(rows)) == font


def test_wild_boxes_give_finite_values():
    """Negative, huge and zero sizes: the raster stays finite and keeps its shape."""
    numbers = np.random.default_rng(0).choice([-1e6, -5, 0, 3, 1e6], (200, 13))
    boxes = boxes_of([[f"/p[{i}]", "p", *row.tolist()] for i, row in enumerate(numbers)])
    raster = layout_raster(boxes)
    assert raster.shape == (1, len(CHANNELS), 192, 64)
    assert np.isfinite(raster).all()


def test_the_layout_raster_shows_where_text_and_links_are():
    """A plain box above a linked one: text in both places, links in the second only."""
    text, link = layout_raster(boxes_of([box("/p[1]", 0, 100), box("/p[2]", 400, 100, linked=True)]))[0, :2]
    assert text[0, 20] > 0.9
    assert text[19, 20] > 0.9
    assert link[0, 20] == 0
    assert link[19, 20] > 0.9
    assert text[100].max() == 0
