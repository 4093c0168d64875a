"""The panel beside a page: the pinned block, the item with the places of its values, the page type, the time of each stage."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from webcontent.inspect.inspection import MS_PER_SECOND
from webcontent.inspect.labels import COLORS, line_counts
from webcontent.inspect.markup import (
    HEADER_FIELDS,
    MAX_CELL,
    PROVENANCE_FIELDS,
    Markup,
    bar,
    cell_text,
    clip,
    name_of,
    path_tail,
    place_attributes,
    tag,
)
from webcontent.inspect.places import Place
from webcontent.inspect.preparation import preparation_section
from webcontent.inspect.text import model_label, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.inspect.inspection import Inspection
    from webcontent.items import Candidate

MAX_CANDIDATES = 12
"""Candidates of a field."""
MAX_PARTS = 200
"""Parts of a field that is a list."""
MAX_BODY = 200_000
"""Characters of the body."""
MAX_PART_NAME, MAX_PART_DETAILS = 160, 300
"""Characters of a part of a field."""
FIELDS_WITH_PARTS = frozenset({"body", "entries", "related", "images"})
"""Fields that list their parts, not their candidates."""
LABEL_OF_FIELD = {"entries": "entry", "modified": "time"}
"""Field -> label, where their names differ."""


def item_panel(inspection: Inspection) -> Markup:
    """The panel as an `aside` element."""
    unpin = tag("button", "×", type="button", id="unpin", aria_label="Unpin the block")
    block = tag(
        "section",
        tag("div", tag("h2", "Block"), unpin, class_="top"),
        tag("div", id="pinned"),
        id="block",
        hidden=True,
        aria_label="The pinned block",
    )
    prepared = preparation_section(inspection.document.page.preparation)
    sections = (block, _item(inspection), _type(inspection), prepared, _times(inspection), _json_section(inspection))
    return tag("aside", *sections, aria_label="Item")


def _item(inspection: Inspection) -> Markup:
    item = inspection.item
    values = {part.name: getattr(item, part.name) for part in fields(item) if part.name not in HEADER_FIELDS}  # people stand together
    rows = [_field(inspection, name, value) for name, value in values.items() if value not in (None, [], "")]
    empty = [name for name, value in values.items() if value in (None, [], "") and name not in PROVENANCE_FIELDS]
    parts = [tag("h2", type(item).__name__), tag("p", "Open a field to see where its value was found.", class_="note keys"), *rows]
    if empty:
        parts.append(tag("p", f"Not found on the page: {', '.join(empty)}", class_="note"))
    return tag("section", *parts, id="item")


def _field(inspection: Inspection, name: str, value: Any) -> Markup:
    """A field with its value. When opened, it lists its parts or its candidates."""
    rows = list(_parts(inspection, name, value) if name in FIELDS_WITH_PARTS else _candidates(inspection, name))
    heading = tag("summary", tag("span", name, class_="name"), tag("span", _summary(name, value), class_="value"))
    details = tag("ol", *rows) if rows else tag("p", "Derived from the whole page.", class_="note")
    label = LABEL_OF_FIELD.get(name, name)
    place = _place_of_field(inspection, name, value)
    label_attribute = label if label in COLORS else None
    return tag("details", heading, details, class_="field", data_field=name, data_label=label_attribute, **place_attributes(place))


def _summary(name: str, value: Any) -> str:
    """The value of a field in one line."""
    if name == "body":
        return f"{len(value.splitlines())} lines, {len(value):,} characters: {shorten(value, MAX_CELL)}"
    return cell_text(value)


def _place_of_field(inspection: Inspection, name: str, value: Any) -> Place:
    """Where a field's value is on the page."""
    if name == "body":
        return Place(tuple(_body_blocks(inspection, value)))
    if name in ("entries", "related"):
        return inspection.places.find_texts([part.title for part in value])
    candidates = inspection.item.evidence.get(name, [])
    best = str(candidates[0].value) if candidates else None
    places = (inspection.places.find(candidate.xpath) for candidate in candidates if str(candidate.value) == best)
    return next((place for place in places if place.blocks or place.rectangle), Place())


def _body_blocks(inspection: Inspection, body: str) -> Iterator[int]:
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
    yield from sorted(chosen)


