"""The written forms of a day: names of months, patterns with the groups y, m, d (and era, or a, b where custom decides), their reader."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from webcontent.fields.dates.clock import is_past_day
from webcontent.fields.lexicon import alternation, by_language, load, words

if TYPE_CHECKING:
    from webcontent.fields.dates.clock import DateContext

Day = tuple[int, int, int]
"""Year, month, day."""

CENTURY, FIRST_SHORT_YEAR = 100, 70
"""A year of two digits: 70 is 1970, 69 is 2069."""
MONTHS_OF_YEAR = 12

_HAN_DIGITS = {
    character: value
    for value, characters in enumerate(("〇零○", "一元", "二", "三", "四", "五", "六", "七", "八", "九"))
    for character in characters
}
_HAN_NUMBER = re.compile(rf"[{''.join(_HAN_DIGITS)}十廿卅]+")
_ERAS: dict[str, int] = load("dates")["era"]
_ORDINAL = rf"(?:{alternation('dates', 'ordinal')})?"
_ENGLISH_ORDINAL = rf"(?:{'|'.join(by_language('dates', 'ordinal')['en'])})?"
_OF = rf"(?:{alternation('dates', 'of')})"
_SPANISH_OF = rf"(?:{'|'.join(by_language('dates', 'of')['es'])})"
_NAME = r"(?P<m>(?:(?<![^\W\d_])|(?<=[a-z])(?=[A-Z]))[^\W\d_](?:(?!(?<=[a-z])[A-Z])[^\W\d_]){2,11}(?![^\W\d_]))"
"""A word; "NewsMarch", which is what is left of two elements, is two."""
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_DAY = r"(?P<d>\d{1,2})"


# ------------------------------------------------------------------------------------------- names of months
def plain_word(word: str) -> str:
    """Lower case, without accents, dots and apostrophes.

    >>> plain_word("Févr."), plain_word("EKİM")
    ('fevr', 'ekim')
    """
    word = word.lower().strip(".'’׳")
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")


MONTHS: dict[str, int] = {plain_word(name): number for number, month in enumerate(load("months"), 1) for name in words("months", month)}
"""Month, 1 to 12, by plain name, in full or abbreviated, in all languages."""


# ------------------------------------------------------------------------------------------- readers
def read_day(match: re.Match[str], context: DateContext) -> Day | None:
    """The day of a match, possible or not; None where the name of its month is none."""
    part = match.groupdict()
    if "a" in part:
        return _by_custom(int(part["a"]), part["sep"], int(part["b"]), part.get("y"), context)
    month, day = _number(part["m"]), _number(part["d"])
    if not month:
        return None
    if "y" not in part:
        return _last_year(month, day, context), month, day
    year = _number(part["y"].lstrip("'’"))
    return (year + _ERAS[part["era"]] if "era" in part else _full_year(year)), month, day


def _by_custom(a: int, sep: str, b: int, last: str | None, context: DateContext) -> Day:
    """Numbers whose order is open: by the page's year, by what is possible, by the separator, by custom, never in the future."""
    if last is None:
        month, day = (b, a) if a > MONTHS_OF_YEAR or (sep == "/" and context.day_first and b <= MONTHS_OF_YEAR) else (a, b)
        return _last_year(month, day, context), month, day
    year = _full_year(int(last))
    if context.year and sep == "-" and len(last) == 2 and context.year % CENTURY == a != int(last):
        return context.year, b, int(last)
    day_first, month_first = (year, b, a), (year, a, b)
    first, second = (day_first, month_first) if sep == "." or context.day_first else (month_first, day_first)
    return first if is_past_day(*first, context) else second


def _last_year(month: int, day: int, context: DateContext) -> int:
    """The year of a day without one: the hint's, else the fetch's; the year before where that would lie in the future."""
    year = context.year or (context.now.year if context.now else 0)
    return year if is_past_day(year, month, day, context) else year - 1


def _number(text: str) -> int:
    """12 -> 12, März -> 3, 三十一 -> 31, 二〇二四 -> 2024, 廿三 -> 23; 0 for other words."""
    if text.isdecimal():
        return int(text)
    if not _HAN_NUMBER.fullmatch(text):
        return MONTHS.get(plain_word(text), 0)
    text = text.replace("廿", "二十").replace("卅", "三十")
    if "十" in text:
        tens, ones = text.split("十", 1)
        return _HAN_DIGITS.get(tens[-1:], 1) * 10 + _HAN_DIGITS.get(ones[:1], 0)
    return int("".join(str(_HAN_DIGITS[character]) for character in text))


def _full_year(year: int) -> int:
    return year if year >= CENTURY else year + (2000 if year < FIRST_SHORT_YEAR else 1900)


