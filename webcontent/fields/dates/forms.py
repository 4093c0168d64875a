"""The written forms of a day: patterns, and readers that turn their matches into year, month and day."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from webcontent.fields.dates.months import month_number
from webcontent.fields.dates.values import is_day, is_past_day
from webcontent.fields.lexicon import alternation, by_language, load

if TYPE_CHECKING:
    from webcontent.fields.dates.values import DateContext

Day = tuple[int, int, int]
"""Year, month, day."""
MonthDay = tuple[int, int]
Reader = Callable[[re.Match[str], "DateContext"], Day | None]
ShortReader = Callable[[re.Match[str], "DateContext"], MonthDay | None]

CENTURY = 100
FIRST_SHORT_YEAR = 70
"""Of two digits: 70 is 1970, 69 is 2069."""
MONTHS_OF_YEAR = 12

_HAN_DIGITS = {
    character: value
    for value, characters in enumerate(("〇零○", "一元", "二", "三", "四", "五", "六", "七", "八", "九"))
    for character in characters
}
_ERAS: dict[str, int] = {**load("dates")["era"], "": 1911}
"""The year before each era's first; a year of three digits without a name is one of the Republic of China."""

_ORDINAL = rf"(?:{alternation('dates', 'ordinal')})?"
_ENGLISH_ORDINAL = rf"(?:{'|'.join(by_language('dates', 'ordinal')['en'])})?"
_OF = rf"(?:{alternation('dates', 'of')})"
_SPANISH_OF = rf"(?:{'|'.join(by_language('dates', 'of')['es'])})"
_WORD = r"((?<![^\W\d_])[^\W\d_]{3,12}(?![^\W\d_]))"
_FULL_YEAR = r"((?:19|20)\d\d)"
_DAY_END = r"(?:(?!\d)|(?<=\d\d)(?=\d\d:\d\d))"  # 2019-10-0812:00 is what is left of two elements


# ------------------------------------------------------------------------------------------- readers
def _read_numbers(match: re.Match[str], context: DateContext) -> Day:
    return int(match[1]), int(match[3]), int(match[4])


def _read_day_first(match: re.Match[str], context: DateContext) -> Day:
    """Two numbers and a year: by what is possible, by the separator, by custom, and never in the future."""
    a, b, year = int(match[1]), int(match[3]), _full_year(match[4])
    day_first = (year, b, a)
    month_first = (year, a, b)
    first, second = (day_first, month_first) if match[2] == "." or context.day_first else (month_first, day_first)
    return first if is_day(*first) and is_past_day(*first, context) else second


def _read_short_year(match: re.Match[str], context: DateContext) -> Day:
    """18-03-08 before a clock time: the year leads where it is the page's."""
    a, b, c = int(match[1]), int(match[2]), int(match[3])
    return (context.year, b, c) if context.year and context.year % CENTURY == a else (_full_year(match[3]), b, a)


def _read_short_numbers(match: re.Match[str], context: DateContext) -> Day:
    """Three numbers of two digits: 19-01-07 is in 2019 where that is the page's year, and the last number is not."""
    years = [context.year is not None and context.year % CENTURY == int(match[group]) for group in (1, 4)]
    if match[2] == "-" and years == [True, False] and context.year is not None:
        return context.year, int(match[3]), int(match[4])
    return _read_day_first(match, context)


def _read_day_month_year(match: re.Match[str], context: DateContext) -> Day | None:
    month = month_number(match[2])
    return (_full_year(match[3]), month, int(match[1])) if month else None


def _read_month_day_year(match: re.Match[str], context: DateContext) -> Day | None:
    month = month_number(match[1])
    return (_full_year(match[3]), month, int(match[2])) if month else None


def _read_year_month_day(match: re.Match[str], context: DateContext) -> Day | None:
    month = month_number(match[2])
    return (int(match[1]), month, int(match[3])) if month else None


def _read_day_month_short_year(match: re.Match[str], context: DateContext) -> Day | None:
    month = month_number(match[2])
    return (_full_year(match[4]), month, int(match[1])) if month else None


def _read_han(match: re.Match[str], context: DateContext) -> Day:
    return _han_number(match[1]), _han_number(match[2]), _han_number(match[3])


def _read_era(match: re.Match[str], context: DateContext) -> Day:
    return _ERAS[match[1] or ""] + (1 if match[2] == "元" else int(match[2])), int(match[3]), int(match[4])


def _read_month_day(match: re.Match[str], context: DateContext) -> MonthDay:
    return int(match[1]), int(match[2])


def _read_two_numbers(match: re.Match[str], context: DateContext) -> MonthDay:
    a, b = int(match[1]), int(match[3])
    day_first = match[2] == "/" and context.day_first
    return (b, a) if day_first and b <= MONTHS_OF_YEAR or a > MONTHS_OF_YEAR else (a, b)


def _read_day_month(match: re.Match[str], context: DateContext) -> MonthDay | None:
    month = month_number(match[2])
    return (month, int(match[1])) if month else None


def _read_named_month_day(match: re.Match[str], context: DateContext) -> MonthDay | None:
    month = month_number(match[1])
    return (month, int(match[2])) if month else None


