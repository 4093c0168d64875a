"""The best time first: by what speaks against it, by other places with the same day, and by the kind of evidence."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from webcontent.fields.page_signals import ranked
from webcontent.fields.times.candidates import ADDRESS, DECLARED, OTHERWISE, SCRIPT, SHOWN, TimeCandidate, script_times, time_candidates
from webcontent.fields.times.value import DAY_CHARS, is_same_day, most_exact
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

EARLIEST_YEAR = 1993
"""No page is older than the web."""
CERTAIN = "certain"
"""Kind of the times in lines, where the page's language has the convention that they are right."""
ORDER = (CERTAIN, DECLARED, SHOWN, OTHERWISE, ADDRESS, SCRIPT)
"""Kinds of evidence, the best one first. Trees over features of the places, tried in its stead, chose worse on corpora left out."""
UNDATED = frozenset(("product", "service", "documentation", "collection"))
"""Kinds of pages that show days of changes, releases and offers. Only what they declare is their time of publishing."""


def find_times(signals: PageSignals, anchor: TitleAnchor, kind: str = "article") -> tuple[list[Candidate], list[Candidate]]:
    """Candidates of the time of publishing and of the last change, best first; `kind`: of the page.

    Where no place has a time of publishing, scripts are searched, and else a shown time of change stands for it.
    """
    times = _with_first_change_as_published(signals, time_candidates(signals, anchor))
    days = {time.block: time.value[:DAY_CHARS] for time in times if time.kind == SHOWN and time.doubts < 2}
    if kind == "listing" and len(days) > 2 and len(set(days.values())) > 1:  # those of its entries
        times = [time for time in times if time.kind != SHOWN]
    changes = _ranked(signals, [time for time in times if time.is_change])
    published = [time for time in times if not time.is_change and time.doubts < 2]
    last_change = max((time.value for time in times if time.is_change and time.doubts < 2), default=None)
    if kind in UNDATED:
        return _ranked(signals, [time for time in published if time.kind == DECLARED and not _is_build(time, last_change)]), changes
    ranked = _ranked(signals, published, last_change) or _ranked(signals, script_times(signals))
    return ranked or [change for change in changes if change.origin in ("text", "time")], changes


def _is_build(time: TimeCandidate, last_change: str | None) -> bool:
    """Whether a time may be that of the last build of the site: it is declared as publishing, and not before the last change."""
    return time.kind == DECLARED and last_change is not None and time.value >= last_change


def _place_in_order(signals: PageSignals, time: TimeCandidate) -> int:
    return ORDER.index(CERTAIN if time.origin == "text" and signals.follows("shown_time") else time.kind)


def _ranked(signals: PageSignals, times: list[TimeCandidate], last_change: str | None = None) -> list[Candidate]:
    """Best first, those of the best day before others, the best one in its most exact form. `Candidate.score` is 1/rank."""
    times = [time for time in times if int(time.value[:4]) >= EARLIEST_YEAR]
    if not times:
        return []
    places = {value: len({time.place for time in times if is_same_day(value, time.value)}) for value in {time.value for time in times}}

    def key(time: TimeCandidate, last_change: str | None = None) -> tuple[int, int, int]:
        order = ORDER.index(OTHERWISE) if _is_build(time, last_change) else _place_in_order(signals, time)
        return time.doubts, -places[time.value], order

    day = min(times, key=lambda time: key(time, last_change)).value
    times.sort(key=lambda time: (not is_same_day(day, time.value), key(time)))
    found = ranked(Candidate(time.value, time.origin, time.xpath) for time in times)
    exact = most_exact([candidate.value for candidate in found])
    return found if exact == found[0].value else [replace(found[0], value=exact), *found]


def _with_first_change_as_published(signals: PageSignals, times: list[TimeCandidate]) -> list[TimeCandidate]:
    """The first time of each line as one of publishing, where "updated" usually stands before it and no label says otherwise."""
    if not signals.follows("update_is_publishing") or any(time.is_labelled for time in times):
        return times
    first = {time.block: time for time in reversed(times) if time.origin == "text"}
    return [replace(time, is_change=False) if first.get(time.block) is time else time for time in times]
