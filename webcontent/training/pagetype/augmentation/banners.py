"""Banners that are laid over training pages, so that one that stays on a page does not turn its type.

A banner stands in the first screen. The boxes below it stay in the table, as a browser lists them; on a screenshot it covers them. The
designs are ours; they are of no site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.pagetype.layout_raster import HEIGHT_PX, PIXEL_CHANNELS, WIDTH_PX, Boxes, layout_raster

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Rectangle = tuple[float, float, float, float]

SCREEN_PX = 900
"""Height of a screen."""
BANNER_SHARE = 0.3
"""Share of the training pages over which a banner is laid."""
TEXT_FONT_PX, HEADING_FONT_PX = (12, 18), (18, 30)
TEXT_LETTERS, HEADING_LETTERS, BUTTON_LETTERS = (60, 600), (10, 40), (2, 22)
MARGIN_PX, BUTTON_PX, LINE_PX = 24, (110, 42), 22
LIGHT, DARK = 235, 60
"""Grey values: of a page behind a veil at least, of dark letters at most."""


class Banner(NamedTuple):
    """A banner in CSS px of a page of WIDTH_PX."""

    place: Rectangle
    """x, y, width, height."""
    heading: Rectangle | None
    text: Rectangle
    buttons: list[Rectangle]
    veil: float
    """Share of the light that a veil over the first screen takes; 0 without one."""
    background: NDArray[np.uint8]
    """Red, green and blue, as those of the letters and of the buttons."""
    letters: NDArray[np.uint8]
    button: NDArray[np.uint8]


def _bar(at_end: bool, heights: tuple[int, int]) -> Callable[[np.random.Generator], Rectangle]:
    """A bar across the page, at the top of the screen or at its end."""

    def place(generator: np.random.Generator) -> Rectangle:
        height = int(generator.integers(*heights))
        return 0, SCREEN_PX - height if at_end else 0, WIDTH_PX, height

    return place


def _dialog(generator: np.random.Generator) -> Rectangle:
    width, height = int(generator.integers(420, 900)), int(generator.integers(220, 560))
    return (WIDTH_PX - width) / 2, (SCREEN_PX - height) / 2, width, height


def _card(generator: np.random.Generator) -> Rectangle:
    width, height, gap = int(generator.integers(280, 480)), int(generator.integers(160, 420)), int(generator.integers(0, 40))
    x = gap if generator.random() < 0.5 else WIDTH_PX - width - gap
    return x, SCREEN_PX - height - gap, width, height


def _drawer(generator: np.random.Generator) -> Rectangle:
    width = int(generator.integers(300, 560))
    return (0 if generator.random() < 0.5 else WIDTH_PX - width), 0, width, SCREEN_PX


def _sheet(generator: np.random.Generator) -> Rectangle:
    height = int(generator.integers(450, SCREEN_PX + 1))
    return 0, SCREEN_PX - height, WIDTH_PX, height


DESIGNS: dict[str, Callable[[np.random.Generator], Rectangle]] = {
    "bar at the end": _bar(True, (70, 260)),
    "dialog": _dialog,
    "card": _card,
    "bar at the top": _bar(False, (50, 200)),
    "drawer": _drawer,
    "sheet": _sheet,
}
FOLD_DESIGNS, KEPT_BACK_DESIGNS = tuple(DESIGNS)[:3], tuple(DESIGNS)[3:]
"""The folds learn the first and are evaluated with the others; the final model learns all."""


def designs_to_learn(is_fold: bool) -> tuple[str, ...]:
    """The designs that are trained on, in a fold or for the final model."""
    return FOLD_DESIGNS if is_fold else tuple(DESIGNS)


def make_banner(generator: np.random.Generator, designs: tuple[str, ...]) -> Banner:
    """A random banner of one of some designs."""
    x, y, width, height = place = DESIGNS[designs[int(generator.integers(len(designs)))]](generator)
    with_heading = generator.random() < 0.5 and height > 4 * MARGIN_PX
    heading = (x + MARGIN_PX, y + MARGIN_PX, width / 2, 1.5 * LINE_PX) if with_heading else None
    top = y + MARGIN_PX * (3 if with_heading else 1)
    count = min(int(generator.integers(1, 4)), int((width - MARGIN_PX) // (BUTTON_PX[0] + MARGIN_PX)))
    is_beside = width > WIDTH_PX / 2 and height < 10 * LINE_PX  # buttons stand beside the text of a bar, and below it elsewhere
    text_width = width - 2 * MARGIN_PX - (count * (BUTTON_PX[0] + MARGIN_PX) if is_beside else 0)
    room = y + height - top - (MARGIN_PX if is_beside else BUTTON_PX[1] + 2 * MARGIN_PX)
    text = (x + MARGIN_PX, top, max(text_width, MARGIN_PX), max(min(room, int(generator.integers(2, 14)) * LINE_PX), LINE_PX))
    first = x + width - count * (BUTTON_PX[0] + MARGIN_PX) if is_beside else x + MARGIN_PX
    button_y = y + (height - BUTTON_PX[1]) / 2 if is_beside else text[1] + text[3] + MARGIN_PX / 2
    buttons: list[Rectangle] = [(first + number * (BUTTON_PX[0] + MARGIN_PX), button_y, *BUTTON_PX) for number in range(count)]
    is_dark, veil = generator.random() < 0.3, float(generator.random() < 0.5) * float(generator.uniform(0.3, 0.8))
    background = generator.integers(*((0, DARK) if is_dark else (LIGHT, 256)), 3).astype(np.uint8)
    letters = generator.integers(*((LIGHT, 256) if is_dark else (0, DARK)), 3).astype(np.uint8)
    return Banner(place, heading, text, buttons, veil, background, letters, generator.integers(0, 256, 3).astype(np.uint8))


def banner_boxes(banner: Banner, generator: np.random.Generator) -> Boxes:
    """The boxes of the banner alone, of texts of random length."""
    parts = [("p", banner.text, TEXT_LETTERS, TEXT_FONT_PX), *(("button", one, BUTTON_LETTERS, TEXT_FONT_PX) for one in banner.buttons)]
    if banner.heading is not None:
        parts.insert(0, ("h2", banner.heading, HEADING_LETTERS, HEADING_FONT_PX))
    x, y, w, h = np.array([rectangle for _, rectangle, _, _ in parts], float).T
    own = np.array([int(generator.integers(*letters)) for _, _, letters, _ in parts], float)
    font = np.array([int(generator.integers(*fonts)) for _, _, _, fonts in parts], float)
    tags = [tag for tag, *_ in parts]
    none, repeated = np.zeros(len(parts)), np.array([tags.count(tag) for tag in tags])
    heading = np.array([float(tag == "h2") for tag in tags])
    return Boxes(x, y, w, h, font, own, own, none, none, repeated, heading, tags, [f"/html/body/div/div/{tag}" for tag in tags])


def over_boxes(boxes: Boxes, banner: Boxes) -> Boxes:
    """The boxes of a page, then those of a banner."""
    columns: list[Any] = [list(one) + list(other) for one, other in zip(boxes[-2:], banner[-2:], strict=True)]
    numbers: list[Any] = [np.concatenate(pair) for pair in zip(boxes[:-2], banner[:-2], strict=True)]
    return Boxes._make(numbers + columns)


def over_layout(layout: NDArray[np.float32], banner: Banner, boxes: Boxes) -> NDArray[np.float32]:
    """The layout that a screenshot of the covered page shows, float32 [pixel channels, rows, columns]. `boxes`: those of the banner."""
    covered = layout.copy()
    part = _cut(banner.place, layout.shape[1] / HEIGHT_PX, layout.shape[2] / WIDTH_PX)
    covered[:, *part] = layout_raster(boxes)[0, : len(PIXEL_CHANNELS), *part]
    return covered


def over_image(image: NDArray[np.uint8], banner: Banner, generator: np.random.Generator) -> NDArray[np.uint8]:
    """The screenshot of the covered page, uint8 [rows, columns, 3]. Letters are stripes of uneven strength."""
    scale = image.shape[1] / WIDTH_PX
    covered = np.array(image)
    if banner.veil:
        screen = covered[: round(SCREEN_PX * scale)]
        screen[:] = screen * np.float32(1 - banner.veil)
    covered[_cut(banner.place, scale, scale)] = banner.background
    for one in banner.buttons:
        covered[_cut(one, scale, scale)] = banner.button
    for one in [banner.text, *([banner.heading] if banner.heading else [])]:
        _write(covered[_cut(one, scale, scale)], banner, max(round(LINE_PX * scale), 2), generator)
    return covered


def _write(part: NDArray[np.uint8], banner: Banner, line_rows: int, generator: np.random.Generator) -> None:
    """Stripes for lines of letters, in place."""
    for row in range(0, part.shape[0] - line_rows // 2, line_rows):
        stripe = part[row : row + line_rows // 2]
        ink = generator.random((*stripe.shape[:2], 1), np.float32)
        stripe[:] = banner.background * (1 - ink) + banner.letters * ink


def _cut(rectangle: Rectangle, down: float, across: float) -> tuple[slice, slice]:
    """Rows and columns of a rectangle. `down`, `across`: rows and columns in a px."""
    x, y, width, height = rectangle
    return slice(round(y * down), round((y + height) * down)), slice(round(x * across), round((x + width) * across))


def banner_of(row: int, seed: int, designs: tuple[str, ...]) -> tuple[Banner, Boxes, np.random.Generator]:
    """The banner of a page, its boxes, and a generator for its letters: the same at every call."""
    generator = np.random.default_rng((seed, row))
    banner = make_banner(generator, designs)
    return banner, banner_boxes(banner, generator), generator
