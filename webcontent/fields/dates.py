"""Dates and clock times in text: pure functions of strings.

Results are ISO 8601, exactly as precise as the text: `2024-03`, `2024-03-05`, `2024-03-05T14:22`,
`2024-03-05T14:22:08+08:00`. A zone is given only where the text names one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

from webcontent.fields.months import MONTHS, plain_word

LONGEST_TEXT = 2_000
"""Characters of a text that are looked at."""


@dataclass(slots=True, frozen=True)
class FoundTime:
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
    """When the page was fetched: nothing is later (a day's grace), and relative times are counted back from here."""
    year: int | None = None
    """Year of dates that name none."""
    day_first: bool = False
    """Whether 3/4/2024 is the third of April."""
    relative: bool = True
    """Whether `now` is the moment of the fetch, from which relative times and missing years are counted; else it only bounds."""


def parse_time(
    text: str | None, *, now: datetime | str | None = None, year_hint: int | None = None, day_first: bool = False, relative: bool = True
) -> str | None:
    """The first date of a text that is one, or None.

    >>> parse_time("2024年3月5日 14:22")
    '2024-03-05T14:22'
    >>> parse_time("Tue, 05 Mar 2024 14:22:08 +0800")
    '2024-03-05T14:22:08+08:00'
    >>> parse_time("3小时前", now="2024-03-05T14:22+08:00")
    '2024-03-05T11:22+08:00'
    >>> parse_time("2024-13-45") is None
    True
    """
    text = _plain_text(text)
    if not text:
        return None
    setting = DateContext(_moment(now), year_hint, day_first, relative)
    value = _parse_whole(text.strip(), setting)
    if value is not None:
        return value or None
    found = next(_iter_found(text, setting), None)
    return found.value if found else None


def iter_times(
    text: str | None, *, now: datetime | str | None = None, year_hint: int | None = None, day_first: bool = False, relative: bool = True
) -> Iterator[FoundTime]:
    """Every date in a line of text, in order."""
    text = _plain_text(text)
    if text and (_DIGIT.search(text) or "年" in text or (relative and now is not None and _HAS_RELATIVE.search(text))):
        yield from _iter_found(text, DateContext(_moment(now), year_hint, day_first, relative))


def time_from_url(url: str | None, *, now: datetime | str | None = None) -> str | None:
    """The date in an address, by day or by month.

    >>> time_from_url("https://example.org/2024/03/05/story.html")
    '2024-03-05'
    >>> time_from_url("https://example.org/n1/2024/0305/c1-2.html")
    '2024-03-05'
    >>> time_from_url("https://example.org/2024/03/story")
    '2024-03'
    """
    moment = _moment(now)
    url = (url or "")[:LONGEST_TEXT]
    url = url[url.rfind("http") :] if "http" in url else url  # an archive's address holds the page's own
    for pattern in _URL_DATES:
        for match in pattern.finditer(url):
            year, month = int(match["y"]), int(match["m"])
            day = int(match["d"]) if "d" in pattern.groupindex else None
            if _is_day(year, month, day or 1) and _is_past(_midnight(year, month, day or 1), moment):
                return f"{year:04}-{month:02}" + (f"-{day:02}" if day else "")
    return None


# ---------------------------------------------------------------------------------------------- text and setting
_WIDE = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},
    0x3000: 0x20,
    0xA0: 0x20,
    0x202F: 0x20,
    0x2009: 0x20,
    0x2212: 0x2D,
    0x2011: 0x2D,
}
_EASTERN_DIGITS = {start + i: 0x30 + i for start in (0x660, 0x6F0) for i in range(10)}
_TABLE = {**_WIDE, **_EASTERN_DIGITS, 0x200E: 0x20, 0x200F: 0x20, 0xFEFF: 0x20}


