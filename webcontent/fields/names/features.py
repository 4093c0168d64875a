"""Features of candidates of source, authors and editors: what the ranking models learn from, beside the words around them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.features.context import FAR
from webcontent.fields.names.candidates import MAX_LABEL_GAP, NAMING_LABELS, BylineGroup, is_signature
from webcontent.fields.names.labels import KINDS, UNKNOWN
from webcontent.fields.names.lines import MARK, ZONES
from webcontent.fields.names.people import (
    FIRST_HAN,
    HAN,
    ORGANIZATION,
    PERSON_CHARS,
    PERSON_WORDS,
    SURNAMES,
    is_capitalized,
    is_name,
    links_author_page,
)
from webcontent.fields.titles.features import MISSING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from webcontent.fields.names.atoms import Atom
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

DECLARED = ("authors", "authors organization", "editors", "source", "site", "title")
"""Fields of declared names, with those of organizations apart."""
RULE = ("rule", "rule_first", "rule_rank")
"""What the rules make of a candidate."""
MAX_DISTANCE = 40
MAX_COUNT = 20
MARKUP_ANCESTORS = 4
MAX_ATOMS = 3
"""Places of a candidate whose markup is read."""
SIGNED = 2
"""The feature `author_form` of a signature; a label with a colon or a person, and one directly before the name, add one each."""
_LABEL_CODES = {kind: code for code, kind in enumerate(("", *KINDS, UNKNOWN))}

MARKUP_FLAGS = ("author_page", "class_author", "class_source", "figure")
"""Features that any of the places of a candidate may give."""
Features = dict[str, float]
"""Values by name."""

NOT_SHOWN: Features = {
    **dict.fromkeys(("atoms", *(f"{kind}_{value}" for kind in NAMING_LABELS for value in ("label", "strength")), "author_form"), 0),
    **dict.fromkeys(("bracket", "signature", "dates", *MARKUP_FLAGS, "before_mark", "behind_mark"), 0),
    **dict.fromkeys(("label", "label_gap", "label_index", "label_chars", "form", "zone"), MISSING),
    **dict.fromkeys(("title_distance", "body_distance", "end_distance"), FAR),
    **dict.fromkeys(("line_index", "line_chars", "line_share", "tag", "parent_tag", "same_class", "same_class_index"), MISSING),
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
        self.signals, self.names, self.title = signals, names, anchor.key or ""
        self.blocks = Counter(signals.blocks.texts)
        self.fields = dict(signals.field_rows)
        self.class_codes = signals.blocks.class_codes[1]
        body = signals.body or (None, None)
        self.origins = {"title_distance": anchor.block, "body_distance": body[0], "end_distance": body[1]}
        self.markups: dict[int, Features] = {}
        labels = Counter(atom.label for group in groups for atom in group.atoms[:1])
        names_author = any(name.field == "authors" for group in groups for name in group.declared)
        self.shared = _of_page(signals.is_han, names_author, labels)

    def features(self, group: BylineGroup) -> Features:
        """All features of a candidate."""
        shown = {**_label(group), **self._place(group.atoms[0]), **self._markups(group.atoms)} if group.atoms else NOT_SHOWN
        rules = dict(zip(RULE, group.rule, strict=True))
        site = {"is_site": group.key in self.names, "in_title": group.key in self.title, "as_block": self.blocks[group.text]}
        return {**_declared(group), **shown, **_text(group.text), **site, **self.shared, **rules}

    def _place(self, atom: Atom) -> Features:
        """Where it stands on the page and in its line; how many elements have its class, and how many of them before it."""
        block, line = atom.line.block, atom.line
        rows = self.signals.ancestors(atom.row, MARKUP_ANCESTORS)
        row = next((row for row in rows if self.signals.blocks.elements.classes[row]), None)
        same: NDArray[np.intp] = np.flatnonzero(self.class_codes == self.class_codes[row]) if row is not None else np.zeros(0, np.intp)
        return {
            **{
                name: FAR if origin is None else max(-MAX_DISTANCE, min(MAX_DISTANCE, block - origin))
                for name, origin in self.origins.items()
            },
            "line_index": atom.position,
            "line_chars": len(line.text),
            "line_share": len(atom.text) / max(1, len(line.text)),
            "before_mark": atom.before.rstrip(" ")[-1:] == MARK,
            "behind_mark": atom.after.lstrip(" ")[:1] == MARK,
            "same_class": min(MAX_COUNT, len(same)) if row is not None else MISSING,
            "same_class_index": min(MAX_COUNT, int(np.searchsorted(same, row))) if row is not None else MISSING,
        }

    def _markups(self, atoms: Sequence[Atom]) -> Features:
        """What the elements of its places say, any of them; the tags of the best one's."""
        found = [self._markup(row) for row in dict.fromkeys(atom.row for atom in atoms[:MAX_ATOMS])]
        return found[0] if len(found) == 1 else found[0] | {name: any(markup[name] for markup in found) for name in MARKUP_FLAGS}

    def _markup(self, row: int) -> Features:
        """What the element around a value and its nearest ancestors say."""
        if row not in self.markups:
            elements = self.signals.blocks.elements
            rows = list(self.signals.ancestors(row, MARKUP_ANCESTORS))
            fields = {field for ancestor in rows for field in self.fields.get(ancestor, ())}
            self.markups[row] = {
                "author_page": any(elements.nodes[row].tag == "a" and links_author_page(elements.nodes[row]) for row in rows),
                "class_author": "authors" in fields,
                "class_source": "source" in fields,
                "figure": self.signals.in_figure(row),
                "tag": int(elements.tag[row]),
                "parent_tag": int(elements.tag[rows[1]]) if len(rows) > 1 else MISSING,
            }
        return self.markups[row]


