"""Lines cut into atoms: single values, each with its label and what stands around it.

A line is cut at the borders of its elements, at labels, dates, brackets and separators.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from webcontent.fields.bylines.labels import LABELS, MAX_UNKNOWN_CHARS, UNKNOWN, kind_alone, label_before, squeezed
from webcontent.fields.bylines.readings import readings
from webcontent.fields.bylines.regions import MARK
from webcontent.fields.dates.months import MONTHS, plain_word
from webcontent.fields.lexicon import alternation, words
from webcontent.fields.people.names import HAN, ORGANIZATION, SURNAMES, are_people

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.bylines.regions import Line

MAX_PLAIN_CHARS = 40
"""A longer value without label and bracket is a sentence."""
AROUND_CHARS = 14
"""Characters before and behind a value that are kept."""
MAX_VALUES_OF_LINE = 24
MAX_ROLE_OFFSET, MAX_ROLE_LINE_CHARS = 14, 45
"""A reporter further into a longer line is somebody whom the text speaks of."""
MAX_PAPER_CHARS = 14
MAX_LABEL_CHARS = 24
MAX_CUTS_BEFORE_DATE = 8
MAX_ROLE_LINE_BELOW = 16

_COLONS = (":", "：")
_OPENING = "(（〔【[〖「／/、,，;；■●◆▲"
_EDGES = " 　\xa0:：|｜,，;；-–—·•.。/／*\"“”'‘’→>＞<~"
_DATE = (
    r"(?:19|20)\d\d\s?(?:[-/.年]\s?\d{1,2}(?:\s?[-/.月]\s?\d{1,2}\s?日?)?(?:T[\d:+.Z-]*)?)|\d{1,2}\s?月\s?\d{1,2}\s?日"
    r"|\d{1,2}[:：]\d\d(?:[:：]\d\d)?(?:\s?[apAP]\.?[mM]\b\.?)?|\d{1,2}[./-]\d{1,2}[./-](?:19|20)?\d\d"
    r"|\d{1,2}(?:st|nd|rd|th|er|º)?\.?,?\s(?:de\s)?[^\W\d_]{3,12}\.?,?(?:\s(?:de\s)?(?:19|20)\d\d)?"
    r"|[^\W\d_]{3,12}+\.?\s\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s(?:19|20)\d\d)?"
    r"|\d+\s?(?:小时|小時|分钟|分鐘|天|秒)前?|\d+\s?(?:hours?|minutes?|mins?|days?|weeks?|months?|years?)\b(?:\sago|\sread)?"
)
_ROLES = sorted({*words("chinese_bylines", "reporter"), *words("chinese_bylines", "other_reporter")}, key=len, reverse=True)
_ROLE_WORDS = rf"(?:{'|'.join(words('chinese_bylines', 'reporter_kind'))})?(?:{'|'.join(_ROLES)})"
_CUTS = (
    ("", rf"(?P<slash>{MARK}?[/／])|(?P<mark>{MARK})"),
    ("digit", rf"(?P<date>{_DATE})"),
    ("address", r"(?P<url>https?://\S*|www\.\S+|\S+@\S+)"),
    ("", r"(?P<colon>[:：])|(?P<open>[(（〔【\[〖「])|(?P<close>[)）〕】\]〗」])"),
    ("", r"(?P<bar>[|｜•·●■◆►▲]|\s[-–—]\s|--+|——+|\s{2,})|(?P<comma>[、，,;；&。！？!?])"),
    ("han", r"(?P<both>(?:文字?|撰文|[图圖]片?)\s?[、/／]\s?(?:[图圖]片?|文字?|摄影|攝影)[:：/／\s])"),
    ("han", rf"(?P<role>{_ROLE_WORDS}(?=[\s{MARK}]{{0,3}}[\u3400-\u9fff]))"),
)
"""What cuts a line, each with the kind of characters that a line without it does not have."""
_ANY_DATE = re.compile(f"(?P<date>{_DATE})")
_WORD = re.compile(r"\d+|[^\W\d]+|.", re.S)
_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"@|http|www\.")
_FIRST_WORD = re.compile(r"[^\W\d_]{3,}")
_LATIN_ALONE = "|".join(sorted((word for word in words("byline_labels", "alone") if word[-1] < "\u2e80"), key=len, reverse=True))
_LATIN_PREFIX = re.compile(
    rf"(?:{_LATIN_ALONE}|(?:[^\W\d_]+\s){{1,2}}(?:by|von|par|por|door|oleh))\s+(?-i:(?=[\"“'(]?[A-ZÀ-ÞĀ-ŽА-ЯΑ-Ω]))", re.I
)
_BY_ALONE = re.compile(r"(?:[^\W\d_]+\s){1,2}(?:by|von|par|por|door|oleh)", re.I)
_CONNECTORS = frozenset(word for words_ in (words("bylines", "and"), words("bylines", "with")) for word in words_)
_REPORT = re.compile(f"{words('chinese_bylines', 'report_behind')[0]}$")
_REPORT_BEHIND = re.compile(rf"[\s{MARK}]*{words('chinese_bylines', 'report_behind')[0]}")
_DEEDS = rf"(?:{'|'.join(words('chinese_bylines', 'deed'))})*{words('chinese_bylines', 'report_behind')[0]}"
_REPORTED_ENDS = tuple("道導导")
_REPORTED = re.compile(rf"\s{_DEEDS}$")
_WORK_BEHIND = re.compile(rf"[\s{MARK}]*(?:{_DEEDS}\s?[:：]|(?:文字?|撰文)\s?[、/／]\s?(?:[图圖]片?|摄影|攝影)[\s{MARK}）)]*$)")
"""Behind names: 张三报道：, 张三 文/图."""
_ROLE_LINE = re.compile(rf"[^\s\d:：，。]{{0,10}}(?:{'|'.join(_ROLES)})")
_LICENSE_EDGES = f" {MARK}」』》”"
_LICENSED_BEHIND = re.compile(rf"[{_LICENSE_EDGES}]*(?:{alternation('chinese_bylines', 'licensed')})")
"""Behind the name of the source: 本文由「新報」授權轉載."""
_REPORTER_OF_SOURCE = re.compile(rf"(\S{{2,14}})[\s　]+([{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}})")
"""新报 张三"""
_LABEL_EDGES = f" {MARK}"
_REPORTER_BEHIND = re.compile(rf"[\s{MARK}]*(?:{'|'.join((*_ROLES, *words('chinese_bylines', 'translator')))})")
"""Behind the name of the paper: 日报／记者 张三."""
_SIGNED_BEHIND = re.compile(rf"\s?[{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}}\s?[】〕）)\]]")
_BRACKET_BEFORE = re.compile(r"[【〔（(\[][^】〕）)\]]{2,12}$")
"""A name with its desk in a bracket: 【财经／张三】."""
_PHOTOGRAPHED = re.compile(r"(?<=[\u3400-\u9fff])\s?(?:翻?[摄攝]|供[图圖])$")
_PHOTOGRAPHED_ENDS = "摄攝图圖"
_FIRST_HAN = "\u2e80"
"""Characters from here on are written without spaces between words."""
_HAN_PREFIX = re.compile(
    "|".join(sorted((word for word in words("byline_labels", "alone") if word[-1] >= _FIRST_HAN), key=len, reverse=True))
)


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


class Atom(NamedTuple):
    """One value in a line, and what stands around it."""

    text: str
    line: Line
    row: int
    label: str
    """Kind of the label before it; "" for none."""
    label_text: str
    sure: bool
    """Whether the label is one for certain."""
    label_gap: int
    """Borders of elements between the label and it."""
    label_index: int
    """Values between the label and it."""
    before: str
    after: str
    bracket: bool
    beside_date: int
    """Bits: 1 for a date directly before it, 2 for one directly behind it."""
    form: str
    """whole, part (of what stands there), or glued."""
    position: int
    """Values of the line before it."""
    start: int
    """Its first character in the line."""


@dataclass(slots=True)
class _State:
    """What was read of a line so far."""

    label: str = ""
    label_text: str = ""
    sure: bool = True
    gap: int = 0
    index: int = 0
    bracket: bool = False
    behind_date: bool = False
    values: int = 0

    def take_label(self, kind: str, text: str, *, sure: bool = True) -> None:
        self.label, self.label_text, self.sure, self.gap, self.index = kind, text, sure, 0, 0

    def drop_label(self) -> None:
        self.take_label("", "")


def cut_lines(lines: list[Line]) -> list[Atom]:
    """The atoms of all lines. A label at the end of a line holds for the next one."""
    atoms: list[Atom] = []
    open_label = ("", "")
    last_block = -2
    for number, line in enumerate(lines):
        state = _State()
        if number + 1 < len(lines) and _is_reporter_below(line, lines[number + 1]):
            state.take_label("author", lines[number + 1].text.strip(_LABEL_EDGES))
        elif open_label[0] and line.block == last_block + 1 and not line.is_part:
            state.take_label(*open_label)
            state.gap = 2
        atoms += _cut_line(line, state)
        is_open = state.label and not state.index and state.label_text.rstrip()[-1:] in _COLONS
        open_label = (state.label, state.label_text) if is_open else ("", "")
        last_block = line.block
    return atoms


def _is_reporter_below(line: Line, following: Line) -> bool:
    """Whether a line holds names alone, and the one below only says that these are reporters: 某某网记者."""
    is_next = following.block == line.block + 1 and len(following.text) <= MAX_ROLE_LINE_BELOW
    return is_next and _ROLE_LINE.fullmatch(following.text.strip(_LABEL_EDGES)) is not None and are_people(line.text.strip(_LABEL_EDGES))


def _cut_line(line: Line, state: _State) -> Iterator[Atom]:
    text = line.text
    place = 0
    cuts = [*_iter_cuts(text), Cut(len(text), len(text), "end")]
    is_dated = any(cut.type == "date" for cut in cuts)
    for number, cut in enumerate(cuts):
        if cut.start > place:
            yield from _value_atoms(line, state, place, cut, is_before_date=is_dated and _is_before_date(text, cuts, number))
        _pass(state, cut, text)
        place = max(place, cut.end)


def _is_before_date(text: str, cuts: list[Cut], number: int) -> bool:
    """Whether nothing but borders, brackets and a date's label stands between a cut and a date."""
    place = cuts[number].start
    for cut in cuts[number : number + MAX_CUTS_BEFORE_DATE]:
        if text[place : cut.start].strip(_EDGES):
            return False
        if cut.type == "date":
            return True
        if cut.type not in ("mark", "bar", "open") and cut.kind != "date":
            return False
        place = cut.end
    return False


