"""An inspection as an image: the screenshot with the text boxes in the colors of their labels. The HTML file has all the rest."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from webcontent.inspect.labels import COLORS, NOISE

if TYPE_CHECKING:
    from PIL import Image

    from webcontent.inspect.inspection import Inspection


def png(inspection: Inspection) -> bytes:
    """The page's screenshot with its boxes, as a PNG file. Raises ValueError if the screenshot is missing or damaged."""
    from PIL import ImageDraw

    image, _ = screenshot_image(inspection)
    draw, scale = ImageDraw.Draw(image), image.width / inspection.width_px
    for box in inspection.text_boxes:
        x, y, width, height = (part * scale for part in box.rectangle)
        label = inspection.box_label(box.blocks)
        draw.rectangle((x, y, x + width, y + height), outline=COLORS[label], width=1 if label == NOISE else 2)
    output = BytesIO()
    image.save(output, "PNG")
    return output.getvalue()


def screenshot_image(inspection: Inspection) -> tuple[Image.Image, str]:
    """The screenshot, at least as wide as the page, and its format. Raises ValueError if it is missing or damaged."""
    from PIL import Image, UnidentifiedImageError

    if not inspection.document.screenshot:
        raise ValueError("the page has no screenshot")
    try:
        source = Image.open(BytesIO(inspection.document.screenshot))
        image = source.convert("RGB")
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"the screenshot can't be read: {error}") from error
    if image.width < inspection.width_px:
        image = image.resize((inspection.width_px, round(image.height * inspection.width_px / image.width)))
    return image, str(source.format).lower()
