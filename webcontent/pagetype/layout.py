"""The browser's boxes as a small picture for a network and as figures for a forest. Any table goes in; bad rows are left out."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WIDTH_PX, HEIGHT_PX = 1366, 4096
COLUMNS, ROWS = 64, 192
SHOWN = ("text", "link", "font", "image", "length")
"""Channels of the layout picture that pixels show, too."""
CHANNELS = (*SHOWN, "large", "repeated", "heading", "repeated_link")
MAX_BOXES = 2500

_NUMBERS = (2, 3, 4, 5, 6, 10, 11, 12, 13, 14)  # x, y, w, h, font size, own, whole, link text lengths, links, background picture
_IMAGE_TAGS = frozenset({"img", "picture", "svg", "video", "canvas", "object", "embed", "image"})
_INDEX = re.compile(r"\[\d+\]")
_IN_HEADING = re.compile(r"/h[1-4]\b")


class Boxes(NamedTuple):
    """Columns of a page's boxes; n rows in document order. Lengths are in characters, the rest in CSS px."""

    x: NDArray[Any]
    y: NDArray[Any]
    w: NDArray[Any]
    h: NDArray[Any]
    font: NDArray[Any]
    own: NDArray[Any]
    whole: NDArray[Any]
    link: NDArray[Any]
    image: NDArray[Any]
    """1.0 where the box is a picture or has one as its background."""
    repeated: NDArray[Any]
    """How many boxes with text have the same path."""
    heading: NDArray[Any]
    """1.0 inside h1 to h4."""
    tags: list[str]
    paths: list[str]
    """XPaths without their indices: the same for all records of a list."""


def read_boxes(rows: Sequence[Sequence[Any]]) -> Boxes | None:
    """The table's columns; None when no row is of use. Rows that are no rows, or hold anything but finite numbers, are left out."""
    good: list[list[float]] = []
    names: list[tuple[str, str]] = []
    for row in rows[:MAX_BOXES] if isinstance(rows, list | tuple) else ():
        try:
            numbers = [float(row[i]) for i in _NUMBERS]
            name = (row[0], row[1])
        except (TypeError, ValueError, IndexError, KeyError, OverflowError):
            continue
        good.append(numbers)
        names.append(name)
    if not good:
        return None
    table = np.array(good)
    finite = np.isfinite(table).all(axis=1)
    if not finite.any():
        return None
    table = np.clip(table[finite], -1e6, 1e6)
    kept = [name for name, ok in zip(names, finite.tolist(), strict=True) if ok]
    tags = [str(tag).lower() for _, tag in kept]
    image = np.array([tag in _IMAGE_TAGS for tag in tags], dtype=bool) | (table[:, 9] > 0)
    x, y, w, h, font, own, whole, link = (table[:, i] for i in range(8))
    paths = [_INDEX.sub("", str(path)) for path, _ in kept]
    count = Counter(path for path, length in zip(paths, own.tolist(), strict=True) if length > 0)
    heading = {path: float(_IN_HEADING.search(path) is not None) for path in set(paths)}
    return Boxes(
        x, y, np.maximum(w, 0), np.maximum(h, 0), np.clip(font, 1, 200), np.maximum(own, 0), np.maximum(whole, 0), np.maximum(link, 0),
        image.astype(float), np.array([count[path] for path in paths]), np.array([heading[path] for path in paths]), tags, paths,
    )  # fmt: skip


