"""Augmentation: variations of boxes, layouts and screenshots for training, and synthetic pages as reference inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.pagetype.layout_raster import PIXEL_CHANNELS, ROWS, Boxes, read_boxes
from webcontent.pagetype.screenshot import TOP_COLUMNS, TOP_ROWS

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


def synthetic_boxes(seed: int) -> Boxes:
    """Reference inputs: boxes that are of no real page."""
    generator = np.random.default_rng(seed)
    rows = []
    for i in range(40):
        length = int(generator.integers(5, 400))
        linked = length if generator.random() < 0.4 else 0
        rows.append(
            [
                f"/html/body/div[{i + 1}]/p",
                "p",
                int(generator.integers(0, 900)),
                60 * i,
                int(generator.integers(100, 460)),
                50,
                int(generator.integers(12, 32)),
                400,
                "#000000",
                "#ffffff",
                length,
                length,
                linked,
                0,
                int(generator.random() < 0.1),
            ]
        )
    boxes = read_boxes(rows)
    assert boxes is not None
    return boxes


def synthetic_screenshots(count: int, size: int, channels: int) -> NDArray[np.float32]:
    """Reference inputs: stripes and blocks that are of no real page, float32 [count, channels, size, size]."""
    generator = np.random.default_rng(7)
    pixels = np.ones((count, channels, size, size), np.float32)
    for one in pixels:
        for _ in range(12):
            y, x, h, w = generator.integers(0, size, 2).tolist() + generator.integers(4, size // 2, 2).tolist()
            one[:, y : y + h : int(generator.integers(1, 4)), x : x + w] = round(float(generator.random()), 2)
    return pixels


def synthetic_tops(count: int) -> NDArray[np.uint8]:
    """Reference inputs: tops of pages with stripes and blocks, uint8 [count, rows, columns, 3]."""
    generator = np.random.default_rng(11)
    tops = np.full((count, TOP_ROWS, TOP_COLUMNS, 3), 255, np.uint8)
    for one in tops:
        for _ in range(60):
            y, x = int(generator.integers(0, TOP_ROWS - 40)), int(generator.integers(0, TOP_COLUMNS - 40))
            one[y : y + 80 : int(generator.integers(1, 9)), x : x + int(generator.integers(30, 300))] = generator.integers(0, 255, 3)
    return tops
