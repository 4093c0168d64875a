"""Authors by rules: three features of the ranking model. From declarations, elements, links and visible lines."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.text import node_text
from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.names.people import (
    OPENING,
    PERSON_WORDS,
    is_capitalized,
    is_written_as_name,
    links_author_page,
    names_of,
    unique_names,
    until_date,
)
from webcontent.fields.page_signals import plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from webcontent.fields.names.declared import DeclaredName
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

ORIGINS = ("json-ld", "marked", "line", "rel=author", "link", "class", "meta", "dated")
"""Kinds of places that name authors, the most trusted one first."""
NEAR, LINE_CHARS = range(-12, 26), range(3, 121)
"""Blocks from the title, before and behind it, and characters of what is read there."""
MAX_ELEMENTS = 80
"""Elements with a class of authors, and links, that are looked at."""

_BYLINE = re.compile(rf"^{OPENING}\s*:?\s+(?-i:(?=[\"'“]?[A-ZÀ-ÞĀ-ŽА-Я]))(.+)$", re.I)
_YEAR = re.compile(r"(?:19|20)\d\d")
_BESIDE_DATE = re.compile(rf"\b(?:{alternation('bylines', 'before_date', 'beside_date')})\b\W*", re.I)
_LINK = TAG_CODES["a"]


class RuleAuthors(NamedTuple):
    """Names that one place gives together."""

    names: list[str]
    origin: str
    """One of ORIGINS."""
    row: int | None = None
    """Of the element; None for a declaration."""
    is_doubtful: bool = False
    """Whether JSON-LD describes something else than an article by a person, or where the site names itself."""
    distance: int = 0
    """Blocks from the title."""

    @property
    def rank(self) -> int:
        """The place of its origin among ORIGINS, behind all of them where it is doubtful."""
        return ORIGINS.index(self.origin) + self.is_doubtful * len(ORIGINS)


def rule_authors(signals: PageSignals, anchor: TitleAnchor, names: Collection[str], declared: Sequence[DeclaredName]) -> list[RuleAuthors]:
    """Authors by place, best first; on Chinese pages only what elements show. `names`: plain names of the site.

    Reads markup in all languages, bylines in all but Chinese, where meta elements name editors and offices.
    """
    found = [*_iter_marked(signals, anchor), *_iter_classes(signals, anchor), *_iter_links(signals, anchor)]
    if not signals.is_han:
        found += [*_iter_declared(signals, names, declared), *_iter_lines(signals, anchor)]
    found = _without_places(found)
    origins = Counter(key for key, _ in {(plain(name), authors.origin) for authors in found for name in authors.names})

    def order(authors: RuleAuthors) -> tuple[float, int]:
        """By trust in the place; each other kind of place that gives the same names makes up for one rank."""
        return authors.rank - sum(origins[plain(name)] for name in authors.names) / len(authors.names), authors.distance

    return sorted(found, key=order)


def _without_places(found: list[RuleAuthors]) -> list[RuleAuthors]:
    """The authors without single words that no other place gives, beside names that others do give: By Jane Doe, Berlin."""
    counts = Counter(key for key, _ in {(plain(name), authors.row or authors.origin) for authors in found for name in authors.names})
    kept = []
    for authors in found:
        names = [name for name in authors.names if counts[plain(name)] > 1 or not (name.istitle() and " " not in name)]
        kept.append(authors._replace(names=names) if any(counts[plain(name)] > 1 for name in names) else authors)
    return kept


def _iter_declared(signals: PageSignals, site: Collection[str], declared: Sequence[DeclaredName]) -> Iterator[RuleAuthors]:
    """The authors of each JSON-LD object, else its creators, and those of each meta element."""
    described = set()
    authors = (name for name in declared if name.field == "authors")
    for (origin, number), group in groupby(authors, key=lambda name: (name.origin, name.object)):
        is_json_ld = origin.startswith("json-ld:")
        if is_json_ld and number in described:
            continue
        given = list(group)
        names = unique_names([name.text for name in given])
        is_other = is_json_ld and (number != 0 or not signals.declared.is_article or not given[0].is_person)
        described |= {number} if is_json_ld else set()
        is_site = all(plain(name) in site for name in names)
        yield RuleAuthors(names, "json-ld" if is_json_ld else "meta", is_doubtful=is_other or is_site)


# ------------------------------------------------------------------------------------------- elements
def _iter_marked(signals: PageSignals, anchor: TitleAnchor) -> Iterator[RuleAuthors]:
    """Microdata, RDFa and rel=author, near the title."""
    found: dict[str, tuple[int | None, list[str]]] = {}
    for node, row in signals.declared.marked("authors"):
        block = signals.block_of(node)
        if len(node) and not node_text(node):
            block = None  # the place of data without text means nothing
        is_near = block is None or anchor.block is None or anchor.distance(block) in NEAR
        if is_near and (names := names_of(row.value)):
            found.setdefault(row.origin, (signals.blocks.row_of.get(node), []))[1].extend(names)
    for origin, (element, names) in found.items():
        yield RuleAuthors(unique_names(names), origin if origin in ORIGINS else "marked", element)


def _iter_classes(signals: PageSignals, anchor: TitleAnchor) -> Iterator[RuleAuthors]:
    """Elements near the title whose class names authors."""
    elements = signals.blocks.elements
    for row in [row for row, fields in signals.field_rows if "authors" in fields][:MAX_ELEMENTS]:
        distance = anchor.distance(int(elements.start[row]))
        if distance not in NEAR or signals.in_figure(row):
            continue
        text = node_text(elements.nodes[row])
        if len(text) in LINE_CHARS and (names := list(filter(is_written_as_name, names_of(text)))):
            yield RuleAuthors(unique_names(names), "class", row, distance=abs(distance))


def _iter_links(signals: PageSignals, anchor: TitleAnchor) -> Iterator[RuleAuthors]:
    """Links near the title whose address is that of an author's page, in neighbouring blocks."""
    elements = signals.blocks.elements
    starts = elements.start - anchor.origin
    names: list[str] = []
    first, last_start = None, 0
    for row in np.flatnonzero((elements.tag == _LINK) & (starts >= NEAR[0]) & (starts <= NEAR[-1]))[:MAX_ELEMENTS].tolist():
        node, start = elements.nodes[row], int(elements.start[row])
        is_beside = not names or start <= last_start + 1
        if is_beside and links_author_page(node) and (own_names := names_of(node_text(node)[: LINE_CHARS[-1]])):
            names += own_names
            last_start, first = start, row if first is None else first
    if names:
        yield RuleAuthors(unique_names(names), "link", first)


# ------------------------------------------------------------------------------------------- visible lines
def _iter_lines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[RuleAuthors]:
    """Lines near the title that begin with "By", "Von", "Par" and the like; a name alone beside the date: Jane Doe | May 1, 2024."""
    for block, text in anchor.lines():
        if len(text) not in LINE_CHARS:
            continue
        row, distance = int(signals.blocks.element[block]), abs(anchor.distance(block))
        match = _BYLINE.match(text)
        if match and (names := list(filter(is_written_as_name, names_of(until_date(match[1]))))):
            yield RuleAuthors(unique_names(names), "line", row, distance=distance)
        first = next(iter_times(text), None) if _YEAR.search(text) else None
        for part in (text[: first.start], text[first.end :]) if first else ():
            names = names_of(_BESIDE_DATE.sub("", part))
            if names and all(map(_is_persons_name, names)):
                yield RuleAuthors(names, "dated", row, distance=distance)


def _is_persons_name(text: str) -> bool:
    return len(text.split()) in PERSON_WORDS and all(map(is_capitalized, text.split()))
