"""The best time first: by the kind of evidence, by what speaks against it, and by other places with the same day."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from webcontent.fields.times.candidates import ADDRESS, DECLARED, OTHERWISE, SCRIPT, SHOWN, TimeCandidate, script_times, time_candidates
from webcontent.fields.times.value import is_same_day, most_exact
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

EARLIEST_YEAR = 1993
"""No page is older than the web."""
STRENGTHS = {"certain": 1.0, DECLARED: 0.9, SHOWN: 0.8, OTHERWISE: 0.7, ADDRESS: 0.6, SCRIPT: 0.6}
"""Of the kinds of evidence; certain: lines, where the page's language has the convention that they are right. Only their order counts:
these and the numbers below are no probabilities. Trees over features of the places, tried in their stead, chose no better."""
DOUBT = 0.5
"""Factor for each thing that speaks against a candidate."""
SUPPORT = 0.2
"""Gain for each other kind of place with the same day."""
MIN_SCORE = 0.35
"""A time of publishing with a lower score is dropped: on pages that show no date of their own it is mostly another article's."""


def find_times(signals: PageSignals, anchor: TitleAnchor) -> tuple[list[Candidate], list[Candidate]]:
    """Candidates of the time of publishing and of the last change, best first. Where no place has one, scripts are searched."""
    times = _with_first_change_as_published(signals, time_candidates(signals, anchor))
    changes = _ranked(signals, [time for time in times if time.is_change])
    published = [time for time in times if not time.is_change and _score(signals, time) > MIN_SCORE]
    ranked = _ranked(signals, published) or _ranked(signals, script_times(signals))
    return ranked or [replace(change, score=DOUBT * change.score) for change in changes if change.origin in ("text", "time")], changes


def _score(signals: PageSignals, time: TimeCandidate) -> float:
    kind = "certain" if time.origin == "text" and signals.follows("shown_time") else time.kind
    return STRENGTHS[kind] * DOUBT**time.doubts


def _ranked(signals: PageSignals, times: list[TimeCandidate]) -> list[Candidate]:
    """Best first, the best one in its most exact form."""
    times = [time for time in times if int(time.value[:4]) >= EARLIEST_YEAR]
    scores = []
    for time in times:
        others = {other.place for other in times if is_same_day(time.value, other.value)} - {time.place}
        scores.append((_score(signals, time) + SUPPORT * len(others), time))
    scores.sort(key=lambda pair: -pair[0])
    found = [Candidate(time.value, time.origin, time.xpath, round(min(1.0, score), 4)) for score, time in scores]
    exact = most_exact([candidate.value for candidate in found])
    return found if not found or exact == found[0].value else [replace(found[0], value=exact), *found]


def _with_first_change_as_published(signals: PageSignals, times: list[TimeCandidate]) -> list[TimeCandidate]:
    """The first time of each line as one of publishing, where "updated" usually stands before it and no label says otherwise."""
    if not signals.follows("update_is_publishing") or any(time.is_labelled for time in times):
        return times
    first = {time.block: time for time in reversed(times) if time.origin == "text"}
    return [replace(time, is_change=False) if first.get(time.block) is time else time for time in times]
