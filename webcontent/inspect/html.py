"""An inspection as one HTML file: it loads nothing, works offline, and runs no script but its own.

All text of the page goes through `tag`, which escapes it; data for the script stands in a JSON element; a policy names the digests
of the one script and the one style sheet that may work, so that whatever slipped through would still not run.
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
from webcontent.inspect.inspection import COLORS, block_score, short
from webcontent.inspect.item import aside
from webcontent.inspect.markup import Markup, bar, clipped, join, listed, tag, tail
from webcontent.inspect.png import picture_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webcontent.inspect.inspection import Inspection, Rectangle

MAX_ROWS = 4000
"""Blocks that are listed, and whose features are kept."""
SIGN_PX = 28
"""What the sign of a visual block takes beside it."""
_MEDIA_TYPES = ((b"\x89PNG", "png"), (b"RIFF", "webp"))


def html(inspection: Inspection) -> str:
    """The whole inspection. Raises ValueError where the page's screenshot can't be read."""
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
            tag("title", f"{short(item.title or item.url or 'page', 100)} · scrapy inspect"),
            tag("style", Markup(style)),
        )
    )
    body = join(
        (
            _header(inspection),
            tag("main", _views(inspection), aside(inspection), id="main"),
            tag("div", id="tip", role="tooltip", hidden=True),
            tag("p", id="said", class_="unseen", aria_live="polite"),
            _help(),
            tag("script", _json(_data(inspection)), type="application/json", id="data"),
            tag("script", Markup(script)),
        )
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _own_file(name: str) -> str:
    return files("webcontent.inspect").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _label_rules() -> str:
    """A colour for each label, and what its switch hides."""
    return "".join(
        f'[data-label="{label}"]{{--label:{color}}}\n.off-{label} :is(.box,tr)[data-label="{label}"]{{display:none}}\n'
        for label, color in COLORS.items()
    )


def _json(value: Any) -> Markup:
    """JSON that can't end its script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char, code in (("&", "\\u0026"), ("<", "\\u003c"), (">", "\\u003e"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        text = text.replace(char, code)
    return Markup(text)


def _header(inspection: Inspection) -> Markup:
    page_type, item = inspection.page_type, inspection.item
    facts = [
        _fact("type", f"{page_type.type} · {page_type.kind}", page_type.score),
        _fact("item", f"{type(item).__name__} by {item.extractor}", item.score),
        *(tag("li", tag("span", "flag", class_="name"), tag("b", flag), class_="fact flag") for flag in item.flags),
    ]
    switch = tag("button", "Theme: auto", type="button", id="theme", title="light, dark, or as your system has it (t)")
    return tag(
        "header",
        tag("div", tag("h1", short(item.title or "Page without a title", 200)), switch, class_="top"),
        tag("p", short(item.url or "no address", 300), class_="url"),
        tag("ul", *facts, class_="facts"),
    )


def _fact(name: str, value: str, score: float) -> Markup:
    return tag("li", tag("span", name, class_="name"), tag("b", value), bar(score), tag("span", f"{score:.2f}"), class_="fact")


def _views(inspection: Inspection) -> Markup:
    panels = {
        "picture": ("Picture", _picture(inspection)),
        "blocks": ("Blocks", _blocks(inspection)),
    }
    if len(inspection.answers) > 1:
        panels["compare"] = ("Compare", comparison(inspection))
    tabs = [
        tag("button", title, tag("kbd", str(number)), type="button", role="tab", id=f"tab-{name}", aria_controls=f"view-{name}")
        for number, (name, (title, _)) in enumerate(panels.items(), 1)
    ]
    return tag(
        "div",
        tag("div", *tabs, role="tablist", aria_label="Views"),
        _tools(inspection),
        *(
            tag("section", tag("h2", title, class_="printed"), panel, role="tabpanel", id=f"view-{name}", aria_labelledby=f"tab-{name}")
            for name, (title, panel) in panels.items()
        ),
        id="views",
    )


def _tools(inspection: Inspection) -> Markup:
    """Which labels are shown, whose they are, on which level, and what is looked for."""
    counts = {label: inspection.labels.count(label) for label in COLORS}
    switches = [
        tag(
            "label",
            tag("input", type="checkbox", value=label, checked=True),
            tag("span", label, class_="chip"),
            tag("span", str(count), class_="count"),
            class_="switch",
            data_label=label,
            hidden=not any(label in answer.labels for answer in inspection.answers),
        )
        for label, count in counts.items()
    ]
    tools = [tag("fieldset", tag("legend", "Labels", class_="unseen"), *switches, id="switches")]
    if len(inspection.answers) > 1:
        options = [tag("option", answer.name, value=number) for number, answer in enumerate(inspection.answers)]
        tools.append(tag("label", "by ", tag("select", *options, id="answer"), class_="tool"))
    if inspection.document.screenshot and inspection.visual_levels:
        deepest = len(inspection.visual_levels)
        levels = [tag("option", f"level {level} of {deepest}", value=level) for level in range(1, deepest + 1)]
        choice = tag("select", tag("option", "off", value=0), *levels, id="level")
        tools.append(tag("label", "visual blocks ", choice, class_="tool for-picture"))
    tools.append(tag("label", "find ", tag("input", type="search", id="find", placeholder="text or path  ( / )"), class_="tool for-blocks"))
    return tag("div", *tools, id="tools")


