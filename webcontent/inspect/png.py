"""An inspection as an image: the screenshot with the blocks in the colors of their labels, their scores, and a header."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from webcontent.inspect.badges import FreeSpace
from webcontent.inspect.labels import COLORS
from webcontent.inspect.text import shorten, summary

if TYPE_CHECKING:
    from PIL import Image, ImageFont
    from PIL.ImageDraw import ImageDraw

    from webcontent.inspect.inspection import Inspection

HEADER_PX = 96
"""Height of the header: two lines of the summary and the legend of colors."""
HEADER_FONT_PX, HEADER_LINE_PX, HEADER_TOP_PX, HEADER_MARGIN_PX = 18, 26, 8, 12
LEGEND_TOP_PX, LEGEND_SQUARE_PX, LEGEND_GAP_PX = 66, 18, 24
HEADER_CHARACTERS = 140
"""Characters of a header line; more do not fit beside each other."""
FILL_OPACITY = 56
"""Opacity of a box's inside, 0 to 255. The text below stays readable."""
NOISE_LINE_PX, LINE_PX = 1, 2
SCORE_FONT_PX, SCORE_PADDING_PX = 12, 2
_FONTS = ("NotoSansCJK-Regular.ttc", "wqy-zenhei.ttc", "wqy-microhei.ttc", "msyh.ttc", "PingFang.ttc", "DejaVuSans.ttf")


def png(inspection: Inspection) -> bytes:
    """The page's screenshot with its boxes and a header, as a PNG file. Raises ValueError if the screenshot is missing or damaged."""
    from PIL import Image, ImageDraw

    screenshot = screenshot_image(inspection)
    overlay = Image.new("RGBA", screenshot.size)
    draw, scale = ImageDraw.Draw(overlay), screenshot.width / inspection.width_px
    _draw_boxes(draw, inspection, scale)
    _draw_scores(draw, inspection, FreeSpace(screenshot, inspection.width_px), scale)
    image = Image.new("RGB", (screenshot.width, screenshot.height + HEADER_PX), "white")
    image.paste(Image.alpha_composite(screenshot.convert("RGBA"), overlay).convert("RGB"), (0, HEADER_PX))
    _draw_header(ImageDraw.Draw(image), inspection)
    output = BytesIO()
    image.save(output, "PNG")
    return output.getvalue()


def screenshot_image(inspection: Inspection) -> Image.Image:
    """The screenshot, at least as wide as the page. Raises ValueError if it is missing or damaged."""
    from PIL import Image, UnidentifiedImageError

    if not inspection.document.screenshot:
        raise ValueError("the page has no screenshot")
    try:
        image = Image.open(BytesIO(inspection.document.screenshot)).convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"the screenshot can't be read: {error}") from error
    if image.width < inspection.width_px:
        image = image.resize((inspection.width_px, round(image.height * inspection.width_px / image.width)))
    return image


def _draw_boxes(draw: ImageDraw, inspection: Inspection, scale: float) -> None:
    for box in inspection.text_boxes:
        color, is_noise, one = COLORS[box.label], box.label == "noise", box.rectangle
        corners = [part * scale for part in (one.x, one.y, one.x + max(one.width, 0), one.y + max(one.height, 0))]
        fill = None if is_noise else f"{color}{FILL_OPACITY:02x}"
        draw.rectangle(corners, fill=fill, outline=color, width=NOISE_LINE_PX if is_noise else LINE_PX)


def _draw_scores(draw: ImageDraw, inspection: Inspection, space: FreeSpace, scale: float) -> None:
    """The scores of the blocks, where there is room for them beside their boxes. Noise of 0.00 has none."""
    font = _font(SCORE_FONT_PX)
    for box in inspection.text_boxes:
        score = inspection.result.block_score(box.blocks[0])
        if score is None or inspection.is_plain_noise(box.blocks) or box.rectangle.height < SCORE_FONT_PX:
            continue
        text = f"{score:.2f}"
        size = (draw.textlength(text, font=font) + 2 * SCORE_PADDING_PX, SCORE_FONT_PX + SCORE_PADDING_PX + 1)
        badge = space.place_beside(box.rectangle, size[0] / scale, size[1] / scale)
        if badge is not None:
            left, top = badge.x * scale, badge.y * scale
            draw.rectangle((left, top, left + size[0], top + size[1]), fill=COLORS[box.label])
            draw.text((left + SCORE_PADDING_PX, top), text, fill="white", font=font)


def _draw_header(draw: ImageDraw, inspection: Inspection) -> None:
    font = _font(HEADER_FONT_PX)
    for line, text in enumerate(summary(inspection)):
        draw.text((HEADER_MARGIN_PX, HEADER_TOP_PX + HEADER_LINE_PX * line), shorten(text, HEADER_CHARACTERS), fill="black", font=font)
    x = float(HEADER_MARGIN_PX)
    for label, color in COLORS.items():
        draw.rectangle((x, LEGEND_TOP_PX, x + LEGEND_SQUARE_PX, LEGEND_TOP_PX + LEGEND_SQUARE_PX), fill=color)
        draw.text((x + LEGEND_GAP_PX, LEGEND_TOP_PX - 2), label, fill="black", font=font)
        x += LEGEND_GAP_PX + draw.textlength(label, font=font) + LEGEND_GAP_PX


def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """An installed font with Chinese characters, if there is one."""
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size_px)
        except OSError:
            continue
    return ImageFont.load_default(size_px)