def _plain_text(text: str | None) -> str:
    """Full-width forms, Arabic digits and odd spaces as ASCII; the length stays."""
    text = (text or "")[:LONGEST_TEXT]
    return text if text.isascii() else text.translate(_TABLE)


def _moment(now: datetime | str | None) -> datetime | None:
    if isinstance(now, str):
        try:
            return datetime.fromisoformat(now)
        except ValueError:
            return None
    return now


def _is_day(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _midnight(year: int, month: int, day: int) -> datetime:
    """The beginning of a day whose zone nobody says."""
    return datetime(year, month, day)  # noqa: DTZ001


def _is_past(moment: datetime, now: datetime | None) -> bool:
    """Whether a moment is not later than a day after `now`."""
    if now is None:
        return True
    if moment.tzinfo is None or now.tzinfo is None:
        moment, now = moment.replace(tzinfo=None), now.replace(tzinfo=None)
    try:
        return moment <= now + timedelta(days=1)
    except OverflowError:
        return False


# ---------------------------------------------------------------------------------------------- whole values
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ]\s?(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?(?:\[[\w/]+\])?)?", re.I
)
_COMPACT = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)(?:[T ]?(\d\d):?(\d\d)(?::?(\d\d))?(?:[.,]\d+)?\s?(Z|[+-]\d\d:?\d\d)?)?", re.I)
_EPOCH = re.compile(r"(1?\d{9})(?:\d{3})?(?:\.\d+)?")
_MONTH_ONLY = re.compile(r"((?:19|20)\d\d)\s?[-/.年년]\s?(\d{1,2})\s?[月월]?")
_NAMED_MONTH_ONLY = re.compile(r"([^\W\d_]{3,12})\.?,?\s(?:de\s)?((?:19|20)\d\d)")


def _parse_whole(text: str, setting: DateContext) -> str | None:
    """A text that is nothing but one value: "" when its form is known and its date is not one, None for other forms."""
    if match := _ISO.fullmatch(text) or _COMPACT.fullmatch(text):
        year, month, day, hour, minute, second, zone = match.groups()
        clock = _Clock(int(hour), int(minute), int(second) if second else None, _offset(zone)) if hour else None
        return _iso(int(year), int(month), int(day), clock, setting) or ""
    if match := _EPOCH.fullmatch(text):
        moment = datetime.fromtimestamp(int(match[1]), UTC)
        return _shown(moment, "seconds") if _is_past(moment, setting.now) else ""
    if match := _MONTH_ONLY.fullmatch(text):
        return _month(int(match[1]), int(match[2]), setting)
    if (match := _NAMED_MONTH_ONLY.fullmatch(text)) and (month := MONTHS.get(plain_word(match[1]))):
        return _month(int(match[2]), month, setting)
    return None


def _month(year: int, month: int, setting: DateContext) -> str:
    return f"{year:04}-{month:02}" if _is_day(year, month, 1) and _is_past(_midnight(year, month, 1), setting.now) else ""


# ---------------------------------------------------------------------------------------------- clock time and zone
@dataclass(slots=True, frozen=True)
class _Clock:
    hour: int
    minute: int
    second: int | None = None
    zone: timezone | str | None = None  # a str names one of the American zones, whose offset hangs on the date


_AMERICAN = {"ET": -5, "CT": -6, "MT": -7, "PT": -8}
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

