"""The columns of items in tables: the plain types of their fields, and what databases and Arrow call them."""

from __future__ import annotations

from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from webcontent.items import Article, Listing


class ColumnType(NamedTuple):
    """The names of a type. Lists and dicts are JSON in databases; Arrow has types for what they hold."""

    sqlite: str
    postgres: str
    arrow: str = ""


TABLES: dict[type, str] = {Article: "articles", Listing: "lists"}
"""Class of items -> its table in a database."""
COLUMN_TYPES = {
    str: ColumnType("text", "text", "string"),
    int: ColumnType("integer", "bigint", "int32"),
    bool: ColumnType("integer", "boolean", "bool"),
    float: ColumnType("real", "double precision", "double"),
    list: ColumnType("text", "jsonb"),
    dict: ColumnType("text", "jsonb"),
}
"""Plain type of a field -> the types of its column."""


def column_types(item_class: type) -> dict[str, ColumnType]:
    """The fields of an item class, in their order, each with the types of its column."""
    annotations = {name: without_none(annotation) for name, annotation in get_type_hints(item_class).items()}
    return {name: COLUMN_TYPES[get_origin(annotation) or annotation] for name, annotation in annotations.items()}


def without_none(annotation: Any) -> Any:
    """X of `X | None`, and any other annotation as it is.

    >>> without_none(int | None), without_none(str)
    (<class 'int'>, <class 'str'>)
    """
    parts = get_args(annotation)
    return next(part for part in parts if part is not NoneType) if NoneType in parts else annotation
