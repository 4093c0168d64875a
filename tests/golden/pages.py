"""The golden pages: the content of their folders, and the items that the package makes of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import webcontent

HERE = Path(__file__).parent
KNOWN_FAULTS = HERE / "known_faults"
FIELDS = (
    "type", "title", "time", "modified", "source", "publisher", "authors", "editors", "body", "related", "images", "entries", "next_page", "language", "canonical_url", "flags",
)  # fmt: skip
"""The fields that are compared, in this order. The others describe how the item was made."""


def folders() -> list[Path]:
    """All golden pages that are expected to be right."""
    return sorted(path.parent for path in HERE.glob("*/expected.json"))


def known_faults() -> list[Path]:
    """Pages whose items are wrong; `fault.json` holds the wrong fields and the reasons."""
    return sorted(path.parent for path in KNOWN_FAULTS.glob("*/expected.json"))


def expected(folder: Path) -> dict[str, Any]:
    """The content of the page, typed by a person."""
    loaded: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return loaded


def extracted(folder: Path) -> dict[str, Any]:
    """The fields that the package extracts from the page, without empty ones."""
    known = expected(folder)
    item = webcontent.extract((folder / "page.html").read_bytes(), url=known["url"], fetched_at=known["fetched_at"])
    return {name: value for name in FIELDS if (value := without_blanks(asdict(item).get(name)))}


def without_blanks(value: Any) -> Any:
    """The value without empty keys, at any depth."""
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if (kept := without_blanks(item))}
    return [without_blanks(item) for item in value] if isinstance(value, list) else value