def layout_picture(boxes: Boxes) -> NDArray[Any]:
    """What stands where, float32 [1, 9, 192, 64] over the page's first 1366 x 4096 px. Per cell the coverage by text, by links and by
    images (channel 3), and means over the text there: logarithms of the font size over 16 px (2), of the length (4), of the font size
    over that of the running text (5) and of how often its path comes again (6), the share in headings (7), and 6 of links alone (8)."""
    rows = _overlap(boxes.y, boxes.h, HEIGHT_PX / ROWS, ROWS)
    columns = _overlap(boxes.x, boxes.w, WIDTH_PX / COLUMNS, COLUMNS)
    text = (boxes.own > 0).astype(np.float32)
    linked = text * np.minimum(1, boxes.link / np.maximum(boxes.whole, 1))
    repeated = text * np.log1p(boxes.repeated) / 4
    coverage = (text, linked, boxes.image * (text == 0))
    means = (
        text * np.log(boxes.font / 16),
        text * np.log1p(boxes.own) / 6,
        text * np.log(boxes.font / _body_font(boxes)),
        repeated,
        text * boxes.heading,
        repeated * linked,
    )
    sums = [(rows * weight.astype(np.float32)[:, None]).T @ columns for weight in (*coverage, *means)]
    covered = np.maximum(sums[0], 1)
    texts, links, images = (np.minimum(one, 1) for one in sums[:3])
    font, length, *cues = (one / covered for one in sums[3:])
    return np.stack([texts, links, font, images, length, *cues])[None].astype(np.float32)


def _body_font(boxes: Boxes) -> float:
    """Font size of the running text: half of the characters are no larger. 16 where there is no text."""
    with_text = boxes.own > 0
    if not with_text.any():
        return 16.0
    font, own = boxes.font[with_text], boxes.own[with_text]
    order = np.argsort(font, kind="stable")
    return float(font[order][np.searchsorted(np.cumsum(own[order]), own.sum() / 2).clip(0, len(font) - 1)])


def _overlap(start: NDArray[Any], length: NDArray[Any], cell_px: float, cells: int) -> NDArray[Any]:
    """The share of each cell that each box covers along one axis, float32 [n, cells]."""
    low = np.arange(cells, dtype=np.float32) * cell_px
    first, last = start.astype(np.float32)[:, None], (start + length).astype(np.float32)[:, None]
    share: NDArray[Any] = np.clip((np.minimum(last, low + cell_px) - np.maximum(first, low)) / cell_px, 0, 1)
    return share


FIGURES = (
    "boxes", "height", "text", "boxes_per_screen", "text_per_screen", "link_share", "link_boxes_share",
    "images", "images_per_screen", "image_area", "largest_image", "linked_images",
    "longest_text", "texts_80", "texts_200", "share_80", "plain_80", "plain_80_share", "mean_plain_text",
    "headings", "linked_headings", "linked_heading_share", "h1", "h2", "h3", "h2_linked", "paragraphs", "items",
    "body_font", "largest_font", "largest_font_y", "largest_font_linked", "largest_font_length", "large_texts", "large_linked_share",
    "large_spread", "run_text", "run_share", "run_boxes", "run_start", "column_text", "column_width", "column_centre", "column_link_share",
    "groups", "group_count", "group_text_share", "group_span", "group_regularity", "group_link_share", "group_width", "group_length",
    "linked_group_count", "linked_group_text_share", "linked_group_span", "linked_group_regularity", "linked_group_length",
    "linked_group_font", "plain_group_count", "plain_group_text_share", "plain_group_span",
    "screen_text", "screen_link_share", "screen_images", "foot_link_share", "text_centroid", "link_centroid",
)  # fmt: skip
SCREEN_PX = 900
LARGE = 1.25
"""Times the size of the running text, from which text counts as large."""


def box_figures(boxes: Boxes) -> NDArray[Any]:
    """What a page's boxes amount to: float32 [1, len(FIGURES)]; counts and lengths as logarithms, places as shares of the page."""
    values = {**_amounts(boxes), **_texts(boxes), **_fonts(boxes), **_flow(boxes), **_groups(boxes), **_places(boxes)}
    return np.array([[values[name] for name in FIGURES]], dtype=np.float32)


def _height(boxes: Boxes) -> float:
    return float(np.clip((boxes.y + boxes.h).max(), 1, 8000))


def _share(part: Any, whole: Any) -> float:
    return float(part) / float(whole) if whole > 0 else 0.0


def _log(value: Any) -> float:
    return float(np.log1p(max(float(value), 0)))


def _linked(boxes: Boxes) -> NDArray[Any]:
    linked: NDArray[Any] = boxes.link >= 0.8 * np.maximum(boxes.whole, 1)
    return linked


