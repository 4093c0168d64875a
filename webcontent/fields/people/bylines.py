"""Bylines in visible lines: "By Jane Doe", a name beside a date, a name alone below the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.document.blocks import TAG_CODES
from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import plain
from webcontent.fields.people.names import (
    OPENING,
    is_capitalized,
    is_name,
    is_written_as_name,
    names_of,
    unique_names,
    until_date,
)
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

# Blocks from the title, before and behind it, among which lines are looked at, and their length in characters.
BYLINE_RANGE = range(-6, 16)
MAX_BYLINE_CHARS = 150
DATE_LINE_RANGE = range(-4, 9)
DATE_LINE_CHARS = range(15, 111)
NAME_WORDS = range(2, 5)
"""Words of a person's name where nothing else tells that it is one."""

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
BYLINE_SCORE, BYLINE_SCORE_PER_BLOCK = 0.7, 0.01
BEFORE_DATE_SCORE, BEHIND_DATE_SCORE = 0.56, 0.54
SIGNED_SCORE = 0.56
"""Of a name alone beside the text: above the site's own name, below all others."""

_BYLINE = re.compile(rf"^{OPENING}\s*:?\s+(?-i:(?=[\"'“]?[A-ZÀ-ÞĀ-ŽА-Я]))(.{{3,120}})$", re.I)
_NAME_WORD = re.compile(r"[A-ZÀ-ÞĀ-ŽА-ЯΑ-ΩĐ][^\W\d_]*(?:[-'’][^\W\d_]+)*\.?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_BESIDE_DATE = re.compile(rf"\b(?:{alternation('bylines', 'before_date', 'beside_date')})\b\W*", re.I)
_HEADINGS = frozenset(TAG_CODES[f"h{level}"] for level in range(1, 7))


def iter_bylines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Lines near the title that begin with "By", "Von", "Par" and the like."""
    for block, text in anchor.lines():
        distance = anchor.distance(block)
        if distance not in BYLINE_RANGE or len(text) > MAX_BYLINE_CHARS:
            continue
        match = _BYLINE.match(text)
        if match and (names := [name for name in names_of(until_date(match[1])) if is_written_as_name(name)]):
            yield Candidate(unique_names(names), "text", signals.xpath(block), BYLINE_SCORE - BYLINE_SCORE_PER_BLOCK * abs(distance))


def iter_names_beside_dates(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """A name alone before or behind the date of a short line: Jane Doe | May 1, 2024."""
    for block, text in anchor.lines():
        if anchor.distance(block) not in DATE_LINE_RANGE or len(text) not in DATE_LINE_CHARS or not _YEAR.search(text):
            continue
        first = next(iter_times(text), None)
        if first is None:
            continue
        for part, score in ((text[: first.start], BEFORE_DATE_SCORE), (text[first.end :], BEHIND_DATE_SCORE)):
            names = names_of(_BESIDE_DATE.sub("", part))
            if names and all(map(_is_persons_name, names)):
                yield Candidate(names, "text", signals.xpath(block), score)


def _is_persons_name(name: str) -> bool:
    parts = name.split()
    return len(parts) in NAME_WORDS and all(map(is_capitalized, parts))


def iter_signatures(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """A name alone in the line before the text, in its first or last line, or in the line behind it."""
    if signals.body is None:
        return
    blocks = signals.blocks
    first, last = signals.running or signals.body
    for block in dict.fromkeys((first - 1, signals.body[0], last + 1, signals.body[1])):
        text = blocks.texts[block] if 0 < block < len(blocks.texts) else ""
        if _is_signature(text) and plain(text) != anchor.key and not blocks.link_chars[block]:
            row = int(blocks.element[block])
            if int(blocks.elements.tag[row]) not in _HEADINGS and not signals.in_figure(row):
                yield Candidate([text], "text", signals.xpath(block), SIGNED_SCORE)


def _is_signature(text: str) -> bool:
    parts = text.split()
    return len(parts) in NAME_WORDS and all(map(_NAME_WORD.fullmatch, parts)) and is_name(text)
