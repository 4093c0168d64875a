"""The browser's boxes as features for gradient-boosted trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.pagetype.box_table import body_font
from webcontent.pagetype.layout_raster import WIDTH_PX
from webcontent.pagetype.measures import log_count, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.pagetype.box_table import Boxes

SCREEN_PX = 900
"""Height of a screen."""
MAX_HEIGHT_PX = 8000
"""What lies below this counts as if it stood here."""
MIN_SCREENS = 0.5
MAX_LARGEST_FONT_Y_PX = 4000
FOOT_SHARE = 0.7
"""The foot of a page begins at this share of its height."""
MIN_IMAGE_AREA_PX = 1600
"""A smaller image is an icon."""
MIN_SCREEN_IMAGE_HEIGHT_PX = 40

LINKED_SHARE = 0.8
"""A box counts as linked when so much of its text is."""
LONG_TEXT, VERY_LONG_TEXT = 80, 200
"""Characters of a box's own text, from which it is long."""
MIN_FONT_TEXT = 4
"""Characters of texts whose fonts are compared."""
MIN_PLAIN_TEXT = 20
"""Characters of a text without links that is part of a run of text."""
MIN_BREAK_TEXT = 12
"""Characters of a linked text that ends a run of text, as the title of another page does."""
MIN_GROUP_TEXT = 8
"""Characters of texts that count in groups."""
MIN_GROUP_BOXES = 3
MIN_GROUP_STEP_PX = 4
"""Boxes of a group that are closer stand side by side."""
LARGE = 1.25
"""Times the size of the running text, from which text counts as large."""
COLUMN_PX = 24
"""Boxes whose left edges are within this stand in one column ..."""
FIRST_COLUMN, LAST_COLUMN = -10, 100
"""... of which these are the outermost."""

_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HEADING_STEPS = ("/h1", "/h2", "/h3", "/h4")


def box_features(boxes: Boxes) -> dict[str, float]:
    """The features by name: counts and lengths as logarithms, positions as shares of the page. Those of fonts are missing without text."""
    return {**_amounts(boxes), **_texts(boxes), **_fonts(boxes), **_flow(boxes), **_groups(boxes), **_positions(boxes)}


def _height(boxes: Boxes) -> float:
    return float(np.clip((boxes.y + boxes.h).max(), 1, MAX_HEIGHT_PX))


def _total(boxes: Boxes) -> float:
    """Characters of all texts, 1 at least."""
    return max(float(boxes.own.sum()), 1.0)


def _linked(boxes: Boxes) -> NDArray[Any]:
    linked: NDArray[Any] = boxes.link >= LINKED_SHARE * np.maximum(boxes.whole, 1)
    return linked


def _amounts(boxes: Boxes) -> dict[str, float]:
    height, text, linked = _height(boxes), boxes.own.sum(), _linked(boxes) & (boxes.own > 0)
    screens, images = max(height / SCREEN_PX, MIN_SCREENS), (boxes.image > 0) & (boxes.w * boxes.h > MIN_IMAGE_AREA_PX)
    areas = (np.minimum(boxes.w, WIDTH_PX) * np.minimum(boxes.h, MAX_HEIGHT_PX))[images]
    image_links = images & (boxes.own == 0) & np.array(["/a/" in path or path.endswith("/a") for path in boxes.paths])
    return {
        "boxes": log_count(len(boxes.x)), "height": log_count(height), "text": log_count(text), "boxes_per_screen": len(boxes.x) / screens,
        "text_per_screen": log_count(text / screens), "link_share": share(boxes.own[linked].sum(), text),
        "link_boxes_share": share(linked.sum(), (boxes.own > 0).sum()), "images": log_count(images.sum()),
        "images_per_screen": images.sum() / screens,
        "image_area": share(areas.sum(), WIDTH_PX * height), "largest_image": share(areas.max(initial=0), WIDTH_PX * SCREEN_PX),
        "linked_images": share(image_links.sum(), images.sum()),
    }  # fmt: skip


def _texts(boxes: Boxes) -> dict[str, float]:
    own, linked, text = boxes.own, _linked(boxes), boxes.own.sum()
    plain = own[~linked & (own >= LONG_TEXT)]
    tags = np.array(boxes.tags)
    heading = np.isin(tags, _HEADING_TAGS)
    inside = np.array([any(step in path for step in _HEADING_STEPS) for path in boxes.paths])
    heading_links = (inside & (tags == "a")) | (heading & linked & (boxes.own > 0))
    second_links = np.array(["/h2/" in path and path.endswith("/a") for path in boxes.paths])
    return {
        "longest_text": log_count(own.max()), "texts_80": log_count((own >= LONG_TEXT).sum()),
        "texts_200": log_count((own >= VERY_LONG_TEXT).sum()),
        "share_80": share(own[own >= LONG_TEXT].sum(), text), "plain_80": log_count(len(plain)), "plain_80_share": share(plain.sum(), text),
        "mean_plain_text": log_count(plain.mean()) if len(plain) else 0.0, "headings": log_count(heading.sum()),
        "linked_headings": log_count(heading_links.sum()),
        "linked_heading_share": share(heading_links.sum(), heading_links.sum() + (heading & ~linked).sum()),
        "h1": log_count((tags == "h1").sum()), "h2": log_count((tags == "h2").sum()), "h3": log_count((tags == "h3").sum()),
        "h2_linked": log_count(second_links.sum()), "paragraphs": log_count((tags == "p").sum()), "items": log_count((tags == "li").sum()),
    }  # fmt: skip