def _amounts(boxes: Boxes) -> dict[str, float]:
    height, text, linked = _height(boxes), boxes.own.sum(), _linked(boxes) & (boxes.own > 0)
    screens, images = max(height / SCREEN_PX, 0.5), (boxes.image > 0) & (boxes.w * boxes.h > 1600)
    areas = (np.minimum(boxes.w, WIDTH_PX) * np.minimum(boxes.h, 8000))[images]
    image_links = images & (boxes.own == 0) & np.array(["/a/" in path or path.endswith("/a") for path in boxes.paths])
    return {
        "boxes": _log(len(boxes.x)), "height": _log(height), "text": _log(text), "boxes_per_screen": len(boxes.x) / screens,
        "text_per_screen": _log(text / screens), "link_share": _share(boxes.own[linked].sum(), text),
        "link_boxes_share": _share(linked.sum(), (boxes.own > 0).sum()), "images": _log(images.sum()),
        "images_per_screen": images.sum() / screens,
        "image_area": _share(areas.sum(), WIDTH_PX * height), "largest_image": _share(areas.max(initial=0), WIDTH_PX * SCREEN_PX),
        "linked_images": _share(image_links.sum(), images.sum()),
    }  # fmt: skip


def _texts(boxes: Boxes) -> dict[str, float]:
    own, linked, text = boxes.own, _linked(boxes), boxes.own.sum()
    plain = own[~linked & (own >= 80)]
    tags = np.array(boxes.tags)
    heading = np.isin(tags, ("h1", "h2", "h3", "h4", "h5", "h6"))
    inside = np.array(["/h1" in path or "/h2" in path or "/h3" in path or "/h4" in path for path in boxes.paths])
    heading_links = (inside & (tags == "a")) | (heading & linked & (boxes.own > 0))
    second_links = np.array(["/h2/" in path and path.endswith("/a") for path in boxes.paths])
    return {
        "longest_text": _log(own.max()), "texts_80": _log((own >= 80).sum()), "texts_200": _log((own >= 200).sum()),
        "share_80": _share(own[own >= 80].sum(), text), "plain_80": _log(len(plain)), "plain_80_share": _share(plain.sum(), text),
        "mean_plain_text": _log(plain.mean()) if len(plain) else 0.0, "headings": _log(heading.sum()),
        "linked_headings": _log(heading_links.sum()),
        "linked_heading_share": _share(heading_links.sum(), heading_links.sum() + (heading & ~linked).sum()),
        "h1": _log((tags == "h1").sum()), "h2": _log((tags == "h2").sum()), "h3": _log((tags == "h3").sum()),
        "h2_linked": _log(second_links.sum()), "paragraphs": _log((tags == "p").sum()), "items": _log((tags == "li").sum()),
    }  # fmt: skip


def _fonts(boxes: Boxes) -> dict[str, float]:
    with_text = boxes.own > 0
    if not with_text.any():
        return dict.fromkeys(("body_font", "largest_font", "largest_font_y", "largest_font_linked", "largest_font_length", "large_texts",
                              "large_linked_share", "large_spread"), 0.0)  # fmt: skip
    font, own, y, linked = boxes.font[with_text], boxes.own[with_text], boxes.y[with_text], _linked(boxes)[with_text]
    body = _body_font(boxes)
    large = (font >= LARGE * body) & (own >= 4)
    titles = np.flatnonzero(own >= 4)
    top = int(titles[np.argmax(font[titles])]) if len(titles) else 0
    return {
        "body_font": body, "largest_font": float(font[top]) / body, "largest_font_y": float(np.clip(y[top], 0, 4000)) / SCREEN_PX,
        "largest_font_linked": float(linked[top]), "largest_font_length": _log(own[top]), "large_texts": _log(large.sum()),
        "large_linked_share": _share((large & linked).sum(), large.sum()),
        "large_spread": _share(np.ptp(y[large]) if large.any() else 0, _height(boxes)),
    }  # fmt: skip


