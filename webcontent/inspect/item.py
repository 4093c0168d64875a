"""The parts beside a page: the item with the places of its values, the page type, the time of each stage."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from webcontent.inspect.markup import (
    HEADER_FIELDS,
    MAX_CELL,
    PROVENANCE_FIELDS,
    Markup,
    bars,
    cell_text,
    join,
    name_of,
    numbers,
    path_tail,
    tag,
)
from webcontent.inspect.places import LABEL_OF_FIELD, SHOWN
from webcontent.inspect.text import MAX_ROWS, model_label, preparation_lines, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.inspect.inspection import Inspection
    from webcontent.inspect.places import Place


def item_parts(inspection: Inspection) -> dict[str, str]:
    """What stands beside the page, by its name in the skeleton of the HTML file."""
    item, stages = inspection.result.item, inspection.stages
    values = {part.name: getattr(item, part.name) for part in fields(item) if part.name not in HEADER_FIELDS}  # people stand together
    found = {name: value for name, value in values.items() if value not in (None, [], "")}
    missing = ", ".join(name for name in values if name not in found and name not in PROVENANCE_FIELDS)
    feed_item = ItemAdapter(item).asdict()
    del feed_item["evidence"]
    return {
        "class_name": type(item).__name__,
        "fields": join(_field(inspection, name, value) for name, value in found.items()),
        "empty": tag("p", f"Not found on the page: {missing}", class_="note") if missing else "",
        "models": bars((model_label(name), share, f"{share:.2f}") for name, share in inspection.page_type.evidence.items())
        or tag("caption", "No model could classify the page.", class_="note"),
        "preparation": _preparation(inspection.document.page.preparation),
        "stages": _durations({**stages, "total": sum(stages.values())}),
        "item_json": json.dumps(feed_item, ensure_ascii=False, indent=2, default=str),
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
    """The candidates of a field; the first is the chosen one."""
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
    """A part of a field that is a list, with its place."""
    place = inspection.places.find_texts([name_of(part)])
    details = " · ".join(str(detail) for key, detail in ItemAdapter(part).items() if key != "title" and detail not in (None, ""))
    return tag("li", _place_button(place, shorten(name_of(part), MAX_CELL)), tag("span", shorten(details, MAX_CELL), class_="detail"))
