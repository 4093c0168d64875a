"""Features of candidates of source, authors and editors: what the ranking models learn from, beside the words around them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.fields.bylines.candidates import (
    MAX_LABEL_GAP,
    NAMING_LABELS,
    PERSON_CHARS,
    PERSON_WORDS,
    ZONE_CODES,
    is_signature,
)
from webcontent.fields.bylines.cutting import holds_date
from webcontent.fields.bylines.labels import KINDS, UNKNOWN
from webcontent.fields.bylines.regions import MARK, ancestors
from webcontent.fields.lexicon import alternation
from webcontent.fields.people.names import HAN, ORGANIZATION, SURNAMES, is_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from webcontent.fields.bylines.candidates import BylineGroup
    from webcontent.fields.bylines.cutting import Atom
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

DECLARED = (
    "json-ld:author", "json-ld:author organization", "json-ld:creator", "json-ld:editor", "meta:author", "article:author", "other author",
    "source", "og:site_name", "json-ld:publisher", "other site", "title",
)  # fmt: skip
FEATURES = (
    *(f"declared {name}" for name in DECLARED), "declared", "declared_index", "declared_size", "declared_object",
    "atoms", "label", "label_gap", "label_index", "source_label", "author_label", "editor_label", "label_chars",
    "source_strength", "author_strength", "editor_strength", "author_form",
    "bracket", "signature", "dates", "dates_anywhere", "dated_lines", "breadcrumb",
    "form", "zone", "zones", "title_distance", "body_distance", "end_distance",
    "line_index", "line_chars", "line_share", "is_part", "first", "last", "before_mark", "behind_mark",
    "link", "author_page", "rel_author", "item_author", "class_author", "class_source", "class_time", "tag", "parent_tag", "figure",
    "twins", "twin_index",
    "chars", "words", "han", "digits", "capitals", "surname", "person", "name", "organization", "punctuation",
    "is_site", "holds_site", "in_title", "as_block",
    "page_han", "page_candidates", "page_source_labels", "page_author_labels", "page_editor_labels",
    "page_declared_author", "page_site_sources",
    "rule", "rule_first", "rule_score",
)  # fmt: skip
"""Names of the columns of `byline_features`, in their order."""

MISSING = -1
FAR = 60
MAX_DISTANCE = 40
MAX_COUNT = 20
MARKUP_ANCESTORS = 4
MAX_HREF_CHARS = 300
MAX_DATE_LINE_CHARS = 60
"""A longer line with a date is no date line."""

_LABEL_CODES = {kind: code for code, kind in enumerate(("", *KINDS, UNKNOWN))}
_FORM_CODES = {"whole": 0, "part": 1, "glued": 2}
_AUTHOR_PAGE = re.compile(rf"/(?:{alternation('bylines', 'author_page')})/[^/?#]+/?(?:[?#].*)?$|[?&]author=", re.I)
_GAP = f" {MARK}"
_STEPS = tuple(">›»＞")
_PUNCTUATION = re.compile(r"[^\w\s.'’\-·]")


class _Markup(NamedTuple):
    """What the element around a value and its nearest ancestors say."""

    link: bool
    author_page: bool
    rel_author: bool
    item_author: bool
    class_author: bool
    class_source: bool
    class_time: bool
    tag: int
    parent_tag: int
    figure: bool


PERSON = 6
"""Place of `person` among the values of _text."""
MARKS = 7
"""The first values of _Markup, which any place of a candidate may give."""
MAX_ATOMS = 3
"""Places of a candidate that are looked at."""
NO_MARKUP = _Markup(False, False, False, False, False, False, False, MISSING, MISSING, False)


def byline_features(
    signals: PageSignals, anchor: TitleAnchor, groups: Sequence[BylineGroup], names: Collection[str]
) -> NDArray[np.float32]:
    """Features of a page's candidates: float32 [candidates, len(FEATURES)]. `names`: plain names of the site."""
    page = _Page(signals, anchor, groups, names)
    rows = [page.features(group) for group in groups]
    return np.array(rows, np.float32).reshape(len(groups), len(FEATURES))