# ------------------------------------------------------------------------------------------- tables
def compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, patterns))


FORMS = compiled(
    _YEAR + r"\s?(?P<sep>[-/._年년–])\s?(?P<m>\d{1,2})\s?(?:(?<=[-/._年년–\d])(?P=sep)|[月월])\s?" + _DAY
    + r"(?:(?!\d)|(?<=[-/.]\d\d[-/.]\d\d))\s?[日号號일]?",
    rf"(?<![\d.]){_DAY}{_ORDINAL}[\s.,/-]*(?:{_OF}\s*)?{_NAME}[\s.,/-]*(?:{_SPANISH_OF}\s+)?"
    r"(?P<y>(?:19|20)\d\d|['’]\d\d(?!\d)|(?<=[a-z]-)\d\d(?![\d:]))",
    rf"{_NAME}[\s./-]*{_DAY}{_ENGLISH_ORDINAL}[.,]?(?:\s+{_SPANISH_OF})?[\s,/-]+(?P<y>(?:19|20)\d\d|['’]\d\d(?!\d))",
    _YEAR + r"[\s.,/-]*(?:m\.?\s+)?" + _NAME + r"[\s.-]*" + _DAY + r"(?![\d:])",
    r"(?<![\d.,/-])(?P<a>\d{1,2})\s?(?P<sep>[./-])\s?(?P<b>\d{1,2})\s?(?P=sep)\s?" + _YEAR
    + r"(?:(?!\d)|(?<=\d\d[./-]\d\d[./-]\d{4}))",
)  # fmt: skip
"""A day with a year of four digits: most texts hold none of the others.

Digits behind it, as in 2019-10-0812:00 and "Mar 27, 20255 min", are what is left of two elements.
"""
_CLOCK_AND_YEAR = (
    r"[\s,]+(?P<period>)(?P<hour>\d\d?)(?P<sep>:)(?P<minute>\d\d)(?::(?P<second>\d\d))?(?P<post>)[\s,]+"
    r"(?:(?P<zone>[A-Z]{1,4})\s+)?(?:(?P<offset>[+-]\d{4})\s+)?" + _YEAR
)
CLOCK_FORMS = compiled(rf"{_NAME}\s+{_DAY}" + _CLOCK_AND_YEAR, rf"{_DAY}\s+{_NAME}" + _CLOCK_AND_YEAR)
"""Tue Mar  5 14:22:08 CET 2024, 5 Mar 14:22 2024: the groups of a clock time, with month, day and year around them."""
OTHER_FORMS = compiled(
    r"(?P<y>[〇零○一二三四五六七八九]{4})年(?P<m>[一二三四五六七八九十元]{1,3})月(?P<d>[一二三四五六七八九十廿卅]{1,3})[日号號]?",
    rf"(?P<era>{'|'.join(filter(None, _ERAS))})\s?(?P<y>\d{{1,3}}|元)\s?[年/.-]\s?(?P<m>\d{{1,2}})\s?[月/.-]\s?{_DAY}(?!\d)\s?[日号號]?",
    rf"(?<![\d.])(?P<era>)(?P<y>1[0-2]\d)年\s?(?P<m>\d{{1,2}})月\s?{_DAY}日",
    r"(?<!\d)(?P<y>20[0-3]\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?!\d)",
    r"(?<![\d.,/-])(?<!\d:)(?P<a>\d{1,2}(?=/)|\d\d)(?P<sep>[./-])(?P<b>\d{1,2}(?=/)|\d\d)(?P=sep)(?P<y>\d\d)"
    r"(?:(?![\d./:-])|(?<=-\d\d)(?=\d\d:\d\d))",
    rf"(?<![\d.,]){_DAY}[\s.-]+{_NAME}[\s.-]+(?P<y>['’]?(?<=[\s.'’-])\d\d)(?![\d:.])",
)  # fmt: skip
"""Chinese numerals, eras, days without separators, years of two digits."""
SHORT_FORMS = compiled(
    rf"(?<![\d年])(?P<m>\d{{1,2}})\s?[月월]\s?{_DAY}(?!\d)\s?[日号號일]?",
    r"(?<![\d./-])(?<!\d:)(?P<a>\d{1,2})(?P<sep>[/-])(?P<b>\d{1,2})(?:(?![\d./-])|(?<=\d\d)(?=\d\d:\d\d))",
    rf"(?<![\d.]){_DAY}{_ENGLISH_ORDINAL}\.?\s(?:de\s)?{_NAME}",
    rf"{_NAME}\.?\s{_DAY}{_ENGLISH_ORDINAL}(?![\d.:])",
)
"""A day without a year."""
