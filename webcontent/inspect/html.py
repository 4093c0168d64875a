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
from webcontent.inspect.item import item_parts
from webcontent.inspect.markup import (
    HEADER_FIELDS,
    MAX_CELL,
    MAX_TEXT,
    PROVENANCE_FIELDS,
    Markup,
    cell_text,
    fill,
    join,
    numbers,
    own_file,
    path_tail,
    tag,
)
from webcontent.inspect.places import MAX_BLOCKS, SHOWN
from webcontent.inspect.text import shorten
from webcontent.items import schema_of
from webcontent.saved_pages.check import changed_lines, word_agreement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webcontent.inspect.inspection import ExtractorResult, Inspection


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
        "left_out": f" Only the first {MAX_BLOCKS:,} of {total:,} blocks are shown." if total > MAX_BLOCKS else "",
        "blocks": join(_block(inspection, i) for i in range(min(total, MAX_BLOCKS))),
        "comparison": _comparison(results) if len(results) > 1 else "",
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
    """The row of a block; the script adds its score."""
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


# The view that compares extractors


def _comparison(results: Sequence[ExtractorResult]) -> Markup:
    """A table with a column per extractor. What differs from the first column is marked."""
    note = "The first column is the item that a crawl gives. Others are marked where they differ; their bodies lack (-) or add (+) lines."
    head = tag("thead", tag("tr", tag("td"), *(tag("th", result.name) for result in results)))
    metrics = tag("tbody", *(_row(name, values) for name, values in _metrics(results)))
    fields = tag("tbody", *(_row(name, values, is_marked=True) for name, values in _fields(results)), _bodies(results))
    table = tag("table", head, metrics, fields, id="comparison", data_columns=len(results))
    return join((tag("h2", "Compare", class_="print-only"), tag("p", note, class_="note"), tag("div", table, class_="wide")))


def _row(name: str, values: Sequence[str], *, is_marked: bool = False) -> Markup:
    cells = (tag("td", value, class_="different" if is_marked and value != values[0] else None) for value in values)
    return tag("tr", tag("th", name, scope="row"), *cells)


def _bodies(results: Sequence[ExtractorResult]) -> Markup:
    """The row of the bodies: all lines of the first one, then what each of the others lacks and adds."""
    first, *others = (result.item.body.splitlines() for result in results)
    cells = [join(tag("p", line[:MAX_TEXT]) for line in first)]
    for body in others:
        lines = changed_lines(first, body)
        cells.append(join(tag("p", line[:MAX_TEXT], class_="missing" if line.startswith("-") else "added") for line in lines))
    return tag("tr", tag("th", "body", scope="row"), *(tag("td", cell) for cell in cells))


def _metrics(results: Sequence[ExtractorResult]) -> Iterator[tuple[str, list[str]]]:
    bodies = [result.item.body.splitlines() for result in results]
    yield "score", [f"{result.item.score:.2f}" for result in results]
    yield "word F1 with the first body", [f"{word_agreement(bodies[0], body):.3f}" for body in bodies]
    yield "characters of body", [f"{len(result.item.body):,}" for result in results]
    yield "extraction time", [f"{result.stages['extraction']:.1f} ms" for result in results]
    yield "flags", [", ".join(result.item.flags) or "–" for result in results]
    yield "error", [result.error or "–" for result in results]


def _fields(results: Sequence[ExtractorResult]) -> Iterator[tuple[str, list[str]]]:
    for name in schema_of(type(results[0].item)):
        values = [cell_text(getattr(result.item, name, None)) for result in results]
        if any(values) and name not in HEADER_FIELDS | PROVENANCE_FIELDS | {"body"}:
            yield name, [value or "–" for value in values]
