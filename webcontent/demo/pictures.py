"""The demo's pictures, drawn when they are asked for: a sky, a sun, hills and water, different for each name."""

from __future__ import annotations

import random
from functools import lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageOps

LARGEST_PX = 1600
SKIES = [("#f6c7a1", "#35506e"), ("#fbe3c0", "#6f9fc4"), ("#e9eef2", "#7f97a8"), ("#f3a683", "#574b90"), ("#dff3f5", "#2f7f9c")]
HILLS = ["#2d4739", "#3c5a4b", "#46637a", "#5b4a3f", "#304050"]


@lru_cache(maxsize=64)
def draw_picture(name: str, width_px: int, height_px: int) -> bytes:
    """A landscape as JPEG; the same name and size give the same picture. Sizes are cut at LARGEST_PX."""
    width_px, height_px = max(1, min(width_px, LARGEST_PX)), max(1, min(height_px, LARGEST_PX))
    chance = random.Random(name)
    light, dark = chance.choice(SKIES)
    ramp = Image.linear_gradient("L").resize((width_px, height_px))
    picture = ImageOps.colorize(ramp, black=dark, white=light)
    draw = ImageDraw.Draw(picture)
    _sun(draw, chance, width_px, height_px, light)
    for depth in range(3):
        _hill(draw, chance, width_px, height_px, depth)
    _water(draw, chance, width_px, height_px, dark)
    stream = BytesIO()
    picture.save(stream, "JPEG", quality=78)
    return stream.getvalue()


@lru_cache(maxsize=16)
def draw_advert(text: str, width_px: int = 300, height_px: int = 250) -> bytes:
    """An advert's banner as PNG."""
    picture = Image.new("RGB", (width_px, height_px), "#b3123f")
    draw = ImageDraw.Draw(picture)
    draw.rectangle((8, 8, width_px - 9, height_px - 9), outline="#ffffff", width=3)
    draw.text((width_px // 2, height_px // 2), text, fill="#ffffff", anchor="mm")
    stream = BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()


def _sun(draw: ImageDraw.ImageDraw, chance: random.Random, width_px: int, height_px: int, colour: str) -> None:
    radius = height_px * chance.uniform(0.05, 0.12)
    x, y = width_px * chance.uniform(0.15, 0.85), height_px * chance.uniform(0.15, 0.4)
    draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _hill(draw: ImageDraw.ImageDraw, chance: random.Random, width_px: int, height_px: int, depth: int) -> None:
    base = height_px * (0.5 + 0.09 * depth)
    ridge = [(width_px * step / 8, base - height_px * chance.uniform(0, 0.16)) for step in range(9)]
    draw.polygon([(0, height_px), *ridge, (width_px, height_px)], fill=HILLS[(depth + chance.randrange(2)) % len(HILLS)])


def _water(draw: ImageDraw.ImageDraw, chance: random.Random, width_px: int, height_px: int, colour: str) -> None:
    top = int(height_px * 0.8)
    draw.rectangle((0, top, width_px, height_px), fill=colour)
    for _ in range(24):
        x, y = chance.uniform(0, width_px), chance.uniform(top, height_px)
        draw.line((x, y, x + width_px * chance.uniform(0.03, 0.12), y), fill="#d8e4ea", width=max(1, height_px // 300))
