"""The parser of lines: values, each with its label and what stands around it.

Blanks and words like "and" may stand inside a name or between two, so a value has several readings.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from webcontent.fields.lexicon import alternation, words
from webcontent.fields.names.labels import LABELS, MAX_UNKNOWN_CHARS, kind_alone, squeezed
from webcontent.fields.names.lines import MARK
from webcontent.fields.names.people import FIRST_HAN, MAX_NAME_CHARS, ORGANIZATION, SURNAMES, are_people
from webcontent.fields.names.tokens import EDGES, MARK_EDGES, ROLES, Cut, is_before_date, iter_cuts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.names.lines import Line

MAX_PLAIN_CHARS = 40
"""A longer value without label and bracket is a sentence, as is a longer line behind a label that ends one."""
AROUND_CHARS = 14
"""Characters before and behind a value that are kept."""
MAX_VALUES_OF_LINE = 24
_COLONS = (":", "：")
_LATIN_ALONE = "|".join(sorted((word for word in words("byline_labels", "alone") if word[-1] < FIRST_HAN), key=len, reverse=True))
_BY = rf"(?:[^\W\d_]+\s){{1,2}}(?:{alternation('bylines', 'by_behind')})"
_LATIN_PREFIX = re.compile(rf"(?:{_LATIN_ALONE}|{_BY})\s+(?-i:(?=[\"“'(]?[A-ZÀ-ÞĀ-ŽА-ЯΑ-Ω\u0590-\u1dff]))", re.I)
_BY_ALONE = re.compile(_BY, re.I)
_CONNECTORS = frozenset(word for words_ in (words("bylines", "and"), words("bylines", "with")) for word in words_)
_REPORT = re.compile(f"{words('chinese_bylines', 'report_behind')[0]}$")
_REPORT_BEHIND = re.compile(rf"[\s{MARK}]*{words('chinese_bylines', 'report_behind')[0]}")
_DEEDS = rf"(?:{'|'.join(words('chinese_bylines', 'deed'))})*{words('chinese_bylines', 'report_behind')[0]}"
_REPORTED_ENDS = tuple("道導导")
_REPORTED = re.compile(rf"\s{_DEEDS}$")
_OFFICE_BEHIND = re.compile(rf"(?:^|\s)(\S{{2,4}})\s?(?:{alternation('bylines', 'office_behind')})$")
_WORK_BEHIND = re.compile(rf"[\s{MARK}]*(?:{_DEEDS}\s?[:：]|(?:文字?|撰文)\s?[、/／]\s?(?:[图圖]片?|摄影|攝影)[\s{MARK}）)]*$)")
"""Behind names: 张三报道：, 张三 文/图."""
_LICENSE_EDGES = f" {MARK}」』》”"
_LICENSED_BEHIND = re.compile(rf"[{_LICENSE_EDGES}]*(?:{alternation('chinese_bylines', 'licensed')})")
"""Behind the name of the source: 本文由「新報」授權轉載."""
_REPORTER_OF_SOURCE = re.compile(rf"(\S{{2,14}})[\s　]+([{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}})")
"""新报 张三"""
_PHOTOGRAPHED = re.compile(r"(?<=[\u3400-\u9fff])\s?(?:翻?[摄攝]|供[图圖])$")
_HAN_PREFIX = re.compile(
    "|".join(sorted((word for word in words("byline_labels", "alone") if word[-1] >= FIRST_HAN), key=len, reverse=True))
)
MAX_HAN_VALUE_CHARS = 24
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
"""Letters of languages in which a blank may stand between a name and its office."""
_ANY_AND = re.compile(rf"\s(?:{alternation('bylines', 'and', 'with')})\s|\s?[和及與与]\s?", re.I)
_HAN_PART = re.compile(r"[\s\xa0　]+|[-－—_]+")
_REPORTING = re.compile(
    rf"([{''.join(sorted(SURNAMES))}][\u3400-\u9fff]{{1,2}})"
    r"(?:综合|綜合|现场|現場|实地|即時)?(?:报道|報導|報道|报导|摄影|攝影|摄$|攝$|通讯员|实习生|[在从發发自]{1,2}[\u3400-\u9fff]{2,6}[报報][道導]"
    r"|[\u3400-\u9fff]{2,4}(?:\d{1,2}日)?[电電]$)"
)
"""A reporter's name that is not parted from what he does."""
_SPACED_NAME = re.compile(rf"[{''.join(sorted(SURNAMES))}]\s[\u3400-\u9fff](?![\u3400-\u9fff])")
_SPACED_NAMES = re.compile(rf"{_SPACED_NAME.pattern}(?:\s{_SPACED_NAME.pattern})+")
_LATIN_AND = re.compile(rf"\s(?:{alternation('bylines', 'and')})\s", re.I)
_BEHIND_NAME = re.compile(rf"\s(?:{alternation('bylines', 'before_date')}|for|in|via)\b.*$", re.I)


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
    """whole, or part of what stands there."""
    position: int
    """Values of the line before it."""
    start: int
    """Its first character in the line."""

    @property
    def order(self) -> tuple[object, ...]:
        """Orders places of names, the most promising one first: near the label of a name, beside a date, in brackets."""
        no_name = (self.label not in ("source", "author", "editor"), self.label in ("date", "counter", "topic"))
        far = (self.label_gap + self.label_index, self.line.zone == "behind", not self.beside_date, not self.bracket)
        return *no_name, *far, self.form != "whole", self.position