# ------------------------------------------------------------------------------------------- cuts
def _iter_cuts(text: str) -> Iterator[Cut]:
    """Where a line is cut, in order; a label reaches back to its first character."""
    place = 0
    pattern = _cut_pattern(bool(_DIGIT.search(text)), bool(_ADDRESS.search(text)), bool(HAN.search(text)))
    for match in _iter_matches(pattern, text):
        type_ = match.lastgroup or ""
        start, end = match.span()
        if type_ in ("colon", "slash"):
            cut = _label_cut(text, place, start, end, type_)
        elif type_ == "both":
            cut = Cut(start, end, "label", "author")
        elif type_ == "role":
            opens = not text[:start].strip(f" {MARK}") or text[:start].rstrip(f" {MARK}")[-1:] in _OPENING
            if not opens and (start > MAX_ROLE_OFFSET and len(text) > MAX_ROLE_LINE_CHARS):
                continue
            cut = Cut(start, end, "label", "author", opens)
        else:
            cut = Cut(start, end, type_)
        yield cut
        place = end


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


def holds_date(text: str) -> bool:
    """Whether a line holds a date.

    >>> holds_date("Updated 3 May 2024"), holds_date("5 things to know")
    (True, False)
    """
    return bool(_DIGIT.search(text)) and next(_iter_matches(_ANY_DATE, text), None) is not None


