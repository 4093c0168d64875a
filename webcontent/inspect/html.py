"""An inspection as one HTML file: it loads nothing, works offline, and runs only its own script.

All text of the page goes through `tag`, which escapes it. Data for the script is in a JSON element. A content security policy names the
digests of the one script and the one style sheet that may run, so that markup which escaped the escaping would still not run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features import FEATURES, features
from webcontent.inspect.compare import comparison
from webcontent.inspect.item import item_panel
from webcontent.inspect.labels import COLORS
from webcontent.inspect.markup import Markup, bar, block_numbers, clip, join, path_tail, tag
from webcontent.inspect.png import screenshot_image
from webcontent.inspect.text import shorten

if TYPE_CHECKING:
    from webcontent.inspect.inspection import ExtractorResult, Inspection
    from webcontent.inspect.places import Rectangle
    from webcontent.inspect.visual_levels import VisualArea

MAX_BLOCKS = 4000
"""Blocks that are listed, and whose features are in the file."""
MAX_HEADING, MAX_URL, MAX_WINDOW_TITLE = 200, 300, 100
"""Characters in the header and in the browser's title bar."""
SCORE_DECIMALS = 3
_MEDIA_TYPES = ((b"\x89PNG", "png"), (b"RIFF", "webp"))
_JSON_ESCAPES = (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029"))
"""Characters with a meaning in HTML or in scripts; JSON reads the escapes as the same characters."""
_KEYS = {
    "1 2 3": "select a view",
    "↑ ↓ or k j": "move between blocks",
    "Enter": "pin a block",
    "Esc": "unpin",
    "/": "search",
    "t": "switch the theme",
    "Tab": "next control",
}


def html(inspection: Inspection) -> str:
    """The inspection as an HTML document. Raises ValueError if the screenshot is damaged."""
    script, style = _own_file("inspection.js"), _own_file("inspection.css") + _label_rules()
    policy = (
        f"default-src 'none'; img-src data:; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; form-action 'none'"
    )
    item = inspection.item
    head = join(
        (
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=policy),
            tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name="color-scheme", content="light dark"),
            tag("title", f"{shorten(item.title or item.url or 'page', MAX_WINDOW_TITLE)} · scrapy inspect"),
            tag("style", Markup(style)),
        )
    )
    body = join(
        (
            _header(inspection),
            tag("main", _views(inspection), item_panel(inspection), id="main"),
            tag("div", id="tip", role="tooltip", hidden=True),
            tag("p", id="status", class_="visually-hidden", aria_live="polite"),
            _footer(),
            tag("script", _json(_data(inspection)), type="application/json", id="data"),
            tag("script", Markup(script)),
        )
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _own_file(name: str) -> str:
    return files("webcontent.inspect").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """A digest as content security policies write it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _label_rules() -> str:
    """The style rules of each label: its color, and what its switch hides."""
    return "".join(
        f'[data-label="{label}"]{{--label:{color}}}\n.hide-{label} :is(.box,tr)[data-label="{label}"]{{display:none}}\n'
        for label, color in COLORS.items()
    )


def _json(value: Any) -> Markup:
    """JSON that can't end its script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char, code in _JSON_ESCAPES:
        text = text.replace(char, code)
    return Markup(text)


def _header(inspection: Inspection) -> Markup:
    page_type, item = inspection.page_type, inspection.item
    facts = [
        _fact("type", f"{page_type.type} · {page_type.kind}", page_type.score),
        _fact("item", f"{type(item).__name__} by {item.extractor}", item.score),
        *(tag("li", tag("span", "flag", class_="name"), tag("b", flag), class_="fact flag") for flag in item.flags),
    ]
    theme = tag("button", "Theme: auto", type="button", id="theme", title="light, dark, or auto: the theme of your system (t)")
    return tag(
        "header",
        tag("div", tag("h1", shorten(item.title or "Page without a title", MAX_HEADING)), theme, class_="top"),
        tag("p", shorten(item.url or "no URL", MAX_URL), class_="url"),
        tag("ul", *facts, class_="facts"),
    )


def _fact(name: str, value: str, score: float) -> Markup:
    return tag("li", tag("span", name, class_="name"), tag("b", value), bar(score), tag("span", f"{score:.2f}"), class_="fact")


def _views(inspection: Inspection) -> Markup:
    panels = {
        "screenshot": ("Screenshot", _screenshot(inspection)),
        "blocks": ("Blocks", _blocks(inspection)),
    }
    if len(inspection.results) > 1:
        panels["compare"] = ("Compare", comparison(inspection.results))
    tabs = [
        tag("button", title, tag("kbd", str(number)), type="button", role="tab", id=f"tab-{name}", aria_controls=f"view-{name}")
        for number, (name, (title, _)) in enumerate(panels.items(), 1)
    ]
    return tag(
        "div",
        tag("div", *tabs, role="tablist", aria_label="Views"),
        _tools(inspection),
        *(
            tag("section", tag("h2", title, class_="print-only"), panel, role="tabpanel", id=f"view-{name}", aria_labelledby=f"tab-{name}")
            for name, (title, panel) in panels.items()
        ),
        id="views",
    )


def _tools(inspection: Inspection) -> Markup:
    """Switches for labels, choices of extractor and visual level, and the search field."""
    tools = [tag("fieldset", tag("legend", "Labels", class_="visually-hidden"), *_label_switches(inspection), id="switches")]
    tools.append(_plain_noise_switch(inspection))
    if len(inspection.results) > 1:
        options = [tag("option", result.name, value=number) for number, result in enumerate(inspection.results)]
        tools.append(tag("label", "labels by ", tag("select", *options, id="extractor"), class_="tool"))
    if inspection.document.screenshot and inspection.visual_levels:
        deepest = len(inspection.visual_levels)
        levels = [tag("option", f"level {level} of {deepest}", value=level) for level in range(1, deepest + 1)]
        choice = tag("select", tag("option", "off", value=0), *levels, id="level")
        tools.append(tag("label", "visual blocks ", choice, class_="tool for-screenshot"))
    search = tag("input", type="search", id="search", placeholder="text or path  ( / )")
    tools.append(tag("label", "search ", search, class_="tool for-blocks"))
    return tag("div", *tools, id="tools")


def _plain_noise_switch(inspection: Inspection) -> Markup:
    """The checkbox that shows noise of 0.00, which is hidden at first: it is most of a page, and nobody doubts it."""
    count = sum(inspection.is_plain_noise([i]) for i in range(len(inspection.document.blocks)))
    switch = tag("input", type="checkbox", id="plain-noise")
    return tag("label", switch, " noise of 0.00 ", tag("span", str(count), class_="count", id="plain-count"), class_="tool")


def _label_switches(inspection: Inspection) -> list[Markup]:
    """A checkbox per label with the number of its blocks. Labels without blocks are hidden."""
    return [
        tag(
            "label",
            tag("input", type="checkbox", value=label, checked=True),
            tag("span", label, class_="chip"),
            tag("span", str(inspection.labels.count(label)), class_="count"),
            class_="switch",
            data_label=label,
            hidden=not any(label in result.labels for result in inspection.results),
        )
        for label in COLORS
    ]


def _screenshot(inspection: Inspection) -> Markup:
    """The screenshot with the text boxes and the visual blocks drawn over it."""
    screenshot = inspection.document.screenshot
    if not screenshot:
        return tag("p", "There is no screenshot, because the page was not rendered. The Blocks tab lists its blocks.", class_="note")
    kind = next((name for signature, name in _MEDIA_TYPES if screenshot.startswith(signature)), "jpeg")
    image = tag("img", alt="Screenshot of the page", src=f"data:image/{kind};base64,{base64.b64encode(screenshot).decode()}")
    about = "The page as the browser rendered it. Each box is a block of text."
    keys = tag("span", " Arrow keys select a block, Enter pins it, Escape unpins it.", class_="keys")
    return join((tag("p", about, keys, class_="note"), tag("div", image, _drawing(inspection), class_="page", tabindex=0, id="page")))


def _drawing(inspection: Inspection) -> Markup:
    """Boxes and visual blocks, in the coordinates of the screenshot."""
    image = screenshot_image(inspection)
    width_px, height_px = inspection.width_px, round(image.height * inspection.width_px / image.width)
    boxes = [
        tag(
            "rect",
            **_numbers(box.rectangle),
            class_="box plain" if inspection.is_plain_noise(box.blocks) else "box",
            data_label=box.label,
            data_blocks=block_numbers(box.blocks),
        )
        for box in inspection.text_boxes
    ]
    levels = [tag("g", *map(_area, areas), class_="level", data_level=level) for level, areas in enumerate(inspection.visual_levels, 1)]
    return tag(
        "svg",
        tag("g", *boxes, class_="boxes"),
        *levels,
        tag("g", class_="highlights"),
        viewBox=f"0 0 {width_px} {height_px}",
        role="img",
        aria_label="The text boxes of the page, colored by label. The Blocks tab lists the same blocks as text.",
    )


def _area(area: VisualArea) -> Markup:
    """A visual block. The script shows its degree of coherence where it is pointed at."""
    blocks = block_numbers(area.blocks)
    rectangle = tag("rect", **_numbers(area.rectangle))
    return tag("g", rectangle, class_="area", data_label=area.label, data_blocks=blocks, data_coherence=area.coherence)


def _numbers(rectangle: Rectangle) -> dict[str, Any]:
    numbers = {"x": rectangle.x, "y": rectangle.y, "width": max(0, rectangle.width), "height": max(0, rectangle.height)}
    return {name: f"{number:g}" for name, number in numbers.items()}


def _blocks(inspection: Inspection) -> Markup:
    total = len(inspection.document.blocks)
    rows = [_block(inspection, i) for i in range(min(total, MAX_BLOCKS))]
    if not rows:
        return tag("p", "The page has no text.", class_="note")
    headings = [tag("th", name, scope="col") for name in ("", "label", "score", "path", "text")]
    more = f" Only the first {MAX_BLOCKS:,} of {total:,} blocks are shown." if total > MAX_BLOCKS else ""
    note = f"One line per block, in page order. The score is the extractor's probability that the block is main text.{more}"
    table = tag("table", tag("thead", tag("tr", *headings)), tag("tbody", *rows), id="block-list", tabindex=0)
    return join((tag("p", note, class_="note"), table))


def _block(inspection: Inspection, i: int) -> Markup:
    blocks, label, path = inspection.document.blocks, inspection.labels[i], inspection.places.paths[i]
    score = inspection.result.block_score(i)
    badges = [name for name, column in (("hidden", blocks.hidden), ("noscript", blocks.noscript)) if column[i]]
    return tag(
        "tr",
        tag("td", str(i), class_="number"),
        tag("td", tag("span", label, class_="chip")),
        tag("td", *([] if score is None else [bar(score), tag("span", f"{score:.2f}")]), class_="score"),
        tag("td", tag("code", path_tail(path), title=path)),
        tag("td", *(tag("span", badge, class_="badge") for badge in badges), clip(blocks.texts[i]), class_="text"),
        class_="plain" if inspection.is_plain_noise([i]) else None,
        data_label=label,
        data_blocks=i,
    )


def _footer() -> Markup:
    rows = [tag("li", tag("kbd", key), f" {action}") for key, action in _KEYS.items()]
    return tag("footer", tag("ul", *rows, aria_label="Keys"))


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
    labels = list(COLORS)
    scores = map(result.block_score, range(count))
    return {
        "name": result.name,
        "labels": "".join(chr(ord("a") + labels.index(label)) for label in result.labels),
        "scores": [None if score is None else round(score, SCORE_DECIMALS) for score in scores],
    }
