"""A line of Markdown: white space as a browser shows it, and marks that readers see as such (CommonMark 0.31.2, 6.2)."""

from __future__ import annotations

from itertools import groupby, zip_longest
from typing import Any
from unicodedata import category

from webcontent.markdown.escaping import cleaned, code_span, escape_line_start, escape_text, pairs_in, with_brackets

HARD_BREAK = "  \n"
EMPHASIS = ("**", "*", "~~")
_OPENING = "“‘（《〈「『【«\"'"


class Raw(str):
    """Markdown that stays as it is."""

    __slots__ = ()


class Code(str):
    """Code, without its marks."""

    __slots__ = ()


class Label(str):
    """Text of a link."""

    __slots__ = ()


TEXTS = (str, Label)


class Mark:
    """One of two marks around a part of a line; "" where both are left out."""

    __slots__ = ("is_closing", "is_emphasis", "other", "text")

    def __init__(self, before: str, after: str, opening: Mark | None = None) -> None:
        self.is_closing, self.is_emphasis = opening is not None, after in EMPHASIS
        self.text = after if self.is_closing else before
        self.other = opening or Mark(before, after, self)


class Line:
    """A line that is written from left to right. `line_break`: what becomes of a break; after two HARD_BREAKs a paragraph begins."""

    def __init__(self, line_break: str = HARD_BREAK) -> None:
        self.line_break = line_break
        self.parts: list[Any] = []
        """Texts, code, Markdown and marks."""
        self.open: list[Mark] = []
        """The marks around the next part."""
        self.waiting: list[Mark] = []
        """Those of them without content so far: white space is written before them."""
        self.gap = ""
        """White space before the next part: a blank, a break, or two of them."""

    def begin(self, before: str, after: str) -> Mark:
        mark = Mark(before, after)
        self.open.append(mark)
        self.waiting.append(mark)
        return mark

    def end(self, mark: Mark) -> None:
        """Closes a pair of marks; without content there is none."""
        self.open.remove(mark)
        if mark in self.waiting:
            self.waiting.remove(mark)
        else:
            self.parts.append(mark.other)

    def is_in(self, before: str) -> bool:
        return any(mark.text == before for mark in self.open)

    def text(self, text: str) -> None:
        """Adds text, in which white space is collapsed."""
        words = cleaned(text)
        if text and not self.gap and (not words or text[0].isspace()):
            self.gap = " "
        if words:
            self.add(Label(words) if self.is_in("[") else words)
            self.gap = " " if text[-1].isspace() else ""

    def end_line(self) -> None:
        """Adds a break. In a link it is a blank."""
        is_second = self.gap[:1] == "\n" and len(self.open) == len(self.waiting) and self.line_break == HARD_BREAK
        self.gap = " " if self.is_in("[") else "\n\n" if is_second else "\n"

    def add(self, part: str) -> None:
        if not part:
            return
        if self.gap and self.parts:
            is_blank = self.gap == " " or self.line_break == " "
            self.parts.append(" " if is_blank else Raw(self.line_break if self.gap == "\n" else self.gap))
        elif self.parts and part[0] == "$" and type(part) is Raw and str(self.parts[-1])[-1:] == "$":
            self.parts.append(" ")  # two formulas
        self.gap = ""
        self.parts += [*self.waiting, part]
        self.waiting.clear()

    def write(self) -> str:
        is_paragraph = self.line_break == HARD_BREAK
        if len(self.parts) == 1 and type(self.parts[0]) is str:
            return _escaped(self.parts[0], pairs_in(self.parts[0]), is_start=is_paragraph)
        pieces = [Raw(part.text) if isinstance(part, Mark) else part for part in _with_seen_marks(self.parts)]
        groups = [(kind, "".join(group)) for kind, group in groupby(filter(None, pieces), type)]
        pairs = pairs_in("".join([text for _, text in groups]))
        written: list[str] = []
        before = "\n"
        for (kind, text), behind in zip_longest(groups, groups[1:], fillvalue=(Raw, " ")):
            is_start, is_before_bracket = is_paragraph and before[-1] == "\n", behind[1][0] == "["
            if kind is Raw:
                before = text
            elif kind is Code:
                before = code_span(text)
            else:
                # A reader without notes would see a link, or the definition of one.
                is_behind_note = before[-1] == "]" and (text[0] in "([" or text[0] == ":" and "".join(written[-2:-1])[-1:] in ("", "\n"))
                before = _escaped(text, pairs, is_start=is_start, is_label=kind is Label, is_before_bracket=is_before_bracket)
                before = f"\\{before}" if is_behind_note and before[0] != "\\" else before
            written.append(before)
        return "".join(written)