_PERIODS = "上午|早上|早晨|清晨|凌晨|中午|下午|傍晚|晚上|晚间|夜间|午前|午後|오전|오후|AM|PM|am|pm"
_AFTERNOON = frozenset(("下午", "傍晚", "晚上", "晚间", "夜间", "午後", "오후", "中午", "pm"))
_CLOCK = (
    rf"(?P<period>{_PERIODS})?\s?(?P<hour>[01]?\d|2[0-4])(?!\d)"
    r"(?:\s?(?P<sep>[:hH.時时点點시])(?:\s?(?P<minute>[0-5]\d)(?!\d)(?:\s?[:.分분]\s?(?P<second>[0-5]\d)(?!\d)(?:[.,]\d{1,9})?)?)?)?"
    r"\s?[分秒분초]?(?:\s?(?P<post>[ap]\.?\s?m\b\.?|[AP]\.?\s?M\b\.?|Uhr\b|uur\b|h\b|hrs?\b|hod\b))?"
)
_ZONE = (
    r"(?:\s?\(?\s?(?:(?P<zone>(?:UTC|GMT)\s?[+-]\s?\d{1,2}(?::?\d\d)?|Z\b|[A-Z]{2,4}\b)"
    r"|(?P<offset>[+-]\d\d:?\d\d(?!\d)|(?<=:\d\d)[+-]\d\d(?!\d))))?"
)
_GAP_WORDS = (
    r"at|um|on|à|a|d|alle|ore|las|los|às|as|kl|klo|om|o|ob|godz|v|в|saat|jam|pukul|lúc|la|den|le|el|il|"
    r"mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_DAY_WORDS = (
    r"北京时间|格林尼治标准时间|台北時間|香港時間|星期[一二三四五六日天]|[周週][一二三四五六日天]|礼拜."
    r"|[月火水木金土日]曜日?|[月火水木金土日]|[월화수목금토일]요일|时间|時間"
)
_GAP = rf"(?:T|(?:[\s.,|·•—–:;@/()\[\]<>\"'-]|\b(?:{_GAP_WORDS})\b\.?|{_DAY_WORDS}){{0,10}})"
_CLOCK_AFTER = re.compile(_GAP + _CLOCK + _ZONE)
_CLOCK_BEFORE = re.compile(_CLOCK + _ZONE + rf"{_GAP}$")
_DOTTED_BY = re.compile(r"\b(?:kl|klo|um|alle|ore|at|om)\b", re.I)


def _offset(zone: str | None) -> timezone | None:
    """The zone of "Z", "GMT", "+08", "+0800" or "+08:00"."""
    if not zone:
        return None
    digits = re.sub(r"\D", "", zone)
    minutes = int(digits[:-2] or 0) * 60 + int(digits[-2:]) if len(digits) > 2 else int(digits or 0) * 60
    if minutes > 14 * 60 or (len(digits) > 2 and int(digits[-2:]) > 59):
        return None
    return timezone(timedelta(minutes=-minutes if "-" in zone else minutes))


def _clock(match: re.Match[str] | None) -> _Clock | None:
    """The clock time of a match of _CLOCK + _ZONE; None where the figures are none after all."""
    if match is None:
        return None
    minute, sep, post = match["minute"], match["sep"], (match["post"] or "").lower().replace(".", "").replace(" ", "")
    if sep == "." and not (post or match["zone"] in _ZONES or _DOTTED_BY.search(match.string, match.start(), match.start("hour"))):
        return None
    if minute is None and not (post or (sep or "") in tuple("時时点點시hH") and sep):
        return None
    hour = _hour(int(match["hour"]), (match["period"] or "").lower(), post)
    if hour is None:
        return None
    return _Clock(hour, int(minute or 0), int(match["second"]) if match["second"] else None, _zone(match, post in ("am", "pm")))


def _hour(hour: int, period: str, post: str) -> int | None:
    """An hour of 24; None where the two disagree."""
    if (post == "am" or period in ("凌晨", "오전", "午前", "am")) and hour == 12:
        return 0
    if (post == "pm" or period in _AFTERNOON) and hour < 12 and not (period == "中午" and hour > 3):
        return hour + 12
    return hour if hour < 24 else None


def _zone(match: re.Match[str], twelve_hours: bool) -> timezone | str | None:
    name, offset = match["zone"], match["offset"]
    if offset:
        return _offset(offset)
    if not name:
        return None
    if name[-1].isdigit():
        return _offset(name)
    if name in _AMERICAN:
        return name
    if name == "CST" and twelve_hours:  # with a.m. and p.m. it is American; else it may be China's
        return timezone(timedelta(hours=-6))
    return timezone(timedelta(minutes=_ZONES[name])) if name in _ZONES else None


