"""Times that are counted back from the moment of the fetch: 3 hours ago, yesterday, 刚刚."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from webcontent.fields.dates.clock import DateMatch, clock_after, iso_moment, iso_time
from webcontent.fields.lexicon import alternation, words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from webcontent.fields.dates.clock import DateContext

ALONE_CHARS = 4
"""A text with at most this number of characters around its date is nothing but the date."""

_UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_629_800, "year": 31_557_600}
"""Seconds of a unit."""
_UNIT_OF = {word: unit for unit in _UNITS for word in words("relative_times", unit)}
_KNOWN = {"day": "2024-03-05", "week": "2024-03-05", "month": "2024-03", "year": "2024"}
"""How much of a date is known; that of shorter units is known to the minute."""
_DAYS_BACK = {
    word: days for days, name in enumerate(("today", "yesterday", "day_before_yesterday")) for word in words("relative_times", name)
}


def _either(name: str) -> str:
    return f"(?:{alternation('relative_times', name)})"


_AGO = re.compile(
    rf"(?<![\d.,])(?P<a>\d{{1,3}})\s?(?P<ua>{alternation('relative_times', 'joined_unit')})\s?{_either('joined_ago')}"
    rf"|(?<![\d.,])(?P<b>\d{{1,3}}|{alternation('relative_times', 'one_ago')})\s?(?P<ub>[^\W\d_]{{1,8}})\.?\s{_either('ago')}\b"
    rf"|\b{_either('since')}\s(?:{_either('about')}\s)?(?P<c>\d{{1,3}}|{alternation('relative_times', 'one_since')})"
    r"\s(?P<uc>[^\W\d_]{1,8})\b",
    re.I,
)
_DAY_BACK = re.compile(rf"(?<!\w)({'|'.join(sorted(map(re.escape, _DAYS_BACK), key=len, reverse=True))})(?![a-zäöüß])", re.I)
_JUST_NOW = re.compile(rf"^\W*{_either('just_now')}\W*$", re.I)
_HINT = re.compile(alternation("relative_times", "hint"), re.I)


def may_be_relative(text: str) -> bool:
    """Whether a text has a word of relative times: cheaper than to look for them."""
    return _HINT.search(text) is not None


def iter_relative_times(text: str, context: DateContext) -> Iterator[DateMatch]:
    """Times counted back from the fetch: to the minute for minutes and hours, to the day for days and weeks, else to the month."""
    now = context.now
    if now is None:
        return
    if _JUST_NOW.match(text):
        yield DateMatch(iso_moment(now, seconds=False), 0, len(text))
    for match in _AGO.finditer(text):
        number = match["a"] or match["b"] or match["c"]
        unit = _UNIT_OF.get((match["ua"] or match["ub"] or match["uc"]).lower())
        if unit:
            yield DateMatch(_back(now, int(number) if number.isdigit() else 1, unit), match.start(), match.end())
    for match in _DAY_BACK.finditer(text):
        day = now - timedelta(days=_DAYS_BACK[match[1].lower()])
        clock, end = clock_after(text, match.end())
        alone = len(text.strip()) <= match.end() - match.start() + ALONE_CHARS
        if (clock or alone) and (value := iso_time(day.year, day.month, day.day, clock, context)):  # in running text "today" dates no page
            yield DateMatch(value, match.start(), end)


def _back(now: datetime, count: int, unit: str) -> str:
    moment = now - timedelta(seconds=count * _UNITS[unit])
    return moment.date().isoformat()[: len(_KNOWN[unit])] if unit in _KNOWN else iso_moment(moment, seconds=False)
