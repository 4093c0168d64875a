"""The regression check, `scrapy extract --check DIR`: where today's items of saved pages differ from their saved items.

This module needs no Scrapy.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from webcontent.items import DERIVED, Article, Listing, schema_of
from webcontent.pipeline import page_item
from webcontent.saved_pages.archive import as_json, is_checked, load_item, load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from webcontent.pipeline import Options

FIELDS = frozenset(schema_of(Article, Listing))
NOT_COMPARED = DERIVED | {"url"}
"""Fields that extraction does not decide."""
MAX_LINES = 6
_FIELD = "{:<14}{:>7}{:>7}{:>8}"
_WORD = re.compile(r"[!-~]+|[^\x00-\x7f\s]")
"""A run of ASCII characters, or a single other character."""


@dataclass(slots=True)
class PageCheck:
    """The comparison of a saved page's item with today's."""

    name: str
    is_checked: bool = False
    """Whether a user checked or corrected the saved item."""
    compared: list[str] = field(default_factory=list)
    """The fields that are in item.json."""
    differences: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    """The saved value and today's of each field in which they differ."""
    error: str = ""

    @property
    def has_passed(self) -> bool:
        return not self.differences and not self.error


def check_folder(folder: Path, options: Options) -> Iterator[PageCheck]:
    """Checks every saved page of a folder. A file that can't be read is an error of its page, and is not raised.

    Raises ModelError for missing or damaged models.
    """
    for place in saved_pages(folder):
        try:
            saved, page, was_checked = load_item(place), load_page(place), is_checked(place)
        except (OSError, ValueError) as error:
            yield PageCheck(place.name, error=str(error))
            continue
        if unknown := sorted(set(saved) - FIELDS):
            accepted = ", ".join(sorted(FIELDS - DERIVED))
            yield PageCheck(place.name, error=f"item.json has the field {unknown[0]!r}; items have {accepted}.")
            continue
        now = as_json(page_item(page, options))
        compared = [name for name in saved if name not in NOT_COMPARED]
        differences = {name: (saved[name], now.get(name)) for name in compared if not is_same(saved[name], now.get(name))}
        yield PageCheck(place.name, was_checked, compared, differences)


def is_same(saved: Any, now: Any) -> bool:
    """Whether two values are the same. White space is ignored, all empty values are equal, and of an object only saved keys count.

    >>> is_same("a  b ", "a b"), is_same(None, []), is_same([{"title": "a"}], [{"title": "a", "url": "/a"}])
    (True, True, True)
    """
    if isinstance(saved, dict) and isinstance(now, dict):
        return all(is_same(value, now.get(key)) for key, value in saved.items())
    if isinstance(saved, list) and isinstance(now, list):
        return len(saved) == len(now) and all(map(is_same, saved, now))
    return bool(_normalized(saved) == _normalized(now))


def _normalized(value: Any) -> Any:
    return (" ".join(value.split()) if isinstance(value, str) else value) or None


# The report


def report_lines(checks: Sequence[PageCheck]) -> Iterator[str]:
    """The differences page by page, a table of the fields, and a line with the totals."""
    for check in checks:
        if not check.has_passed:
            yield from (check.name, *([f"  {check.error}"] if check.error else []))
            for name, (saved, now) in check.differences.items():
                yield from _difference_lines(name, _lines_of(saved), _lines_of(now))
            yield ""
    if any(check.compared for check in checks):
        yield from _field_table(checks)
        yield ""
    failed = sum(not check.has_passed for check in checks)
    by_hand = sum(check.is_checked for check in checks)
    yield f"pages: {len(checks)}; checked or corrected by hand: {by_hand}; differing: {failed}"


def _difference_lines(name: str, saved: list[str], now: list[str]) -> Iterator[str]:
    """The lines in which two values differ: those of the saved one with a minus, those of today with a plus."""
    yield f"  {name}, word F1 {word_agreement(saved, now):.3f}"
    changed = changed_lines(saved, now)
    yield from (f"    {line[0]} {line[1:]}" for line in changed[:MAX_LINES])
    if len(changed) > MAX_LINES:
        yield f"    and {len(changed) - MAX_LINES} more"


def changed_lines(saved: Sequence[str], now: Sequence[str]) -> list[str]:
    """The lines in which two texts differ, each behind its sign."""
    return [line for line in unified_diff(saved, now, n=0, lineterm="") if not line.startswith("@@")][2:]


def _lines_of(value: Any) -> list[str]:
    """A value as lines: the parts of a list, or one line; none for an empty value."""
    parts = value if isinstance(value, list) else [] if value in (None, "") else [value]
    return [" ".join((part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)).split()) for part in parts]


def word_agreement(one: Sequence[str], other: Sequence[str]) -> float:
    """F1 over the words of two bodies, given as lines. Every character outside of ASCII is a word. Two empty bodies agree: 1.

    >>> word_agreement(["two words"], ["two"])
    0.6666666666666666
    """
    counts = [Counter(_WORD.findall(" ".join(lines).lower())) for lines in (one, other)]
    total = counts[0].total() + counts[1].total()
    return 2 * (counts[0] & counts[1]).total() / total if total else 1.0


def _field_table(checks: Sequence[PageCheck]) -> Iterator[str]:
    compared = Counter(name for check in checks for name in check.compared)
    differing = Counter(name for check in checks for name in check.differences)
    yield _FIELD.format("field", "pages", "same", "share")
    for name, count in compared.items():
        same = count - differing[name]
        yield _FIELD.format(name, count, same, f"{same / count:.3f}")