class _Page:
    """What the features of all candidates of a page share."""

    def __init__(self, signals: PageSignals, anchor: TitleAnchor, groups: Sequence[BylineGroup], names: Collection[str]) -> None:
        self.signals, self.anchor = signals, anchor
        self.names = names
        self.long_names = [name for name in self.names if len(name) > 3]
        self.title = anchor.key or ""
        self.blocks = Counter(signals.blocks.texts)
        self.fields = dict(signals.field_rows)
        self.class_codes = signals.blocks.class_codes[1]
        self.rows_of_class: dict[int, NDArray[np.int64]] = {}
        self.markups: dict[int, _Markup] = {}
        self.dated: dict[int, bool] = {}
        self.row_marks: dict[int, tuple[bool, ...]] = {}
        labels = Counter(atom.label for group in groups for atom in group.atoms[:1])
        declared_author = any("author" in name.origin for group in groups for name in group.declared)
        site_sources = sum(group.key in self.names and any(atom.label == "source" for atom in group.atoms) for group in groups)
        labelled = (labels[kind] for kind in NAMING_LABELS)
        self.shared = (signals.is_han, len(groups), *labelled, declared_author, site_sources)

    def features(self, group: BylineGroup) -> tuple[float, ...]:
        """In the order of FEATURES."""
        atom = group.atoms[0] if group.atoms else None
        return (
            *_declared(group), *self._label(group, atom), *self._place(atom), *self._markups(group), *self._twins(atom), *_text(group.text),
            *self._names(group), *self.shared, *group.rule,
        )  # fmt: skip

    def _label(self, group: BylineGroup, atom: Atom | None) -> tuple[float, ...]:
        """Labels, brackets and dates beside it."""
        atoms = group.atoms
        if atom is None:
            return (0, MISSING, MISSING, MISSING, 0, 0, 0, MISSING, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, MISSING, MISSING, 0)
        counts, strengths = dict.fromkeys(NAMING_LABELS, 0), dict.fromkeys(NAMING_LABELS, 0.0)
        for other in atoms:
            if other.label in counts:
                counts[other.label] += 1
                strengths[other.label] = max(strengths[other.label], strength(other))
        return (
            min(MAX_COUNT, len(atoms)), _LABEL_CODES[atom.label], atom.label_gap, atom.label_index,
            *counts.values(), len(atom.label_text), *strengths.values(),
            max(map(author_form, atoms)), any(other.bracket for other in atoms), any(map(is_signature, atoms)), atom.beside_date,
            any(other.beside_date for other in atoms), self._dated_lines(atom.line.block), any(map(_is_in_breadcrumb, atoms)),
            _FORM_CODES[atom.form], ZONE_CODES[atom.line.zone],
            len({other.line.zone for other in atoms}) if len(atoms) > 1 else 1,
        )  # fmt: skip

    def _dated_lines(self, block: int) -> int:
        """Whether the line above a block is a date (bit 1), and the one below (bit 2)."""
        return self._is_dated(block - 1) + 2 * self._is_dated(block + 1)

    def _is_dated(self, block: int) -> bool:
        """Whether a block is short and holds a date."""
        texts = self.signals.blocks.texts
        if block not in self.dated:
            text = texts[block] if 0 <= block < len(texts) else ""
            self.dated[block] = len(text) <= MAX_DATE_LINE_CHARS and holds_date(text)
        return self.dated[block]

    def _place(self, atom: Atom | None) -> tuple[float, ...]:
        """Where it stands on the page and in its line."""
        if atom is None:
            return (FAR, FAR, FAR, MISSING, MISSING, MISSING, 0, 0, 0, 0, 0)
        block, body, line = atom.line.block, self.signals.body, atom.line
        return (
            FAR if self.anchor.block is None else _bounded(block - self.anchor.block),
            FAR if body is None else _bounded(block - body[0]), FAR if body is None else _bounded(block - body[1]),
            atom.position, len(line.text), len(atom.text) / max(1, len(line.text)), line.is_part,
            not atom.before.strip(f" {MARK}"), not atom.after.strip(f" {MARK}"),
            atom.before[-1:] == MARK or atom.before[-2:] == f"{MARK} ", atom.after[:1] == MARK or atom.after[:2] == f" {MARK}",
        )  # fmt: skip

    def _markups(self, group: BylineGroup) -> tuple[float, ...]:
        """What the elements of its places say, any of them; the tags of the best one's."""
        found = [self._markup(atom.row) for atom in group.atoms[:MAX_ATOMS]]
        if len(found) < 2:
            return found[0] if found else NO_MARKUP
        best = found[0]
        marks = [any(values) for values in zip(*[markup[:MARKS] for markup in found], strict=True)]
        return (*marks, *best[MARKS:])

    def _twins(self, atom: Atom | None) -> tuple[float, float]:
        """How many elements have the class of its own, or of the nearest ancestor with one, and how many of them stand before it."""
        rows = ancestors(self.signals, atom.row, MARKUP_ANCESTORS) if atom is not None else iter(())
        row = next((row for row in rows if self.signals.blocks.elements.classes[row]), None)
        if row is None:
            return MISSING, MISSING
        code = int(self.class_codes[row])
        if code not in self.rows_of_class:
            self.rows_of_class[code] = np.flatnonzero(self.class_codes == code)
        rows_of_class = self.rows_of_class[code]
        return min(MAX_COUNT, len(rows_of_class)), min(MAX_COUNT, int(np.searchsorted(rows_of_class, row)))

    def _markup(self, row: int) -> _Markup:
        if row not in self.markups:
            self.markups[row] = self._markup_of(row)
        return self.markups[row]

    def _markup_of(self, row: int) -> _Markup:
        tags = self.signals.blocks.elements.tag
        rows = list(ancestors(self.signals, row, MARKUP_ANCESTORS))
        link, author_page, rel_author, item_author, author, source, time = map(any, zip(*map(self._marks_of_row, rows), strict=True))
        parent = int(tags[rows[1]]) if len(rows) > 1 else MISSING
        in_figure = self.signals.in_figure(row)
        return _Markup(link, author_page, rel_author, item_author, author, source, time, int(tags[row]), parent, in_figure)

    def _marks_of_row(self, row: int) -> tuple[bool, ...]:
        """The marks of one element, in the order of _Markup."""
        if row not in self.row_marks:
            node = self.signals.blocks.elements.nodes[row]
            is_link = node.tag == "a"
            fields = self.fields.get(row, ())
            self.row_marks[row] = (
                is_link,
                is_link and _AUTHOR_PAGE.search((node.get("href") or "")[:MAX_HREF_CHARS]) is not None,
                is_link and "author" in (node.get("rel") or ""),
                "author" in (node.get("itemprop") or ""),
                "authors" in fields,
                "source" in fields,
                "time" in fields,
            )
        return self.row_marks[row]

    def _names(self, group: BylineGroup) -> tuple[float, ...]:
        """Whether it is a name of the site, a part of the title, or a block of its own."""
        key = group.key
        return (
            key in self.names, any(name in key or key in name for name in self.long_names), key in self.title,
            min(MAX_COUNT, self.blocks[group.text]),
        )  # fmt: skip


