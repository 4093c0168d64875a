"""Augmentation: variations of boxes, layouts and screenshots for training, and synthetic pages as reference inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.pagetype.layout_raster import PIXEL_CHANNELS, ROWS, Boxes
from webcontent.pagetype.screenshot import TOP_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELL_PX, CUT_ROWS = TOP_ROWS // ROWS, ROWS // 3
"""Pixels of a screenshot that make up a cell of the layout; rows of cells that the reader is trained on at a time."""
CUT_PX = 1500
"""Longer pages may be cut off in training."""
IMAGES_OFF = 0.15
"""Share of pages without images."""


def vary_boxes(boxes: Boxes, generator: np.random.Generator) -> Boxes:
    """The boxes as another screen might show them: scaled, moved, below a banner, cut off, with longer or shorter texts, without some boxes
    or all images; never flipped. Tags and paths do not change."""
    across, down, larger = generator.uniform(0.88, 1.12), generator.uniform(0.85, 1.2), generator.uniform(0.85, 1.15)
    count = len(boxes.x)
    y = boxes.y * down + (generator.uniform(-300, 400) if generator.random() < 0.3 else generator.uniform(-60, 60))
    is_kept = generator.random(count) >= generator.choice([0.0, 0.05, 0.15])
    end = float((boxes.y + boxes.h).max()) * down
    if end > CUT_PX and generator.random() < 0.25:
        is_kept &= y < generator.uniform(CUT_PX - 300, end)
    if not is_kept.any():
        is_kept[:] = True
    images = float(generator.random() > IMAGES_OFF) * (generator.random(count) > generator.choice([0.0, 0.3]))
    return boxes._replace(
        x=((boxes.x - 683) * across + 683 + generator.uniform(-60, 60))[is_kept],
        y=y[is_kept],
        w=(boxes.w * across)[is_kept],
        h=(boxes.h * down)[is_kept],
        font=np.clip(boxes.font * larger, 1, 200)[is_kept],
        own=(boxes.own * np.exp(generator.normal(0, 0.15)))[is_kept],
        whole=boxes.whole[is_kept],
        link=boxes.link[is_kept],
        image=(boxes.image * images)[is_kept],
        repeated=boxes.repeated[is_kept],
        heading=boxes.heading[is_kept],
    )


def vary_layout(layout: NDArray[np.float32], generator: np.random.Generator) -> NDArray[np.float32]:
    """A layout that was read off pixels, moved by some cells, each channel a little stronger or weaker, sometimes without images."""
    down, aside = int(generator.integers(-3, 4)), int(generator.integers(-2, 3))
    moved = np.roll(layout, (down, aside), axis=(1, 2)) * generator.uniform(0.85, 1.15, (len(layout), 1, 1)).astype(np.float32)
    if generator.random() < IMAGES_OFF:
        moved[PIXEL_CHANNELS.index("image")] = 0
    return np.asarray(moved, np.float32)


def vary_image(image: NDArray[np.uint8], layout: NDArray[np.float32], generator: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """A third of a page, cut at a row of cells, moved sideways, in other colours: channels swapped, inverted, brighter, darker, tinted.

    Gives the colours and the layout of the part.
    """
    filled = int(np.flatnonzero(layout.any(axis=(0, 2))).max(initial=0))
    first = int(generator.integers(0, max(1, min(ROWS - CUT_ROWS, filled - CUT_ROWS // 2) + 1)))
    part, target = image[first * CELL_PX : (first + CUT_ROWS) * CELL_PX], layout[:, first : first + CUT_ROWS]
    if generator.random() < 0.5:
        part = part[..., generator.permutation(3)]
    if generator.random() < 0.12:
        part = 255 - part
    aside = int(generator.integers(-4, 5))
    part, target = np.roll(part, aside * CELL_PX, axis=1), np.roll(target, aside, axis=2)
    contrast, tint = generator.uniform(0.75, 1.25), generator.uniform(-0.1, 0.1, 3)
    colours = (part / np.float32(255) - 0.5) * np.float32(contrast) + (0.5 + tint).astype(np.float32)
    return colours, target


def synthetic_boxes(seed: int, count: int = 40) -> Boxes:
    """Reference inputs: boxes that are of no real page."""
    generator = np.random.default_rng(seed)
    x, w, font, own = (generator.integers(*bounds, count).astype(float) for bounds in ((0, 900), (100, 460), (12, 32), (5, 400)))
    link, image = own * (generator.random(count) < 0.4), (generator.random(count) < 0.1).astype(float)
    y, h, none = 60.0 * np.arange(count), np.full(count, 50.0), np.zeros(count)
    return Boxes(x, y, w, h, font, own, own, link, image, np.full(count, count), none, ["p"] * count, ["/html/body/div/p"] * count)


def synthetic_images(shape: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    """Reference inputs: stripes and blocks that are of no real page, uint8 [count, rows, columns, channels]."""
    generator = np.random.default_rng(7)
    images = np.full(shape, 255, np.uint8)
    for one in images:
        for _ in range(60):
            y, x, h, w = (int(generator.integers(0, shape[side] // part)) for side, part in ((1, 1), (2, 1), (1, 4), (2, 2)))
            one[y : y + h : int(generator.integers(1, 9)), x : x + w] = generator.integers(0, 255, shape[3])
    return images
