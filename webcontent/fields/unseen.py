"""Removes control characters and changes of direction from the texts of an item."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from operator import is_not
from typing import Any

from webcontent.printable import without_unseen


def without_unseen_characters(value: Any) -> Any:
    """An item or a part of one without control characters, also in its candidates, whose origins may quote a heading.

    The same object where it has none.
    """
    if isinstance(value, str):
        return without_unseen(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, list):
        parts = list(map(without_unseen_characters, value))
        return parts if any(map(is_not, parts, value)) else value
    if isinstance(value, dict):
        changed = {name: new for name, old in value.items() if (new := without_unseen_characters(old)) is not old}
        return value | changed if changed else value
    if is_dataclass(value) and not isinstance(value, type):
        names = type(value).__dataclass_fields__
        changed = {name: new for name in names if (new := without_unseen_characters(old := getattr(value, name))) is not old}
        return replace(value, **changed) if changed else value
    return value
