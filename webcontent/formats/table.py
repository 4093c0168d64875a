"""The columns of items in tables: the plain types of their fields, and what databases and Arrow call them."""

from __future__ import annotations

import csv
import re
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin, get_type_hints

from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class ColumnType(NamedTuple):
    """The names of a type. Lists and dicts are JSON in databases; Arrow has types for what they hold."""

    sqlite: str
    postgres: str
    arrow: str = ""


TABLES: dict[type, str] = {Article: "articles", Listing: "lists"}
"""Class of items -> its table in a database. Subclasses share it."""
COLUMN_TYPES = {
    str: ColumnType("text", "text", "string"),
    int: ColumnType("integer", "bigint", "int32"),
    bool: ColumnType("integer", "boolean", "bool"),
    float: ColumnType("real", "double precision", "double"),
    list: ColumnType("text", "jsonb"),
    dict: ColumnType("text", "jsonb"),
}
"""Plain type of a field -> the types of its column."""


MAX_CELL = 64_000_000
"""Characters of a cell, and bytes of a line; longer ones were not written by us."""
_SIGNS = "[-=+@\uff0b\uff0d\uff1d\uff20]"
"""With which formulas begin, in both widths."""
_BLANK_STARTS = ("\t", "\r")
"""Blanks at the beginning of a cell that some programs skip."""
_FORMULA = re.compile(rf"""((?:^|[;|\t\r\n])[\s"]*)(?='*{_SIGNS})""")
_GUARD = re.compile(rf"""((?:^|[;|\t\r\n])[\s"]*)'(?='*{_SIGNS})""")
_FORMULA_IN_JSON = re.compile(rf"""([;|"]\s*)({_SIGNS})""")


def table_of(item: Any) -> str:
    """The table of an item in a database: that of its class, or of a class of ours above it."""
    ours = (table for item_class, table in TABLES.items() if isinstance(item, item_class))
    return next(ours, "items_" + re.sub(r"\W", "_", type(item).__name__.lower()))


@cache
def column_types(item_class: type) -> Mapping[str, ColumnType]:
    """The fields of a class of items, in their order, each with the types of its column. Fields of other types are texts.

    Those of a class whose annotations can't be read, such as names imported for type checkers alone, are those of the class above it.
    """
    try:
        annotations = {name: without_none(annotation) for name, annotation in get_type_hints(item_class).items()}
    except NameError:
        return column_types(item_class.__mro__[1])
    return {name: COLUMN_TYPES.get(get_origin(annotation) or annotation, COLUMN_TYPES[str]) for name, annotation in annotations.items()}


def guarded(text: str) -> str:
    """A text for a cell of CSV, with an apostrophe wherever a program would see a formula begin.

    That may be inside of the cell: a program that splits lines at semicolons, tabs or bars takes no notice of its quotes.

    >>> guarded("=1+1"), guarded("The plan; =1+1"), guarded("5-3 = 2")
    ("'=1+1", "The plan; '=1+1", '5-3 = 2')
    """
    text = _FORMULA.sub(r"\1'", text)
    return f"'{text}" if text.lstrip("'").startswith(_BLANK_STARTS) else text


def unguarded(text: str) -> str:
    """The text that `guarded` was given."""
    return _GUARD.sub(r"\1", text[1:] if text[:1] == "'" and text.lstrip("'").startswith(_BLANK_STARTS) else text)


def rows_of_csv(lines: Iterable[str], names: Sequence[str] | None = None) -> Iterator[dict[str, str]]:
    """The rows of a CSV file of ours, without guards. `names`: of its columns; None if they are the first row. Raises csv.Error."""
    before = csv.field_size_limit(MAX_CELL)
    try:
        for row in csv.DictReader(lines, names):
            yield {name: unguarded(text) for name, text in row.items() if isinstance(name, str) and isinstance(text, str)}
    finally:
        csv.field_size_limit(before)


def guarded_json(text: str) -> str:
    """The same for a text of JSON, whose strings have other ways to write a character.

    >>> guarded_json('["=1", -1]')
    '["\\\\u003d1", -1]'
    """
    return _FORMULA_IN_JSON.sub(lambda match: f"{match[1]}\\u{ord(match[2]):04x}", text)


def without_none(annotation: Any) -> Any:
    """X of `X | None`, and any other annotation as it is.

    >>> without_none(int | None), without_none(str)
    (<class 'int'>, <class 'str'>)
    """
    parts = get_args(annotation)
    return next(part for part in parts if part is not NoneType) if NoneType in parts else annotation
