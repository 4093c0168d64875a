"""HTML from values, escaped by construction, and the few forms in which an inspection shows them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter

from webcontent.inspect.inspection import short

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webcontent.inspect.inspection import Place

MAX_TEXT = 600
"""Characters of a block, or of a field's value, that are shown."""
LEFT_OUT = frozenset({"evidence", "body_html", "flags", "score", "type", "kind", "extractor", "page_type_score", "url"})
"""Fields that stand in the page's head, or nowhere."""
MADE = frozenset({"fetched_at", "screenshot", "fingerprint"})
"""Fields that say how the item was made, not what is on the page."""


class Markup(str):
    """Text that is HTML already; all other text is escaped where it is put in."""

    __slots__ = ()


def tag(name: str, /, *children: str | None, **attributes: str | float | bool | None) -> Markup:
    """An element. Trailing underscores of attributes are dropped, others become hyphens; None and False leave an attribute out.

    >>> tag("p", "1 < 2", class_="note", data_b=3)
    '<p class="note" data-b="3">1 &lt; 2</p>'
    """
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    inside = "".join(child if isinstance(child, Markup) else escape(child) for child in children if child is not None)
    return Markup(f"<{name}{told}>" if name in ("img", "input", "meta") else f"<{name}{told}>{inside}</{name}>")


def join(parts: Iterable[str]) -> Markup:
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def bar(share: float) -> Markup:
    """A number from 0 to 1 as a bar."""
    width = round(max(0.0, min(1.0, share)) * 100)
    return tag(
        "svg",
        tag("rect", width=100, height=8, class_="all"),
        tag("rect", width=width, height=8),
        class_="bar",
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def tail(path: str, steps: int = 3) -> str:
    """The last steps of a path.

    >>> tail("/html/body/div[2]/ul/li[3]")
    'div[2] › ul › li[3]'
    """
    return " › ".join(path.split("/")[1:][-steps:])


def clipped(text: str, limit: int = MAX_TEXT) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def brief(value: Any) -> str:
    """A field's value in a cell."""
    if isinstance(value, list):
        told = short(" | ".join(name_of(part) for part in value), 240)
        return f"{len(value)}: {told}" if len(value) > 1 else told
    return short(str(value), 240) if value not in (None, "") else ""


def name_of(part: Any) -> str:
    """What stands for a part of an item: its title, caption or address."""
    if not ItemAdapter.is_item(part):
        return str(part)
    adapter = ItemAdapter(part)
    return str(adapter.get("title") or adapter.get("caption") or adapter.get("url") or "")


def listed(blocks: Iterable[int]) -> str:
    return " ".join(map(str, blocks))


def place_attributes(place: Place) -> dict[str, str]:
    """A place as attributes: blocks, and the rectangle."""
    found = {}
    if place.blocks:
        found["data_b"] = listed(place.blocks)
    if place.rectangle is not None:
        one = place.rectangle
        found["data_at"] = f"{one.x:g} {one.y:g} {one.width:g} {one.height:g}"
    return found
