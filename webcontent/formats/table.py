"""The types of the fields of items, as tables know them."""

from __future__ import annotations

from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints


def column_types(item_class: type) -> dict[str, type]:
    """The fields of an item class, in their order, each with its plain type: str, int, float, bool, list or dict."""
    annotations = get_type_hints(item_class)
    return {field.name: plain_type(annotations[field.name]) for field in fields(item_class)}


def plain_type(annotation: Any) -> type:
    """The class of an annotation's values: `X | None` is X, and `list[X]` is list.

    >>> plain_type(int | None), plain_type(list[str])
    (<class 'int'>, <class 'list'>)
    """
    plain: type = get_origin(whole := without_none(annotation)) or whole
    return plain


def without_none(annotation: Any) -> Any:
    """X of `X | None`, and any other annotation as it is."""
    parts = get_args(annotation)
    return next(part for part in parts if part is not NoneType) if NoneType in parts else annotation
