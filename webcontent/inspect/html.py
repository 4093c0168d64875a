"""An inspection as one HTML file: it loads nothing, works offline, and runs only its own script.

All text of the page is escaped. Data for the script is in a JSON element. A content security policy names the digests of the one script
and the one style sheet that may run, so that markup which escaped the escaping would still not run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import fields
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
from itemadapter import ItemAdapter
from PIL import Image, UnidentifiedImageError

from webcontent.document.features.blocks import FEATURES, features
from webcontent.inspect.markup import MAX_CELL, MAX_TEXT, Markup, bars, cell_text, fill, join, name_of, numbers, own_file, path_tail, tag
from webcontent.inspect.places import LABEL_OF_FIELD, MAX_LISTED, SHOWN
from webcontent.inspect.text import MAX_ROWS, model_label, preparation_lines, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.inspect.inspection import Inspection
    from webcontent.inspect.places import Place

HEADER_FIELDS = frozenset({"evidence", "body_html", "flags", "score", "type", "kind", "extractor", "page_type_score", "url"})
"""Fields that are shown in the page's header, or not at all."""
PROVENANCE_FIELDS = frozenset({"fetched_at", "screenshot", "fingerprint"})
"""Fields that say how the item was made, not what is on the page."""


def html(inspection: Inspection) -> str:
    """The inspection as an HTML document. Raises ValueError if the screenshot is damaged."""
    script, style = own_file("inspection.js"), own_file("inspection.css")
    item, page_type, results = inspection.result.item, inspection.page_type, inspection.results
    facts = [
        _fact("type", f"{page_type.type} · {page_type.kind}", page_type.score),
        _fact("item", f"{type(item).__name__} by {item.extractor}", item.score),
        *(tag("li", tag("span", "flag", class_="name"), tag("b", flag), class_="fact flag") for flag in item.flags),
    ]
    total = len(inspection.document.blocks)
    parts = {
        "policy": f"default-src 'none'; img-src data:; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
        "form-action 'none'",
        "window_title": shorten(item.title or item.url or "page", MAX_CELL),
        "style": Markup(style),
        "heading": shorten(item.title or "Page without a title", MAX_CELL),
        "url": shorten(item.url or "no URL", MAX_CELL),
        "facts": join(facts),
        "if_alone": Markup(" hidden") if len(results) < 2 else "",
        "switches": join(_switch(label) for label in SHOWN),
        "extractors": join(tag("option", result.name, value=number) for number, result in enumerate(results)),
        "screenshot": _screenshot(inspection),
        "left_out": f" Only the first {MAX_LISTED:,} of {total:,} blocks are shown." if total > MAX_LISTED else "",
        "blocks": join(_block(inspection, i) for i in range(min(total, MAX_LISTED))),
        **item_parts(inspection),
        "data": Markup(json.dumps(_data(inspection), ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c")),
        "script": Markup(script),
    }
    return fill("inspection.html", parts)


def _digest(text: str) -> str:
    """A digest as content security policies write it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _fact(name: str, value: str, score: float) -> Markup:
    parts = tag("span", name, class_="name"), tag("b", value), tag("meter", value=f"{score:.2f}"), tag("span", f"{score:.2f}")
    return tag("li", *parts, class_="fact")


def _switch(label: str) -> Markup:
    """The checkbox of a label; the script adds the number of its blocks."""
    parts = tag("input", type="checkbox", value=label, checked=True), tag("span", label, class_="chip"), tag("span", class_="count")
    return tag("label", *parts, class_="switch", data_label=label)


def _screenshot(inspection: Inspection) -> Markup:
    """The screenshot with the text boxes drawn over it; the script labels these. Raises ValueError if it is damaged."""
    if not inspection.document.screenshot:
        return tag("p", "There is no screenshot, because the page was not rendered. The Blocks tab lists its blocks.", class_="note")
    try:
        with Image.open(BytesIO(inspection.document.screenshot)) as image:
            image.load()
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"the screenshot can't be read: {error}") from error
    boxes = [tag("rect", **box, class_="box", data_blocks=numbers(place)) for box, place in inspection.places.text_boxes()]
    drawing = tag(
        "svg",
        tag("g", *boxes, class_="boxes"),
        viewBox=f"0 0 {inspection.width_px} {round(image.height * inspection.width_px / image.width)}",
        role="img",
        aria_label="The text boxes of the page, colored by label. The Blocks tab lists the same blocks as text.",
    )
    keys = tag("span", " Arrow keys select a block, Enter pins it, Escape unpins it.", class_="keys")
    about = tag("p", "The page as the browser rendered it. Each box is a block of text.", keys, class_="note")
    source = f"data:image/{str(image.format).lower()};base64,{base64.b64encode(inspection.document.screenshot).decode()}"
    return join((about, tag("div", tag("img", alt="Screenshot of the page", src=source), drawing, class_="page", tabindex=0, id="page")))


def _block(inspection: Inspection, i: int) -> Markup:
    blocks, label = inspection.document.blocks, inspection.result.labels[i]
    badges = [tag("span", name, class_="badge") for name in ("hidden", "noscript") if getattr(blocks, name)[i]]
    cells = (
        tag("td", str(i), class_="number"),
        tag("td", tag("span", label, class_="chip")),
        tag("td", class_="score"),
        tag("td", path_tail(inspection.places.paths[i])),
        tag("td", *badges, blocks.texts[i][:MAX_TEXT], class_="text"),
    )
    return tag("tr", *cells, data_label=label, data_blocks=i)


def _data(inspection: Inspection) -> dict[str, Any]:
    """Data for the script: labels and scores by extractor, and the features of the listed blocks.

    Features are float32 in base64, one row per block.
    """
    paths = inspection.places.paths
    values = features(inspection.document)[: len(paths)].astype("<f4") if paths else np.zeros((0, len(FEATURES)), "<f4")
    return {
        "results": [
            {
                "name": result.name,
                "labels": result.labels,
                "scores": [None if score is None else float(f"{score:.3f}") for score in map(result.block_score, range(len(paths)))],
            }
            for result in inspection.results
        ],
        "paths": paths,
        "features": list(FEATURES),
        "values": base64.b64encode(values.tobytes()).decode(),
    }


# What stands beside the page: the item with the places of its values, the page type, the time of each stage


def item_parts(inspection: Inspection) -> dict[str, str]:
    """What stands beside the page, by its name in the skeleton of the HTML file."""
    item, stages = inspection.result.item, inspection.stages
    values = {part.name: getattr(item, part.name) for part in fields(item) if part.name not in HEADER_FIELDS}  # people stand together
    found = {name: value for name, value in values.items() if value not in (None, [], "")}
    missing = ", ".join(name for name in values if name not in found and name not in PROVENANCE_FIELDS)
    return {
        "class_name": type(item).__name__,
        "fields": join(_field(inspection, name, value) for name, value in found.items()),
        "empty": tag("p", f"Not found on the page: {missing}", class_="note") if missing else "",
        "models": bars((model_label(name), share, f"{share:.2f}") for name, share in inspection.page_type.evidence.items())
        or tag("caption", "No model could classify the page.", class_="note"),
        "preparation": _preparation(inspection.document.page.preparation),
        "stages": _durations({**stages, "total": sum(stages.values())}),
        "item_json": json.dumps(item.to_dict(), ensure_ascii=False, indent=2, default=str),
    }


def _durations(milliseconds: dict[str, float]) -> Markup:
    """The rows of a table of steps, each bar as a share of the longest."""
    longest = max(milliseconds.values(), default=0) or 1
    return bars((name, ms / longest, f"{ms:.1f} ms") for name, ms in milliseconds.items())


def _preparation(report: dict[str, Any]) -> str:
    """The section about what was done to a rendered page before it was read; empty for a page that was not prepared."""
    if not report:
        return ""
    lines = [tag("li", line) for line in preparation_lines(report)]
    done = tag("ul", *lines) if lines else tag("p", "Nothing was hidden, opened or scrolled.", class_="note")
    return tag("section", tag("h2", "Preparation"), done, tag("table", _durations(report.get("ms", {})), class_="bars"), id="preparation")


def _field(inspection: Inspection, name: str, value: Any) -> Markup:
    """A field with its value. When opened, it lists its parts or its candidates."""
    summary, parts = cell_text(value), value if isinstance(value, list) else []
    if name == "body":
        summary = f"{len(value.splitlines())} lines, {len(value):,} characters: {shorten(value, MAX_CELL)}"
        rows = [tag("li", tag("pre", value), class_="full-text", tabindex=0)]
    elif parts and ItemAdapter.is_item(parts[0]):
        rows = [_part(inspection, part) for part in parts[:MAX_ROWS]]
        rows += [tag("li", f"and {len(parts) - MAX_ROWS} more", class_="note")] if len(parts) > MAX_ROWS else []
    else:
        rows = list(_candidates(inspection, name))
    heading = tag("summary", tag("span", name, class_="name"), tag("span", summary, class_="value"))
    details = tag("ol", *rows) if rows else tag("p", "Derived from the whole page.", class_="note")
    label, blocks = LABEL_OF_FIELD.get(name, name), numbers(inspection.result.places.get(name, ()))
    shown = {"data_field": name, "data_label": label if label in SHOWN else None, "data_blocks": blocks}
    return tag("details", heading, details, class_="field", **shown)


def _candidates(inspection: Inspection, name: str) -> Iterator[Markup]:
    for rank, candidate in enumerate(inspection.result.item.evidence.get(name, [])[:MAX_ROWS]):
        origin = tag("span", candidate.origin, class_="origin")
        path = path_tail(candidate.xpath) if candidate.xpath else None
        score = tag("span", f"{candidate.score:.2f}", class_="candidate-score") if candidate.score else None
        place = _place_button(inspection.places.find(candidate.xpath), origin, path, score)
        yield tag("li", place, tag("span", cell_text(candidate.value), class_="detail"), class_=None if rank else "chosen")


def _place_button(place: Place, *children: str | None) -> Markup:
    """A button that shows the place; plain text if the place is empty."""
    if not place:
        return tag("span", *children, class_="place", title="No text of the page")
    return tag("button", *children, type="button", class_="place", title="Show it on the page", data_blocks=numbers(place))


def _part(inspection: Inspection, part: Any) -> Markup:
    place = inspection.places.find_texts([name_of(part)])
    details = " · ".join(str(detail) for key, detail in ItemAdapter(part).items() if key != "title" and detail not in (None, ""))
    return tag("li", _place_button(place, shorten(name_of(part), MAX_CELL)), tag("span", shorten(details, MAX_CELL), class_="detail"))
