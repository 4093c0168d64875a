"""The tokenizer of lines: where a line is cut, at the borders of its elements, at labels, dates, addresses, brackets and separators."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from webcontent.fields.dates.forms import MONTHS, plain_word
from webcontent.fields.lexicon import words
from webcontent.fields.names.labels import MAX_UNKNOWN_CHARS, UNKNOWN, kind_alone, label_before
from webcontent.fields.names.lines import MARK
from webcontent.fields.names.people import HAN, SURNAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ROLE_OFFSET, MAX_ROLE_LINE_CHARS = 14, 45
"""A reporter further into a longer line is somebody whom the text speaks of."""
MAX_PAPER_CHARS = 14
MAX_CUTS_BEFORE_DATE = 8
MARK_EDGES = f" {MARK}"
EDGES = " 　\xa0:：|｜,，;；-–—·•.。/／*\"“”'‘’→>＞<~・"
"""What stands around values and belongs to none."""
_OPENING = "(（〔【[〖「／/、,，;；■●◆▲"
_DATE = (
    r"(?:19|20)\d\d\s?(?:[-/.年]\s?\d{1,2}(?:\s?[-/.月]\s?\d{1,2}\s?日?)?(?:T[\d:+.Z-]*)?)|\d{1,2}\s?月\s?\d{1,2}\s?日"
    r"|\d{1,2}[:：]\d\d(?:[:：]\d\d)?(?:\s?[apAP]\.?[mM]\b\.?)?|\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d"
    r"|\d{1,2}(?:st|nd|rd|th|er|º)?\.?,?\s(?:de\s)?[^\W\d_]{3,12}\.?,?(?:\s(?:de\s)?(?:19|20)\d\d)?"
    r"|[^\W\d_]{3,12}+\.?\s\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s(?:19|20)\d\d)?"
    r"|\d+\s?(?:小时|小時|分钟|分鐘|天|秒)前?|\d+\s?(?:hours?|minutes?|mins?|days?|weeks?|months?|years?)\b(?:\sago|\sread)?"
)
ROLES = sorted({*words("chinese_bylines", "reporter"), *words("chinese_bylines", "other_reporter")}, key=len, reverse=True)
_ROLE_WORDS = rf"(?:{'|'.join(words('chinese_bylines', 'reporter_kind'))})?(?:{'|'.join(ROLES)})"
_CUTS = (
    ("", rf"(?P<slash>{MARK}?[/／=＝])|(?P<mark>{MARK})"),
    ("digit", rf"(?P<date>{_DATE})"),
    ("address", r"(?P<url>https?://\S*|www\.\S+|\S+@\S+)"),
    ("", r"(?P<colon>[:：])|(?P<open>[(（〔【\[〖「])|(?P<close>[)）〕】\]〗」])"),
    ("", r"(?P<bar>[|｜•·●■◆►▲]|\s[-–—]\s|--+|——+|\s{2,})|(?P<comma>[、，,;；&。！？!?])"),
    ("han", r"(?P<both>(?:文字?|撰文|[图圖]片?)\s?[、/／]\s?(?:[图圖]片?|文字?|摄影|攝影)[:：/／\s])"),
    ("han", rf"(?P<role>{_ROLE_WORDS}(?=[\s{MARK}]{{0,3}}[\u3400-\u9fff]))"),
)
"""What cuts a line, each with the kind of characters that a line without it does not have."""
_WORD = re.compile(r"\d+|[^\W\d]+|.", re.S)
_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"@|http|www\.")
_FIRST_WORD = re.compile(r"[^\W\d_]{3,}")
_REPORTER_BEHIND = re.compile(rf"[\s{MARK}]*(?:{'|'.join((*ROLES, *words('chinese_bylines', 'translator')))})")
"""Behind the name of the paper: 日报／记者 张三."""
_SIGNED_BEHIND = re.compile(rf"\s?[{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}}\s?[】〕）)\]]")
_BRACKET_BEFORE = re.compile(r"[【〔（(\[][^】〕）)\]]{2,12}$")
"""A name with its desk in a bracket: 【财经／张三】."""
_UNITS = ("hour", "min", "day", "week", "month", "year")


class Cut(NamedTuple):
    """A place at which a line is cut."""

    start: int
    end: int
    type: str
    """mark, date, url, label, behind (a label behind the value), open, close, bar, comma."""
    kind: str = ""
    """Of a label."""
    sure: bool = True
    """Whether a label is one for certain: not a word of a sentence."""


def iter_cuts(text: str) -> Iterator[Cut]:
    """Where a line is cut, in order; a label reaches back to its first character."""
    place, opened = 0, -1
    pattern = _cut_pattern(bool(_DIGIT.search(text)), bool(_ADDRESS.search(text)), bool(HAN.search(text)))
    for match in _iter_matches(pattern, text):
        type_ = match.lastgroup or ""
        start, end = match.span()
        if type_ in ("colon", "slash"):
            cut = _label_cut(text, place, start, end, type_)
        elif type_ == "both":
            cut = Cut(start, end, "label", "author")
        elif type_ == "role":
            before = text[:start].rstrip(MARK_EDGES)
            opens = not before or before[-1] in _OPENING or 0 <= opened >= start - MAX_ROLE_OFFSET
            if not opens and (start > MAX_ROLE_OFFSET and len(text) > MAX_ROLE_LINE_CHARS):
                continue
            cut = Cut(start, end, "label", "author", opens)
        else:
            cut = Cut(start, end, type_)
        yield cut
        place, opened = end, end if type_ == "open" else -1


@lru_cache(maxsize=8)
def _cut_pattern(digit: bool, address: bool, han: bool) -> re.Pattern[str]:
    """The pattern for lines with these kinds of characters. Alternatives that cannot match would cost most of the time."""
    has = {"": True, "digit": digit, "address": address, "han": han}
    return re.compile("|".join(pattern for kind, pattern in _CUTS if has[kind]))


def _iter_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern of cuts; behind what only looks like a date, the next one may begin within it: "Posted 3 May"."""
    place = 0
    while match := pattern.search(text, place):
        if match.lastgroup == "date" and not _is_date(match[0]):
            word = _WORD.match(text, match.start())
            place = word.end() if word else match.end()
        else:
            yield match
            place = match.end()


