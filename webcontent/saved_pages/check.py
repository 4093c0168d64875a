"""The regression check, `scrapy extract --check DIR`: where today's items of saved pages differ from their saved items.

This module needs no Scrapy.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

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
MAX_CHARACTERS = 100
"""Characters of a value in the report."""
MAX_PARTS = 3
"""Lines of a body, or parts of a list, in the report."""
_LINE, _FIELD = "  {:<14}{:<9}{}", "{:<14}{:>7}{:>7}{:>8}"
"""Lines of the report: the name of a field, which value it is (saved, now, missing, too many), the value; and the table of the fields."""
_WORD = re.compile(r"[!-~]+|[^\x00-\x7f\s]")
"""A run of ASCII characters, or a single other character."""


class Difference(NamedTuple):
    """A field whose value today is not the saved one."""

    field: str
    saved: Any
    now: Any


@dataclass(slots=True)
class PageCheck:
    """The comparison of a saved page's item with today's."""

    name: str
    is_checked: bool = False
    """Whether a user checked or corrected the saved item."""
    compared: list[str] = field(default_factory=list)
    """The fields that are in item.json."""
    differences: list[Difference] = field(default_factory=list)
    error: str = ""
    """Why the page could not be checked."""

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
        differences = [Difference(name, saved[name], now.get(name)) for name in compared if not is_same(saved[name], now.get(name))]
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
            yield from _page_lines(check)
            yield ""
    if any(check.compared for check in checks):
        yield from _field_table(checks)
        yield ""
    failed = sum(not check.has_passed for check in checks)
    verdict = "1 differs" if failed == 1 else f"{failed or 'none'} differ"
    yield f"{_counted(len(checks), 'page')} ({sum(check.is_checked for check in checks)} checked or corrected by hand): {verdict}."


def _counted(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _page_lines(check: PageCheck) -> Iterator[str]:
    yield check.name
    if check.error:
        yield f"  {check.error}"
    for field_name, saved, now in check.differences:
        if isinstance(saved, list) and isinstance(now, list):
            yield from _list_lines(field_name, saved, now)
        else:
            yield _LINE.format(field_name, "saved", _shown(saved))
            yield _LINE.format("", "now", _shown(now))


def _list_lines(field_name: str, saved: list[Any], now: list[Any]) -> Iterator[str]:
    """The parts of a list that are missing today, and those that are too many."""
    missing, surplus = _unmatched(saved, now)
    is_body = field_name == "body"
    agreement = f", word F1 {word_agreement(saved, now):.3f}" if is_body else ""
    order = "" if missing or surplus else "; another order, or other details"
    summary = f"{_counted(len(missing), 'line' if is_body else 'part')} missing, {len(surplus)} too many of {len(saved)}"
    yield f"  {field_name:<14}{summary}{agreement}{order}"
    for kind, parts in (("missing", missing), ("too many", surplus)):
        for part in parts[:MAX_PARTS]:
            yield _LINE.format("", kind, _shown(part))
        if len(parts) > MAX_PARTS:
            yield _LINE.format("", "", f"and {len(parts) - MAX_PARTS} more")


def _unmatched(saved: list[Any], now: list[Any]) -> tuple[list[str], list[str]]:
    """The parts that only the saved list has, and those that only today's list has."""
    before, after = Counter(map(_part_text, saved)), Counter(map(_part_text, now))
    return list((before - after).elements()), list((after - before).elements())


def _part_text(part: Any) -> str:
    if isinstance(part, dict):
        return " · ".join(str(part[name]) for name in ("title", "caption", "url") if part.get(name))
    return " ".join(str(part).split())


def _shown(value: Any) -> str:
    if value in (None, "", []):
        return "–"
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"


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
    differing = Counter(difference.field for check in checks for difference in check.differences)
    yield _FIELD.format("field", "pages", "same", "share")
    for name, count in compared.items():
        same = count - differing[name]
        yield _FIELD.format(name, count, same, f"{same / count:.3f}")
