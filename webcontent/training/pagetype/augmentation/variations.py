"""Augmentation: variations of boxes, layouts and screenshots for training, and synthetic pages as reference inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.pagetype.layout_raster import MAX_FONT_PX, PIXEL_CHANNELS, ROWS, WIDTH_PX, Boxes
from webcontent.pagetype.screenshot import TOP_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELL_PX, CUT_ROWS = TOP_ROWS // ROWS, ROWS // 3
"""Pixels of a screenshot that make up a cell of the layout; rows of cells that the reader is trained on at a time."""
CUT_PX, CUT_SHARE, CUT_SOONER_PX = 1500, 0.25, 300
"""Pages of more px may be cut off in training, this share of them, and how much above that they may end."""
IMAGES_OFF = 0.15
"""Share of pages without images."""
ACROSS, DOWN, LARGER, TEXT_DEVIATION = (0.88, 1.12), (0.85, 1.2), (0.85, 1.15), 0.15
"""Factors of widths, heights and fonts, and the standard deviation of the logarithm of lengths."""
MOVED_PX, FAR_PX, FAR_SHARE = (-60, 60), (-300, 400), 0.3
"""How far boxes are moved; on this share of the pages they are moved down much further, as by a banner."""
LOST, LOST_IMAGES = (0.0, 0.05, 0.15), (0.0, 0.3)
"""Shares of boxes, and of images, that are left out."""
CELLS_DOWN, CELLS_ASIDE, STRENGTH = (-3, 4), (-2, 3), (0.85, 1.15)
"""How far layouts are moved, and the factors of their channels."""
SHIFT, INVERTED, CONTRAST, TINT = (-4, 5), 0.12, (0.75, 1.25), (-0.1, 0.1)
"""Of screenshots: cells that they are moved aside, share that is inverted, factors of contrast, and what is added to the colours."""
COLOURS, WHITE = 3, 255
SYNTHETIC_BOXES = {"x": (0, 900), "w": (100, 460), "font": (12, 32), "own": (5, 400)}
"""Ranges of the columns of synthetic boxes."""


def vary_boxes(boxes: Boxes, generator: np.random.Generator) -> Boxes:
    """The boxes as another screen might show them: scaled, moved, below a banner, cut off, with longer or shorter texts, without some boxes
    or all images; never flipped. Tags and paths do not change."""
    across, down, larger = (generator.uniform(*factors) for factors in (ACROSS, DOWN, LARGER))
    count = len(boxes.x)
    y = boxes.y * down + generator.uniform(*(FAR_PX if generator.random() < FAR_SHARE else MOVED_PX))
    is_kept = generator.random(count) >= generator.choice(LOST)
    end = float((boxes.y + boxes.h).max()) * down
    if end > CUT_PX and generator.random() < CUT_SHARE:
        is_kept &= y < generator.uniform(CUT_PX - CUT_SOONER_PX, end)
    if not is_kept.any():
        is_kept[:] = True
    images = float(generator.random() > IMAGES_OFF) * (generator.random(count) > generator.choice(LOST_IMAGES))
    return boxes._replace(
        x=((boxes.x - WIDTH_PX / 2) * across + WIDTH_PX / 2 + generator.uniform(*MOVED_PX))[is_kept],
        y=y[is_kept],
        w=(boxes.w * across)[is_kept],
        h=(boxes.h * down)[is_kept],
        font=np.clip(boxes.font * larger, 1, MAX_FONT_PX)[is_kept],
        own=(boxes.own * np.exp(generator.normal(0, TEXT_DEVIATION)))[is_kept],
        whole=boxes.whole[is_kept],
        link=boxes.link[is_kept],
        image=(boxes.image * images)[is_kept],
        repeated=boxes.repeated[is_kept],
        heading=boxes.heading[is_kept],
    )


def vary_layout(layout: NDArray[np.float32], generator: np.random.Generator) -> NDArray[np.float32]:
    """A layout that was read off pixels, moved by some cells, each channel a little stronger or weaker, sometimes without images."""
    down, aside = int(generator.integers(*CELLS_DOWN)), int(generator.integers(*CELLS_ASIDE))
    moved = np.roll(layout, (down, aside), axis=(1, 2)) * generator.uniform(*STRENGTH, (len(layout), 1, 1)).astype(np.float32)
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
        part = part[..., generator.permutation(COLOURS)]
    if generator.random() < INVERTED:
        part = WHITE - part
    aside = int(generator.integers(*SHIFT))
    part, target = np.roll(part, aside * CELL_PX, axis=1), np.roll(target, aside, axis=2)
    contrast, tint = generator.uniform(*CONTRAST), generator.uniform(*TINT, COLOURS)
    return (part / np.float32(WHITE) - 0.5) * np.float32(contrast) + (0.5 + tint).astype(np.float32), target


def synthetic_boxes(seed: int, count: int = 40) -> Boxes:
    """Reference inputs: boxes that are of no real page."""
    generator = np.random.default_rng(seed)
    x, w, font, own = (generator.integers(*bounds, count).astype(float) for bounds in SYNTHETIC_BOXES.values())
    link, image = own * (generator.random(count) < 0.4), (generator.random(count) < 0.1).astype(float)
    y, h, none = 60.0 * np.arange(count), np.full(count, 50.0), np.zeros(count)
    return Boxes(x, y, w, h, font, own, own, link, image, np.full(count, count), none, ["p"] * count, ["/html/body/div/p"] * count)


def synthetic_images(shape: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    """Reference inputs: stripes and blocks that are of no real page, uint8 [count, rows, columns, channels]."""
    generator = np.random.default_rng(7)
    images = np.full(shape, WHITE, np.uint8)
    for one in images:
        for _ in range(60):
            y, x, h, w = (int(generator.integers(0, shape[side] // part)) for side, part in ((1, 1), (2, 1), (1, 4), (2, 2)))
            one[y : y + h : int(generator.integers(1, 9)), x : x + w] = generator.integers(0, WHITE, shape[-1])
    return images