def _is_date(text: str) -> bool:
    """Whether what looks like a date has the name of a month, where it has a word."""
    word = _FIRST_WORD.search(text)
    return word is None or plain_word(word[0]) in MONTHS or text[0].isdigit() and word[0].lower().startswith(_UNITS)


def _label_cut(text: str, place: int, start: int, end: int, type_: str) -> Cut:
    """The cut at a colon or slash, which ends a label if one stands before it."""
    before = text[place:start]
    if type_ == "slash" and (behind := kind_alone(text[end:].strip(f" {MARK}"))):
        return Cut(start, end, "behind", behind)
    offset, kind = label_before(before)
    if kind:
        return Cut(place + offset, end, "label", kind)
    if type_ == "slash" and len(before.strip(MARK_EDGES)) > 1 and len(before) <= MAX_PAPER_CHARS and HAN.search(before):
        if _REPORTER_BEHIND.match(text, end):
            return Cut(start, end, "behind", "source")
        if _SIGNED_BEHIND.match(text, end) and _BRACKET_BEFORE.search(text, 0, start):
            return Cut(start, end, "label", "author")
    if type_ == "colon" and before.strip() and len(before.strip()) <= MAX_UNKNOWN_CHARS:
        return Cut(place, end, "label", UNKNOWN)
    return Cut(start, end, "comma" if type_ == "slash" else "bar")


def is_before_date(text: str, cuts: list[Cut], number: int) -> bool:
    """Whether nothing but borders, brackets and a date's label stands between a cut and a date."""
    place = cuts[number].start
    for cut in cuts[number : number + MAX_CUTS_BEFORE_DATE]:
        if text[place : cut.start].strip(EDGES):
            return False
        if cut.type == "date":
            return True
        if cut.type not in ("mark", "bar", "open") and cut.kind != "date":
            return False
        place = cut.end
    return False