def _american(name: str, year: int, month: int, day: int) -> timezone:
    """The offset of ET, CT, MT, PT on a day: summer time from the second Sunday of March to the first of November (US law since 2007)."""
    sundays = [date(year, month_, 1 + (6 - date(year, month_, 1).weekday()) % 7) for month_ in (3, 11)]
    summer = sundays[0] + timedelta(days=7) <= date(year, month, day) < sundays[1]
    return timezone(timedelta(hours=_AMERICAN[name] + summer))


def _iso(year: int, month: int, day: int, clock: _Clock | None, setting: DateContext) -> str | None:
    """ISO 8601, or None where the day does not exist or lies in the future; an impossible clock time is left out."""
    if not _is_day(year, month, day):
        return None
    if clock is None or clock.hour > 23 or clock.minute > 59 or (clock.second or 0) > 59:
        return f"{year:04}-{month:02}-{day:02}" if _is_past(_midnight(year, month, day), setting.now) else None
    zone = _american(clock.zone, year, month, day) if isinstance(clock.zone, str) else clock.zone
    moment = datetime(year, month, day, clock.hour, clock.minute, clock.second or 0, tzinfo=zone)
    return _shown(moment, "minutes" if clock.second is None else "seconds") if _is_past(moment, setting.now) else None


def _shown(moment: datetime, precision: str) -> str:
    return moment.isoformat(timespec=precision)


# ---------------------------------------------------------------------------------------------- forms of a day
_Day = tuple[int, int, int]
_HAN = {
    character: value
    for value, characters in enumerate(("〇零○", "一元", "二", "三", "四", "五", "六", "七", "八", "九"))
    for character in characters
}
_ERAS = {"民國": 1911, "民国": 1911, "令和": 2018, "平成": 1988, "昭和": 1925, "": 1911}


def _han_number(text: str) -> int:
    """三十一 -> 31, 二〇二四 -> 2024, 廿三 -> 23."""
    text = text.replace("廿", "二十").replace("卅", "三十")
    if "十" in text:
        tens, ones = text.split("十", 1)
        return _HAN.get(tens[-1:], 1) * 10 + _HAN.get(ones[:1], 0)
    return int("".join(str(_HAN[character]) for character in text))


def _year(digits: str) -> int:
    value = int(digits.lstrip("'’"))
    return value if value > 99 else value + (2000 if value < 70 else 1900)


def _read_numbers(match: re.Match[str], setting: DateContext) -> _Day:
    return int(match[1]), int(match[3]), int(match[4])


def _read_day_first(match: re.Match[str], setting: DateContext) -> _Day:
    """Two numbers and a year: by what is possible, by the separator, by custom, and never in the future."""
    a, b, year = int(match[1]), int(match[3]), _year(match[4])
    day_first = (year, b, a)
    month_first = (year, a, b)
    first, second = (day_first, month_first) if match[2] == "." or setting.day_first else (month_first, day_first)
    return first if _is_day(*first) and _is_past(_midnight(*first), setting.now) else second


def _read_short_year(match: re.Match[str], setting: DateContext) -> _Day:
    """18-03-08 before a clock time: the year leads where it is the page's."""
    a, b, c = int(match[1]), int(match[2]), int(match[3])
    return (setting.year, b, c) if setting.year and setting.year % 100 == a else (_year(match[3]), b, a)


def _read_day_month_year(match: re.Match[str], setting: DateContext) -> _Day | None:
    month = MONTHS.get(plain_word(match[2]))
    return (_year(match[3]), month, int(match[1])) if month else None


def _read_month_day_year(match: re.Match[str], setting: DateContext) -> _Day | None:
    month = MONTHS.get(plain_word(match[1]))
    return (_year(match[3]), month, int(match[2])) if month else None