def _han_number(text: str) -> int:
    """三十一 -> 31, 二〇二四 -> 2024, 廿三 -> 23."""
    text = text.replace("廿", "二十").replace("卅", "三十")
    if "十" in text:
        tens, ones = text.split("十", 1)
        return _HAN_DIGITS.get(tens[-1:], 1) * 10 + _HAN_DIGITS.get(ones[:1], 0)
    return int("".join(str(_HAN_DIGITS[character]) for character in text))


def _full_year(digits: str) -> int:
    value = int(digits.lstrip("'’"))
    return value if value >= CENTURY else value + (2000 if value < FIRST_SHORT_YEAR else 1900)


# ------------------------------------------------------------------------------------------- tables
FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(_FULL_YEAR + r"\s?([-/._年년–])\s?(\d{1,2})\s?(?:(?<=[-/._年년–\d])\2|[月월])\s?(\d{1,2})" + _DAY_END + r"\s?[日号號일]?"),
     _read_numbers),
    (re.compile(rf"(?<![\d.])(\d{{1,2}}){_ORDINAL}[\s.,/-]*(?:{_OF}\s*)?{_WORD}[\s.,/-]*(?:{_SPANISH_OF}\s+)?"
                r"((?:19|20)\d\d(?!\d)|['’]\d\d(?!\d)|(?<=[a-z]-)\d\d(?![\d:]))"), _read_day_month_year),
    (re.compile(rf"{_WORD}[\s.-]*(\d{{1,2}})(?:{'|'.join(by_language('dates', 'ordinal')['en'])}|\.)?,?(?:\s+{_SPANISH_OF})?"
                r"[\s,/-]+((?:19|20)\d\d|['’]\d\d)(?!\d)"), _read_month_day_year),
    (re.compile(_FULL_YEAR + r"[\s.,/-]*(?:m\.?\s+)?" + _WORD + r"[\s.-]*(\d{1,2})(?![\d:])"), _read_year_month_day),
    (re.compile(r"(?<![\d.,/-])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?((?:19|20)\d\d)(?!\d)"), _read_day_first),
)  # fmt: skip
"""A day with a year of four digits: most texts hold none of the others."""
ASCTIME = re.compile(
    _WORD
    + r"\s+(\d{1,2})\s+(?P<period>)(?P<hour>\d\d)(?P<sep>:)(?P<minute>\d\d):(?P<second>\d\d)(?P<post>)\s+"
    + r"(?:(?P<zone>[A-Z]{1,4})\s+)?(?:(?P<offset>[+-]\d{4})\s+)?"
    + _FULL_YEAR
)
"""Tue Mar  5 14:22:08 CET 2024: the groups of a clock time, with month, day and year around them."""
OTHER_FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"([〇零○一二三四五六七八九]{4})年([一二三四五六七八九十元]{1,3})月([一二三四五六七八九十廿卅]{1,3})[日号號]?"), _read_han),
    (re.compile(rf"({'|'.join(load('dates')['era'])})\s?(\d{{1,3}}|元)\s?[年/.-]\s?(\d{{1,2}})\s?[月/.-]\s?(\d{{1,2}})(?!\d)\s?[日号號]?"),
     _read_era),
    (re.compile(r"(?<![\d.])()(1[0-2]\d)年\s?(\d{1,2})月\s?(\d{1,2})日"), _read_era),
    (re.compile(r"(?<!\d)(20[0-3]\d)()(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)"), _read_numbers),
    (re.compile(r"(?<![\d.,/-])(?<!\d:)(\d\d)-(\d\d)-(\d\d)(?=\s?\d\d:\d\d)"), _read_short_year),
    (re.compile(r"(?<![\d.,/-])(?<!\d:)(\d{1,2}(?=/)|\d\d)([./-])(\d{1,2}(?=/)|\d\d)\2(\d\d)(?![\d./:-])"), _read_short_numbers),
    (re.compile(r"(?<![\d.,])(\d{1,2})[\s.-]+" + _WORD + r"[\s.-]+()['’]?(?<=[\s.'’-])(\d\d)(?![\d:.])"), _read_day_month_short_year),
)  # fmt: skip
"""Chinese numerals, eras, days without separators, years of two digits."""
SHORT_FORMS: tuple[tuple[re.Pattern[str], ShortReader], ...] = (
    (re.compile(r"(?<![\d年])(\d{1,2})\s?[月월]\s?(\d{1,2})(?!\d)\s?[日号號일]?"), _read_month_day),
    (re.compile(r"(?<![\d./-])(?<!\d:)(\d{1,2})([/-])(\d{1,2})(?:(?![\d./-])|(?<=\d\d)(?=\d\d:\d\d))"), _read_two_numbers),
    (re.compile(rf"(?<![\d.])(\d{{1,2}}){_ENGLISH_ORDINAL}\.?\s(?:de\s)?{_WORD}"), _read_day_month),
    (re.compile(rf"{_WORD}\.?\s(\d{{1,2}}){_ENGLISH_ORDINAL}(?![\d.:])"), _read_named_month_day),
)
"""A day without a year."""
