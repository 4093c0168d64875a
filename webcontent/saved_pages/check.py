"""`scrapy extract --check DIR`: where today's items differ from saved ones, a user's own regression test. Needs no Scrapy."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webcontent.items import DERIVED, Article, Listing, schema_of
from webcontent.pipeline import page_item
from webcontent.saved_pages.archive import as_json, is_checked, load_item, load_page, saved_pages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from webcontent.pipeline import Options

KNOWN = set(schema_of(Article, Listing))
_WORD = re.compile(r"[!-~]+|[^\x00-\x7f\s]")
GIVEN = {"url"}
"""Fields that the page comes with."""
MAX_SHOWN = 100
"""Characters of a value in the report."""
MAX_LINES = 3
"""Lines of a body, or parts of a list, that the report shows."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A field whose value today is not the saved one."""

    field: str
    saved: Any
    now: Any


@dataclass(slots=True)
class Check:
    """A saved page, looked at today."""

    name: str
    is_checked: bool = False
    judged: list[str] = field(default_factory=list)
    """Fields that item.json has."""
    differences: list[Difference] = field(default_factory=list)
    fault: str = ""
    """Why the page could not be checked."""

    @property
    def is_right(self) -> bool:
        return not self.differences and not self.fault


def check_folder(folder: Path, options: Options) -> Iterator[Check]:
    """Every saved page of a folder against its item. Raises ModelError."""
    for place in saved_pages(folder):
        yield check_page(place, options)


def check_page(place: Path, options: Options) -> Check:
    """A saved page against its item; a file that can't be read is a fault of that page."""
    try:
        saved, page, is_marked = load_item(place), load_page(place), is_checked(place)
    except (OSError, ValueError) as error:
        return Check(place.name, fault=str(error))
    unknown = sorted(set(saved) - KNOWN)
    if unknown:
        return Check(place.name, fault=f"item.json has the field {unknown[0]!r}; items have {', '.join(sorted(KNOWN - DERIVED))}.")
    now = as_json(page_item(page, options))
    judged = [name for name in saved if name not in DERIVED | GIVEN]
    found = [Difference(name, saved[name], now.get(name)) for name in judged if not is_same(saved[name], now.get(name))]
    return Check(place.name, is_marked, judged, found)


def is_same(saved: Any, now: Any) -> bool:
    """Whether two values say the same: blanks do not count, nothing is nothing, of an object only what was saved.

    >>> is_same("a  b ", "a b"), is_same(None, []), is_same([{"title": "a"}], [{"title": "a", "url": "/a"}])
    (True, True, True)
    """
    if isinstance(saved, dict) and isinstance(now, dict):
        return all(is_same(value, now.get(key)) for key, value in saved.items())
    if isinstance(saved, list) and isinstance(now, list):
        return len(saved) == len(now) and all(map(is_same, saved, now))
    return bool(_plain(saved) == _plain(now))


def _plain(value: Any) -> Any:
    return (" ".join(value.split()) if isinstance(value, str) else value) or None


# The report


def report(checks: Sequence[Check]) -> Iterator[str]:
    """Page by page what differs, then a table of the fields, then a line that sums it up."""
    for check in checks:
        if not check.is_right:
            yield check.name
            if check.fault:
                yield f"  {check.fault}"
            for difference in check.differences:
                yield from _told(difference)
            yield ""
    if any(check.judged for check in checks):
        yield from _table(checks)
        yield ""
    wrong = sum(not check.is_right for check in checks)
    marked = sum(check.is_checked for check in checks)
    told = "1 differs" if wrong == 1 else f"{wrong or 'none'} differ"
    yield f"{_counted(len(checks), 'page')} ({marked} checked or corrected by hand): {told}."


def _counted(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _told(difference: Difference) -> Iterator[str]:
    """A difference in two lines; of lists what is missing and what is too much."""
    saved, now = difference.saved, difference.now
    head = f"  {difference.field:<14}"
    if not (isinstance(saved, list) and isinstance(now, list)):
        yield f"{head}saved    {_shown(saved)}"
        yield f"{'':16}now      {_shown(now)}"
        return
    missing, more = _unmatched(saved, now)
    what = "line" if difference.field == "body" else "part"
    agreement = f", word F1 {word_f1(saved, now):.3f}" if difference.field == "body" else ""
    order = "" if missing or more else "; another order, or other details"
    yield f"{head}{_counted(len(missing), what)} missing, {len(more)} too many of {len(saved)}{agreement}{order}"
    for name, parts in (("missing", missing), ("too many", more)):
        for part in parts[:MAX_LINES]:
            yield f"{'':16}{name:<9}{_shown(part)}"
        if len(parts) > MAX_LINES:
            yield f"{'':25}and {len(parts) - MAX_LINES} more"


def _unmatched(saved: list[Any], now: list[Any]) -> tuple[list[str], list[str]]:
    """What only one of two lists has."""
    if any(isinstance(part, dict) for part in saved):
        missing = [part for part in saved if not any(is_same(part, other) for other in now)]
        more = [part for part in now if not any(is_same(other, part) for other in saved)]
        return list(map(_key, missing)), list(map(_key, more))
    before, after = Counter(map(_key, saved)), Counter(map(_key, now))
    return list((before - after).elements()), list((after - before).elements())


def _key(part: Any) -> str:
    """What stands for a part of a list in the report."""
    if isinstance(part, dict):
        return " · ".join(str(part[name]) for name in ("title", "caption", "url") if part.get(name))
    return " ".join(str(part).split())


def _shown(value: Any) -> str:
    if value in (None, "", []):
        return "–"
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def word_f1(saved: Sequence[str], now: Sequence[str]) -> float:
    """F1 over the words of two bodies; a character that is no ASCII is a word.

    >>> word_f1(["two words"], ["two"])
    0.6666666666666666
    """
    one, other = (Counter(_words(" ".join(lines))) for lines in (saved, now))
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _table(checks: Sequence[Check]) -> Iterator[str]:
    judged = Counter(name for check in checks for name in check.judged)
    wrong = Counter(difference.field for check in checks for difference in check.differences)
    yield f"{'field':<14}{'pages':>7}{'same':>7}{'share':>8}"
    for name, count in judged.items():
        same = count - wrong[name]
        yield f"{name:<14}{count:>7}{same:>7}{same / count:>8.3f}"
