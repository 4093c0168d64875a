"""The demo's images, drawn on request: a sky, a sun, hills and water, different for each name."""

from __future__ import annotations

import random
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageOps

LARGEST_PX = 1600
JPEG_QUALITY = 78
SKIES = [("#f6c7a1", "#35506e"), ("#fbe3c0", "#6f9fc4"), ("#e9eef2", "#7f97a8"), ("#f3a683", "#574b90"), ("#dff3f5", "#2f7f9c")]
HILLS = ["#2d4739", "#3c5a4b", "#46637a", "#5b4a3f", "#304050"]
BANNER_COLOUR = "#b3123f"
GLINT_COLOUR = "#d8e4ea"


@lru_cache(maxsize=64)
def draw_image(name: str, width_px: int, height_px: int) -> bytes:
    """A landscape as JPEG. The same name and size give the same image. Sizes are cut at LARGEST_PX."""
    width_px, height_px = max(1, min(width_px, LARGEST_PX)), max(1, min(height_px, LARGEST_PX))
    rng = random.Random(name)
    light, dark = rng.choice(SKIES)
    ramp = Image.linear_gradient("L").resize((width_px, height_px))
    image = ImageOps.colorize(ramp, black=dark, white=light)
    draw = ImageDraw.Draw(image)
    _draw_sun(draw, rng, width_px, height_px, light)
    for depth in range(3):
        _draw_hill(draw, rng, width_px, height_px, depth)
    _draw_water(draw, rng, width_px, height_px, dark)
    stream = BytesIO()
    image.save(stream, "JPEG", quality=JPEG_QUALITY)
    return stream.getvalue()


@lru_cache(maxsize=16)
def draw_banner(text: str, width_px: int = 300, height_px: int = 250) -> bytes:
    """An advertisement as PNG."""
    image = Image.new("RGB", (width_px, height_px), BANNER_COLOUR)
    draw = ImageDraw.Draw(image)
    draw.rectangle((8, 8, width_px - 9, height_px - 9), outline="#ffffff", width=3)
    draw.text((width_px // 2, height_px // 2), text, fill="#ffffff", anchor="mm")
    stream = BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def _draw_sun(draw: ImageDraw.ImageDraw, rng: random.Random, width_px: int, height_px: int, colour: str) -> None:
    radius = height_px * rng.uniform(0.05, 0.12)
    x, y = width_px * rng.uniform(0.15, 0.85), height_px * rng.uniform(0.15, 0.4)
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _draw_hill(draw: ImageDraw.ImageDraw, rng: random.Random, width_px: int, height_px: int, depth: int) -> None:
    base = height_px * (0.5 + 0.09 * depth)
    ridge = [(width_px * step / 8, base - height_px * rng.uniform(0, 0.16)) for step in range(9)]
    draw.polygon([(0, height_px), *ridge, (width_px, height_px)], fill=HILLS[(depth + rng.randrange(2)) % len(HILLS)])


def _draw_water(draw: ImageDraw.ImageDraw, rng: random.Random, width_px: int, height_px: int, colour: str) -> None:
    top = int(height_px * 0.8)
    draw.rectangle((0, top, width_px, height_px), fill=colour)
    for _ in range(24):
        x, y = rng.uniform(0, width_px), rng.uniform(top, height_px)
        draw.line((x, y, x + width_px * rng.uniform(0.03, 0.12), y), fill=GLINT_COLOUR, width=max(1, height_px // 300))