def _escaped(text: str, pairs: str, *, is_start: bool, is_label: bool = False, is_before_bracket: bool = False) -> str:
    escaped = escape_text(text, pairs)
    if is_before_bracket and text[-1] in "!^":  # it would make an image or a note of what follows
        escaped = f"{escaped[:-1]}\\{text[-1]}"
    escaped = with_brackets(escaped) if is_label else escaped
    return escape_line_start(escaped) if is_start else escaped


def _with_seen_marks(parts: list[Any]) -> list[Any]:
    """The parts of a line with punctuation moved out of emphasis: readers see no mark between a word and punctuation."""
    if not any(type(part) is Mark and part.is_emphasis for part in parts):
        return parts
    groups = [list(group) for _, group in groupby([Raw(" "), *parts, Raw(" ")], lambda part: isinstance(part, Mark) and part.is_emphasis)]
    for place in range(1, len(groups), 2):
        if marks := _joined(groups[place]):
            is_closing = marks[0].is_closing
            end, inside, outside = (-1, groups[place - 1], groups[place + 1]) if is_closing else (0, groups[place + 1], groups[place - 1])
            if _is_word(_edge(outside, -1 - end)) and not _is_word(_edge(inside, end)):
                _move_out(marks, inside, outside, groups[place - 2])
    return [part for group in groups for part in group][1:-1]


def _joined(run: list[Mark]) -> list[Mark]:
    """The marks of a run that are written. Emphasis directly behind emphasis continues it, or is left out where it is of another kind."""
    closings = [mark for mark in run if mark.is_closing]
    for mark in run if closings else ():
        if closings and not mark.is_closing and mark.text == closings[-1].text:
            last = closings.pop()
            last.other.other, mark.other.other = mark.other, last.other
            last.text = mark.text = ""
        elif not mark.is_closing:
            mark.text = mark.other.text = ""
    return [mark for mark in run if mark.text]


def _move_out(marks: list[Mark], inside: list[Any], outside: list[Any], before: list[Any]) -> None:
    """Moves punctuation at the edge of emphasis out of it; leaves emphasis without other text out. `before`: what precedes `inside`."""
    is_closing = marks[0].is_closing
    text = inside[-1 if is_closing else 0]
    count = _punctuation(text[::-1] if is_closing else text) if type(text) in TEXTS else 0
    if not 0 < count < len(text):
        for mark in marks:
            mark.text = mark.other.text = ""
    elif not is_closing:
        outside.append(type(text)(text[:count]))
        inside[0] = type(text)(text[count:])
    else:
        is_quoted = len(inside) == 1 and before[-1] is marks[-1].other and len(text) > count + 1 and text[0] in _OPENING
        marks[-1].other.text = text[:is_quoted] + marks[-1].other.text  # what closes outside opens outside
        outside.insert(0, type(text)(text[-count:]))
        inside[-1] = type(text)(text[is_quoted:-count])


def _edge(group: list[Any], end: int) -> str:
    """The first (0) or last (-1) character of parts of a line."""
    part = group[end]
    character: str = (part.text if isinstance(part, Mark) else "`" if isinstance(part, Code) else part)[end]
    return character


def _is_word(character: str) -> bool:
    return character.isalnum() or character != "" and category(character)[0] == "M"


def _punctuation(text: str) -> int:
    return next((index for index, character in enumerate(text) if _is_word(character)), len(text))