def _fonts(boxes: Boxes) -> dict[str, float]:
    with_text = boxes.own > 0
    if not with_text.any():
        return {}
    font, own, y, linked = boxes.font[with_text], boxes.own[with_text], boxes.y[with_text], _linked(boxes)[with_text]
    body = body_font(boxes)
    large = (font >= LARGE * body) & (own >= MIN_FONT_TEXT)
    compared = np.flatnonzero(own >= MIN_FONT_TEXT)
    largest = int(compared[np.argmax(font[compared])]) if len(compared) else 0
    return {
        "body_font": body, "largest_font": float(font[largest]) / body,
        "largest_font_y": float(np.clip(y[largest], 0, MAX_LARGEST_FONT_Y_PX)) / SCREEN_PX,
        "largest_font_linked": float(linked[largest]), "largest_font_length": log_count(own[largest]),
        "large_texts": log_count(large.sum()),
        "large_linked_share": share((large & linked).sum(), large.sum()),
        "large_spread": share(np.ptp(y[large]) if large.any() else 0, _height(boxes)),
    }  # fmt: skip


def _flow(boxes: Boxes) -> dict[str, float]:
    """The longest run of plain text that no linked heading breaks, and the column that holds most plain text."""
    linked, text = _linked(boxes), _total(boxes)
    plain = ~linked & (boxes.own >= MIN_PLAIN_TEXT)
    breaks = linked & (boxes.own >= MIN_BREAK_TEXT) & (boxes.own >= LINKED_SHARE * boxes.whole)
    run = np.cumsum(breaks)
    sums = np.bincount(run, weights=np.where(plain, boxes.own, 0))
    best = int(np.argmax(sums))
    inside = plain & (run == best)
    column = np.round(boxes.x / COLUMN_PX).clip(FIRST_COLUMN, LAST_COLUMN).astype(int) - FIRST_COLUMN
    column_sums = np.bincount(column, weights=np.where(plain, boxes.own, 0))
    main = column == int(np.argmax(column_sums))
    weights = boxes.own * (main & plain)
    total = max(float(weights.sum()), 1.0)
    return {
        "run_text": log_count(sums[best]), "run_share": float(sums[best]) / text, "run_boxes": log_count(inside.sum()),
        "run_start": float(np.clip(boxes.y[inside].min(initial=MAX_HEIGHT_PX), 0, MAX_HEIGHT_PX)) / SCREEN_PX,
        "column_text": float(weights.sum()) / text, "column_width": float((boxes.w * weights).sum()) / total / WIDTH_PX,
        "column_centre": float(((boxes.x + boxes.w / 2) * weights).sum()) / total / WIDTH_PX,
        "column_link_share": share(boxes.own[main & linked].sum(), boxes.own[main].sum()),
    }  # fmt: skip


def _groups(boxes: Boxes) -> dict[str, float]:
    """Boxes of the same path are the records of a list, or the paragraphs of a text: the largest such groups, by their text."""
    with_text = np.flatnonzero(boxes.own > 0)
    own, linked = boxes.own[with_text], _linked(boxes)[with_text]
    codes: dict[str, int] = {}
    code = np.array([codes.setdefault(boxes.paths[i], len(codes)) for i in with_text.tolist()], dtype=int)
    size = np.bincount(code, minlength=1)
    values = {"groups": log_count((size >= MIN_GROUP_BOXES).sum())}
    for prefix, wanted in (("group", np.ones(len(code), bool)), ("linked_group", linked), ("plain_group", ~linked)):
        weights = np.where(wanted & (own >= MIN_GROUP_TEXT), own, 0) * (size[code] >= MIN_GROUP_BOXES)
        sums = np.bincount(code, weights=weights, minlength=1)
        members = with_text[(code == int(np.argmax(sums))) & (weights > 0)]
        group = {"text_share": float(sums.max()) / _total(boxes), **_group(boxes, members)}
        values |= {f"{prefix}_{name}": value for name, value in group.items()}
    return values


def _group(boxes: Boxes, members: NDArray[Any]) -> dict[str, float]:
    steps = np.diff(np.sort(boxes.y[members]))
    steps = steps[steps > MIN_GROUP_STEP_PX]
    has_members = len(members) > 0
    return {
        "count": log_count(len(members)), "span": share(np.ptp(boxes.y[members]) if has_members else 0, _height(boxes)),
        "regularity": share(steps.std(), steps.mean()) if len(steps) > 1 else -1.0,
        "link_share": share(_linked(boxes)[members].sum(), len(members)),
        "width": float(boxes.w[members].mean()) / WIDTH_PX if has_members else 0.0,
        "length": log_count(boxes.own[members].mean()) if has_members else 0.0,
        "font": float(boxes.font[members].mean()) if has_members else 0.0,
    }  # fmt: skip


def _positions(boxes: Boxes) -> dict[str, float]:
    height, linked, text = _height(boxes), _linked(boxes), _total(boxes)
    screen, foot = boxes.y < SCREEN_PX, boxes.y > FOOT_SHARE * height
    link_text = np.where(linked, boxes.own, 0)
    return {
        "screen_text": float(boxes.own[screen].sum()) / text, "screen_link_share": share(link_text[screen].sum(), boxes.own[screen].sum()),
        "screen_images": log_count(((boxes.image > 0) & screen & (boxes.h > MIN_SCREEN_IMAGE_HEIGHT_PX)).sum()),
        "foot_link_share": share(link_text[foot].sum(), boxes.own[foot].sum()),
        "text_centroid": float((boxes.y * boxes.own).sum()) / text / height,
        "link_centroid": share((boxes.y * link_text).sum(), link_text.sum() * height),
    }  # fmt: skip
