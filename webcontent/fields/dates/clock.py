"""The context of a text, clock times and zones, and a day with its clock time as ISO 8601."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from webcontent.fields.lexicon import alternation, load, words

if TYPE_CHECKING:
    from datetime import tzinfo

GRACE = timedelta(days=1)
"""A moment up to a day later than the fetch is accepted: zones differ, and clocks are wrong."""
MAX_OFFSET = timedelta(hours=14)
"""No zone is further from Greenwich."""
BEFORE_CHARS = 40
"""Characters before a day among which its clock time may stand."""
NOON = 12

_AMERICAN_ZONES: dict[str, str] = load("dates")["daylight_zone"]
_ZONES: dict[str, int] = load("dates")["zone"]
_AMERICAN_CST = timezone(timedelta(hours=-6))

_AFTERNOON, _NOON, _MIDNIGHT = (frozenset(words("dates", name)) for name in ("afternoon", "noon", "midnight"))
LAST_HOUR_AFTER_NOON = 3
"""An hour "at noon" up to this one is in the afternoon; a later one, before noon."""

_CLOCK = (
    rf"(?P<period>{alternation('dates', 'period')})?\s?(?P<hour>[01]?\d|2[0-4])(?!\d)"
    r"(?:\s?(?P<sep>[:hH.時时点點시])(?:\s?(?P<minute>[0-5]\d)(?!\d)(?:\s?[:.分분]\s?(?P<second>[0-5]\d)(?!\d)(?:[.,]\d{1,9})?)?)?)?"
    rf"\s?[分秒분초]?(?:\s?(?P<post>[ap]\.?\s?m\b\.?|[AP]\.?\s?M\b\.?|{alternation('dates', 'clock_unit')}))?"
)
_ZONE = (
    r"(?:\s?\(?\s?(?:(?P<zone>(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::?\d\d)?|Z\b|[A-Z]{2,4}\b)"
    r"|(?P<offset>[+-]\d\d:?\d\d(?!\d)|(?<=:\d\d)[+-]\d\d(?!\d))))?"
)
_GAP = (
    rf"(?:T|(?:[\s.,|·•—–:;@/()\[\]<>\"'-]|\b(?:{alternation('dates', 'before_clock')})\b\.?"
    rf"|{alternation('dates', 'before_clock_joined')}){{0,10}})"
)
_CLOCK_AFTER = re.compile(_GAP + _CLOCK + _ZONE)
_CLOCK_BEFORE = re.compile(_CLOCK + _ZONE + rf"{_GAP}$")
_BEFORE_DOTTED = re.compile(rf"\b(?:{alternation('dates', 'before_dotted_clock')})\b", re.I)


class DateMatch(NamedTuple):
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

    @classmethod
    def of(cls, now: str | None, *, day_first: bool = False) -> DateContext:
        """The context of a page that was fetched at a moment in ISO 8601."""
        try:
            return cls(datetime.fromisoformat(now or ""), day_first=day_first)
        except ValueError:
            return cls(day_first=day_first)


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


class Clock(NamedTuple):
    """A clock time. Hours and minutes are those of the text, possible or not."""

    hour: int
    minute: int
    second: int | None = None
    zone: tzinfo | None = None


# ------------------------------------------------------------------------------------------- a day and its clock time
def iso_time(year: int, month: int, day: int, clock: Clock | None, context: DateContext) -> str | None:
    """ISO 8601; None where the day does not exist or lies in the future. An impossible clock time is left out."""
    if not is_past_day(year, month, day, context):
        return None
    try:
        moment = datetime(year, month, day, *clock[:2], clock.second or 0, tzinfo=clock.zone) if clock else None
    except ValueError:
        moment = None
    if clock is None or moment is None:
        return f"{year:04}-{month:02}-{day:02}"
    return iso_moment(moment, seconds=clock.second is not None) if is_past(moment, context.now) else None


def clock_after(text: str, place: int) -> tuple[Clock | None, int]:
    """The clock time that begins at a place of a text, words between it and the day included, and where it ends."""
    match = _CLOCK_AFTER.match(text, place)
    clock = read_clock(match)
    return clock, match.end() if match and clock else place


def clock_before(text: str, place: int) -> tuple[Clock | None, int]:
    """The clock time that ends at a place of a text, and where it begins."""
    offset = max(0, place - BEFORE_CHARS)
    before = text[offset:place]
    match = _CLOCK_BEFORE.search(before) if ":" in before else None
    clock = read_clock(match)
    return clock, offset + match.start() if match and clock else place


# ------------------------------------------------------------------------------------------- parts of a clock time
def read_clock(match: re.Match[str] | None) -> Clock | None:
    """The clock time of a match with the groups of _CLOCK and _ZONE; None where its numbers are no clock time."""
    if match is None:
        return None
    minute, sep, post = match["minute"], match["sep"], (match["post"] or "").lower().replace(".", "").replace(" ", "")
    if sep == "." and not (post or match["zone"] in _ZONES or _BEFORE_DOTTED.search(match.string, match.start(), match.start("hour"))):
        return None
    if minute is None and not post and sep in (None, ".", ":"):  # 14时 and 14h need no minutes
        return None
    hour, period = int(match["hour"]), (match["period"] or "").lower()
    if (post == "am" or period in _MIDNIGHT) and hour == NOON:
        hour = 0
    elif (post == "pm" or period in _AFTERNOON) and hour < NOON and not (period in _NOON and hour > LAST_HOUR_AFTER_NOON):
        hour += NOON
    zone = _zone(match["zone"] or match["offset"] or "", post in ("am", "pm"))
    return Clock(hour, int(minute or 0), int(match["second"]) if match["second"] else None, zone) if match["hour"] != "24" else None


def _zone(name: str, twelve_hours: bool) -> tzinfo | None:
    if name in _AMERICAN_ZONES:
        return ZoneInfo(_AMERICAN_ZONES[name])
    if name == "CST" and twelve_hours:  # with a.m. and p.m. it is American; else it may be China's
        return _AMERICAN_CST
    return timezone(timedelta(minutes=_ZONES[name])) if name in _ZONES else parse_offset(name if name[-1:].isdigit() else None)


def parse_offset(zone: str | None) -> tzinfo | None:
    """The zone of "Z", "GMT", "+08", "+0800" or "+08:00".

    >>> print(parse_offset("+0800"), parse_offset("Z"), parse_offset(None))
    UTC+08:00 UTC None
    """
    if not zone:
        return None
    sign, digits = "-" if "-" in zone else "+", re.sub(r"\D", "", zone)
    try:
        moment = datetime.fromisoformat(f"2000-01-01T00:00{sign}{digits.zfill(2 if len(digits) < 3 else 4)}")
    except ValueError:
        return None
    return moment.tzinfo if abs(moment.utcoffset() or MAX_OFFSET) <= MAX_OFFSET else None
