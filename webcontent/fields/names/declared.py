"""Names that a page declares in JSON-LD, in meta elements, in its title element and in its address."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from webcontent.document.declared import OTHER
from webcontent.fields.names.people import MAX_NAME_CHARS, names_of
from webcontent.fields.page_signals import collapse
from webcontent.fields.titles.site_names import tail_of_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.document.declared import Row
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

_SITE = ("site_alias", "publisher", "site")
_ORGANIZATIONS = ("source", *_SITE)
_FIELDS = ("authors", "editors", *_ORGANIZATIONS)


class DeclaredName(NamedTuple):
    """A name that the page declares."""

    text: str
    origin: str
    field: str
    """authors, editors, source, site, or title: of the title element."""
    is_person: bool = True
    """Whether it is no declared organization."""
    position: int = 0
    """Its place among the names of its origin."""
    object: int = 0
    """The number of the JSON-LD object."""


def declared_names(signals: PageSignals, anchor: TitleAnchor) -> list[DeclaredName]:
    """All declared names, those of people first; a text that holds several gives each of them."""
    rows = [row for field in _FIELDS for row in signals.declared.rows(field) if row.field not in _ORGANIZATIONS or row.position == 0]
    found: list[DeclaredName] = []
    for (origin, number), group in groupby(sorted(rows, key=_reading_order), key=lambda row: (row.origin, row.object)):
        found += _declared_at(origin, number, list(group))
    if anchor.key and (tail := tail_of_title(signals.document.title or "", anchor.key)):
        found.append(DeclaredName(tail, "title", "title"))
    return [name for name in found if 1 < len(name.text) <= MAX_NAME_CHARS]


def _reading_order(row: Row) -> tuple[int, int]:
    """JSON-LD of each object, then meta elements, then what the site calls itself."""
    if row.field in _SITE:
        return 2 + row.is_json_ld * _SITE.index(row.field), 0
    return (0, row.object) if row.is_json_ld else (1, 0)


def _declared_at(origin: str, number: int, rows: list[Row]) -> Iterator[DeclaredName]:
    """The names that stand in one place."""
    if rows[0].field in _ORGANIZATIONS:
        for row in rows if number != OTHER or rows[0].field == "site" else ():
            field = "site" if row.field in _SITE else row.field
            yield DeclaredName(collapse(row.value), origin, field, object=0 if row.field in _SITE else number)
        return
    names = [(name, row.is_person) for row in rows for name in names_of(row.value)]
    for place, (name, is_person) in enumerate(names):
        yield DeclaredName(name, origin, rows[0].field, is_person, place, number)
