"""Features of candidates of source, authors and editors: what the ranking models learn from, beside the words around them."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webcontent.fields.names.candidates import (
    MAX_LABEL_GAP,
    NAMING_LABELS,
    ZONE_CODES,
    BylineGroup,
    is_signature,
)
from webcontent.fields.names.labels import KINDS, UNKNOWN
from webcontent.fields.names.lines import MARK
from webcontent.fields.names.people import HAN, ORGANIZATION, PERSON_CHARS, PERSON_WORDS, SURNAMES, is_name, links_author_page
from webcontent.fields.names.tokens import holds_date

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from webcontent.fields.names.atoms import Atom
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

DECLARED = (
    "json-ld:author", "json-ld:author organization", "json-ld:creator", "json-ld:editor", "meta:author", "article:author", "other author",
    "source", "og:site_name", "json-ld:publisher", "other site", "title",
)  # fmt: skip
MISSING = -1
FAR = 60
MAX_DISTANCE = 40
MAX_COUNT = 20
MARKUP_ANCESTORS = 4
MAX_DATE_LINE_CHARS = 60
"""A longer line with a date is no date line."""
MAX_ATOMS = 3
"""Places of a candidate whose markup is read."""
SIGNED, LABELLED, DIRECTLY_LABELLED = 2, 3, 4
"""Values of `author_form`."""
_LABEL_CODES = {kind: code for code, kind in enumerate(("", *KINDS, UNKNOWN))}
_GAP = f" {MARK}"
_STEPS = tuple(">›»＞")
_PUNCTUATION = re.compile(r"[^\w\s.'’\-·]")

MARKUP_FLAGS = ("link", "author_page", "rel_author", "item_author", "class_author", "class_source", "class_time")
"""Features that any of the places of a candidate may give."""
OF_PAGE = ("page_han", "page_candidates", *(f"page_{kind}_labels" for kind in NAMING_LABELS), "page_declared_author", "page_site_sources")
OF_KEY, OF_RULES = ("is_site", "holds_site", "in_title", "as_block"), ("rule", "rule_first", "rule_score")
Features = dict[str, float]
"""Values by name."""

NOT_SHOWN: Features = {
    **dict.fromkeys(("atoms", *(f"{kind}_{value}" for kind in NAMING_LABELS for value in ("label", "strength")), "author_form"), 0),
    **dict.fromkeys(("bracket", "signature", "dates", "dates_anywhere", "dated_lines", "breadcrumb", "zones"), 0),
    **dict.fromkeys(("label", "label_gap", "label_index", "label_chars", "form", "zone"), MISSING),
    **dict.fromkeys(("title_distance", "body_distance", "end_distance"), FAR),
    **dict.fromkeys(("line_index", "line_chars", "line_share", "tag", "parent_tag", "twins", "twin_index"), MISSING),
    **dict.fromkeys(("is_part", "first", "last", "before_mark", "behind_mark", *MARKUP_FLAGS, "figure"), 0),
}
"""Features of the place of a candidate that the page only declares."""


def byline_features(
    signals: PageSignals,
    anchor: TitleAnchor,
    groups: Sequence[BylineGroup],
    names: Collection[str],
    columns: Sequence[str],
    possible: Sequence[BylineGroup] | None = None,
) -> NDArray[np.float32]:
    """Features of a page's candidates: float32 [candidates, columns].

    `names`: plain names of the site. `columns`: names of features in the order that the model learned them, as its config stores it.
    `possible`: those of the candidates that have rows; else all have.
    """
    page = _Page(signals, anchor, groups, names)
    rows = [page.features(group) for group in (groups if possible is None else possible)]
    return np.array([[row[name] for name in columns] for row in rows], np.float32).reshape(len(rows), len(columns))


class _Page:
    """What the features of all candidates of a page share."""

    def __init__(self, signals: PageSignals, anchor: TitleAnchor, groups: Sequence[BylineGroup], names: Collection[str]) -> None:
        self.signals, self.anchor = signals, anchor
        self.names = names
        self.long_names = [name for name in names if len(name) > 3]
        self.title = anchor.key or ""
        self.blocks = Counter(signals.blocks.texts)
        self.fields = dict(signals.field_rows)
        self.class_codes = signals.blocks.class_codes[1]
        self.rows_of_class: dict[int, NDArray[np.int64]] = {}
        self.markups: dict[int, Features] = {}
        self.dated: dict[int, bool] = {}
        self.row_flags: dict[int, Features] = {}
        labels = Counter(atom.label for group in groups for atom in group.atoms[:1])
        names_author = any("author" in name.origin for group in groups for name in group.declared)
        site_sources = sum(group.key in names and any(atom.label == "source" for atom in group.atoms) for group in groups)
        counts = (signals.is_han, len(groups), *(labels[kind] for kind in NAMING_LABELS), names_author, site_sources)
        self.shared: Features = dict(zip(OF_PAGE, counts, strict=True))

    def features(self, group: BylineGroup) -> Features:
        """All features of a candidate."""
        atom = group.atoms[0] if group.atoms else None
        shown = (
            NOT_SHOWN if atom is None else {**self._label(group, atom), **self._place(atom), **self._markups(group), **self._twins(atom)}
        )
        rule = zip(OF_RULES, group.rule, strict=True)
        return {**_declared(group), **shown, **_text(group.text), **self._names(group), **self.shared, **dict(rule)}

    def _label(self, group: BylineGroup, atom: Atom) -> Features:
        """Labels, brackets and dates beside it."""
        atoms = group.atoms
        counts, strengths = dict.fromkeys(NAMING_LABELS, 0), dict.fromkeys(NAMING_LABELS, 0.0)
        for other in atoms:
            if other.label in counts:
                counts[other.label] += 1
                strengths[other.label] = max(strengths[other.label], strength(other))
        return {
            "atoms": min(MAX_COUNT, len(atoms)),
            "label": _LABEL_CODES[atom.label], "label_gap": atom.label_gap, "label_index": atom.label_index,
            "label_chars": len(atom.label_text),
            **{f"{kind}_label": counts[kind] for kind in NAMING_LABELS}, **{f"{kind}_strength": strengths[kind] for kind in NAMING_LABELS},
            "author_form": max(map(author_form, atoms)),
            "bracket": any(other.bracket for other in atoms), "signature": any(map(is_signature, atoms)),
            "dates": atom.beside_date, "dates_anywhere": any(other.beside_date for other in atoms),
            "dated_lines": self._dated_lines(atom.line.block), "breadcrumb": any(map(_is_in_breadcrumb, atoms)),
            "form": atom.form != "whole",
            "zone": ZONE_CODES[atom.line.zone], "zones": len({other.line.zone for other in atoms}) if len(atoms) > 1 else 1,
        }  # fmt: skip

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

    def _place(self, atom: Atom) -> Features:
        """Where it stands on the page and in its line."""
        block, body, line = atom.line.block, self.signals.body, atom.line
        return {
            "title_distance": FAR if self.anchor.block is None else _bounded(block - self.anchor.block),
            "body_distance": FAR if body is None else _bounded(block - body[0]),
            "end_distance": FAR if body is None else _bounded(block - body[1]),
            "line_index": atom.position,
            "line_chars": len(line.text),
            "line_share": len(atom.text) / max(1, len(line.text)),
            "is_part": line.is_part,
            "first": not atom.before.strip(_GAP),
            "last": not atom.after.strip(_GAP),
            "before_mark": atom.before[-1:] == MARK or atom.before[-2:] == f"{MARK} ",
            "behind_mark": atom.after[:1] == MARK or atom.after[:2] == f" {MARK}",
        }

    def _markups(self, group: BylineGroup) -> Features:
        """What the elements of its places say, any of them; the tags of the best one's."""
        found = [self._markup(atom.row) for atom in group.atoms[:MAX_ATOMS]]
        return found[0] | {name: any(markup[name] for markup in found) for name in MARKUP_FLAGS if len(found) > 1}

    def _twins(self, atom: Atom) -> Features:
        """How many elements have the class of its own, or of the nearest ancestor with one, and how many of them stand before it."""
        rows = self.signals.ancestors(atom.row, MARKUP_ANCESTORS)
        row = next((row for row in rows if self.signals.blocks.elements.classes[row]), None)
        if row is None:
            return {"twins": MISSING, "twin_index": MISSING}
        code = int(self.class_codes[row])
        if code not in self.rows_of_class:
            self.rows_of_class[code] = np.flatnonzero(self.class_codes == code)
        rows_of_class = self.rows_of_class[code]
        return {"twins": min(MAX_COUNT, len(rows_of_class)), "twin_index": min(MAX_COUNT, int(np.searchsorted(rows_of_class, row)))}

    def _markup(self, row: int) -> Features:
        """What the element around a value and its nearest ancestors say."""
        if row not in self.markups:
            tags = self.signals.blocks.elements.tag
            rows = list(self.signals.ancestors(row, MARKUP_ANCESTORS))
            flags = [self._flags_of(ancestor) for ancestor in rows]
            self.markups[row] = {
                **{name: any(values[name] for values in flags) for name in MARKUP_FLAGS},
                "tag": int(tags[row]),
                "parent_tag": int(tags[rows[1]]) if len(rows) > 1 else MISSING,
                "figure": self.signals.in_figure(row),
            }
        return self.markups[row]

    def _flags_of(self, row: int) -> Features:
        """MARKUP_FLAGS of one element."""
        if row not in self.row_flags:
            node = self.signals.blocks.elements.nodes[row]
            is_link = node.tag == "a"
            fields = self.fields.get(row, ())
            self.row_flags[row] = {
                "link": is_link,
                "author_page": is_link and links_author_page(node),
                "rel_author": is_link and "author" in (node.get("rel") or ""),
                "item_author": "author" in (node.get("itemprop") or ""),
                "class_author": "authors" in fields,
                "class_source": "source" in fields,
                "class_time": "time" in fields,
            }
        return self.row_flags[row]

    def _names(self, group: BylineGroup) -> Features:
        """Whether it is a name of the site, a part of the title, or a block of its own."""
        key = group.key
        holds_site = any(name in key or key in name for name in self.long_names)
        values = (key in self.names, holds_site, key in self.title, min(MAX_COUNT, self.blocks[group.text]))
        return dict(zip(OF_KEY, values, strict=True))


