"""An inspection as a picture: the screenshot with its blocks by label and score, under a header that says what the page is taken for."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from webcontent.inspect.inspection import COLORS, block_score, short, summary

if TYPE_CHECKING:
    from PIL import Image, ImageFont

    from webcontent.inspect.inspection import Inspection

HEADER_PX = 96
FILL = 56
"""Opacity of a box's inside, 0 to 255."""
SIGN_PX = 12
"""Size of a score's figures."""
_FONTS = ("NotoSansCJK-Regular.ttc", "wqy-zenhei.ttc", "wqy-microhei.ttc", "msyh.ttc", "PingFang.ttc", "DejaVuSans.ttf")


def png(inspection: Inspection) -> bytes:
    """The page's screenshot with its boxes and a header. Raises ValueError where the page has no screenshot."""
    from PIL import Image, ImageDraw

    picture = picture_of(inspection)
    scale = picture.width / inspection.width_px
    overlay = Image.new("RGBA", picture.size)
    draw = ImageDraw.Draw(overlay)
    for box in inspection.text_boxes:
        color, is_noise = COLORS[box.label], box.label == "noise"
        one = box.rectangle
        corners = [part * scale for part in (one.x, one.y, one.x + max(one.width, 0), one.y + max(one.height, 0))]
        draw.rectangle(corners, fill=None if is_noise else f"{color}{FILL:02x}", outline=color, width=1 if is_noise else 2)
    for box in inspection.text_boxes:  # above all boxes
        score = block_score(inspection.extraction, box.blocks[0])
        if score is not None and box.rectangle.height >= SIGN_PX and box.rectangle.width >= 4 * SIGN_PX:
            _draw_sign(draw, f"{score:.2f}", COLORS[box.label], (box.rectangle.x + box.rectangle.width) * scale, box.rectangle.y * scale)
    whole = Image.new("RGB", (picture.width, picture.height + HEADER_PX), "white")
    whole.paste(Image.alpha_composite(picture.convert("RGBA"), overlay).convert("RGB"), (0, HEADER_PX))
    _draw_header(ImageDraw.Draw(whole), inspection)
    written = BytesIO()
    whole.save(written, "PNG")
    return written.getvalue()


def picture_of(inspection: Inspection) -> Image.Image:
    """The screenshot, at least as wide as the page. Raises ValueError where there is none that can be read."""
    from PIL import Image, UnidentifiedImageError

    if not inspection.document.screenshot:
        raise ValueError("the page has no screenshot")
    try:
        picture = Image.open(BytesIO(inspection.document.screenshot)).convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"the screenshot can't be read: {error}") from error
    if picture.width < inspection.width_px:
        picture = picture.resize((inspection.width_px, round(picture.height * inspection.width_px / picture.width)))
    return picture


def _draw_sign(draw: Any, text: str, color: str, right: float, top: float) -> None:
    """A score beside the upper right corner of its box; inside, where the picture ends there."""
    font = _font(SIGN_PX)
    width = draw.textlength(text, font=font) + 4
    right += width if right + width <= draw.im.size[0] else 0
    draw.rectangle((right - width, top, right, top + SIGN_PX + 3), fill=color)
    draw.text((right - width + 2, top), text, fill="white", font=font)


def _draw_header(draw: Any, inspection: Inspection) -> None:
    font = _font(18)
    for line, text in enumerate(summary(inspection)):
        draw.text((12, 8 + 26 * line), short(text, 140), fill="black", font=font)
    x = 12.0
    for label, color in COLORS.items():
        draw.rectangle((x, 66, x + 18, 84), fill=color)
        draw.text((x + 24, 64), label, fill="black", font=font)
        x += 24 + draw.textlength(label, font=font) + 24


def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A font of this machine that knows Chinese, where there is one."""
    from PIL import ImageFont

    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size_px)
        except OSError:
            continue
    return ImageFont.load_default(size_px)