class Label(NamedTuple):
    """The label that holds for the next value."""

    kind: str = ""
    """"" for none."""
    text: str = ""
    sure: bool = True
    gap: int = 0
    """Borders of elements behind it."""
    passed: int = 0
    """Values between it and the next one."""


class Scope(NamedTuple):
    """What was read of a line before a value."""

    label: Label = Label()
    bracket: bool = False
    behind_date: bool = False
    values: int = 0


class Value(NamedTuple):
    """The text between two cuts."""

    text: str
    start: int
    """Its first character in the line."""
    label: Label


NO_LABEL = Label()


def cut_lines(lines: list[Line]) -> list[Atom]:
    """The atoms of all lines. A label at the end of a line holds for the next one."""
    atoms: list[Atom] = []
    last = NO_LABEL
    last_block = -2
    for line in lines:
        is_open = last.kind and not last.passed and last.text.rstrip().endswith(_COLONS)
        is_held = is_open and line.block == last_block + 1 and len(line.text) <= MAX_PLAIN_CHARS
        found, last = _parse_line(line, Label(last.kind, last.text, gap=2) if is_held else NO_LABEL)
        atoms += found
        last_block = line.block
    return atoms


def _parse_line(line: Line, label: Label) -> tuple[list[Atom], Label]:
    """The atoms of a line, and the label at its end. `label`: that at its begin."""
    text, scope, place = line.text, Scope(label), 0
    atoms: list[Atom] = []
    cuts = [*iter_cuts(text), Cut(len(text), len(text), "end")]
    is_dated = any(cut.type == "date" for cut in cuts)
    for number, cut in enumerate(cuts):
        raw = text[place : cut.start] if cut.start > place else ""
        if (value := raw.strip(EDGES)) and scope.values < MAX_VALUES_OF_LINE:
            beside = scope.behind_date + 2 * (is_dated and is_before_date(text, cuts, number))
            found, scope = _parse_value(line, scope, Value(value, place + raw.find(value), scope.label), cut, beside)
            atoms += found
        scope = _behind_cut(scope, cut, text)
        place = max(place, cut.end)
    return atoms, scope.label


def _behind_cut(scope: Scope, cut: Cut, text: str) -> Scope:
    """What a cut means for the values behind it."""
    if cut.type == "comma":
        return scope._replace(behind_date=False) if scope.behind_date else scope
    label, bracket = scope.label, scope.bracket
    if cut.type == "label":
        label = Label(cut.kind, text[cut.start : cut.end], cut.sure)
    elif cut.type == "mark":
        label = label._replace(gap=label.gap + 1)
    elif cut.type in ("date", "url") or cut.type in ("open", "close", "bar") and label.passed:
        label = NO_LABEL
    if cut.type in ("open", "close"):
        bracket = cut.type == "open"
    behind_date = cut.type == "date" or (scope.behind_date and cut.type in ("mark", "bar", "open"))
    return Scope(label, bracket, behind_date, scope.values)