def strength(atom: Atom) -> float:
    """How closely a value belongs to its label: 4 for all of what stands directly behind it."""
    per_index = 1.5 if atom.label == "source" else 0.25
    return max(0.5, 4 - min(2, atom.label_gap) - per_index * atom.label_index - (atom.form != "whole") - 2 * (not atom.sure))


def author_form(atom: Atom) -> int:
    """How clearly its place is an author's: behind a label, among more names behind one, a signature, a reporter in a sentence."""
    person = is_person(atom.text)
    if atom.label == "author" and atom.label_gap <= MAX_LABEL_GAP:
        return SIGNED + person + (not atom.label_index) if atom.sure else 1
    return SIGNED * (is_signature(atom) and person)


def is_person(text: str) -> bool:
    """Whether a text has the length of a person's name, and no other characters than letters.

    >>> is_person("张三"), is_person("Jane Doe"), is_person("新闻中心网站")
    (True, True, False)
    """
    return _text(text)["person"] > 0


def _is_in_breadcrumb(atom: Atom) -> bool:
    """Whether it is a step of the path to the page: 首页 > 体育 > 足球."""
    return atom.before.rstrip(_GAP)[-1:] in _STEPS or atom.after.lstrip(_GAP)[:1] in _STEPS


def _bounded(distance: int) -> int:
    return max(-MAX_DISTANCE, min(MAX_DISTANCE, distance))


