"""The golden pages: what is in their folders, and what the package makes of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import webcontent

HERE = Path(__file__).parent
KNOWN_FAULTS = HERE / "known_faults"
FIELDS = (
    "type", "title", "time", "modified", "source", "authors", "body", "related", "images", "entries", "next_page", "language", "canonical_url", "flags",
)  # fmt: skip
"""What is compared, in this order; the other fields say how the item was made."""


def folders() -> list[Path]:
    """All golden pages that are expected to be right."""
    return sorted(path.parent for path in HERE.glob("*/expected.json"))


def known_faults() -> list[Path]:
    """Pages that come out wrong; `fault.json` says which fields, and why."""
    return sorted(path.parent for path in KNOWN_FAULTS.glob("*/expected.json"))


def expected(folder: Path) -> dict[str, Any]:
    """What the page shows, typed by a person."""
    loaded: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return loaded


def extracted(folder: Path) -> dict[str, Any]:
    """The fields that the package finds on the page; empty ones are left out."""
    known = expected(folder)
    item = webcontent.extract((folder / "page.html").read_bytes(), url=known["url"], fetched_at=known["fetched_at"])
    return {name: value for name in FIELDS if (value := without_blanks(asdict(item).get(name)))}


def without_blanks(value: Any) -> Any:
    """Without keys that have no value, at any depth."""
    if isinstance(value, dict):
        return {key: kept for key, item in value.items() if (kept := without_blanks(item))}
    return [without_blanks(item) for item in value] if isinstance(value, list) else value
