"""Authors by rules: three features of the ranking model. From declarations, elements, links and visible lines."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.text import node_text
from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.names.people import (
    OPENING,
    PERSON_WORDS,
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
    from collections.abc import Collection, Iterator, Sequence

    from webcontent.fields.names.declared import DeclaredName
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

_SCORES = {
    "json-ld:author": 0.85, "json-ld:creator": 0.85,
    "meta:author": 0.62, "article:author": 0.6, "og:article:author": 0.58, "meta:parsely-author": 0.72, "meta:sailthru.author": 0.72,
    "meta:dc.creator": 0.66, "meta:dcterms.creator": 0.66, "meta:byl": 0.72, "meta:citation_author": 0.7, "cxenseparse:author": 0.7,
    "meta:article.author": 0.6, "meta:authors": 0.62, "meta:creator": 0.55, "meta:dc.creator.personalname": 0.7, "og:author": 0.6,
    "lp.article:author": 0.6,
    "marked": 0.72, "rel=author": 0.68, "class:author": 0.66, "link:author": 0.67,
    "line": 0.7, "before date": 0.56, "behind date": 0.54, "signature": 0.56,
}  # fmt: skip
"""Ranks of candidates by place; they order the candidates of a page and are no probabilities."""
OTHER_OBJECT, NO_PERSON, SITE_ITSELF = 0.15, 0.15, 0.25
"""Subtracted for JSON-LD of something else than an article, for an author that is not a person, and where the site names itself."""
PER_BLOCK = 0.01
"""Subtracted for each block between a line and the title; half of it for an element."""
SUPPORT = 0.08
"""Gain of a candidate for each other kind of place that gives its names, in the mean of the names."""
MAX_FULLER_GAP = 0.2
"""A fuller list leads if its score is lower by less than this."""

MAX_PLACES = 80
"""Elements with a class of authors, and links, that are looked at."""
LINE_CHARS = range(3, 121)
MARKED_RANGE, NEAR = range(-12, 26), range(-8, 16)
"""Blocks from the title, before and behind it: of elements about authors, and of links and lines."""

_BYLINE = re.compile(rf"^{OPENING}\s*:?\s+(?-i:(?=[\"'“]?[A-ZÀ-ÞĀ-ŽА-Я]))(.{{3,120}})$", re.I)
_YEAR = re.compile(r"(?:19|20)\d\d")
_BESIDE_DATE = re.compile(rf"\b(?:{alternation('bylines', 'before_date', 'beside_date')})\b\W*", re.I)
_LINK = TAG_CODES["a"]
_HEADING_CODES = frozenset(TAG_CODES[f"h{level}"] for level in range(1, 7))
_EACH_LINKED = ("rel=author", "link:author")
"""Origins whose names were linked one by one."""


def rule_authors(signals: PageSignals, anchor: TitleAnchor, names: Collection[str], declared: Sequence[DeclaredName]) -> list[Candidate]:
    """Candidates, each a list of names, best first; on Chinese pages only what elements show. `names`: the site's.

    Reads markup in all languages, bylines in all but Chinese, where meta elements name editors and offices.
    """
    candidates = sorted(_iter_authors(signals, anchor, names, declared), key=lambda candidate: -candidate.score)
    found = _fullest_first(_with_support(_without_places(candidates)))
    return [candidate for candidate in found if candidate.xpath] if signals.is_han else found


def _iter_authors(
    signals: PageSignals, anchor: TitleAnchor, site: Collection[str], declared: Sequence[DeclaredName]
) -> Iterator[Candidate]:
    names_site = False
    for candidate in _iter_declared(signals, declared):
        is_site = all(plain(name) in site for name in candidate.value)
        names_site = names_site or is_site
        yield Candidate(candidate.value, candidate.origin, None, candidate.score - SITE_ITSELF * is_site)
    yield from _iter_marked(signals, anchor)
    yield from _iter_classes(signals, anchor)
    yield from _iter_links(signals, anchor)
    yield from _iter_lines(signals, anchor)
    if names_site:
        yield from _iter_signatures(signals, anchor)


def _iter_declared(signals: PageSignals, declared: Sequence[DeclaredName]) -> Iterator[Candidate]:
    """The authors of each JSON-LD object, else its creators, and those of each meta element."""
    described = set()
    for (origin, number), group in groupby(declared, key=lambda name: (name.origin.removesuffix(" organization"), name.object)):
        is_json_ld = origin.startswith("json-ld:")
        if origin in _SCORES and not (is_json_ld and number in described):
            names = list(group)
            is_other = is_json_ld and not (number == 0 and signals.declared.is_article)
            is_no_person = is_json_ld and names[0].origin != origin
            described |= {number} if is_json_ld else set()
            score = _SCORES[origin] - OTHER_OBJECT * is_other - NO_PERSON * is_no_person
            yield Candidate(unique_names([name.text for name in names]), origin, None, score)


# ------------------------------------------------------------------------------------------- elements
def _iter_marked(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Microdata, RDFa and rel=author, near the title."""
    found: dict[str, tuple[str, list[str]]] = {}
    for node, row in signals.declared.marked("authors"):
        block = signals.block_of(node)
        if len(node) and not node_text(node):
            block = None  # the place of data without text means nothing
        is_near = block is None or anchor.block is None or anchor.distance(block) in MARKED_RANGE
        if is_near and (names := names_of(row.value)):
            found.setdefault(row.origin, (xpath_of(node), []))[1].extend(names)
    for origin, (xpath, names) in found.items():
        yield Candidate(unique_names(names), origin, xpath, _SCORES.get(origin, _SCORES["marked"]))