def _read_year_month_day(match: re.Match[str], setting: DateContext) -> _Day | None:
    month = MONTHS.get(plain_word(match[2]))
    return (int(match[1]), month, int(match[3])) if month else None


def _read_han(match: re.Match[str], setting: DateContext) -> _Day:
    return _han_number(match[1]), _han_number(match[2]), _han_number(match[3])


def _read_era(match: re.Match[str], setting: DateContext) -> _Day:
    return _ERAS[match[1] or ""] + (1 if match[2] == "元" else int(match[2])), int(match[3]), int(match[4])


_Reader = Callable[[re.Match[str], DateContext], _Day | None]
_WORD = r"((?<![^\W\d_])[^\W\d_]{3,12}(?![^\W\d_]))"
_FULL_YEAR = r"((?:19|20)\d\d)"
_DAY_END = r"(?:(?!\d)|(?<=\d\d)(?=\d\d:\d\d))"  # 2019-10-0812:00 is what is left of two elements
_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (re.compile(_FULL_YEAR + r"\s?([-/._年년–])\s?(\d{1,2})\s?(?:(?<=[-/._年년–\d])\2|[月월])\s?(\d{1,2})" + _DAY_END + r"\s?[日号號일]?"),
     _read_numbers),
    (re.compile(r"(?<![\d.])(\d{1,2})(?:st|nd|rd|th|er|ère|e|º|°|ª)?[\s.,/-]*(?:(?:de|of|del|d['’])\s*)?" + _WORD
                + r"[\s.,/-]*(?:(?:de|del)\s+)?(" + r"(?:19|20)\d\d(?!\d)|['’]\d\d(?!\d)|(?<=[a-z]-)\d\d(?![\d:]))"), _read_day_month_year),
    (re.compile(_WORD + r"[\s.-]*(\d{1,2})(?:st|nd|rd|th|\.)?,?(?:\s+(?:de|del))?[\s,/-]+((?:19|20)\d\d|['’]\d\d)(?!\d)"),
     _read_month_day_year),
    (re.compile(_FULL_YEAR + r"[\s.,/-]*(?:m\.?\s+)?" + _WORD + r"[\s.-]*(\d{1,2})(?![\d:])"), _read_year_month_day),
    (re.compile(r"(?<![\d.,/-])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?((?:19|20)\d\d)(?!\d)"), _read_day_first),
)  # fmt: skip
"""A day with a year of four digits: most texts hold none of the others."""
_ASCTIME = re.compile(
    _WORD
    + r"\s+(\d{1,2})\s+(?P<period>)(?P<hour>\d\d)(?P<sep>:)(?P<minute>\d\d):(?P<second>\d\d)(?P<post>)\s+"
    + r"(?:(?P<zone>[A-Z]{1,4})\s+)?(?:(?P<offset>[+-]\d{4})\s+)?"
    + _FULL_YEAR
)
_OTHER_FORMS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (re.compile(r"([〇零○一二三四五六七八九]{4})年([一二三四五六七八九十元]{1,3})月([一二三四五六七八九十廿卅]{1,3})[日号號]?"), _read_han),
    (re.compile(r"(民國|民国|令和|平成|昭和)\s?(\d{1,3}|元)\s?[年/.-]\s?(\d{1,2})\s?[月/.-]\s?(\d{1,2})(?!\d)\s?[日号號]?"), _read_era),
    (re.compile(r"(?<![\d.])()(1[0-2]\d)年\s?(\d{1,2})月\s?(\d{1,2})日"), _read_era),
    (re.compile(r"(?<!\d)(20[0-3]\d)()(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)"), _read_numbers),
    (re.compile(r"(?<![\d.,/-])(?<!\d:)(\d\d)-(\d\d)-(\d\d)(?=\s?\d\d:\d\d)"), _read_short_year),
    (re.compile(r"(?<![\d.,/-])(?<!\d:)(\d{1,2}(?=/)|\d\d)([./-])(\d{1,2}(?=/)|\d\d)\2(\d\d)(?![\d./:-])"), _read_day_first),
    (re.compile(r"(?<![\d.,])(\d{1,2})[\s.-]+" + _WORD + r"[\s.-]+()['’]?(?<=[\s.'’-])(\d\d)(?![\d:.])"),
     lambda match, setting: (_year(match[4]), month, int(match[1])) if (month := MONTHS.get(plain_word(match[2]))) else None),
)  # fmt: skip


