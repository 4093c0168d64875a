"""Counts over the items of a crawl, for its report: types, sites, missing fields, scores, times."""

from __future__ import annotations

import re
from bisect import insort
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from webcontent.addresses import site_of
from webcontent.inspect.items.files import read_items

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = 20
"""Items with the lowest scores that are kept."""
COUNTED = {
    "article": ("title", "time", "source", "authors", "body", "images", "language", "related", "canonical_url"),
    "list": ("title", "entries", "next_page", "language"),
}
"""Fields by page type that are counted where they are missing."""
_TIME = re.compile(r"[^T]{10}T([01]\d|2[0-3])", re.ASCII)
"""An ISO 8601 time with its hour."""


class ItemCounts:
    """Counts over items. Memory grows with the number of sites, not with the number of items."""

    def __init__(self) -> None:
        self.items = self.broken_lines = 0
        """Lines that are not items."""
        self.by: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """Items by type, kind, language, flag, extractor and score."""
        self.sites: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        """By site: items of each type, those that are "flagged", the sum of the "score", the fields that articles lack."""
        self.missing: dict[str, Counter[str]] = {"article": Counter(), "list": Counter()}
        self.fetched: tuple[str, str] | None = None
        """First and last time of fetching."""
        self.lowest: list[tuple[float, int, dict[str, Any]]] = []
        """The EXAMPLES items with the lowest scores: score, number, item; lowest first."""

    def read(self, path: Path) -> None:
        """Adds the items of a file. Raises OSError, and ValueError if the content can't be read."""
        for item in read_items(path):
            if item is None:
                self.broken_lines += 1
            else:
                self.add(item)

    def add(self, item: dict[str, Any]) -> None:
        """Adds an item, given as its JSON object. Wrong values count as missing."""
        self.items += 1
        page_type = "list" if item.get("type") == "list" else "article"
        score, flags = number_of(item.get("score")), flags_of(item)
        for name in ("kind", "language", "extractor"):
            self.by[name][str(item.get(name) or "none")] += 1
        self.by["type"][page_type] += 1
        self.by["flag"].update(flags)
        self.by["score"][f"{score:.1f}"] += 1
        missing = [name for name in COUNTED[page_type] if not item.get(name)]
        if "source" in missing and item.get("publisher"):
            missing[missing.index("source")] = "source (publisher known)"
        self.missing[page_type].update(missing)
        site = self.sites[site_of(str(item.get("url") or "")) or "no URL"]
        for name in (page_type, *(missing if page_type == "article" else ()), *(["flagged"] if flags else [])):
            site[name] += 1
        site["score"] += score
        if _TIME.match(fetched := str(item.get("fetched_at"))):
            first, last = self.fetched or (fetched, fetched)
            self.fetched = min(first, fetched), max(last, fetched)
        insort(self.lowest, (score, self.items, item))
        del self.lowest[EXAMPLES:]


def flags_of(item: dict[str, Any]) -> list[str]:
    """The flags of an item; none where they are not a list."""
    flags = item.get("flags")
    return [str(flag) for flag in flags] if isinstance(flags, list) else []


def number_of(value: Any) -> float:
    """A score, limited to 0 to 1; 0 for what is not a number."""
    try:
        return min(1.0, max(0.0, float(value)))
    except (TypeError, ValueError, OverflowError):
        return 0.0
