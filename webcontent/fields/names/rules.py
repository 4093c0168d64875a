"""Authors by rules: three features of the ranking model. From declarations, elements, links and visible lines."""

from __future__ import annotations

import re
from collections import Counter
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
    until_date,
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
_META_SCORES = {
    "author": 0.62, "article:author": 0.6, "og:article:author": 0.58, "parsely-author": 0.72, "sailthru.author": 0.72,
    "dc.creator": 0.66, "dcterms.creator": 0.66,
    "byl": 0.72, "citation_author": 0.7, "cxenseparse:author": 0.7, "article.author": 0.6, "authors": 0.62, "creator": 0.55,
    "dc.creator.personalname": 0.7, "og:author": 0.6, "lp.article:author": 0.6,
}  # fmt: skip
MARKED_SCORE, LINKED_SCORE = 0.72, 0.68
"""Of properties of elements, and of links with rel=author."""
CLASS_SCORE, CLASS_SCORE_PER_BLOCK = 0.66, 0.005
LINK_SCORE = 0.67
SUPPORT = 0.08
"""Gain of a candidate for each other kind of place that gives its names, in the mean of the names."""
MAX_FULLER_GAP = 0.2
"""A fuller list leads if its score is lower by less than this."""

# Places that are looked at, at most.
MAX_FIELD_ROWS = 80
FIELD_CHARS = range(3, 121)
MAX_LINKS, MAX_LINK_CHARS = 80, 80
# Blocks from the title, before and behind it.
MARKED_RANGE = range(-12, 26)
CLASS_RANGE = range(-8, 21)
LINK_RANGE = range(-6, 15)

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
_HEADING_CODES = frozenset(TAG_CODES[f"h{level}"] for level in range(1, 7))
_LINK = TAG_CODES["a"]
_EACH_LINKED = ("rel=author", "link:author")
"""Origins whose names were linked one by one."""


def rule_authors(signals: PageSignals, anchor: TitleAnchor, names: Collection[str]) -> list[Candidate]:
    """The authors that the rules find; on Chinese pages, where meta elements name editors and offices, only those that the page shows."""
    found = find_authors(signals, anchor, names)
    return [candidate for candidate in found if candidate.xpath] if signals.is_han else found


def find_authors(signals: PageSignals, anchor: TitleAnchor, names: Collection[str]) -> list[Candidate]:
    """Candidates, each a list of names, best first. Reads markup in all languages, bylines in all but Chinese. `names`: the site's."""
    candidates = sorted(_iter_authors(signals, anchor, names), key=lambda candidate: -candidate.score)
    return _fullest_first(_with_support(_without_places(candidates)))


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
        if row.origin.removeprefix("meta:") in _META_SCORES:
            found.setdefault(row.origin, []).extend(names_of(row.value))
    for origin, names in found.items():
        if names:
            yield Candidate(unique_names(names), origin, None, _META_SCORES[origin.removeprefix("meta:")])


# ------------------------------------------------------------------------------------------- elements
def _iter_marked(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Microdata, RDFa and rel=author, near the title."""
    found: dict[str, list[str]] = {}
    xpaths: dict[str, str] = {}
    for node, row in signals.declared.marked("authors"):
        block = signals.block_of(node)
        if len(node) and not node_text(node):
            block = None  # the place of data without text means nothing
        if block is not None and anchor.block is not None and anchor.distance(block) not in MARKED_RANGE:
            continue
        if names := names_of(row.value):
            found.setdefault(row.origin, []).extend(names)
            xpaths.setdefault(row.origin, xpath_of(node))
    for origin, names in found.items():
        yield Candidate(unique_names(names), origin, xpaths[origin], LINKED_SCORE if origin == "rel=author" else MARKED_SCORE)


def _iter_classes(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Elements near the title whose class names authors."""
    elements = signals.blocks.elements
    for row, fields in signals.field_rows[:MAX_FIELD_ROWS]:
        distance = anchor.distance(int(elements.start[row]))
        if "authors" not in fields or distance not in CLASS_RANGE or signals.in_figure(row):
            continue
        text = signals.row_text(row)
        if len(text) in FIELD_CHARS and (names := [name for name in names_of(text) if is_written_as_name(name)]):
            score = CLASS_SCORE - CLASS_SCORE_PER_BLOCK * abs(distance)
            yield Candidate(unique_names(names), "class:author", xpath_of(elements.nodes[row]), score)


def _iter_links(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Links near the title whose address is that of an author's page."""
    if anchor.block is None:
        return
    elements = signals.blocks.elements
    first, last = anchor.block + LINK_RANGE[0], anchor.block + LINK_RANGE[-1]
    rows = np.flatnonzero((elements.tag == _LINK) & (elements.start >= first) & (elements.start <= last))
    names: list[str] = []
    xpath, last_start = None, 0
    for row in rows[:MAX_LINKS].tolist():
        node = elements.nodes[row]
        start = int(elements.start[row])
        if names and start > last_start + 1 or not links_author_page(node):
            continue
        if own_names := names_of(node_text(node)[:MAX_LINK_CHARS]):
            names += own_names
            last_start = start
            xpath = xpath or xpath_of(node)
    if names:
        yield Candidate(unique_names(names), "link:author", xpath, LINK_SCORE)


# ------------------------------------------------------------------------------------------- visible lines
def _iter_bylines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Lines near the title that begin with "By", "Von", "Par" and the like."""
    for block, text in anchor.lines():
        distance = anchor.distance(block)
        if distance not in BYLINE_RANGE or len(text) > MAX_BYLINE_CHARS:
            continue
        match = _BYLINE.match(text)
        if match and (names := [name for name in names_of(until_date(match[1])) if is_written_as_name(name)]):
            yield Candidate(unique_names(names), "text", signals.xpath(block), BYLINE_SCORE - BYLINE_SCORE_PER_BLOCK * abs(distance))


def _iter_names_beside_dates(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
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
                yield Candidate([text], "text", signals.xpath(block), SIGNED_SCORE)


def _is_signature(text: str) -> bool:
    parts = text.split()
    return len(parts) in NAME_WORDS and all(map(_NAME_WORD.fullmatch, parts)) and is_name(text)


# ------------------------------------------------------------------------------------------- choice
def _without_places(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without single words that no other place gives, beside names that others do give: By Jane Doe, Berlin."""
    places = {(candidate.xpath or candidate.origin, plain(name)) for candidate in candidates for name in candidate.value}
    counts = Counter(name for _, name in places)
    kept = []
    for candidate in candidates:
        names = [name for name in candidate.value if counts[plain(name)] > 1 or not (name.istitle() and " " not in name)]
        shared = any(counts[plain(name)] > 1 for name in names)
        kept.append(Candidate(names, candidate.origin, candidate.xpath, candidate.score) if shared else candidate)
    return kept


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


def _fullest_first(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates; a list with all names of the first one and more leads where its names are links beside each other."""
    if not candidates:
        return candidates
    best = candidates[0]
    names = set(map(plain, best.value))
    for candidate in candidates[1:]:
        is_fuller = names < set(map(plain, candidate.value))
        if is_fuller and candidate.origin in _EACH_LINKED and candidate.score > best.score - MAX_FULLER_GAP:
            return [candidate, *(other for other in candidates if other is not candidate)]
    return candidates
