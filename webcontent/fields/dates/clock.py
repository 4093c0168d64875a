"""Clock times and zones, and a day with its clock time as ISO 8601."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from webcontent.fields.dates.values import is_day, is_past, is_past_day, iso_moment
from webcontent.fields.lexicon import alternation, words

if TYPE_CHECKING:
    from datetime import tzinfo

    from webcontent.fields.dates.values import DateContext

MAX_OFFSET_MINUTES = 14 * 60
"""No zone is further from Greenwich."""
BEFORE_CHARS = 40
"""Characters before a day among which its clock time may stand."""
NOON = 12
HOURS, MINUTES = 24, 60

_AMERICAN_ZONES = {"ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver", "PT": "America/Los_Angeles"}
"""Abbreviations that mean standard or daylight saving time, by date."""
_ZONES = {
    "Z": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60, "CEST": 120, "MEZ": 60, "MESZ": 120, "EET": 120, "EEST": 180,
    "MSK": 180, "SAST": 120, "WAT": 60, "CAT": 120, "EAT": 180, "TRT": 180, "GST": 240, "PKT": 300, "WIB": 420, "WITA": 480,
    "WIT": 540, "ICT": 420,
    "HKT": 480, "SGT": 480, "MYT": 480, "PHT": 480, "AWST": 480, "JST": 540, "KST": 540, "ACST": 570, "ACDT": 630, "AEST": 600, "AEDT": 660,
    "NZST": 720, "NZDT": 780, "EST": -300, "EDT": -240, "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "AKST": -540,
    "AKDT": -480,
    "HST": -600, "AST": -240, "ADT": -180, "NST": -210, "NDT": -150, "BRT": -180, "ART": -180, "CLT": -240, "CLST": -180,
}  # fmt: skip
"""Minutes east of Greenwich. CST and IST are missing: each names zones of several continents."""
_AMERICAN_CST = timezone(timedelta(hours=-6))

_AFTERNOON = frozenset(words("dates", "afternoon"))
_NOON = frozenset(words("dates", "noon"))
_MIDNIGHT = frozenset(words("dates", "midnight"))
LAST_HOUR_AFTER_NOON = 3
"""An hour "at noon" up to this one is in the afternoon; a later one, before noon."""
_HOUR_MARKS = tuple("時时點点시hH")
"""Behind an hour without minutes: 14时, 14h."""

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


@dataclass(slots=True, frozen=True)
class Clock:
    """A clock time. Hours and minutes are those of the text, possible or not."""

    hour: int
    minute: int
    second: int | None = None
    zone: tzinfo | None = None

    @property
    def is_possible(self) -> bool:
        """Whether a day has this time."""
        return self.hour < HOURS and self.minute < MINUTES and (self.second or 0) < MINUTES


# ------------------------------------------------------------------------------------------- a day and its clock time
def iso_time(year: int, month: int, day: int, clock: Clock | None, context: DateContext) -> str | None:
    """ISO 8601; None where the day does not exist or lies in the future. An impossible clock time is left out."""
    if not is_day(year, month, day):
        return None
    if clock is None or not clock.is_possible:
        return f"{year:04}-{month:02}-{day:02}" if is_past_day(year, month, day, context) else None
    moment = datetime(year, month, day, clock.hour, clock.minute, clock.second or 0, tzinfo=clock.zone)
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
    if minute is None and not post and sep not in _HOUR_MARKS:
        return None
    hour = _hour(int(match["hour"]), (match["period"] or "").lower(), post)
    if hour is None:
        return None
    return Clock(hour, int(minute or 0), int(match["second"]) if match["second"] else None, _zone(match, post in ("am", "pm")))


def _hour(hour: int, period: str, post: str) -> int | None:
    """An hour of 24; None where it is none."""
    if (post == "am" or period in _MIDNIGHT) and hour == NOON:
        return 0
    if (post == "pm" or period in _AFTERNOON) and hour < NOON and not (period in _NOON and hour > LAST_HOUR_AFTER_NOON):
        return hour + NOON
    return hour if hour < HOURS else None


def _zone(match: re.Match[str], twelve_hours: bool) -> tzinfo | None:
    name, offset = match["zone"], match["offset"]
    if offset or not name:
        return parse_offset(offset)
    if name[-1].isdigit():
        return parse_offset(name)
    if name in _AMERICAN_ZONES:
        return _american_zone(name)
    if name == "CST" and twelve_hours:  # with a.m. and p.m. it is American; else it may be China's
        return _AMERICAN_CST
    return timezone(timedelta(minutes=_ZONES[name])) if name in _ZONES else None


@cache
def _american_zone(name: str) -> ZoneInfo:
    return ZoneInfo(_AMERICAN_ZONES[name])


def parse_offset(zone: str | None) -> timezone | None:
    """The zone of "Z", "GMT", "+08", "+0800" or "+08:00".

    >>> print(parse_offset("+0800"), parse_offset("Z"), parse_offset(None))
    UTC+08:00 UTC None
    """
    if not zone:
        return None
    digits = re.sub(r"\D", "", zone)
    minutes = int(digits[:-2] or 0) * MINUTES + int(digits[-2:]) if len(digits) > 2 else int(digits or 0) * MINUTES
    if minutes > MAX_OFFSET_MINUTES or (len(digits) > 2 and int(digits[-2:]) >= MINUTES):
        return None
    return timezone(timedelta(minutes=-minutes if "-" in zone else minutes))