def strength(atom: Atom) -> float:
    """How closely a value belongs to its label: 4 for all of what stands directly behind it."""
    per_index = 1.5 if atom.label == "source" else 0.25
    return max(0.5, 4 - min(2, atom.label_gap) - per_index * atom.label_index - (atom.form != "whole") - 2 * (not atom.sure))


def author_form(atom: Atom) -> int:
    """How clearly its place is an author's: 4 behind a label, 3 among more names behind one, 2 a signature, 1 a reporter in a sentence."""
    if atom.label == "author" and atom.label_gap <= MAX_LABEL_GAP:
        person = is_person(atom.text)
        return 1 if not atom.sure else 4 if person and not atom.label_index else 3 if person or not atom.label_index else 2
    return 2 * (is_signature(atom) and is_person(atom.text))


def is_person(text: str) -> bool:
    """Whether a text has the length of a person's name, and no other characters than letters.

    >>> is_person("张三"), is_person("Jane Doe"), is_person("新闻中心网站")
    (True, True, False)
    """
    return _text(text)[PERSON] > 0


def _is_in_breadcrumb(atom: Atom) -> bool:
    """Whether it is a step of the path to the page: 首页 > 体育 > 足球."""
    return atom.before.rstrip(_GAP)[-1:] in _STEPS or atom.after.lstrip(_GAP)[:1] in _STEPS


def _bounded(distance: int) -> int:
    return max(-MAX_DISTANCE, min(MAX_DISTANCE, distance))


def _declared(group: BylineGroup) -> tuple[float, ...]:
    """Where the page declares it."""
    origins = {_declared_kind(name.origin) for name in group.declared}
    first = group.declared[0] if group.declared else None
    places = (first.position, first.size, first.object) if first is not None else (MISSING, MISSING, MISSING)
    return (*(name in origins for name in DECLARED), len(group.declared), *places)


@lru_cache(maxsize=200)
def _declared_kind(origin: str) -> str:
    """The name in DECLARED of an origin."""
    if origin in DECLARED:
        return origin
    if "source" in origin or "mediaid" in origin:
        return "source"
    return "other author" if re.search(r"author|creator|byl|data1", origin) else "other site"


@lru_cache(maxsize=10_000)
def _text(text: str) -> tuple[float, ...]:
    """What a name looks like."""
    parts = text.split()
    han = len(HAN.findall(text))
    letters = max(1, sum(map(str.isalpha, text)))
    is_person = len(text) in PERSON_CHARS if han else len(parts) in PERSON_WORDS
    return (
        len(text), len(parts), han / len(text), sum(map(str.isdigit, text)),
        sum(part[0].isupper() for part in parts) / max(1, len(parts)),
        text[0] in SURNAMES, is_person and letters + 2 > len(text.replace(" ", "")), is_name(text), ORGANIZATION.search(text) is not None,
        len(_PUNCTUATION.findall(text)),
    )  # fmt: skip