def _is_date(text: str) -> bool:
    """Whether what looks like a date has the name of a month, where it has a word."""
    word = _FIRST_WORD.search(text)
    return word is None or plain_word(word[0]) in MONTHS or text[0].isdigit() and word[0].lower().startswith(_UNITS)


_UNITS = ("hour", "min", "day", "week", "month", "year")


def _label_cut(text: str, place: int, start: int, end: int, type_: str) -> Cut:
    """The cut at a colon or slash, which ends a label if one stands before it."""
    before = text[place:start]
    if type_ == "slash" and (behind := kind_alone(text[end:].strip(f" {MARK}"))):
        return Cut(start, end, "behind", behind)
    offset, kind = label_before(before)
    if kind:
        return Cut(place + offset, end, "label", kind)
    if type_ == "slash" and len(before.strip(_LABEL_EDGES)) > 1 and len(before) <= MAX_PAPER_CHARS and HAN.search(before):
        if _REPORTER_BEHIND.match(text, end):
            return Cut(start, end, "behind", "source")
        if _SIGNED_BEHIND.match(text, end) and _BRACKET_BEFORE.search(text, 0, start):
            return Cut(start, end, "label", "author")
    if type_ == "colon" and before.strip() and len(before.strip()) <= MAX_UNKNOWN_CHARS:
        return Cut(place, end, "label", UNKNOWN)
    return Cut(start, end, "comma" if type_ == "slash" else "bar")


