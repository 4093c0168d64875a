"""The value of a time: one place's moment with the clock time, the seconds and the zone that other places give for it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from webcontent.fields.dates.clock import MAX_OFFSET

ZONE_STEP, MIN_OFFSET = timedelta(minutes=15), timedelta(hours=-11)
"""All zones lie whole steps from Greenwich; the one where people live that is farthest to the west."""
UTC_ZONE = "+00:00"
DAY_CHARS, MINUTE_CHARS, SECOND_CHARS, ZONE_CHARS = map(len, ("2024-03-05", "2024-03-05T14:22", "2024-03-05T14:22:08", UTC_ZONE))


def most_exact(values: list[str]) -> str:
    """The first value, ISO 8601, as exact as the others allow; empty where there is none.

    Where a clock time without a zone and a moment in UTC are the same in another zone, the result is in that zone. A page that shows
    the clock time of the moment itself has no other zone, and a declared zone stays.
    """
    value = values[0] if values else ""
    if len(value) == DAY_CHARS:
        value = next((other for other in values if _is_clock_of(other, value)), value)
    is_shown = False
    for other in values:
        is_shown = is_shown or (_zone(other) is None and other[:MINUTE_CHARS] == value[:MINUTE_CHARS])
        value = _with_precision(value, other)
    if len(value) < MINUTE_CHARS or (is_shown and _zone(value) is not None):
        return value
    return next((moved for other in values if (moved := _in_shown_zone(value, other))), value)


def is_same_day(a: str, b: str) -> bool:
    """Whether two values have the same day or month, or are one moment in two zones."""
    return a[: min(DAY_CHARS, len(b))] == b[:DAY_CHARS] or _zone_between(a, b) is not None


def _is_clock_of(value: str, day: str) -> bool:
    """Whether a value is that of a day, with a clock time that is more than a default."""
    is_midnight = value[DAY_CHARS:MINUTE_CHARS] == "T00:00" and value[MINUTE_CHARS:SECOND_CHARS] in ("", ":00")
    return len(value) > DAY_CHARS and value[:DAY_CHARS] == day and not is_midnight


def _with_precision(value: str, other: str) -> str:
    """`value`, with the seconds and the zone that `other` adds for the same wall clock."""
    if len(value) < MINUTE_CHARS or value[:MINUTE_CHARS] != other[:MINUTE_CHARS] or _zone(value) is not None:
        return value
    is_fuller = len(other) >= len(value) if _zone(other) is not None else len(other) > len(value)
    return other if is_fuller else value


def _in_shown_zone(value: str, other: str) -> str | None:
    """The moment that one of two values has in UTC, in the zone of the other one's wall clock; None where they are not the same moment."""
    zone = _zone_between(value, other)
    if zone is None:
        return None
    wall, instant = (value, other) if _zone(value) is None else (other, value)
    if _zone(instant) != UTC_ZONE:
        return instant if wall == value else None
    has_seconds = len(instant) > MINUTE_CHARS + ZONE_CHARS or len(wall) == SECOND_CHARS
    return datetime.fromisoformat(instant).astimezone(zone).isoformat(timespec="seconds" if has_seconds else "minutes")


def _zone(value: str) -> str | None:
    """The zone at the end of a value, +08:00."""
    return value[-ZONE_CHARS:] if len(value) > MINUTE_CHARS and value[-ZONE_CHARS] in "+-" else None


def _zone_between(a: str, b: str) -> timezone | None:
    """The zone in which a wall clock (the one without a zone) shows the instant of the other; None where there is none."""
    if len(a) < MINUTE_CHARS or len(b) < MINUTE_CHARS or (_zone(a) is None) == (_zone(b) is None):
        return None
    wall, instant = (a, b) if _zone(a) is None else (b, a)
    try:
        moment, clock = datetime.fromisoformat(instant), datetime.fromisoformat(wall).replace(tzinfo=UTC)
    except ValueError:
        return None
    if len(wall) < SECOND_CHARS or len(instant) == MINUTE_CHARS + ZONE_CHARS:
        moment, clock = moment.replace(second=0), clock.replace(second=0)
    is_zone = not (clock - moment) % ZONE_STEP and MIN_OFFSET <= clock - moment <= MAX_OFFSET
    return timezone(clock - moment) if is_zone else None
