"""An inspection as an image: the screenshot with the text boxes in the colors of their labels. The HTML file has all the rest."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from webcontent.inspect.labels import COLORS, NOISE

if TYPE_CHECKING:
    from PIL import Image

    from webcontent.inspect.inspection import Inspection

FILL_OPACITY = 56
"""Opacity of a box's inside, 0 to 255. The text below stays readable."""
NOISE_LINE_PX, LINE_PX = 1, 2


def png(inspection: Inspection) -> bytes:
    """The page's screenshot with its boxes, as a PNG file. Raises ValueError if the screenshot is missing or damaged."""
    from PIL import ImageDraw

    image = screenshot_image(inspection)
    draw, scale = ImageDraw.Draw(image, "RGBA"), image.width / inspection.width_px
    for box in inspection.text_boxes:
        color, is_noise, one = COLORS[box.label], box.label == NOISE, box.rectangle
        corners = [part * scale for part in (one.x, one.y, one.x + max(one.width, 0), one.y + max(one.height, 0))]
        fill = None if is_noise else f"{color}{FILL_OPACITY:02x}"
        draw.rectangle(corners, fill=fill, outline=color, width=NOISE_LINE_PX if is_noise else LINE_PX)
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