def _candidates(inspection: Inspection, name: str) -> Iterator[Markup]:
    """The candidates of a field; the first is the chosen one."""
    candidates = inspection.item.evidence.get(name, [])
    for rank, candidate in enumerate(candidates[:MAX_CANDIDATES]):
        yield _candidate(inspection, candidate, is_chosen=rank == 0)
    yield from _more(len(candidates) - MAX_CANDIDATES)


def _candidate(inspection: Inspection, candidate: Candidate, *, is_chosen: bool) -> Markup:
    origin = tag("span", candidate.origin, class_="origin")
    path = tag("code", path_tail(candidate.xpath), title=candidate.xpath) if candidate.xpath else None
    score = tag("span", f"{candidate.score:.2f}", class_="candidate-score") if candidate.score else None
    place = _place_button(inspection.places.find(candidate.xpath), origin, path, score)
    return tag("li", place, tag("span", cell_text(candidate.value), class_="detail"), class_="chosen" if is_chosen else None)


def _place_button(place: Place, *children: str | None) -> Markup:
    """A button that shows the place; plain text if the place is empty."""
    attributes = place_attributes(place)
    if not attributes:
        return tag("span", *children, class_="place", title="From the page's metadata; not visible on the page")
    return tag("button", *children, type="button", class_="place", title="Show it on the page", **attributes)


def _parts(inspection: Inspection, name: str, value: Any) -> Iterator[Markup]:
    """The parts of a field that is a list, each with its place; of the body its text."""
    if name == "body":
        yield tag("li", tag("pre", clip(value, MAX_BODY)), class_="full-text", tabindex=0)
        return
    xpaths = {str(candidate.value): candidate.xpath for candidate in inspection.item.evidence.get(name, [])}
    for part in value[:MAX_PARTS]:
        place = inspection.places.find(xpaths.get(str(part))) if name == "images" else inspection.places.find_texts([part.title])
        details = [str(detail) for key, detail in ItemAdapter(part).items() if key != "title" and detail not in (None, "")]
        text = shorten(" · ".join(details), MAX_PART_DETAILS)
        yield tag("li", _place_button(place, shorten(name_of(part), MAX_PART_NAME)), tag("span", text, class_="detail"))
    yield from _more(len(value) - MAX_PARTS)


def _more(count: int) -> Iterator[Markup]:
    """The number of rows that are not shown, if there are any."""
    if count > 0:
        yield tag("li", f"and {count} more", class_="note")


def _type(inspection: Inspection) -> Markup:
    rows = [
        tag("tr", tag("th", model_label(name), scope="row"), tag("td", bar(share)), tag("td", f"{share:.2f}", class_="number"))
        for name, share in inspection.page_type.evidence.items()
    ]
    table = tag("table", *rows, class_="bars") if rows else tag("p", "No model could classify the page.", class_="note")
    note = tag("p", "Probability that the page is an article, by the part of the page that a model looks at.", class_="note")
    return tag("section", tag("h2", "Page type"), note, table, id="type")


def _times(inspection: Inspection) -> Markup:
    stages = inspection.stages
    longest = max(stages.values())
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", bar(ms / longest if longest else 0)), tag("td", f"{ms:.1f} ms", class_="number"))
        for name, ms in stages.items()
    ]
    total = f"{sum(stages.values()):.1f} ms"
    rows.append(tag("tr", tag("th", "total", scope="row"), tag("td"), tag("td", total, class_="number"), class_="sum"))
    note = f"Without opening the models, which took {inspection.loading_ms:.0f} ms and happens once per process."
    if inspection.fetching_ms is not None:
        note += f" Fetching the page took {inspection.fetching_ms / MS_PER_SECOND:.1f} s, including the start of the browser."
    return tag("section", tag("h2", "Time"), tag("table", *rows, class_="bars"), tag("p", note, class_="note"), id="times")


def _json_section(inspection: Inspection) -> Markup:
    """The item as a feed contains it."""
    item = ItemAdapter(inspection.item).asdict()
    del item["evidence"]
    text = json.dumps(item, ensure_ascii=False, indent=2, default=str)
    return tag("section", tag("details", tag("summary", "Item as JSON"), tag("pre", text), id="json"))
