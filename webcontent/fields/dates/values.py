"""What the parsers of dates share: the context of a text, and days and moments as ISO 8601."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

GRACE = timedelta(days=1)
"""A moment up to a day later than the fetch is accepted: zones differ, and clocks are wrong."""


@dataclass(slots=True, frozen=True)
class DateMatch:
    """A date found in a text."""

    value: str
    """ISO 8601."""
    start: int
    end: int
    """The characters of the text that were read, clock time and zone included."""


@dataclass(slots=True, frozen=True)
class DateContext:
    """What surrounds a text and settles what it leaves open."""

    now: datetime | None = None
    """The moment of the fetch: later dates are rejected, and relative times are counted back from it."""
    year: int | None = None
    """Year of dates that name none."""
    day_first: bool = False
    """Whether 3/4/2024 is the third of April."""
    relative: bool = True
    """Whether relative times and missing years may be counted from `now`; else it is only a bound."""


def is_past_day(year: int, month: int, day: int, context: DateContext) -> bool:
    """Whether the calendar has this day, and it begins no later than GRACE after the fetch."""
    try:
        return is_past(datetime.combine(date(year, month, day), time.min), context.now)
    except ValueError:
        return False


def is_past(moment: datetime, now: datetime | None) -> bool:
    """Whether a moment is no later than GRACE after `now`; without zones where one of the two has none."""
    if now is None:
        return True
    if moment.tzinfo is None or now.tzinfo is None:
        moment, now = moment.replace(tzinfo=None), now.replace(tzinfo=None)
    try:
        return moment <= now + GRACE
    except OverflowError:
        return False


def iso_moment(moment: datetime, *, seconds: bool) -> str:
    """ISO 8601 to the minute or to the second."""
    return moment.isoformat(timespec="seconds" if seconds else "minutes")
