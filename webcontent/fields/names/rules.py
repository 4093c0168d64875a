"""Authors by rules: three features of the ranking model. From declarations, elements, links and visible lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.text import node_text
from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.names.people import (
    OPENING,
    is_capitalized,
    is_name,
    is_written_as_name,
    links_author_page,
    names_of,
    unique_names,
)
from webcontent.fields.page_signals import plain
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
JSON_LD_SCORE, JSON_LD_OTHER_SCORE = 0.85, 0.7
"""Of the first object of an article, and of other objects."""
NO_PERSON = 0.15
"""Subtracted for a JSON-LD author that is not a person."""
SITE_ITSELF = 0.25
"""Subtracted where the site names itself as the author."""
SCORE, WEAK_SCORE = 0.66, 0.56
"""Of meta elements, elements, links and lines with a label; of names that only stand beside a date or beside the text."""
SUPPORT = 0.08
"""Gain of a candidate for each other kind of place that gives its names, in the mean of the names."""
NEAR_TITLE = range(-8, 21)
"""Blocks from the title among which names are looked for."""
MAX_ELEMENTS, MAX_CHARS = 80, 120
"""Elements of a kind that are looked at, and characters of their text or of a line."""
NO_AUTHOR = "meta:twitter:data1"
"""A meta element that may hold anything."""
NAME_WORDS = range(2, 5)
"""Words of a person's name where nothing else tells that it is one."""

