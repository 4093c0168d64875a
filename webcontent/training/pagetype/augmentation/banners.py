"""Banners that are laid over training pages, so that one that stays on a page does not turn its type.

A banner stands in the first screen. The boxes below it stay in the table, as a browser lists them; on a screenshot it covers them. The
designs are ours; they are of no site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.pagetype.layout_raster import HEIGHT_PX, PIXEL_CHANNELS, WIDTH_PX, Boxes, layout_raster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Rectangle = tuple[float, float, float, float]

SCREEN_PX = 900
"""Height of a screen."""
BANNER_SHARE = 0.3
"""Share of the training pages over which a banner is laid."""
TEXT_FONT_PX, HEADING_FONT_PX = (12, 18), (18, 30)
TEXT_LETTERS, HEADING_LETTERS, BUTTON_LETTERS = (60, 600), (10, 40), (2, 22)
MARGIN_PX, BUTTON_PX, LINE_PX = 24, (110, 42), 22
LIGHT, DARK = (235, 256), (0, 60)
"""Ranges of the values of light and of dark colours."""
DARK_SHARE, VEIL = 0.3, (0.3, 0.8)
"""Share of dark banners, and of the light that a veil takes."""
TEXT_LINES, BUTTONS = (2, 14), (1, 4)
TALL, HEADING_LINES, LOW_LINES = 4 * MARGIN_PX, 1.5, 10
"""A taller banner may have a heading, of so many lines; buttons stand beside the text of a bar of fewer lines."""


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


class Design(NamedTuple):
    """Sizes in px, each a number or a range, and where the banner stands between the edges of the first screen, 0 to 1."""

    width: int | tuple[int, int]
    height: int | tuple[int, int]
    across: float | None
    """None: on either side."""
    down: float
    gap: int | tuple[int, int] = 0

    def place(self, generator: np.random.Generator) -> Rectangle:
        """A random place of the design."""
        sizes = (self.width, self.height, self.gap)
        width, height, gap = (size if isinstance(size, int) else int(generator.integers(*size)) for size in sizes)
        across = float(generator.random() >= 0.5) if self.across is None else self.across
        return gap + across * (WIDTH_PX - width - 2 * gap), gap + self.down * (SCREEN_PX - height - 2 * gap), width, height


DESIGNS = {
    "bar at the end": Design(WIDTH_PX, (70, 260), 0, 1),
    "dialog": Design((420, 900), (220, 560), 0.5, 0.5),
    "card": Design((280, 480), (160, 420), None, 1, (0, 40)),
    "bar at the top": Design(WIDTH_PX, (50, 200), 0, 0),
    "drawer": Design((300, 560), SCREEN_PX, None, 0),
    "sheet": Design(WIDTH_PX, (450, SCREEN_PX + 1), 0, 1),
}


def make_banner(generator: np.random.Generator, designs: Sequence[str] = tuple(DESIGNS)) -> Banner:
    """A random banner of one of some designs."""
    x, y, width, height = place = DESIGNS[designs[int(generator.integers(len(designs)))]].place(generator)
    with_heading = generator.random() < 0.5 and height > TALL
    heading = (x + MARGIN_PX, y + MARGIN_PX, width / 2, HEADING_LINES * LINE_PX) if with_heading else None
    top = y + MARGIN_PX + (2 * MARGIN_PX if with_heading else 0)
    count = min(int(generator.integers(*BUTTONS)), int((width - MARGIN_PX) // (BUTTON_PX[0] + MARGIN_PX)))
    is_beside = width > WIDTH_PX / 2 and height < LOW_LINES * LINE_PX  # buttons stand beside the text of a bar, and below it elsewhere
    text_width = width - 2 * MARGIN_PX - (count * (BUTTON_PX[0] + MARGIN_PX) if is_beside else 0)
    room = y + height - top - (MARGIN_PX if is_beside else BUTTON_PX[1] + 2 * MARGIN_PX)
    text = (x + MARGIN_PX, top, max(text_width, MARGIN_PX), max(min(room, int(generator.integers(*TEXT_LINES)) * LINE_PX), LINE_PX))
    first = x + width - count * (BUTTON_PX[0] + MARGIN_PX) if is_beside else x + MARGIN_PX
    button_y = y + (height - BUTTON_PX[1]) / 2 if is_beside else text[1] + text[3] + MARGIN_PX / 2
    buttons: list[Rectangle] = [(first + number * (BUTTON_PX[0] + MARGIN_PX), button_y, *BUTTON_PX) for number in range(count)]
    is_dark, veil = generator.random() < DARK_SHARE, float(generator.random() < 0.5) * float(generator.uniform(*VEIL))
    background = generator.integers(*(DARK if is_dark else LIGHT), 3).astype(np.uint8)
    letters = generator.integers(*(LIGHT if is_dark else DARK), 3).astype(np.uint8)
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


def joined(*parts: Boxes) -> Boxes:
    """The boxes of several tables, one after the other."""
    numbers: list[Any] = [np.concatenate(columns) for columns in zip(*(part[:-2] for part in parts), strict=True)]
    return Boxes._make([*numbers, *([name for part in parts for name in part[column]] for column in (-2, -1))])


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
