"""Chosen blocks -> the plain text of an item: marks of list items, raised characters, formulas as TeX, no readings."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.rich_text.constructs import Part, outermost
from webcontent.document.rich_text.formulas import FORUM_TEX
from webcontent.document.text import body_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.rich_text.constructs import Constructs

BULLET = "- "
INDENT = "  "
"""Before the mark of a nested list item, once per list around it."""
_LI, _OL, _SUP, _PRE = (TAG_CODES[name] for name in ("li", "ol", "sup", "pre"))
_HAS_MARK = re.compile(r"\s*(?:[-–—•·*●▪◦‣○■□▶►✓✔☑]|\(?[\dA-Za-z]{1,3}[.)、]|[①-⑳]|[一二三四五六七八九十]+、)")
_RAISED = re.compile(r"[+−–-]?\d+|[+−–-]|[a-zA-Z]")
_TAG = re.compile(r"<[^<>]*>")
_KEPT_APART = frozenset(("a", "span", "time", "cite", "button", "label"))
_CODE_TAGS = frozenset(("code", "pre", "kbd", "samp"))
"""Elements that style sheets alone keep apart: `<a>Ada Byron</a><a>Carl Gauss</a>`; none of them within code."""
_TEX = re.compile(r"\\[(\[](.*)\\[)\]]", re.DOTALL)


def plain_text(blocks: Blocks, chosen: NDArray[np.bool_], constructs: Constructs) -> str:
    """The chosen blocks as plain text, with the marks of list items, and without what is replaced by nothing."""
    writer = _Writer(blocks, constructs)
    marks = _list_marks(blocks, chosen)

    def text_of(block: int) -> str:
        text = writer.text(block)
        if constructs.has_forum_tex and not writer.is_code(writer.starts[block]):
            text = FORUM_TEX.sub(r"$\1$", text)
        if block not in marks or not text or _HAS_MARK.match(text) or writer.is_code(writer.starts[block]):
            return text
        return marks[block] + text

    return body_text(blocks, chosen, text_of)


class _Writer:
    """Writes the texts of single blocks."""

    def __init__(self, blocks: Blocks, constructs: Constructs) -> None:
        self.blocks = blocks
        self.constructs = constructs
        self.starts = blocks.piece_start.tolist()
        raised = outermost(blocks, np.flatnonzero(blocks.elements.tag == _SUP).tolist())
        self.special = np.where(constructs.owners >= 0, constructs.owners, raised).tolist()
        """For each piece the outermost replaced or raised element around it, -1 for none."""
        self.emitted: set[int] = set()
        self.inline_notes = dict(constructs.inline_notes)
        self.placed: dict[int, list[Part]] = {}
        """Formulas without text by the number of pieces before them."""
        for part in constructs.placed:
            if part.is_inline:
                self.placed.setdefault(part.piece, []).append(part)

    def text(self, block: int) -> str:
        """The text of a block, "" where nothing of it is text. Code in it stands on lines of its own."""
        first, last = self.starts[block], self.starts[block + 1]
        has_formulas = self.placed and any(self._placed_at(place, block) for place in range(first, last + 1))
        is_glued_somewhere = any(is_glued(self.blocks, place) for place in range(first + 1, last))
        if not has_formulas and not is_glued_somewhere and max(self.special[first:last], default=-1) < 0:
            return self.blocks.texts[block]
        lines: list[str] = []
        parts: list[str] = []
        notes: list[str] = []
        for place in range(first, last + 1):
            if formulas := self._placed_at(place, block):
                parts.append(formulas)
            if place == last:
                break
            text, around = self.blocks.pieces[place][0], self.special[place]
            if around < 0 and place > first and is_glued(self.blocks, place):
                text = f" {text}"
            elif around >= 0:
                text = "" if around in self.emitted else self._special_text(around, parts[-1][-1] if parts else "")
                self.emitted.add(around)
                number, note = self.inline_notes.pop(self.constructs.replaced.get(around, ""), (0, ""))
                notes += [f"[{number}] {note}"] if number else []
            if around >= 0 and self.is_code(place):
                lines += [" ".join("".join(parts).split()), text.strip("\n")]
                parts = []
            elif text:
                parts.append(text)
        return "\n".join(filter(None, [*lines, " ".join("".join(parts).split()), *notes]))

    def _placed_at(self, place: int, block: int) -> str:
        """The formulas in a block at a piece of text."""
        elements, holder = self.blocks.elements, int(self.blocks.element[block])
        parts = (part for part in self.placed.get(place, ()) if holder in (part.parent, *elements.around(part.parent)))
        return " ".join([_tex_or_text(part.html) for part in parts])

    def is_code(self, place: int) -> bool:
        return self.constructs.replaced.get(self.special[place], "").startswith("<pre>")

    def _special_text(self, row: int, before: str) -> str:
        """The text of a replaced or raised element. `before`: the last character of the block's text before it; empty at its beginning."""
        html = self.constructs.replaced.get(row)
        if html is not None:
            if html.startswith("<p>"):
                return ""
            text = _tex_or_text(html)
            return f"[{text}]" if html.startswith("<sup>") else text
        elements = self.blocks.elements
        pieces = self.blocks.pieces[int(elements.piece[row]) : int(elements.piece_end[row])]
        text = "".join(piece for piece, _ in pieces)
        is_raised = _RAISED.fullmatch(text.strip()) and before.isalnum()
        return f"^{text.strip()}" if is_raised else text