_BYLINE = re.compile(rf"^{OPENING}\s*:?\s+(?-i:(?=[\"'“]?[A-ZÀ-ÞĀ-ŽА-Я]))(.{{3,120}})$", re.I)
_NAME_WORD = re.compile(r"[A-ZÀ-ÞĀ-ŽА-ЯΑ-ΩĐ][^\W\d_]*(?:[-'’][^\W\d_]+)*\.?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_BESIDE_DATE = re.compile(rf"\b(?:{alternation('bylines', 'before_date', 'beside_date')})\b\W*", re.I)
_HEADING_CODES = frozenset(TAG_CODES[f"h{level}"] for level in range(1, 7))
_LINK = TAG_CODES["a"]


def rule_authors(signals: PageSignals, anchor: TitleAnchor, names: Collection[str]) -> list[Candidate]:
    """The authors that the rules find; on Chinese pages, where meta elements name editors and offices, only those that the page shows."""
    found = find_authors(signals, anchor, names)
    return [candidate for candidate in found if candidate.xpath] if signals.is_han else found


def find_authors(signals: PageSignals, anchor: TitleAnchor, names: Collection[str]) -> list[Candidate]:
    """Candidates, each a list of names, best first. Reads markup in all languages, bylines in all but Chinese. `names`: the site's."""
    return _with_support(sorted(_iter_authors(signals, anchor, names), key=lambda candidate: -candidate.score))


def _iter_authors(signals: PageSignals, anchor: TitleAnchor, site: Collection[str]) -> Iterator[Candidate]:
    declared = [*_iter_json_ld(signals), *_iter_meta(signals)]
    names_site = False
    for candidate in declared:
        is_site = all(plain(name) in site for name in candidate.value)
        names_site = names_site or is_site
        yield Candidate(candidate.value, candidate.origin, None, candidate.score - SITE_ITSELF * is_site)
    yield from _iter_marked(signals, anchor)
    yield from _iter_classes(signals, anchor)
    yield from _iter_links(signals, anchor)
    yield from _iter_bylines(signals, anchor)
    if not signals.is_han:
        yield from _iter_names_beside_dates(signals, anchor)
    if names_site:
        yield from _iter_signatures(signals, anchor)


# ------------------------------------------------------------------------------------------- declared
def _iter_json_ld(signals: PageSignals) -> Iterator[Candidate]:
    """The authors of each object, else its creators."""
    rows = [row for row in signals.declared.rows("authors") if row.is_json_ld]
    for number in dict.fromkeys(row.object for row in rows):
        own = [row for row in rows if row.object == number]
        own = [row for row in own if row.origin == own[0].origin]
        if names := unique_names([name for row in own for name in names_of(row.value)]):
            score = JSON_LD_SCORE if number == 0 and signals.declared.is_article else JSON_LD_OTHER_SCORE
            yield Candidate(names, "json-ld:author", None, score - NO_PERSON * (not own[0].is_person))


def _iter_meta(signals: PageSignals) -> Iterator[Candidate]:
    found: dict[str, list[str]] = {}
    for row in signals.declared.rows("authors"):
        if not row.is_json_ld and row.origin != NO_AUTHOR:
            found.setdefault(row.origin, []).extend(names_of(row.value))
    for origin, names in found.items():
        if names:
            yield Candidate(unique_names(names), origin, None, SCORE)


# ------------------------------------------------------------------------------------------- elements
def _iter_marked(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Microdata, RDFa and rel=author, near the title."""
    found: dict[str, list[str]] = {}
    xpaths: dict[str, str] = {}
    for node, row in signals.declared.marked("authors"):
        block = signals.block_of(node)
        if len(node) and not node_text(node):
            block = None  # the place of data without text means nothing
        if block is not None and anchor.block is not None and anchor.distance(block) not in NEAR_TITLE:
            continue
        if names := names_of(row.value):
            found.setdefault(row.origin, []).extend(names)
            xpaths.setdefault(row.origin, xpath_of(node))
    for origin, names in found.items():
        yield Candidate(unique_names(names), origin, xpaths[origin], SCORE)


def _iter_classes(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Elements near the title whose class names authors."""
    elements = signals.blocks.elements
    for row, fields in signals.field_rows[:MAX_ELEMENTS]:
        if "authors" not in fields or anchor.distance(int(elements.start[row])) not in NEAR_TITLE or signals.in_figure(row):
            continue
        text = signals.row_text(row)
        if len(text) <= MAX_CHARS and (names := [name for name in names_of(text) if is_written_as_name(name)]):
            yield Candidate(names, "class:author", xpath_of(elements.nodes[row]), SCORE)


def _iter_links(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Links near the title whose address is that of an author's page."""
    if anchor.block is None:
        return
    elements = signals.blocks.elements
    first, last = anchor.block + NEAR_TITLE[0], anchor.block + NEAR_TITLE[-1]
    rows = np.flatnonzero((elements.tag == _LINK) & (elements.start >= first) & (elements.start <= last))
    names: list[str] = []
    xpath, last_start = None, 0
    for row in rows[:MAX_ELEMENTS].tolist():
        node = elements.nodes[row]
        start = int(elements.start[row])
        if names and start > last_start + 1 or not links_author_page(node):
            continue
        if own_names := names_of(node_text(node)):
            names += own_names
            last_start = start
            xpath = xpath or xpath_of(node)
    if names:
        yield Candidate(unique_names(names), "link:author", xpath, SCORE)


# ------------------------------------------------------------------------------------------- visible lines
def _iter_bylines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Lines near the title that begin with "By", "Von", "Par" and the like."""
    for block, text in anchor.lines():
        match = _BYLINE.match(text) if anchor.distance(block) in NEAR_TITLE else None
        if match and (names := [name for name in names_of(match[1]) if is_written_as_name(name)]):
            yield Candidate(names, "text", signals.xpath(block), SCORE)


def _iter_names_beside_dates(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """A name alone before or behind the date of a short line: Jane Doe | May 1, 2024."""
    for block, text in anchor.lines():
        if anchor.distance(block) not in NEAR_TITLE or len(text) > MAX_CHARS or not _YEAR.search(text):
            continue
        first = next(iter_times(text), None)
        if first is None:
            continue
        for part in (text[: first.start], text[first.end :]):
            names = names_of(_BESIDE_DATE.sub("", part))
            if names and all(map(_is_persons_name, names)):
                yield Candidate(names, "text", signals.xpath(block), WEAK_SCORE)


def _is_persons_name(name: str) -> bool:
    parts = name.split()
    return len(parts) in NAME_WORDS and all(map(is_capitalized, parts))


def _iter_signatures(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """A name alone in the line before the text, in its first or last line, or in the line behind it."""
    if signals.body is None:
        return
    blocks = signals.blocks
    first, last = signals.running or signals.body
    for block in dict.fromkeys((first - 1, signals.body[0], last + 1, signals.body[1])):
        text = blocks.texts[block] if 0 < block < len(blocks.texts) else ""
        if _is_signature(text) and plain(text) != anchor.key and not blocks.link_chars[block]:
            row = int(blocks.element[block])
            if int(blocks.elements.tag[row]) not in _HEADING_CODES and not signals.in_figure(row):
                yield Candidate([text], "text", signals.xpath(block), WEAK_SCORE)


def _is_signature(text: str) -> bool:
    parts = text.split()
    return len(parts) in NAME_WORDS and all(map(_NAME_WORD.fullmatch, parts)) and is_name(text)


# ------------------------------------------------------------------------------------------- choice
def _with_support(candidates: list[Candidate]) -> list[Candidate]:
    """Names that several kinds of places give gain; best first."""
    kinds: dict[str, set[str]] = {}
    for candidate in candidates:
        for name in candidate.value:
            kinds.setdefault(plain(name), set()).add(candidate.origin.split(":")[0])
    scored = []
    for candidate in candidates:
        others = sum(len(kinds[plain(name)]) - 1 for name in candidate.value) / len(candidate.value)
        score = round(min(1.0, candidate.score + SUPPORT * others), 4)
        scored.append(Candidate(candidate.value, candidate.origin, candidate.xpath, score))
    return sorted(scored, key=lambda candidate: -candidate.score)
