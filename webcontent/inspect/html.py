"""An inspection as one HTML file: it loads nothing, works offline, and runs only its own script.

All text of the page is escaped. Data for the script is in a JSON element. A content security policy names the digests of the one script
and the one style sheet that may run, so that markup which escaped the escaping would still not run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from webcontent.document.features.blocks import FEATURES, features
from webcontent.inspect.compare import comparison
from webcontent.inspect.item import item_parts
from webcontent.inspect.labels import COLORS
from webcontent.inspect.markup import MAX_CELL, Markup, bar, block_numbers, clip, fill, join, own_file, path_tail, tag
from webcontent.inspect.text import shorten

if TYPE_CHECKING:
    from webcontent.inspect.inspection import ExtractorResult, Inspection
    from webcontent.inspect.places import Rectangle
    from webcontent.inspect.visual_levels import VisualArea

MAX_BLOCKS = 4000
"""Blocks that are listed, and whose features are in the file."""
SCORE_DECIMALS = 3
_JSON_ESCAPES = str.maketrans({char: f"\\u{ord(char):04x}" for char in "&<>\u2028\u2029"})
"""Characters with a meaning in HTML or in scripts; JSON reads the escapes as the same characters."""


def html(inspection: Inspection) -> str:
    """The inspection as an HTML document. Raises ValueError if the screenshot is damaged."""
    script, style = own_file("inspection.js"), own_file("inspection.css") + _label_rules()
    item, page_type, results = inspection.item, inspection.page_type, inspection.results
    facts = [
        _fact("type", f"{page_type.type} · {page_type.kind}", page_type.score),
        _fact("item", f"{type(item).__name__} by {item.extractor}", item.score),
        *(tag("li", tag("span", "flag", class_="name"), tag("b", flag), class_="fact flag") for flag in item.flags),
    ]
    total, deepest = len(inspection.document.blocks), len(inspection.visual_levels) if inspection.document.screenshot else 0
    hidden = Markup(" hidden")
    parts = {
        "policy": f"default-src 'none'; img-src data:; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
        "form-action 'none'",
        "window_title": shorten(item.title or item.url or "page", MAX_CELL),
        "style": Markup(style),
        "heading": shorten(item.title or "Page without a title", MAX_CELL),
        "url": shorten(item.url or "no URL", MAX_CELL),
        "facts": join(facts),
        "if_alone": hidden if len(results) < 2 else "",
        "if_flat": "" if deepest else hidden,
        "switches": join(_switch(label, is_shown=any(label in result.labels for result in results)) for label in COLORS),
        "extractors": join(tag("option", result.name, value=number) for number, result in enumerate(results)),
        "levels": join(tag("option", f"level {level} of {deepest}", value=level) for level in range(1, deepest + 1)),
        "screenshot": _screenshot(inspection),
        "left_out": f" Only the first {MAX_BLOCKS:,} of {total:,} blocks are shown." if total > MAX_BLOCKS else "",
        "blocks": join(_block(inspection, i) for i in range(min(total, MAX_BLOCKS))),
        "comparison": comparison(results) if len(results) > 1 else "",
        **item_parts(inspection),
        "data": Markup(json.dumps(_data(inspection), ensure_ascii=False, separators=(",", ":")).translate(_JSON_ESCAPES)),
        "script": Markup(script),
    }
    return fill("inspection.html", parts)


def _digest(text: str) -> str:
    """A digest as content security policies write it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _label_rules() -> str:
    """The style rules of each label: its color, and what its switch hides."""
    return "".join(
        f'[data-label="{label}"]{{--label:{color}}}\n.hide-{label} :is(.box,tr)[data-label="{label}"]{{display:none}}\n'
        for label, color in COLORS.items()
    )


def _fact(name: str, value: str, score: float) -> Markup:
    return tag("li", tag("span", name, class_="name"), tag("b", value), bar(score), tag("span", f"{score:.2f}"), class_="fact")


def _switch(label: str, *, is_shown: bool) -> Markup:
    """The checkbox of a label; the script adds the number of its blocks."""
    parts = tag("input", type="checkbox", value=label, checked=True), tag("span", label, class_="chip"), tag("span", class_="count")
    return tag("label", *parts, class_="switch", data_label=label, hidden=not is_shown)