def _tex_or_text(html: str) -> str:
    """The TeX of a formula between dollar signs, or the text of other HTML."""
    text = unescape(_TAG.sub("", html))
    match = _TEX.fullmatch(text)
    return f"${match[1]}$" if match else text


def _list_marks(blocks: Blocks, chosen: NDArray[np.bool_]) -> dict[int, str]:
    """Block -> the mark of the list item that begins with it."""
    elements = blocks.elements
    items = np.flatnonzero(elements.tag == _LI)
    if not len(items):
        return {}
    places = np.flatnonzero(chosen)
    if not len(places):
        return {}
    firsts = np.searchsorted(places, elements.start[items])
    marks: dict[int, str] = {}
    ends: list[int] = []  # of the list items around the one that is looked at
    numbers: dict[int, int] = {}  # list -> number of its last item
    columns = (column[items].tolist() for column in (elements.start, elements.end, elements.parent))
    following = np.append(places, len(blocks))[firsts].tolist()
    for start, end, parent, block in zip(*columns, following, strict=True):
        while ends and ends[-1] <= start:
            ends.pop()
        is_numbered = elements.tag[parent] == _OL
        if is_numbered:
            numbers[parent] = 1 + (numbers[parent] if parent in numbers else _first_number(blocks, parent) - 1)
        if block < end:
            marks[block] = INDENT * len(ends) + (f"{numbers[parent]}. " if is_numbered else BULLET)
        ends.append(end)
    return marks


def _first_number(blocks: Blocks, row: int) -> int:
    start = blocks.elements.nodes[row].get("start") or ""
    return int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 1


def is_glued(blocks: Blocks, place: int) -> bool:
    """Whether a piece of text and the one before it are words of two sibling elements without a blank between them.

    A small letter before a capital is the sign: within a word that two elements divide, it is rare.
    """
    (before, row_before), (text, row) = blocks.pieces[place - 1], blocks.pieces[place]
    if row == row_before or not text[:1].isupper() or not before[-1:].islower():
        return False
    parent, nodes = int(blocks.elements.parent[row]), blocks.elements.nodes
    is_apart = parent == blocks.elements.parent[row_before] and {nodes[row].tag, nodes[row_before].tag} <= _KEPT_APART
    return is_apart and parent >= 0 and nodes[parent].tag not in _CODE_TAGS
