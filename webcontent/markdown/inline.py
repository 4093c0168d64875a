"""A line of Markdown: white space as a browser shows it, and marks that readers see as such (CommonMark 0.31.2, 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, takewhile, zip_longest
from typing import TYPE_CHECKING, Any
from unicodedata import category

from webcontent.markdown.escaping import cleaned, code_span, escape_line_start, escape_text, pairs_in, with_brackets

if TYPE_CHECKING:
    from collections.abc import Iterable

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


@dataclass(eq=False, slots=True)
class Mark:
    """A pair of marks around a part of a line."""

    before: str
    after: str
    start: int = -1
    """Index of the opening one; -1: nothing of the content is written yet, or the marks are left out."""

    @property
    def is_emphasis(self) -> bool:
        return self.after in EMPHASIS


class Line:
    """A line that is written from left to right. `line_break`: what becomes of a break; after two HARD_BREAKs a paragraph begins."""

    def __init__(self, line_break: str = HARD_BREAK) -> None:
        self.line_break = line_break
        self.parts: list[Any] = []
        """Texts, code and Markdown, and each mark twice."""
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
        elif mark.start >= 0:
            self.parts.append(mark)

    def is_in(self, before: str) -> bool:
        return any(mark.before == before for mark in self.open)

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
        elif self.parts and (self.waiting or _is_emphasis(self.parts[-1])):
            part = self._beside_marks(part)
        elif self.parts and part[0] == "$" and type(part) is Raw and str(self.parts[-1])[-1:] == "$":
            self.parts.append(" ")  # two formulas
        self.gap = ""
        if part:
            for mark in self.waiting:
                mark.start = len(self.parts)
                self.parts.append(mark)
            self.waiting.clear()
            self.parts.append(part)

    def _beside_marks(self, part: str) -> str:
        """Readers see no mark between a word and punctuation: moves punctuation out of emphasis, or leaves emphasis out."""
        if _is_emphasis(self.parts[-1]):
            self._join()
        marks = list(takewhile(_is_emphasis, self.waiting))
        if marks and _is_word(self._last()):
            count = _punctuation(part) if type(part) in TEXTS and marks == self.waiting else 0
            if count:
                self.parts.append(type(part)(part[:count]))
            elif marks != self.waiting or not _is_word(part[0]):
                self._leave_out(marks)
            return type(part)(part[count:])
        if not self.waiting and _is_emphasis(self.parts[-1]) and _is_word(part[0]) and not _is_word(self._last()):
            self._move_end()
        return part

    def _join(self) -> None:
        """Emphasis directly behind emphasis continues it, or is left out where it is of another kind."""
        last = self.parts[-1]
        while self.waiting and self.waiting[0].is_emphasis:
            mark = self.waiting.pop(0)
            if mark.after == last.after and self.parts[-1] is last:
                self.parts.pop()
                mark.start = last.start

    def _leave_out(self, marks: Iterable[Any]) -> None:
        for mark in marks:
            if mark in self.waiting:
                self.waiting.remove(mark)
            else:
                self.parts[mark.start] = self.parts[self.parts.index(mark, mark.start + 1)] = ""
            mark.start = -1

    def _move_end(self) -> None:
        """Moves punctuation at the end of emphasis behind it."""
        index = self._last_index()
        marks: list[Any] = self.parts[index + 1 :]
        text = self.parts[index]
        count = _punctuation(text[::-1]) if type(text) in TEXTS else 0
        if not count or count == len(text):
            self._leave_out(marks)
            return
        first = 0
        if marks[-1].start + 1 == index and len(text) > count + 1 and text[0] in _OPENING:  # what closes outside opens outside
            marks[-1].before, first = text[0] + marks[-1].before, 1
        self.parts[index] = type(text)(text[first:-count])
        self.parts.append(type(text)(text[-count:]))

    def _last_index(self) -> int:
        return next(index for index in range(len(self.parts) - 1, -1, -1) if not _is_emphasis(self.parts[index]))

    def _last(self) -> str:
        part = self.parts[self._last_index()]
        if isinstance(part, Mark):
            return (part.before if part in self.open else part.after)[-1:]
        return "`" if isinstance(part, Code) else part[-1:]

    def write(self) -> str:
        is_paragraph = self.line_break == HARD_BREAK
        if len(self.parts) == 1 and type(self.parts[0]) is str:
            return _escaped(self.parts[0], pairs_in(self.parts[0]), is_start=is_paragraph)
        pieces = [
            Raw(part.before if part.start == index else part.after) if isinstance(part, Mark) else part
            for index, part in enumerate(self.parts)
            if part != ""
        ]
        groups = [(kind, "".join(group)) for kind, group in groupby(pieces, type)]
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


def _is_emphasis(part: object) -> bool:
    return isinstance(part, Mark) and part.is_emphasis


def _is_word(character: str) -> bool:
    return character.isalnum() or character != "" and category(character)[0] == "M"


def _punctuation(text: str) -> int:
    return next((index for index, character in enumerate(text) if _is_word(character)), len(text))
