"""Pages as they might have been: other screens and colours to learn from, and made-up pages as reference inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.pagetype.layout import ROWS, SHOWN, Boxes, read_boxes
from webcontent.pagetype.picture import STRIP_COLUMNS, STRIP_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELL, CUT_ROWS = STRIP_ROWS // ROWS, ROWS // 3
"""Pixels of a strip that make a cell of the layout; rows of cells that the reader learns from at a time."""
CUT_PX = 1500
"""Pages that are longer may be shown cut off in training."""


def vary_boxes(boxes: Boxes, generator: np.random.Generator) -> Boxes:
    """The page as another screen might show it: scaled, moved, below a banner, cut off, its texts longer or shorter, some boxes gone, in
    one of seven pages all pictures; never flipped. Tags and paths stay as they were."""
    across, down, larger = generator.uniform(0.88, 1.12), generator.uniform(0.85, 1.2), generator.uniform(0.85, 1.15)
    count = len(boxes.x)
    y = boxes.y * down + (generator.uniform(-300, 400) if generator.random() < 0.3 else generator.uniform(-60, 60))
    kept = generator.random(count) >= generator.choice([0.0, 0.05, 0.15])
    end = float((boxes.y + boxes.h).max()) * down
    if end > CUT_PX and generator.random() < 0.25:
        kept &= y < generator.uniform(CUT_PX - 300, end)
    if not kept.any():
        kept[:] = True
    shown = float(generator.random() > 0.15) * (generator.random(count) > generator.choice([0.0, 0.3]))
    return boxes._replace(
        x=((boxes.x - 683) * across + 683 + generator.uniform(-60, 60))[kept],
        y=y[kept],
        w=(boxes.w * across)[kept],
        h=(boxes.h * down)[kept],
        font=np.clip(boxes.font * larger, 1, 200)[kept],
        own=(boxes.own * np.exp(generator.normal(0, 0.15)))[kept],
        whole=boxes.whole[kept],
        link=boxes.link[kept],
        image=(boxes.image * shown)[kept],
        repeated=boxes.repeated[kept],
        heading=boxes.heading[kept],
    )


def vary_layout(layout: NDArray[np.float32], generator: np.random.Generator) -> NDArray[np.float32]:
    """A layout that was read, moved by some cells, each channel a little stronger or weaker, in one of seven pages without pictures."""
    down, aside = int(generator.integers(-3, 4)), int(generator.integers(-2, 3))
    moved = np.roll(layout, (down, aside), axis=(1, 2)) * generator.uniform(0.85, 1.15, (len(layout), 1, 1)).astype(np.float32)
    if generator.random() < 0.15:
        moved[SHOWN.index("image")] = 0
    varied: NDArray[np.float32] = moved
    return varied


def vary_strip(whole: NDArray[np.uint8], layout: NDArray[np.float32], generator: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """A third of a page, cut at a row of cells, in other colours (channels swapped, inverted, brighter, darker, tinted), moved sideways."""
    filled = int(np.flatnonzero(layout.any(axis=(0, 2))).max(initial=0))
    first = int(generator.integers(0, max(1, min(ROWS - CUT_ROWS, filled - CUT_ROWS // 2) + 1)))
    shown, wanted = whole[first * CELL : (first + CUT_ROWS) * CELL], layout[:, first : first + CUT_ROWS]
    if generator.random() < 0.5:
        shown = shown[..., generator.permutation(3)]
    if generator.random() < 0.12:
        shown = 255 - shown
    aside = int(generator.integers(-4, 5))
    shown, wanted = np.roll(shown, aside * CELL, axis=1), np.roll(wanted, aside, axis=2)
    contrast, tint = generator.uniform(0.75, 1.25), generator.uniform(-0.1, 0.1, 3)
    colours = (shown / np.float32(255) - 0.5) * np.float32(contrast) + (0.5 + tint).astype(np.float32)
    return colours, wanted


def made_up_boxes(seed: int) -> Boxes:
    """Reference inputs: a table of boxes that no page has."""
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


def made_up_pictures(count: int, size: int, channels: int) -> NDArray[np.float32]:
    """Reference inputs: stripes and blocks, no page of anyone."""
    generator = np.random.default_rng(7)
    pixels = np.ones((count, channels, size, size), np.float32)
    for one in pixels:
        for _ in range(12):
            y, x, h, w = generator.integers(0, size, 2).tolist() + generator.integers(4, size // 2, 2).tolist()
            one[:, y : y + h : int(generator.integers(1, 4)), x : x + w] = round(float(generator.random()), 2)
    return pixels


def made_up_strips(count: int) -> NDArray[np.uint8]:
    """Reference inputs: stripes and blocks."""
    generator = np.random.default_rng(11)
    strips = np.full((count, STRIP_ROWS, STRIP_COLUMNS, 3), 255, np.uint8)
    for one in strips:
        for _ in range(60):
            y, x = int(generator.integers(0, STRIP_ROWS - 40)), int(generator.integers(0, STRIP_COLUMNS - 40))
            one[y : y + 80 : int(generator.integers(1, 9)), x : x + int(generator.integers(30, 300))] = generator.integers(0, 255, 3)
    return strips