def _label(group: BylineGroup) -> Features:
    """Labels, brackets and dates beside it."""
    atom, atoms = group.atoms[0], group.atoms
    of_kind = {kind: [other for other in atoms if other.label == kind] for kind in NAMING_LABELS}
    return {
        "atoms": min(MAX_COUNT, len(atoms)),
        "label": _LABEL_CODES[atom.label], "label_gap": atom.label_gap, "label_index": atom.label_index,
        "label_chars": len(atom.label_text),
        **{f"{kind}_label": len(others) for kind, others in of_kind.items()},
        **{f"{kind}_strength": max(map(strength, others), default=0) for kind, others in of_kind.items()},
        "author_form": max(map(author_form, atoms)),
        "bracket": any(other.bracket for other in atoms), "signature": any(map(is_signature, atoms)),
        "dates": atom.beside_date, "form": atom.form != "whole", "zone": ZONES.index(atom.line.zone),
    }  # fmt: skip


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


def _declared(group: BylineGroup) -> Features:
    """Where the page declares it."""
    kinds = {name.field if name.is_person else f"{name.field} organization" for name in group.declared}
    return {
        **{f"declared {name}": name in kinds for name in DECLARED},
        "declared json-ld": any(name.origin.startswith("json-ld") for name in group.declared),
        "declared": len(group.declared),
        "declared_index": group.declared[0].position if group.declared else MISSING,
    }


def _of_page(is_han: bool, names_author: bool, labels: Counter[str]) -> Features:
    """What all candidates share."""
    return {"page_han": is_han, "page_declared_author": names_author, **{f"page_{kind}_labels": labels[kind] for kind in NAMING_LABELS}}


@lru_cache(maxsize=10_000)
def _text(text: str) -> Features:
    """What a name looks like."""
    parts = text.split()
    han = len(HAN.findall(text))
    letters = max(1, sum(map(str.isalpha, text)))
    is_person = len(text) in PERSON_CHARS if text[0] >= FIRST_HAN else len(parts) in PERSON_WORDS
    return {
        "chars": len(text),
        "words": len(parts),
        "han": han / len(text),
        "capitals": sum(map(is_capitalized, parts)) / max(1, len(parts)),
        "surname": text[0] in SURNAMES,
        "person": is_person and letters + 2 > len(text.replace(" ", "")),
        "name": is_name(text),
        "organization": ORGANIZATION.search(text) is not None,
    }


_EMPTY = BylineGroup("-", "-")
FEATURES = (
    *_declared(_EMPTY), *NOT_SHOWN, *_text("-"), "is_site", "in_title", "as_block", *_of_page(False, False, Counter()), *RULE,
)  # fmt: skip
"""Names of the features, in the order in which a training stores them in the model's config."""