def _picture(inspection: Inspection) -> Markup:
    shot = inspection.document.screenshot
    if not shot:
        return tag("p", "There is no picture: the page was not rendered. The tab Blocks shows what was read.", class_="note")
    picture = picture_of(inspection)
    width_px, height_px = inspection.width_px, round(picture.height * inspection.width_px / picture.width)
    kind = next((name for signature, name in _MEDIA_TYPES if shot.startswith(signature)), "jpeg")
    levels = [
        tag("g", *(_area(area.rectangle, area.label, area.blocks, f"{area.doc}") for area in areas), class_="level", data_level=level)
        for level, areas in enumerate(inspection.visual_levels, 1)
    ]
    boxes = [
        tag("rect", **_numbers(box.rectangle), class_="box", data_label=box.label, data_b=listed(box.blocks))
        for box in inspection.text_boxes
    ]
    drawing = tag(
        "svg",
        tag("g", *boxes, class_="boxes"),
        *levels,
        tag("g", class_="lit-places"),
        viewBox=f"0 0 {width_px} {height_px}",
        role="img",
        aria_label="The text boxes of the page, coloured by label; the tab Blocks lists the same as text",
    )
    about = "The page as a browser drew it; each box is a block of text."
    keys = tag("span", " Arrow keys go from block to block, Enter pins one, Escape lets go.", class_="keys")
    image = tag("img", alt="Screenshot of the page", src=f"data:image/{kind};base64,{base64.b64encode(shot).decode()}")
    return join((tag("p", about, keys, class_="note"), tag("div", image, drawing, class_="page", tabindex=0, id="page")))


def _area(rectangle: Rectangle, label: str, blocks: Iterable[int], doc: str) -> Markup:
    """A visual block with its degree of coherence."""
    has_room = rectangle.x >= SIGN_PX
    sign = tag(
        "text", doc, x=round(rectangle.x) + (-4 if has_room else 4), y=round(rectangle.y) + 16, text_anchor="end" if has_room else None
    )
    return tag("g", tag("rect", **_numbers(rectangle)), sign, class_="area", data_label=label, data_b=listed(blocks), data_doc=doc)


def _numbers(rectangle: Rectangle) -> dict[str, Any]:
    found = {"x": rectangle.x, "y": rectangle.y, "width": max(0, rectangle.width), "height": max(0, rectangle.height)}
    return {name: f"{number:g}" for name, number in found.items()}


def _blocks(inspection: Inspection) -> Markup:
    blocks = inspection.document.blocks
    total = len(blocks)
    rows = [_block(inspection, i) for i in range(min(total, MAX_ROWS))]
    cells = [tag("th", name, scope="col") for name in ("", "label", "score", "where", "text")]
    more = f" The first {MAX_ROWS:,} of {total:,} are shown." if total > MAX_ROWS else ""
    note = f"A line a block, in page order; score is the extractor's probability that the block is main text.{more}"
    table = tag("table", tag("thead", tag("tr", *cells)), tag("tbody", *rows), id="lines", tabindex=0)
    return join((tag("p", note, class_="note"), table if rows else tag("p", "The page has no text.", class_="note")))


def _block(inspection: Inspection, i: int) -> Markup:
    blocks, label = inspection.document.blocks, inspection.labels[i]
    score = block_score(inspection.extraction, i)
    marks = [name for name, column in (("hidden", blocks.hidden), ("noscript", blocks.noscript)) if column[i]]
    return tag(
        "tr",
        tag("td", str(i), class_="number"),
        tag("td", tag("span", label, class_="chip")),
        tag("td", *([] if score is None else [bar(score), tag("span", f"{score:.2f}")]), class_="score"),
        tag("td", tag("code", tail(inspection.paths[i]), title=inspection.paths[i])),
        tag("td", *(tag("span", mark, class_="mark") for mark in marks), clipped(blocks.texts[i]), class_="text"),
        data_label=label,
        data_b=i,
    )


def _help() -> Markup:
    keys = {
        "1 2 3": "the views",
        "↑ ↓ or k j": "block to block",
        "Enter": "pin a block",
        "Esc": "let go",
        "/": "find",
        "t": "theme",
        "Tab": "from part to part",
    }
    rows = [tag("li", tag("kbd", key), f" {told}") for key, told in keys.items()]
    return tag("footer", tag("ul", *rows, aria_label="Keys"))


def _data(inspection: Inspection) -> dict[str, Any]:
    """Labels by extractor as a letter a block, scores, and the features of the listed blocks, float32 in base64, row by row."""
    labels = list(COLORS)
    count = min(len(inspection.document.blocks), MAX_ROWS)
    values = features(inspection.document)[:count].astype("<f4") if count else np.zeros((0, len(FEATURES)), "<f4")
    return {
        "labels": labels,
        "answers": [
            {
                "name": answer.name,
                "labels": "".join(chr(97 + labels.index(label)) for label in answer.labels),
                "scores": [None if (score := block_score(answer.extraction, i)) is None else round(score, 3) for i in range(count)],
            }
            for answer in inspection.answers
        ],
        "paths": inspection.paths[:count],
        "features": list(FEATURES),
        "values": base64.b64encode(values.tobytes()).decode(),
    }