def _declared(group: BylineGroup) -> Features:
    """Where the page declares it."""
    origins = {_declared_kind(name.origin) for name in group.declared}
    first = group.declared[0] if group.declared else None
    return {
        **{f"declared {name}": name in origins for name in DECLARED},
        "declared": len(group.declared),
        "declared_index": first.position if first is not None else MISSING,
        "declared_size": first.size if first is not None else MISSING,
        "declared_object": first.object if first is not None else MISSING,
    }


@lru_cache(maxsize=200)
def _declared_kind(origin: str) -> str:
    """The name in DECLARED of an origin."""
    if origin in DECLARED:
        return origin
    if "source" in origin or "mediaid" in origin:
        return "source"
    return "other author" if re.search(r"author|creator|byl|data1", origin) else "other site"


@lru_cache(maxsize=10_000)
def _text(text: str) -> Features:
    """What a name looks like."""
    parts = text.split()
    han = len(HAN.findall(text))
    letters = max(1, sum(map(str.isalpha, text)))
    is_person = len(text) in PERSON_CHARS if han else len(parts) in PERSON_WORDS
    return {
        "chars": len(text),
        "words": len(parts),
        "han": han / len(text),
        "digits": sum(map(str.isdigit, text)),
        "capitals": sum(part[0].isupper() for part in parts) / max(1, len(parts)),
        "surname": text[0] in SURNAMES,
        "person": is_person and letters + 2 > len(text.replace(" ", "")),
        "name": is_name(text),
        "organization": ORGANIZATION.search(text) is not None,
        "punctuation": len(_PUNCTUATION.findall(text)),
    }


FEATURES = (*_declared(BylineGroup("-", "-")), *NOT_SHOWN, *_text("-"), *OF_KEY, *OF_PAGE, *OF_RULES)
"""Names of the features, in the order in which a training stores them in the model's config."""
