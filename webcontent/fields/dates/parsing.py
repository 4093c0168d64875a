"""All dates of a text: `parse_time`, `iter_times`, `time_from_url`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING

from webcontent.fields.dates.clock import (
    Clock,
    DateContext,
    DateMatch,
    clock_after,
    clock_before,
    is_past,
    is_past_day,
    iso_moment,
    iso_time,
    parse_offset,
    read_clock,
)
from webcontent.fields.dates.forms import CLOCK_FORMS, FORMS, MONTHS, OTHER_FORMS, SHORT_FORMS, compiled, plain_word, read_day
from webcontent.fields.dates.relative import ALONE_CHARS, iter_relative_times, may_be_relative

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CHARS = 2_000
"""Characters of a text that are read."""
NO_CONTEXT = DateContext()


def parse_time(text: str | None, context: DateContext = NO_CONTEXT) -> str | None:
    """The first date of a text, or None.

    >>> parse_time("2024年3月5日 14:22")
    '2024-03-05T14:22'
    >>> parse_time("Tue, 05 Mar 2024 14:22:08 +0800")
    '2024-03-05T14:22:08+08:00'
    >>> parse_time("3小时前", DateContext.of("2024-03-05T14:22+08:00"))
    '2024-03-05T11:22+08:00'
    >>> parse_time("2024-13-45") is None
    True
    """
    text = _plain_text(text)
    value = _parse_whole(text.strip(), context)
    if value is not None:
        return value or None
    return next((match.value for match in _iter_matches(text, context)), None)


def iter_times(text: str | None, context: DateContext = NO_CONTEXT) -> Iterator[DateMatch]:
    """Every date in a line of text, in order."""
    text = _plain_text(text)
    if text and (_DIGIT.search(text) or "年" in text or (context.relative and context.now and may_be_relative(text))):
        yield from _iter_matches(text, context)


def time_from_url(url: str | None, context: DateContext = NO_CONTEXT) -> str | None:
    """The date in an address, by day or by month.

    >>> time_from_url("https://example.org/2024/03/05/story.html")
    '2024-03-05'
    >>> time_from_url("https://example.org/n1/2024/0305/c1-2.html")
    '2024-03-05'
    >>> time_from_url("https://example.org/2024/03/story")
    '2024-03'
    """
    url = (url or "")[:MAX_CHARS]
    url = url[url.rfind("http") :] if "http" in url else url  # an archive's address holds the page's own
    for pattern in _URL_DATES:
        for match in pattern.finditer(url):
            year, month = int(match["y"]), int(match["m"])
            day = int(match["d"]) if "d" in pattern.groupindex else None
            if is_past_day(year, month, day or 1, context):
                return f"{year:04}-{month:02}" + (f"-{day:02}" if day else "")
    return None


_URL_DATES = compiled(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)",
    r"(?<!\d)(?P<y>(?:19|20)\d\d)[/_.-](?P<m>[01]?\d)[/_.-](?P<d>[0-3]?\d)(?!\d)",
    r"(?<!\d)(?P<y>(?:19|20)\d\d)[/_-](?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)",
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>[01]\d)/(?P<d>[0-3]\d)(?!\d)",
    r"(?<!\d)(?P<d>[0-3]\d)[_.-](?P<m>[01]\d)[_.-](?P<y>(?:19|20)\d\d)(?!\d)",
    r"/(?P<y>(?:19|20)\d\d)[/_-]?(?P<m>[01]\d)(?=[/_.-])",
)


# ------------------------------------------------------------------------------------------- text
_WIDE = {chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)}
_PLAIN_CHARACTERS = str.maketrans(
    _WIDE | dict.fromkeys("\u3000\xa0\u202f\u2009\u200e\u200f\ufeff", " ") | dict.fromkeys("\u2212\u2011", "-")
    | dict(zip("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "0123456789" * 2, strict=True))
)  # fmt: skip


def _plain_text(text: str | None) -> str:
    """Full-width forms, Arabic digits and odd spaces as ASCII; the length stays."""
    text = (text or "")[:MAX_CHARS]
    return text if text.isascii() else text.translate(_PLAIN_CHARACTERS)


# ------------------------------------------------------------------------------------------- whole values
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ]\s?(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?(?:\[[\w/]+\])?)?", re.I
)
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?\s?(Z|[+-]\d\d:?\d\d)?)?", re.I)
_EPOCH = re.compile(r"(1?\d{9})(?:\d{3})?(?:\.\d+)?")
_MONTH_ONLY = re.compile(r"((?:19|20)\d\d)\s?[-/.年년]\s?(\d{1,2})\s?[月월]?")
_NAMED_MONTH_ONLY = re.compile(r"([^\W\d_]{3,12})\.?,?\s(?:de\s)?((?:19|20)\d\d)")


def _parse_whole(text: str, context: DateContext) -> str | None:
    """A text that is nothing but one value: "" when its form is known and its date is not one, None for other forms."""
    if match := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        year, month, day, hour, minute, second, zone = match.groups()
        clock = Clock(int(hour), int(minute), int(second) if second else None, parse_offset(zone)) if hour else None
        return iso_time(int(year), int(month), int(day), clock, context) or ""
    if match := _EPOCH.fullmatch(text):
        moment = datetime.fromtimestamp(int(match[1]), UTC)
        return iso_moment(moment, seconds=True) if is_past(moment, context.now) else ""
    if match := _MONTH_ONLY.fullmatch(text):
        return _iso_month(int(match[1]), int(match[2]), context)
    if (match := _NAMED_MONTH_ONLY.fullmatch(text)) and (month_of_year := MONTHS.get(plain_word(match[1]))):
        return _iso_month(int(match[2]), month_of_year, context)
    return None


def _iso_month(year: int, month: int, context: DateContext) -> str:
    return f"{year:04}-{month:02}" if is_past_day(year, month, 1, context) else ""


# ------------------------------------------------------------------------------------------- all dates of a line
_DIGIT = re.compile(r"\d")
_HAS_YEAR = re.compile(r"(?:19|20)\d\d")
_HAS_OTHER = re.compile(r"[年民令平昭]|20[0-3]\d{5}|\d[./-]\d|\d[\s.-]\w{3}")
_HAS_SHORT = re.compile(r"\d\s?[:時时]\s?\d\d|^.{3,24}$|[ap]\.?m|\dh\d", re.I)


def _iter_matches(text: str, context: DateContext) -> Iterator[DateMatch]:
    """The dates in their order; where two overlap, that of the earlier form."""
    dates: list[DateMatch] = []
    for match in _iter_days(text, context):
        item = _with_clock(text, match, context)
        is_short = match.re in SHORT_FORMS  # only with a clock time, or where they are all of the text
        if item and (not is_short or "T" in item.value or len(text.strip()) <= match.end() - match.start() + ALONE_CHARS):
            _keep(dates, item)
    if context.now and context.relative and may_be_relative(text):
        for item in iter_relative_times(text, context):
            _keep(dates, item)
    yield from sorted(dates, key=lambda item: item.start)


def _iter_days(text: str, context: DateContext) -> Iterator[re.Match[str]]:
    """The matches of all forms that a text may have."""
    has_short = (context.year or (context.now and context.relative)) and _HAS_SHORT.search(text)
    forms = (
        (*CLOCK_FORMS, *FORMS) if _HAS_YEAR.search(text) else (),
        OTHER_FORMS if _HAS_OTHER.search(text) else (),
        SHORT_FORMS if has_short else (),
    )
    for pattern in chain.from_iterable(forms):
        yield from pattern.finditer(text)


def _with_clock(text: str, match: re.Match[str], context: DateContext) -> DateMatch | None:
    """The day of a match with the clock time in, behind or before it; None where there is no such day."""
    day = read_day(match, context)
    if day is None:
        return None
    start, end = match.span()
    if match.re in CLOCK_FORMS:
        clock = read_clock(match)
    else:
        clock, end = clock_after(text, end)
        if clock is None:
            clock, start = clock_before(text, start)
    value = iso_time(*day, clock, context)
    return DateMatch(value, start, end) if value else None


def _keep(dates: list[DateMatch], item: DateMatch) -> None:
    """Adds a date to `dates` where none overlaps it."""
    if not any(other.start < item.end and item.start < other.end for other in dates):
        dates.append(item)