# ------------------------------------------------------------------------------------------- values
def _parse_value(line: Line, scope: Scope, value: Value, cut: Cut, beside: int) -> tuple[list[Atom], Scope]:
    """The readings of the text before a cut. `beside`: as in Atom."""
    if kind := kind_alone(value.text) or ("author" if _BY_ALONE.fullmatch(value.text) else ""):
        return [], scope._replace(label=Label(kind, value.text))  # behind another label, too: 来源：打印
    if value.text.lower() in _CONNECTORS:
        return [], scope
    value = _with_own_label(line, value, cut)
    if _is_function(value, cut):
        function = _atom(line, Scope(values=scope.values), value.text, value.start, 0, "whole")
        return [function], scope._replace(label=value.label)
    text, start, label = _with_label_of_work(line, value, cut)
    scope = scope._replace(label=label)
    if not _may_be_value(line, scope, text):
        return [], scope._replace(label=label._replace(passed=label.passed + 1))
    atoms = []
    match = _REPORTER_OF_SOURCE.fullmatch(text) if text[-1] >= FIRST_HAN else None
    if match and _is_source(label, match[1]):
        atoms.append(_atom(line, scope, match[1], start, beside, "whole"))
        text, start, label = match[2], start + match.start(2), Label("author")
        scope = scope._replace(label=label)
    found = _readings(text, is_named=bool(label.kind) or scope.bracket)
    atoms += [_atom(line, scope, part, start + offset, beside, form) for part, offset, form in found]
    return atoms, Scope(label._replace(passed=label.passed + 1), scope.bracket, False, scope.values + 1)


def _with_own_label(line: Line, value: Value, cut: Cut) -> Value:
    """The value with the label that stands in it or directly behind it, and without this label."""
    if cut.type == "behind" and not value.label.kind:
        value = value._replace(label=Label(cut.kind, line.text[cut.end :].strip(MARK_EDGES)[:MAX_UNKNOWN_CHARS]))
    elif not value.label.kind and value.text[-1] >= FIRST_HAN:
        value = value._replace(label=_label_behind(value.text, line.text, cut.start) or value.label)
    value = _without_report(_without_role(value))
    label = value.label
    if label.kind == "author" and not label.sure and not label.passed and value.text[:1] not in SURNAMES:
        return value._replace(label=NO_LABEL)  # 记者从交通运输部获悉
    return value


def _label_behind(value: str, text: str, end: int) -> Label | None:
    """The label of Chinese names that stands behind them: 张三报道：, 「新報」授權轉載."""
    if value[0] in SURNAMES and (behind := _WORK_BEHIND.match(text, end)) and are_people(value):
        return Label("author", behind[0].strip(MARK_EDGES))
    behind = _LICENSED_BEHIND.match(text, end)
    return Label("source", behind[0].strip(_LICENSE_EDGES)) if behind else None


def _without_role(value: Value) -> Value:
    """The value without the label that begins it without a colon: "By Jane Doe", "责任编辑 张三"."""
    text = value.text
    if " " not in text and text[0] < FIRST_HAN:
        return value
    if match := _LATIN_PREFIX.match(text):
        return Value(text[match.end() :].strip(EDGES), value.start + match.end(), Label(_kind_of_prefix(match[0]), match[0].strip()))
    match = _HAN_PREFIX.match(text)
    rest = text[match.end() :] if match else ""
    if match is None or len(rest.strip()) < 2:
        return value
    word, name = match[0], rest.lstrip(EDGES)
    start = value.start + len(text) - len(name)
    if len(word) > 2 or rest[:1] in EDGES or word in ROLES:
        return Value(name.rstrip(EDGES), start, Label(kind_alone(word), word))
    return value


def _without_report(value: Value) -> Value:
    """Names without their office or what these people did: 김민수 기자, 张三 李四 摄影报道. It is their label."""
    text, label = value.text, value.label
    if (office := _OFFICE_BEHIND.search(text)) and not ORGANIZATION.search(office[1]):
        return value._replace(text=text[: office.end(1)], label=label if label.kind else Label("author", office[0]))
    match = _REPORTED.search(text) if label.kind in ("", "author") and text[-1:] in _REPORTED_ENDS else None
    if match is None or not are_people(text[: match.start()]):
        return value
    return value._replace(text=text[: match.start()], label=label if label.kind else Label("author", match[0].strip()))


