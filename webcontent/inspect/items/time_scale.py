"""Days of publication as the columns of a chart: a time scale without gaps, by day, month or year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

SHARE = 0.8
"""Share of the items that a scale has to show; otherwise a coarser one is used."""
MAX_COLUMNS = {"day": 60, "month": 36, "year": 40}
"""Columns of each scale, finest first."""
_DIGITS = {"day": 10, "month": 7, "year": 4}
"""Characters of a day in ISO 8601 that name its column."""


@dataclass(frozen=True, slots=True)
class TimeScale:
    """Items by column."""

    unit: str
    """day, month or year."""
    counts: dict[str, int]
    """Name of a column -> its items, in the order of time, also where there are none."""
    earlier: int
    """Items before the first column."""
    later: int
    """Items after the last column, which is that of fetching."""


def time_scale(days: Counter[str], fetched: str | None) -> TimeScale | None:
    """The finest scale that shows most items; None without any.

    `days`: items by day in ISO 8601. `fetched`: when the last item was fetched; days after it are wrong, or of events to come, and would
    stretch the scale.
    """
    ends = [day for day in days if fetched is None or day <= fetched[: _DIGITS["day"]]] or list(days)
    if not ends:
        return None
    last = max(ends)
    for unit, size in MAX_COLUMNS.items():
        columns = list(_columns_up_to(last, min(days), unit, size))
        counts = dict.fromkeys(reversed(columns), 0)
        for day, count in days.items():
            if (name := day[: _DIGITS[unit]]) in counts and day <= last:
                counts[name] += count
        later = sum(count for day, count in days.items() if day > last)
        scale = TimeScale(unit, counts, sum(days.values()) - sum(counts.values()) - later, later)
        if sum(counts.values()) >= SHARE * (sum(days.values()) - later):
            break
    return scale


def _columns_up_to(last: str, first: str, unit: str, size: int) -> Iterator[str]:
    """The names of at most `size` columns, latest first, from that of `last` back to that of `first`."""
    end, digits = date.fromisoformat(last), _DIGITS[unit]
    for _ in range(size):
        name = end.isoformat()[:digits]
        yield name
        if name <= first[:digits] or end.year == date.min.year:
            return
        end = end - timedelta(1) if unit == "day" else _before(end, unit)


def _before(day: date, unit: str) -> date:
    """The last day of the month, or of the year, before that of a day."""
    return (day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)) - timedelta(1)
