"""The parts beside a page: the item with the places of its values, the page type, the time of each stage."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from webcontent.inspect.labels import COLORS, line_counts
from webcontent.inspect.markup import (
    HEADER_FIELDS,
    MAX_CELL,
    PROVENANCE_FIELDS,
    Markup,
    bars,
    cell_text,
    durations,
    join,
    name_of,
    path_tail,
    place_attributes,
    tag,
)
from webcontent.inspect.places import Place
from webcontent.inspect.text import model_label, preparation_lines, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.inspect.inspection import Inspection

MAX_CANDIDATES = 12
"""Candidates of a field."""
MAX_PARTS = 200
"""Parts of a field that is a list."""
FIELDS_WITH_PARTS = frozenset({"body", "entries", "related", "images"})
"""Fields that list their parts, not their candidates."""
LABEL_OF_FIELD = {"entries": "entry", "modified": "time"}
"""Field -> label, where their names differ."""


def item_parts(inspection: Inspection) -> dict[str, str]:
    """What stands beside the page, by its name in the skeleton of the HTML file."""
    item, stages = inspection.item, inspection.stages
    values = {part.name: getattr(item, part.name) for part in fields(item) if part.name not in HEADER_FIELDS}  # people stand together
    found = {name: value for name, value in values.items() if value not in (None, [], "")}
    missing = ", ".join(name for name in values if name not in found and name not in PROVENANCE_FIELDS)
    total_ms = f"{sum(stages.values()):.1f} ms"
    total = tag("tr", tag("th", "total", scope="row"), tag("td"), tag("td", total_ms, class_="number"), class_="sum")
    feed_item = ItemAdapter(item).asdict()
    del feed_item["evidence"]
    return {
        "class_name": type(item).__name__,
        "fields": join(_field(inspection, name, value) for name, value in found.items()),
        "empty": tag("p", f"Not found on the page: {missing}", class_="note") if missing else "",
        "models": bars((model_label(name), share, f"{share:.2f}") for name, share in inspection.page_type.evidence.items())
        or tag("caption", "No model could classify the page.", class_="note"),
        "preparation": _preparation(inspection.document.page.preparation),
        "stages": join((durations(stages, 1), total)),
        "item_json": json.dumps(feed_item, ensure_ascii=False, indent=2, default=str),
    }


def _preparation(report: dict[str, Any]) -> str:
    """The section about what was done to a rendered page before it was read; empty for a page that was not prepared."""
    if not report:
        return ""
    lines = [tag("li", line) for line in preparation_lines(report)]
    done = tag("ul", *lines) if lines else tag("p", "Nothing was hidden, opened or scrolled.", class_="note")
    table = tag("table", durations(report.get("ms", {})), class_="bars")
    return tag("section", tag("h2", "Preparation"), done, table, id="preparation")


def _field(inspection: Inspection, name: str, value: Any) -> Markup:
    """A field with its value. When opened, it lists its parts or its candidates."""
    rows = list(_parts(inspection, name, value) if name in FIELDS_WITH_PARTS else _candidates(inspection, name))
    summary = cell_text(value)
    if name == "body":
        summary = f"{len(value.splitlines())} lines, {len(value):,} characters: {shorten(value, MAX_CELL)}"
    heading = tag("summary", tag("span", name, class_="name"), tag("span", summary, class_="value"))
    details = tag("ol", *rows) if rows else tag("p", "Derived from the whole page.", class_="note")
    label = LABEL_OF_FIELD.get(name, name)
    place = place_attributes(_place_of_field(inspection, name, value))
    return tag("details", heading, details, class_="field", data_field=name, data_label=label if label in COLORS else None, **place)


def _place_of_field(inspection: Inspection, name: str, value: Any) -> Place:
    if name == "body":
        return Place(tuple(_body_blocks(inspection, value)))
    if name in ("entries", "related"):
        return inspection.places.find_texts([part.title for part in value])
    candidates = inspection.item.evidence.get(name, [])
    places = (inspection.places.find(one.xpath) for one in candidates if str(one.value) == str(candidates[0].value))
    return next((place for place in places if any(place)), Place())


def _body_blocks(inspection: Inspection, body: str) -> list[int]:
    """The blocks whose text is in the body, whatever their label is. Of equal texts those count that have the body beside them."""
    counts = line_counts(body)
    blocks_of: defaultdict[str, list[int]] = defaultdict(list)
    for i, text in enumerate(inspection.document.blocks.texts):
        first_line = next(iter(text.splitlines()), "")
        if shown := next((line for line in (text, first_line) if line in counts), None):
            blocks_of[shown].append(i)
    every = {i for blocks in blocks_of.values() for i in blocks}
    chosen: set[int] = set()
    for text, blocks in blocks_of.items():
        nearest = sorted(blocks, key=lambda i: -sum(i + step in every for step in (-2, -1, 1, 2)))
        chosen.update(nearest[: counts[text]])
    return sorted(chosen)


def _candidates(inspection: Inspection, name: str) -> Iterator[Markup]:
    """The candidates of a field; the first is the chosen one."""
    candidates = inspection.item.evidence.get(name, [])
    for rank, candidate in enumerate(candidates[:MAX_CANDIDATES]):
        origin = tag("span", candidate.origin, class_="origin")
        path = tag("code", path_tail(candidate.xpath), title=candidate.xpath) if candidate.xpath else None
        score = tag("span", f"{candidate.score:.2f}", class_="candidate-score") if candidate.score else None
        place = _place_button(inspection.places.find(candidate.xpath), origin, path, score)
        yield tag("li", place, tag("span", cell_text(candidate.value), class_="detail"), class_=None if rank else "chosen")
    yield from _more(len(candidates) - MAX_CANDIDATES)


def _place_button(place: Place, *children: str | None) -> Markup:
    """A button that shows the place; plain text if the place is empty."""
    if not any(place):
        return tag("span", *children, class_="place", title="From the page's metadata; not visible on the page")
    return tag("button", *children, type="button", class_="place", title="Show it on the page", **place_attributes(place))


def _parts(inspection: Inspection, name: str, value: Any) -> Iterator[Markup]:
    """The parts of a field that is a list, each with its place; of the body its text."""
    if name == "body":
        yield tag("li", tag("pre", value), class_="full-text", tabindex=0)
        return
    xpaths = {str(candidate.value): candidate.xpath for candidate in inspection.item.evidence.get(name, [])}
    for part in value[:MAX_PARTS]:
        place = inspection.places.find(xpaths.get(str(part))) if name == "images" else inspection.places.find_texts([part.title])
        details = " · ".join(str(detail) for key, detail in ItemAdapter(part).items() if key != "title" and detail not in (None, ""))
        yield tag("li", _place_button(place, shorten(name_of(part), MAX_CELL)), tag("span", shorten(details, MAX_CELL), class_="detail"))
    yield from _more(len(value) - MAX_PARTS)


def _more(count: int) -> Iterator[Markup]:
    if count > 0:
        yield tag("li", f"and {count} more", class_="note")
