"""Removes control characters and changes of direction from the texts of an item."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from webcontent.printable import without_controls

if TYPE_CHECKING:
    from webcontent.items import Article, Listing


def remove_controls(item: Article | Listing) -> None:
    """Cleans all texts of an item and its candidates, whose origins may quote a heading; `item` is updated inline."""
    for name, value in _changed(item).items():
        setattr(item, name, value)


@lru_cache(maxsize=100)
def _names_of_fields(cls: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))


def _changed(value: Any) -> dict[str, Any]:
    """The fields of a dataclass object that hold control characters, without them."""
    cls: Any = type(value)
    return {name: new for name in _names_of_fields(cls) if (new := _cleaned(old := getattr(value, name))) is not old}


def _cleaned(value: Any) -> Any:
    """The value without control characters; the same object where it has none."""
    if isinstance(value, str):
        return without_controls(value)
    if isinstance(value, list):
        parts = [_cleaned(part) for part in value]
        return value if all(new is old for new, old in zip(parts, value, strict=True)) else parts
    if isinstance(value, dict):
        values = {name: _cleaned(part) for name, part in value.items()}
        return value if all(new is value[name] for name, new in values.items()) else values
    if is_dataclass(value) and not isinstance(value, type):
        changed = _changed(value)
        return replace(value, **changed) if changed else value
    return value