def _named(name: str, day: str) -> tuple[int, int] | None:
    month = MONTHS.get(plain_word(name))
    return (month, int(day)) if month else None


def _short_day(match: re.Match[str], setting: DateContext) -> tuple[int, int]:
    a, b = int(match[1]), int(match[3])
    day_first = match[2] == "/" and setting.day_first
    return (b, a) if day_first and b <= 12 or a > 12 else (a, b)


_SHORT_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], DateContext], tuple[int, int] | None]], ...] = (
    (re.compile(r"(?<![\d年])(\d{1,2})\s?[月월]\s?(\d{1,2})(?!\d)\s?[日号號일]?"), lambda match, setting: (int(match[1]), int(match[2]))),
    (
        re.compile(r"(?<![\d./-])(?<!\d:)(\d{1,2})([/-])(\d{1,2})" + r"(?:(?![\d./-])|(?<=\d\d)(?=\d\d:\d\d))"),
        _short_day,
    ),
    (re.compile(r"(?<![\d.])(\d{1,2})(?:st|nd|rd|th)?\.?\s(?:de\s)?" + _WORD), lambda match, setting: _named(match[2], match[1])),
    (re.compile(_WORD + r"\.?\s(\d{1,2})(?:st|nd|rd|th)?(?![\d.:])"), lambda match, setting: _named(match[1], match[2])),
)
"""A day without a year: month and day."""


# ---------------------------------------------------------------------------------------------- relative times
_UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_629_800, "year": 31_557_600}
_UNIT_WORDS = {
    "second": "second sec s seconds secs sekunde sekunden segundo segundos seconde secondes secondi 秒 秒钟 秒鐘 초 секунд секунды",
    "minute": "minute minutes min mins m minuten minuto minutos minuti minuter"
    " minuut dakika minut minuty 分 分钟 分鐘 분 минут минуты минуту",
    "hour": "hour hours hr hrs h stunde stunden std hora horas heure heures ora ore uur"
    " timmar timer saat godzin godziny 小时 小時 个小时 個小時 时 時間 시간 час часа часов",
    "day": "day days d tag tagen día días dia dias jour jours giorno giorni dag dagen dagar dni gün 天 日 일 день дня дней",
    "week": "week weeks w woche wochen semana semanas semaine semaines"
    " settimana settimane weken veckor vecka hafta 周 週 星期 个星期 週間 주 неделю недели недель",
    "month": "month months monat monaten mes meses mês mois mese mesi"
    " maand maanden ay 月 个月 個月 ヶ月 か月 カ月 개월 месяц месяца месяцев",
    "year": "year years yr yrs jahr jahren año años ano anos an ans anno anni jaar år yıl 年 년 год года лет",
}  # fmt: skip
_UNIT_OF = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_AGO = re.compile(
    r"(?<![\d.,])(?P<a>\d{1,3})\s?(?P<ua>秒钟?|秒鐘|分[钟鐘]?|[个個]?小[时時]|時間|时|天|日|周|週間?|[个個]?星期|"
    r"[个個ヶかカ]月|年|초|분|시간|일|주|개월|년)\s?(?:之?以?前|전)"
    r"|(?<![\d.,])(?P<b>\d{1,3}|an?|one)\s?(?P<ub>[^\W\d_]{1,8})\.?\s(?:ago|önce|sedan|siden|geleden|temu|fa|atrás|назад)\b"
    r"|\b(?:vor|hace|il y a|há|før|for|πριν)\s(?:ca\.\s)?(?P<c>\d{1,3}|einem|einer|un|una|une|uma|um)\s(?P<uc>[^\W\d_]{1,8})\b",
    re.I,
)
_DAYS_BACK = {
    0: "今天 今日 today heute hoy aujourd'hui oggi hoje vandaag i\u00a0dag 오늘 сегодня bugün",
    1: "昨天 昨日 yesterday gestern ayer hier ieri ontem gisteren wczoraj 어제 вчера dün",
    2: "前天 前日 vorgestern anteayer avant-hier 그제 позавчера",
}
_BACK_OF = {word.replace("\u00a0", " "): days for days, words in _DAYS_BACK.items() for word in words.split(" ")}
_DAY_BACK = re.compile(r"(?<!\w)(" + "|".join(sorted(map(re.escape, _BACK_OF), key=len, reverse=True)) + r")(?![a-zäöüß])", re.I)
_JUST_NOW = re.compile(r"^\W*(?:刚刚|剛剛|刚才|just now|たった今|방금)\W*$", re.I)