def _screenshot(inspection: Inspection) -> Markup:
    """The screenshot with the text boxes and the visual blocks drawn over it; the script labels these."""
    if not inspection.document.screenshot:
        return tag("p", "There is no screenshot, because the page was not rendered. The Blocks tab lists its blocks.", class_="note")
    width, height, kind = _image_size(inspection.document.screenshot)
    boxes = [
        _shape(box.rectangle, class_="box", data_label=inspection.box_label(box.blocks), data_blocks=block_numbers(box.blocks))
        for box in inspection.text_boxes
    ]
    levels = [tag("g", *map(_area, areas), class_="level", data_level=level) for level, areas in enumerate(inspection.visual_levels, 1)]
    drawing = tag(
        "svg",
        tag("g", *boxes, class_="boxes"),
        *levels,
        tag("g", class_="highlights"),
        viewBox=f"0 0 {inspection.width_px} {round(height * inspection.width_px / width)}",
        role="img",
        aria_label="The text boxes of the page, colored by label. The Blocks tab lists the same blocks as text.",
    )
    keys = tag("span", " Arrow keys select a block, Enter pins it, Escape unpins it.", class_="keys")
    about = tag("p", "The page as the browser rendered it. Each box is a block of text.", keys, class_="note")
    source = f"data:image/{kind};base64,{base64.b64encode(inspection.document.screenshot).decode()}"
    return join((about, tag("div", tag("img", alt="Screenshot of the page", src=source), drawing, class_="page", tabindex=0, id="page")))


def _image_size(screenshot: bytes) -> tuple[int, int, str]:
    """Width, height and format of a screenshot. Raises ValueError if it is damaged."""
    try:
        with Image.open(BytesIO(screenshot)) as image:
            image.load()
            return image.width, image.height, str(image.format).lower()
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"the screenshot can't be read: {error}") from error


def _shape(rectangle: Rectangle, **attributes: str) -> Markup:
    return tag("rect", **rectangle.attributes(), **attributes)


def _area(area: VisualArea) -> Markup:
    """A visual block. The script shows its degree of coherence where it is pointed at."""
    return tag("g", _shape(area.rectangle), class_="area", data_blocks=block_numbers(area.blocks), data_coherence=area.coherence)


def _block(inspection: Inspection, i: int) -> Markup:
    """The row of a block; the script adds its score."""
    blocks, path = inspection.document.blocks, inspection.places.paths[i]
    badges = [tag("span", name, class_="badge") for name in ("hidden", "noscript") if getattr(blocks, name)[i]]
    return tag(
        "tr",
        tag("td", str(i), class_="number"),
        tag("td", tag("span", inspection.labels[i], class_="chip")),
        tag("td", class_="score"),
        tag("td", tag("code", path_tail(path), title=path)),
        tag("td", *badges, clip(blocks.texts[i]), class_="text"),
        data_label=inspection.labels[i],
        data_blocks=i,
    )


def _data(inspection: Inspection) -> dict[str, Any]:
    """Data for the script: labels and scores by extractor, and the features of the listed blocks.

    Labels are one letter per block, `a` for the first label. Features are float32 in base64, one row per block.
    """
    count = min(len(inspection.document.blocks), MAX_BLOCKS)
    values = features(inspection.document)[:count].astype("<f4") if count else np.zeros((0, len(FEATURES)), "<f4")
    return {
        "labels": list(COLORS),
        "results": [_result_data(result, count) for result in inspection.results],
        "paths": inspection.places.paths[:count],
        "features": list(FEATURES),
        "values": base64.b64encode(values.tobytes()).decode(),
    }


def _result_data(result: ExtractorResult, count: int) -> dict[str, Any]:
    letters = {label: chr(ord("a") + number) for number, label in enumerate(COLORS)}
    scores = map(result.block_score, range(count))
    return {
        "name": result.name,
        "labels": "".join(letters[label] for label in result.labels),
        "scores": [None if score is None else round(score, SCORE_DECIMALS) for score in scores],
    }