def _pass(state: _State, cut: Cut, text: str) -> None:
    """What a cut means for the values behind it."""
    if cut.type == "label" and not (cut.kind == "author" and _is_open(state)):
        state.take_label(cut.kind, text[cut.start : cut.end], sure=cut.sure)
    elif cut.type == "mark":
        state.gap += 1
    elif cut.type in ("date", "url"):
        state.drop_label()
    elif cut.type in ("open", "close"):
        if state.index:
            state.drop_label()
        state.bracket = cut.type == "open"
    elif cut.type == "bar" and state.index:
        state.drop_label()
    state.behind_date = cut.type == "date" or (state.behind_date and cut.type in ("mark", "bar", "open"))


def _is_open(state: _State) -> bool:
    """Whether a role behind a label tells only what the person is: 图／记者张三, 作者：记者张三."""
    return not state.index and (state.label == "image" or state.label == "author" and state.label_text.rstrip()[-1:] in _COLONS)


# ------------------------------------------------------------------------------------------- values
def _value_atoms(line: Line, state: _State, start: int, cut: Cut, *, is_before_date: bool) -> Iterator[Atom]:
    """The readings of what stands between two cuts."""
    raw = line.text[start : cut.start]
    value = raw.strip(_EDGES)
    if not value or state.values >= MAX_VALUES_OF_LINE:
        return
    if kind := kind_alone(value) or ("author" if _BY_ALONE.fullmatch(value) else ""):
        state.take_label(kind, value)  # behind another label, too: 来源：打印
        return
    start += raw.find(value)
    if value.lower() in _CONNECTORS:
        return
    if cut.type == "behind" and not state.label:
        state.take_label(cut.kind, line.text[cut.end :].strip(f" {MARK}")[:MAX_LABEL_CHARS])
    elif not state.label and value[-1] >= _FIRST_HAN:
        _take_label_behind(state, value, line.text, cut.start)
    value, start = _without_role(state, value, start)
    value = _without_report(state, value)
    if state.label == "author" and not state.sure and not state.index and value[:1] not in SURNAMES:
        state.drop_label()  # 记者从交通运输部获悉
    if _is_function(state, cut, value):
        yield _atom(line, _State(values=state.values), value, start, 0, "whole")
        return
    if value[-1:] in _PHOTOGRAPHED_ENDS and (photographed := _PHOTOGRAPHED.search(value)):
        state.take_label("image", photographed[0])
        value = value[: photographed.start()]
    if state.label == "editor" and not state.index and _REPORT_BEHIND.match(line.text, cut.start):  # 編輯 王小明 報導
        state.take_label("author", state.label_text)
    is_report = state.label == "author" and state.index and _REPORT.search(value)  # 台北報導
    if not value or is_report or not _may_be_value(line, state, value):
        state.index += 1
        return
    beside = state.behind_date + 2 * is_before_date
    match = _REPORTER_OF_SOURCE.fullmatch(value) if value[-1] >= _FIRST_HAN else None
    if match and _is_source(state, match[1]):
        yield _atom(line, state, match[1], start, beside, "whole")
        state.take_label("author", "")
        value, start = match[2], start + match.start(2)
    for text, offset, form in readings(value, is_named=bool(state.label) or state.bracket):
        yield _atom(line, state, text, start + offset, beside, form)
    state.index += 1
    state.values += 1
    state.behind_date = False