def _iter_relative(text: str, setting: DateContext) -> Iterator[FoundTime]:
    """Times counted back from the fetch: to the minute for minutes and hours, to the day for days and weeks, else to the month."""
    now = setting.now
    if now is None:
        return
    if _JUST_NOW.match(text):
        yield FoundTime(_shown(now, "minutes"), 0, len(text))
    for match in _AGO.finditer(text):
        number = match["a"] or match["b"] or match["c"]
        unit = _UNIT_OF.get((match["ua"] or match["ub"] or match["uc"]).lower())
        if unit:
            yield FoundTime(_back(now, int(number) if number.isdigit() else 1, unit), match.start(), match.end())
    for match in _DAY_BACK.finditer(text):
        day = now - timedelta(days=_BACK_OF[match[1].lower()])
        after = _CLOCK_AFTER.match(text, match.end())
        clock = _clock(after)
        alone = len(text.strip()) <= match.end() - match.start() + 4
        if clock or alone:  # in running text "today" dates no page
            value = _iso(day.year, day.month, day.day, clock, setting)
            if value:
                yield FoundTime(value, match.start(), after.end() if after and clock else match.end())


def _back(now: datetime, count: int, unit: str) -> str:
    moment = now - timedelta(seconds=count * _UNITS[unit])
    if unit in ("second", "minute", "hour"):
        return _shown(moment, "minutes")
    return moment.date().isoformat() if unit in ("day", "week") else moment.date().isoformat()[: 7 if unit == "month" else 4]


# ---------------------------------------------------------------------------------------------- all in a line
_DIGIT = re.compile(r"\d")
_HAS_YEAR = re.compile(r"(?:19|20)\d\d")
_HAS_OTHER = re.compile(r"[年民令平昭]|20[0-3]\d{5}|\d[./-]\d|\d[\s.-]\w{3}")
_HAS_SHORT = re.compile(r"\d\s?[:時时]\s?\d\d|^.{3,24}$|[ap]\.?m|\dh\d", re.I)
_HAS_RELATIVE = re.compile(
    r"[前昨今刚剛전어오]|ago|fa\b|vor|hace|il y a|há|day|heute|gest|hoy|ayer|hier|aujo|oggi|ieri|on?tem|hoje|vand|gist|назад|вчера|сег|"
    r"önce|dün|bug|just|sedan|siden|geleden|temu|atrás|før",
    re.I,
)