def _iter_classes(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Elements near the title whose class names authors."""
    elements = signals.blocks.elements
    for row, fields in signals.field_rows[:MAX_PLACES]:
        distance = anchor.distance(int(elements.start[row]))
        if "authors" not in fields or distance not in MARKED_RANGE or signals.in_figure(row):
            continue
        text = node_text(elements.nodes[row])
        if len(text) in LINE_CHARS and (names := [name for name in names_of(text) if is_written_as_name(name)]):
            score = _SCORES["class:author"] - 0.5 * PER_BLOCK * abs(distance)
            yield Candidate(unique_names(names), "class:author", xpath_of(elements.nodes[row]), score)


def _iter_links(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Links near the title whose address is that of an author's page, in neighbouring blocks."""
    if anchor.block is None:
        return
    elements = signals.blocks.elements
    starts = elements.start - anchor.block
    rows = np.flatnonzero((elements.tag == _LINK) & (starts >= NEAR[0]) & (starts <= NEAR[-1]))
    names: list[str] = []
    xpath, last_start = None, 0
    for row in rows[:MAX_PLACES].tolist():
        node = elements.nodes[row]
        start = int(elements.start[row])
        is_beside = not names or start <= last_start + 1
        if is_beside and links_author_page(node) and (own_names := names_of(node_text(node)[: LINE_CHARS[-1]])):
            names += own_names
            last_start = start
            xpath = xpath or xpath_of(node)
    if names:
        yield Candidate(unique_names(names), "link:author", xpath, _SCORES["link:author"])


# ------------------------------------------------------------------------------------------- visible lines
def _iter_lines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Lines near the title that begin with "By", "Von", "Par" and the like; a name alone beside the date: Jane Doe | May 1, 2024."""
    for block, text in anchor.lines():
        distance = anchor.distance(block)
        if distance not in NEAR or len(text) not in LINE_CHARS:
            continue
        match = _BYLINE.match(text)
        if match and (names := [name for name in names_of(until_date(match[1])) if is_written_as_name(name)]):
            yield Candidate(unique_names(names), "text", signals.blocks.xpath(block), _SCORES["line"] - PER_BLOCK * abs(distance))
        first = next(iter_times(text), None) if _YEAR.search(text) and not signals.is_han else None
        for part, place in ((text[: first.start], "before date"), (text[first.end :], "behind date")) if first else ():
            names = names_of(_BESIDE_DATE.sub("", part))
            if names and all(map(_is_persons_name, names)):
                yield Candidate(names, "text", signals.blocks.xpath(block), _SCORES[place])


def _iter_signatures(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """A name alone in the line before the text, in its first or last line, or in the line behind it."""
    first, last = signals.running or signals.body or (0, -1)
    blocks, body = signals.blocks, signals.body or (0, -1)
    for block in dict.fromkeys((first - 1, body[0], last + 1, body[1])):
        text = blocks.texts[block] if 0 < block < len(blocks.texts) else ""
        if _is_persons_name(text) and is_name(text) and plain(text) != anchor.key and not blocks.link_chars[block]:
            row = int(blocks.element[block])
            if int(blocks.elements.tag[row]) not in _HEADING_CODES and not signals.in_figure(row):
                yield Candidate([text], "text", signals.blocks.xpath(block), _SCORES["signature"])


def _is_persons_name(text: str) -> bool:
    return len(text.split()) in PERSON_WORDS and all(map(is_capitalized, text.split()))


# ------------------------------------------------------------------------------------------- choice
def _without_places(candidates: list[Candidate]) -> list[Candidate]:
    """The candidates without single words that no other place gives, beside names that others do give: By Jane Doe, Berlin."""
    places = {(candidate.xpath or candidate.origin, plain(name)) for candidate in candidates for name in candidate.value}
    counts = Counter(name for _, name in places)
    kept = []
    for candidate in candidates:
        names = [name for name in candidate.value if counts[plain(name)] > 1 or not (name.istitle() and " " not in name)]
        shared = any(counts[plain(name)] > 1 for name in names)
        kept.append(replace(candidate, value=names) if shared else candidate)
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
    first = set(map(plain, candidates[0].value)) if candidates else set()
    for candidate in candidates[1:]:
        is_near = candidate.score > candidates[0].score - MAX_FULLER_GAP
        if is_near and candidate.origin in _EACH_LINKED and first < set(map(plain, candidate.value)):
            return [candidate, *(other for other in candidates if other is not candidate)]
    return candidates
