"""What stands beside a page: the pinned block, the item with where each value was seen, the page's type, the time of each stage."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from webcontent.inspect.inspection import COLORS, Place, body_lines, part_name, short
from webcontent.inspect.markup import LEFT_OUT, MADE, Markup, bar, brief, clipped, name_of, place_attributes, tag, tail
from webcontent.items import schema_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.inspect.inspection import Inspection
    from webcontent.items import Candidate

MAX_CANDIDATES = 12
"""Of a field."""
MAX_LINKS = 200
"""Of a field that is a list."""
OWN_SECTIONS = frozenset({"body", "entries", "related", "images"})
"""Fields whose values are listed one by one."""


def aside(inspection: Inspection) -> Markup:
    closing = tag("button", "×", type="button", id="unpin", aria_label="Let go of the block")
    block = tag(
        "section",
        tag("div", tag("h2", "Block"), closing, class_="top"),
        tag("div", id="pinned"),
        id="block",
        hidden=True,
        aria_label="The pinned block",
    )
    return tag("aside", block, _item(inspection), _type(inspection), _times(inspection), _raw(inspection), aria_label="Item")


def _item(inspection: Inspection) -> Markup:
    item = inspection.item
    names = [name for name in schema_of(type(item)) if name not in LEFT_OUT]
    values = {name: getattr(item, name) for name in names}
    shown = [_field(inspection, name, value) for name, value in values.items() if value not in (None, [], "")]
    absent = [name for name, value in values.items() if value in (None, [], "") and name not in MADE]
    parts = [tag("h2", type(item).__name__), tag("p", "Open a field to see where it came from.", class_="note keys"), *shown]
    if absent:
        parts.append(tag("p", f"Not on the page: {', '.join(absent)}", class_="note"))
    return tag("section", *parts, id="item")


def _field(inspection: Inspection, name: str, value: Any) -> Markup:
    """A field: its value; opened, where it and the values that lost were seen."""
    candidates = inspection.item.evidence.get(name, [])
    seen = [_candidate(inspection, name, candidate, is_taken=not number) for number, candidate in enumerate(candidates[:MAX_CANDIDATES])]
    if name in OWN_SECTIONS:
        seen = list(_parts(inspection, name, value))
    if len(candidates) > MAX_CANDIDATES and name not in OWN_SECTIONS:
        seen.append(tag("li", f"and {len(candidates) - MAX_CANDIDATES} more", class_="note"))
    count = len(value.splitlines()) if name == "body" else 0
    told = f"{count} lines, {len(value):,} characters: {short(value, 240)}" if name == "body" else brief(value)
    place = _place_of_field(inspection, name, value)
    summary = tag("summary", tag("span", name, class_="name"), tag("span", told, class_="value"))
    evidence = tag("ol", *seen) if seen else tag("p", "Worked out from the page as a whole.", class_="note")
    return tag("details", summary, evidence, class_="field", data_field=name, data_label=_label_of_field(name), **place_attributes(place))


def _label_of_field(name: str) -> str | None:
    label = {"entries": "entry", "modified": "time"}.get(name, name)
    return label if label in COLORS else None


def _place_of_field(inspection: Inspection, name: str, value: Any) -> Place:
    """Where a field's value stands on the page."""
    if name == "body":
        lines = body_lines(value)
        texts = enumerate(inspection.document.blocks.texts)
        return Place(tuple(i for i, text in texts if inspection.labels[i] == "body" and (text in lines or text.splitlines()[0] in lines)))
    if name in ("entries", "related"):
        return inspection.seen_at([part.title for part in value])
    candidates = inspection.item.evidence.get(name, [])
    best = str(candidates[0].value) if candidates else None
    on_page = (inspection.place(candidate.xpath) for candidate in candidates if str(candidate.value) == best)
    return next((place for place in on_page if place.blocks or place.rectangle), Place())


def _candidate(inspection: Inspection, name: str, candidate: Candidate, *, is_taken: bool) -> Markup:
    place = inspection.place(candidate.xpath)
    value = brief(candidate.value)
    seen = tag("span", candidate.origin, class_="origin")
    where = tag("code", tail(candidate.xpath), title=candidate.xpath) if candidate.xpath else None
    score = tag("span", f"{candidate.score:.2f}", class_="points") if candidate.score else None
    return tag("li", _seen_button(place, seen, where, score), tag("span", value, class_="said"), class_="taken" if is_taken else None)


def _seen_button(place: Place, *children: str | None) -> Markup:
    """What shows a place when it is pressed; nothing to press where the page shows none."""
    at = place_attributes(place)
    if not at:
        return tag("span", *children, class_="seen", title="In the page's metadata; nothing that the page shows")
    return tag("button", *children, type="button", class_="seen", title="Show it on the page", **at)


def _parts(inspection: Inspection, name: str, value: Any) -> Iterator[Markup]:
    """The values of a field that is a list, each with its place."""
    if name == "body":
        yield tag("li", tag("pre", clipped(value, 200_000)), class_="whole", tabindex=0)
        return
    places = {str(candidate.value): candidate.xpath for candidate in inspection.item.evidence.get(name, [])}
    for part in value[:MAX_LINKS]:
        place = inspection.place(places.get(str(part))) if name == "images" else inspection.seen_at([part.title])
        told = [str(part_value) for key, part_value in ItemAdapter(part).items() if key != "title" and part_value not in (None, "")]
        yield tag("li", _seen_button(place, short(name_of(part), 160)), tag("span", short(" · ".join(told), 300), class_="said"))
    if len(value) > MAX_LINKS:
        yield tag("li", f"and {len(value) - MAX_LINKS} more", class_="note")


def _type(inspection: Inspection) -> Markup:
    page_type = inspection.page_type
    rows = [
        tag("tr", tag("th", part_name(name), scope="row"), tag("td", bar(share)), tag("td", f"{share:.2f}", class_="number"))
        for name, share in page_type.evidence.items()
    ]
    told = tag("table", *rows, class_="bars") if rows else tag("p", "Nothing on the page could be judged.", class_="note")
    note = tag("p", "Probability that the page is an article, by what was looked at.", class_="note")
    return tag("section", tag("h2", "Page type"), note, told, id="type")


def _times(inspection: Inspection) -> Markup:
    stages = inspection.stages
    total = max(sum(stages.values()), 1e-9)
    longest = max(stages.values())
    rows = [
        tag("tr", tag("th", name, scope="row"), tag("td", bar(ms / longest if longest else 0)), tag("td", f"{ms:.1f} ms", class_="number"))
        for name, ms in stages.items()
    ]
    rows.append(tag("tr", tag("th", "together", scope="row"), tag("td"), tag("td", f"{total:.1f} ms", class_="number"), class_="sum"))
    note = f"With open models; opening them took {inspection.loading_ms:.0f} ms, once a process."
    if inspection.fetching_ms is not None:
        note += f" The page was there after {inspection.fetching_ms / 1000:.1f} s, the start of a browser included."
    return tag("section", tag("h2", "Time"), tag("table", *rows, class_="bars"), tag("p", note, class_="note"), id="times")


def _raw(inspection: Inspection) -> Markup:
    """The item as a feed has it."""
    found = ItemAdapter(inspection.item).asdict()
    del found["evidence"]
    text = json.dumps(found, ensure_ascii=False, indent=2, default=str)
    return tag("section", tag("details", tag("summary", "The item as JSON"), tag("pre", text), id="raw"))
