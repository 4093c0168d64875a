"""Authors: from JSON-LD, meta elements, microdata, marked elements, links and bylines."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import node_text, plain, strings_of, type_of
from webcontent.fields.people.bylines import iter_bylines, iter_names_beside_dates, iter_signatures
from webcontent.fields.people.names import is_written_as_name, names_of, unique_names
from webcontent.fields.titles.site_names import site_names
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_MARKED_SCORES = {"author": 0.72, "rel=author": 0.68}
CLASS_SCORE, CLASS_SCORE_PER_BLOCK = 0.66, 0.005
LINK_SCORE = 0.67
SUPPORT = 0.08
"""Gain of a candidate for each other kind of place that gives its names, in the mean of the names."""
MAX_FULLER_GAP = 0.2
"""A fuller list leads if its score is lower by less than this."""

# Places that are looked at, at most.
MAX_OBJECTS = 4
MAX_JSON_LD_AUTHORS, MAX_JSON_LD_NAMES = 20, 10
MAX_META = 8
MAX_MARKED = 6
MAX_MARKED_CHARS = 100
MAX_FIELD_ROWS = 80
FIELD_CHARS = range(3, 121)
MAX_LINKS, MAX_LINK_CHARS, MAX_HREF_CHARS = 80, 80, 300
# Blocks from the title, before and behind it.
MARKED_RANGE = range(-12, 26)
CLASS_RANGE = range(-8, 21)
LINK_RANGE = range(-6, 15)

_LINK = TAG_CODES["a"]
_EACH_LINKED = ("rel=author", "link:author")
"""Origins whose names were linked one by one."""
_AUTHOR_PAGE = re.compile(rf"/(?:{alternation('bylines', 'author_page')})/[^/?#]+/?(?:[?#].*)?$|[?&]author=", re.I)


def find_authors(signals: PageSignals, anchor: TitleAnchor) -> list[Candidate]:
    """Candidates, each a list of names, best first. They know markup and the bylines of other languages than Chinese."""
    candidates = sorted(_iter_authors(signals, anchor), key=lambda candidate: -candidate.score)
    return _fullest_first(_with_support(_without_places(candidates)))


def _iter_authors(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    declared = [*_iter_json_ld(signals), *_iter_meta(signals)]
    site = site_names(signals)
    names_site = False
    for candidate in declared:
        is_site = all(plain(name) in site for name in candidate.value)
        names_site = names_site or is_site
        yield Candidate(candidate.value, candidate.origin, None, candidate.score - SITE_ITSELF * is_site)
    yield from _iter_marked(signals, anchor)
    yield from _iter_classes(signals, anchor)
    yield from _iter_links(signals, anchor)
    yield from iter_bylines(signals, anchor)
    if not signals.is_han:
        yield from iter_names_beside_dates(signals, anchor)
    if names_site:
        yield from iter_signatures(signals, anchor)


# ------------------------------------------------------------------------------------------- declared
def _iter_json_ld(signals: PageSignals) -> Iterator[Candidate]:
    for place, item in enumerate(signals.objects[:MAX_OBJECTS]):
        names, is_person = _json_names(signals, item.get("author") or item.get("creator"))
        if names:
            score = JSON_LD_SCORE if place == 0 and signals.is_article else JSON_LD_OTHER_SCORE
            yield Candidate(names, "json-ld:author", None, score - NO_PERSON * (not is_person))


def _json_names(signals: PageSignals, value: Any) -> tuple[list[str], bool]:
    """Names in an author value, and whether the first is a person's."""
    values = value if isinstance(value, list) else [value]
    names: list[str] = []
    is_person = True
    for item in map(signals.resolve, values[:MAX_JSON_LD_AUTHORS]):
        if isinstance(item, dict) and not names:
            is_person = type_of(item) in ("Person", "")
        for text in strings_of(item, "name")[:MAX_JSON_LD_NAMES]:
            names += names_of(text)
    return unique_names(names), is_person


def _iter_meta(signals: PageSignals) -> Iterator[Candidate]:
    for key, score in _META_SCORES.items():
        names = [name for text in signals.document.meta.get(key, ())[:MAX_META] for name in names_of(text)]
        if names:
            yield Candidate(unique_names(names), key if ":" in key else f"meta:{key}", None, score)


# ------------------------------------------------------------------------------------------- elements
def _iter_marked(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Microdata and rel=author, near the title."""
    for key, score in _MARKED_SCORES.items():
        names, xpath = [], None
        for node in signals.marked.get(key, ())[:MAX_MARKED]:
            block = signals.block_of(node)
            if len(node) and not node_text(node):
                block = None  # the place of data without text means nothing
            if block is not None and anchor.block is not None and anchor.distance(block) not in MARKED_RANGE:
                continue
            inner = next((child for child in node.iter() if "name" in (child.get("itemprop") or "").lower().split()), node)
            own_names = names_of(inner.get("content") or node_text(inner)[:MAX_MARKED_CHARS])
            names += own_names
            xpath = xpath or (xpath_of(node) if own_names else None)
        if names:
            yield Candidate(unique_names(names), key if "=" in key else f"itemprop:{key}", xpath, score)


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
        if names and start > last_start + 1 or not _AUTHOR_PAGE.search((node.get("href") or "")[:MAX_HREF_CHARS]):
            continue
        if own_names := names_of(node_text(node)[:MAX_LINK_CHARS]):
            names += own_names
            last_start = start
            xpath = xpath or xpath_of(node)
    if names:
        yield Candidate(unique_names(names), "link:author", xpath, LINK_SCORE)


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