def _flow(boxes: Boxes) -> dict[str, float]:
    """The longest run of plain text that no linked heading breaks, and the column that holds most plain text."""
    linked, text = _linked(boxes), max(float(boxes.own.sum()), 1.0)
    plain = ~linked & (boxes.own >= 20)
    breaks = linked & (boxes.own >= 12) & (boxes.own >= 0.8 * boxes.whole)
    run = np.cumsum(breaks)
    sums = np.bincount(run, weights=np.where(plain, boxes.own, 0))
    best = int(np.argmax(sums))
    inside = plain & (run == best)
    column = np.round(boxes.x / 24).clip(-10, 100).astype(int) + 10
    column_sums = np.bincount(column, weights=np.where(plain, boxes.own, 0))
    main = column == int(np.argmax(column_sums))
    weights = boxes.own * (main & plain)
    total = max(float(weights.sum()), 1.0)
    return {
        "run_text": _log(sums[best]), "run_share": float(sums[best]) / text, "run_boxes": _log(inside.sum()),
        "run_start": float(np.clip(boxes.y[inside].min(initial=8000), 0, 8000)) / SCREEN_PX,
        "column_text": float(weights.sum()) / text, "column_width": float((boxes.w * weights).sum()) / total / WIDTH_PX,
        "column_centre": float(((boxes.x + boxes.w / 2) * weights).sum()) / total / WIDTH_PX,
        "column_link_share": _share(boxes.own[main & linked].sum(), boxes.own[main].sum()),
    }  # fmt: skip


def _groups(boxes: Boxes) -> dict[str, float]:
    """Boxes of the same path are the records of a list, or the paragraphs of a text: the largest such groups, by their text."""
    height, text, linked = _height(boxes), max(float(boxes.own.sum()), 1.0), _linked(boxes)
    with_text = np.flatnonzero(boxes.own > 0)
    codes: dict[str, int] = {}
    code = np.array([codes.setdefault(boxes.paths[i], len(codes)) for i in with_text.tolist()], dtype=int)
    found: dict[str, float] = {"groups": _log(sum(count >= 3 for count in Counter(code.tolist()).values()))}
    size = np.bincount(code) if len(code) else np.zeros(1)
    for prefix, wanted in (("group", np.ones(len(code), bool)), ("linked_group", linked[with_text]), ("plain_group", ~linked[with_text])):
        weights = np.where(wanted & (boxes.own[with_text] >= 8), boxes.own[with_text], 0) * (size[code] >= 3) if len(code) else np.zeros(0)
        sums = np.bincount(code, weights=weights) if len(code) else np.zeros(1)
        members = with_text[(code == int(np.argmax(sums))) & (weights > 0)] if sums.max(initial=0) > 0 else with_text[:0]
        steps = np.diff(np.sort(boxes.y[members]))
        steps = steps[steps > 4]
        found |= {
            f"{prefix}_count": _log(len(members)), f"{prefix}_text_share": float(sums.max(initial=0)) / text,
            f"{prefix}_span": _share(np.ptp(boxes.y[members]) if len(members) else 0, height),
            f"{prefix}_regularity": _share(steps.std(), steps.mean()) if len(steps) > 1 else -1.0,
            f"{prefix}_link_share": _share(linked[members].sum(), len(members)),
            f"{prefix}_width": float(boxes.w[members].mean()) / WIDTH_PX if len(members) else 0.0,
            f"{prefix}_length": _log(boxes.own[members].mean()) if len(members) else 0.0,
            f"{prefix}_font": float(boxes.font[members].mean()) if len(members) else 0.0,
        }  # fmt: skip
    return found


def _places(boxes: Boxes) -> dict[str, float]:
    height, linked, text = _height(boxes), _linked(boxes), max(float(boxes.own.sum()), 1.0)
    screen, foot = boxes.y < SCREEN_PX, boxes.y > 0.7 * height
    link_text = np.where(linked, boxes.own, 0)
    return {
        "screen_text": float(boxes.own[screen].sum()) / text, "screen_link_share": _share(link_text[screen].sum(), boxes.own[screen].sum()),
        "screen_images": _log(((boxes.image > 0) & screen & (boxes.h > 40)).sum()),
        "foot_link_share": _share(link_text[foot].sum(), boxes.own[foot].sum()),
        "text_centroid": float((boxes.y * boxes.own).sum()) / text / height,
        "link_centroid": _share((boxes.y * link_text).sum(), link_text.sum() * height),
    }  # fmt: skip