def _iter_found(text: str, setting: DateContext) -> Iterator[FoundTime]:
    found: list[FoundTime] = []
    if _HAS_YEAR.search(text):
        for match in _ASCTIME.finditer(text):
            _keep(found, _found_asctime(match, setting))
        _read_forms(found, _FORMS, text, setting)
    if _HAS_OTHER.search(text):
        _read_forms(found, _OTHER_FORMS, text, setting)
    if (setting.year or (setting.now and setting.relative)) and _HAS_SHORT.search(text):
        _read_short_forms(found, text, setting)
    if setting.now and setting.relative and _HAS_RELATIVE.search(text):
        for relative in _iter_relative(text, setting):
            _keep(found, relative)
    yield from sorted(found, key=lambda item: item.start)


def _read_forms(found: list[FoundTime], forms: tuple[tuple[re.Pattern[str], _Reader], ...], text: str, setting: DateContext) -> None:
    """Adds to `found`; earlier forms win where two overlap."""
    for pattern, reader in forms:
        for match in pattern.finditer(text):
            day = reader(match, setting)
            if day:
                _keep(found, _with_clock(text, match, day, setting))


def _read_short_forms(found: list[FoundTime], text: str, setting: DateContext) -> None:
    """Adds days without a year: only those with a clock time, or that are all of the text."""
    for pattern, short_reader in _SHORT_FORMS:
        for match in pattern.finditer(text):
            pair = short_reader(match, setting)
            if not pair or any(item.start < match.end() and match.start() < item.end for item in found):
                continue
            item = _with_clock(text, match, (_year_of(*pair, setting), *pair), setting)
            if item and ("T" in item.value or len(text.strip()) <= match.end() - match.start() + 4):
                found.append(item)


def _year_of(month: int, day: int, setting: DateContext) -> int:
    """The hint's year, else the fetch's; the year before where that would lie in the future."""
    year = setting.year or (setting.now.year if setting.now else 0)
    if setting.now and _is_day(year, month, day) and not _is_past(_midnight(year, month, day), setting.now):
        return year - 1
    return year


def _with_clock(text: str, match: re.Match[str], day: _Day, setting: DateContext) -> FoundTime | None:
    """The day with the clock time that stands behind or before it."""
    after = _CLOCK_AFTER.match(text, match.end())
    clock = _clock(after)
    if after and clock:
        value = _iso(*day, clock, setting)
        return FoundTime(value, match.start(), after.end()) if value else None
    offset = max(0, match.start() - 40)
    before = _CLOCK_BEFORE.search(text[offset : match.start()]) if ":" in text[offset : match.start()] else None
    clock = _clock(before)
    value = _iso(*day, clock, setting)
    if value is None:
        return None
    return FoundTime(value, offset + before.start() if before and clock else match.start(), match.end())


def _found_asctime(match: re.Match[str], setting: DateContext) -> FoundTime | None:
    month = MONTHS.get(plain_word(match[1]))
    value = _iso(int(match[match.lastindex or 0]), month, int(match[2]), _clock(match), setting) if month else None
    return FoundTime(value, match.start(), match.end()) if value else None


def _keep(found: list[FoundTime], item: FoundTime | None) -> None:
    if item and not any(other.start < item.end and item.start < other.end for other in found):
        found.append(item)


_URL_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)",
        r"(?<!\d)(?P<y>(?:19|20)\d\d)[/_.-](?P<m>[01]?\d)[/_.-](?P<d>[0-3]?\d)(?!\d)",
        r"(?<!\d)(?P<y>(?:19|20)\d\d)[/_-](?P<m>[01]\d)(?P<d>[0-3]\d)(?!\d)",
        r"(?<!\d)(?P<y>(?:19|20)\d\d)(?P<m>[01]\d)/(?P<d>[0-3]\d)(?!\d)",
        r"(?<!\d)(?P<d>[0-3]\d)[_.-](?P<m>[01]\d)[_.-](?P<y>(?:19|20)\d\d)(?!\d)",
        r"/(?P<y>(?:19|20)\d\d)[/_-]?(?P<m>[01]\d)(?=[/_.-])",
    )
)
