"""Removes control characters and changes of direction from the texts of an item."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from webcontent.items import Candidate
from webcontent.printable import without_controls

if TYPE_CHECKING:
    from webcontent.items import Article, Listing


def remove_controls(item: Article | Listing) -> None:
    """Cleans all texts of an item and its candidates; `item` is updated inline."""
    item_class: Any = type(item)
    for name in _names_of_fields(item_class):
        value = getattr(item, name)
        if isinstance(value, (str, list, dict)) and (cleaned := _cleaned(value)) is not value:
            setattr(item, name, cleaned)


@lru_cache(maxsize=100)
def _names_of_fields(cls: type) -> tuple[str, ...]:
    """Names of the fields of a dataclass."""
    return tuple(field.name for field in fields(cls))


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
    if isinstance(value, Candidate):
        # An origin may quote a heading, and a path the name of any element.
        cleaned, origin, xpath = _cleaned(value.value), without_controls(value.origin), _cleaned(value.xpath)
        is_clean = cleaned is value.value and origin is value.origin and xpath is value.xpath
        return value if is_clean else replace(value, value=cleaned, origin=origin, xpath=xpath)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {name: new for name in _names_of_fields(type(value)) if (new := _cleaned(old := getattr(value, name))) is not old}
        return replace(value, **changed) if changed else value
    return value