def _take_label_behind(state: _State, value: str, text: str, end: int) -> None:
    """The label of Chinese names that stands behind them: 张三报道：, 「新報」授權轉載."""
    if value[0] in SURNAMES and (behind := _WORK_BEHIND.match(text, end)) and are_people(value):
        state.take_label("author", behind[0].strip(_LABEL_EDGES))
    elif behind := _LICENSED_BEHIND.match(text, end):
        state.take_label("source", behind[0].strip(_LICENSE_EDGES))


def _may_be_value(line: Line, state: _State, value: str) -> bool:
    """Whether a text can be a value: not a part of a sentence."""
    if state.label == "author" and not state.sure:
        return value[0] in SURNAMES
    return bool(state.label) or state.bracket or (not line.is_part and len(value) <= MAX_PLAIN_CHARS)


def _without_role(state: _State, value: str, start: int) -> tuple[str, int]:
    """The value without the label that begins it without a colon: "By Jane Doe", "责任编辑 张三"."""
    if " " not in value and value[0] < _FIRST_HAN:
        return value, start
    if match := _LATIN_PREFIX.match(value):
        state.take_label(_kind_of_prefix(match[0]), match[0].strip())
        return value[match.end() :].strip(_EDGES), start + match.end()
    if match := _HAN_PREFIX.match(value):
        word = match[0]
        rest = value[match.end() :]
        if _is_open(state) and word in _ROLES and len(rest.strip()) > 1:
            return rest.strip(_EDGES), start + len(value) - len(rest.lstrip(_EDGES))
        if (len(word) > 2 or rest[:1].isspace() or word in _ROLES) and len(rest.strip()) > 1:
            state.take_label(kind_alone(word), word)
            stripped = rest.lstrip(_EDGES)
            return stripped.rstrip(_EDGES), start + len(value) - len(stripped)
    return value, start


def _without_report(state: _State, value: str) -> str:
    """Names without what these people did: 张三 李四 摄影报道. It is their label."""
    match = _REPORTED.search(value) if state.label in ("", "author") and value[-1:] in _REPORTED_ENDS else None
    if match is None or not are_people(value[: match.start()]):
        return value
    if not state.label:
        state.take_label("author", match[0].strip())
    return value[: match.start()]


def _is_source(state: _State, text: str) -> bool:
    """Whether a text before the name of a reporter is the source."""
    return not are_people(text) and (state.label == "source" or not state.label and ORGANIZATION.search(text) is not None)


def _is_function(state: _State, cut: Cut, value: str) -> bool:
    """Whether a value behind an author's label tells only what the reporter behind it is: 作者：香港特约 记者 张三."""
    is_first = state.label == "author" and not state.index
    return is_first and cut.type == "label" and cut.kind == "author" and not cut.sure and value[:1] not in SURNAMES


def _kind_of_prefix(text: str) -> str:
    """The kind of a label like "By" or "Pool photo by" that a name follows without a colon."""
    if kind := LABELS.get(squeezed(text)):
        return kind
    kinds = [LABELS.get(word) for word in text.lower().split()[:-1]]
    return next((kind for kind in kinds if kind in ("image", "other_role")), "author")


def _atom(line: Line, state: _State, text: str, start: int, beside: int, form: str) -> Atom:
    end = start + len(text)
    return Atom(
        text=text,
        line=line,
        row=line.row_at(start),
        label=state.label,
        label_text=state.label_text,
        sure=state.sure,
        label_gap=state.gap,
        label_index=state.index,
        before=line.text[max(0, start - AROUND_CHARS) : start],
        after=line.text[end : end + AROUND_CHARS],
        bracket=state.bracket,
        beside_date=beside,
        form=form,
        position=state.values,
        start=start,
    )