def _is_function(value: Value, cut: Cut) -> bool:
    """Whether a value behind an author's label tells only what the reporter behind it is: 作者：香港特约 记者 张三."""
    is_first = value.label.kind == "author" and not value.label.passed
    return is_first and cut.type == "label" and cut.kind == "author" and not cut.sure and value.text[:1] not in SURNAMES


def _with_label_of_work(line: Line, value: Value, cut: Cut) -> Value:
    """The value with the label that its last character, or a report behind an editor, gives: 张三摄, 編輯 王小明 報導."""
    if photographed := _PHOTOGRAPHED.search(value.text):
        value = value._replace(text=value.text[: photographed.start()], label=Label("image", photographed[0]))
    if value.label.kind == "editor" and not value.label.passed and _REPORT_BEHIND.match(line.text, cut.start):
        value = value._replace(label=Label("author", value.label.text))
    return value


def _may_be_value(line: Line, scope: Scope, value: str) -> bool:
    """Whether a text can be a value: not a part of a sentence, not a report (台北報導)."""
    label = scope.label
    if not value or label.kind == "author" and label.passed and _REPORT.search(value):
        return False
    if label.kind == "author" and not label.sure:
        return value[0] in SURNAMES
    return bool(label.kind) or scope.bracket or (not line.is_part and len(value) <= MAX_PLAIN_CHARS)


def _is_source(label: Label, text: str) -> bool:
    """Whether a text before the name of a reporter is the source."""
    return not are_people(text) and (label.kind == "source" or not label.kind and ORGANIZATION.search(text) is not None)


def _kind_of_prefix(text: str) -> str:
    """The kind of a label like "By" or "Pool photo by" that a name follows without a colon."""
    if kind := LABELS.get(squeezed(text)):
        return kind
    kinds = [LABELS.get(word) for word in text.lower().split()[:-1]]
    return next((kind for kind in kinds if kind in ("image", "other_role")), "author")


def _atom(line: Line, scope: Scope, text: str, start: int, beside: int, form: str) -> Atom:
    end = start + len(text)
    return Atom(
        text, line, line.row_at(start), *scope.label,
        before=line.text[max(0, start - AROUND_CHARS) : start],
        after=line.text[end : end + AROUND_CHARS],
        bracket=scope.bracket, beside_date=beside, form=form, position=scope.values, start=start,
    )  # fmt: skip


# ------------------------------------------------------------------------------------------- readings
def _readings(value: str, *, is_named: bool) -> Iterator[tuple[str, int, str]]:
    """(text, offset, form): the whole value and its parts. `is_named`: whether a label or a bracket says that it is a value."""
    if _UNSPACED.search(value):
        yield from _han_readings(value, is_named=is_named)
        return
    if len(value) <= MAX_NAME_CHARS:
        yield value, 0, "whole"
    yield from _parts(value, _LATIN_AND)
    if match := _BEHIND_NAME.search(value):
        yield value[: match.start()], 0, "part"


def _han_readings(value: str, *, is_named: bool) -> Iterator[tuple[str, int, str]]:
    if len(value) <= MAX_HAN_VALUE_CHARS and not (is_named and _REPORTING.match(value)):
        yield value, 0, "whole"
    yield from _parts(value, _HAN_PART)
    if _SPACED_NAMES.fullmatch(value):
        yield from ((match[0], match.start(), "part") for match in _SPACED_NAME.finditer(value))
    if _ANY_AND.search(value) and len(value) <= MAX_HAN_VALUE_CHARS:
        yield from _parts(value, _ANY_AND)
    if not any(map(str.isspace, value)) and (match := _REPORTING.match(value)) and (is_named or match.end() == len(value)):
        yield match[1], 0, "whole"


def _parts(value: str, separator: re.Pattern[str]) -> Iterator[tuple[str, int, str]]:
    """The parts of a value between separators, where there are several."""
    gaps = [match.span() for match in separator.finditer(value)]
    for start, end in pairwise((0, *(place for gap in gaps for place in gap), len(value))) if gaps else ():
        if (start, end) not in gaps and 1 < end - start <= MAX_NAME_CHARS:
            yield value[start:end].strip(), start, "part"
