"""How probable each candidate is the source or an author: the model `bylines_v1`, and what can be neither."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.fields.lexicon import words
from webcontent.fields.names.candidates import MAX_LABEL_GAP, is_signature
from webcontent.fields.names.context import context_hashes
from webcontent.fields.names.features import byline_features, is_person
from webcontent.fields.names.labels import kind_alone
from webcontent.fields.names.lines import MARK
from webcontent.fields.names.people import HAN, ORGANIZATION, SURNAMES, are_people, is_capitalized, is_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from webcontent.fields.names.atoms import Atom
    from webcontent.fields.names.candidates import BylineGroup
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor
    from webcontent.models import ModelRegistry

MODEL = "bylines_v1"
MIN_AUTHOR, MIN_LISTED_AUTHOR, MIN_UNDECLARED_AUTHOR = 0.35, 0.2, 0.45
"""Probabilities from which a candidate is an author; a further one that stands in one list with the first; the first one whom neither
markup for machines nor a label with a colon names, on a page that is not Chinese."""
LABELLED = 0.5
"""The least probability of what stands alone behind a source's or author's label with a colon on a Chinese page, and of people in brackets
at the end of the text. There are few such pages to learn from."""
NO_SOURCES = frozenset(words("chinese_bylines", "no_source"))
_LABEL_ENDS = (":", "：", "/", "／")
_VALUE_ENDS = f" {MARK}）)】〕]、，；;"


class Option(NamedTuple):
    """What the choice knows of a candidate beside its probabilities."""

    key: str
    list: object = None
    """Names that stand together have the same one; None for none."""
    is_person: bool = False
    is_organization: bool = False
    """Whether it is the name of the site or of an organization."""
    may_be_source: bool = False
    has_source_label: bool = False
    """Whether one of its places is behind a source's label."""
    is_source: bool = False
    """Whether it is all of what stands behind one on a Chinese page."""
    may_be_author: bool = False
    needed: float = MIN_AUTHOR
    """The probability from which it is the first author."""
    is_last_resort: bool = False
    """Whether it is the author where nobody else is: JSON-LD calls it so on a page that is not Chinese."""
    is_author: bool = False
    """Whether its label or its signature alone makes it an author of a Chinese page."""


def rank(
    signals: PageSignals,
    anchor: TitleAnchor,
    groups: Sequence[BylineGroup],
    options: Sequence[Option],
    names: Collection[str],
    models: ModelRegistry,
) -> tuple[list[float], list[float]]:
    """Of each candidate the probability to be the source and that to be an author. `names`: plain names of the site."""
    places = [place for place, option in enumerate(options) if option.may_be_source or option.may_be_author]
    by_source, by_author = np.zeros((2, len(groups)))
    if places:
        model, possible = models.load(MODEL), [groups[place] for place in places]
        features = byline_features(signals, anchor, groups, names, model.config["features"], possible)
        outputs = model.run(features=features, context=context_hashes(signals, possible))
        by_source[places], by_author[places] = (output[:, 0] for output in outputs)
    scores = source_probabilities(options, by_source.tolist(), by_author.tolist())
    return scores, author_probabilities(options, by_author.tolist())


def option_of(group: BylineGroup, names: Collection[str], *, is_han: bool) -> Option:
    """The option of a candidate. `names`: plain names of the site. On Chinese pages labels are sure, and a source needs none."""
    text, person = group.text, _is_person(group.text)
    is_labelled = any(atom.label == "source" for atom in group.atoms)
    may_be_source = is_labelled or any(name.field == "source" for name in group.declared)
    may_be_source = may_be_source or is_han and not (len(text.split()) > 1 and are_people(text))
    may_be_source = may_be_source and text not in NO_SOURCES
    is_whole = bool(group.atoms) and group.atoms[0].form == "whole"
    return Option(
        key=group.key,
        list=(group.list if person else None) if is_han else group.rule[1] or None,
        is_person=person,
        is_organization=group.key in names or ORGANIZATION.search(text) is not None,
        may_be_source=may_be_source,
        has_source_label=is_labelled,
        is_source=is_han and may_be_source and is_whole and _is_behind_label(group.atoms[0], "source"),
        may_be_author=_may_be_author(group),
        needed=MIN_AUTHOR if is_han or _is_named_author(group) else MIN_UNDECLARED_AUTHOR,
        is_last_resort=not is_han and _is_json_ld_author(group),
        is_author=is_han and _is_labelled(group),
    )


def _is_json_ld_author(group: BylineGroup) -> bool:
    return any(name.field == "authors" and name.origin.startswith("json-ld") for name in group.declared)


def _is_named_author(group: BylineGroup) -> bool:
    """Whether the page declares somebody as an author, or a label with a colon does."""
    ends = (atom.label_text.rstrip()[-1:] for atom in group.atoms if atom.label == "author")
    return any(name.field == "authors" for name in group.declared) or any(end in _LABEL_ENDS for end in ends if end)


def _may_be_author(group: BylineGroup) -> bool:
    """Whether a candidate may be an author: a name that JSON-LD or no other label than an author's gives."""
    best = group.atoms[0] if group.atoms else None
    is_others = best is not None and (best.label in ("editor", "image") or _is_behind_label(best, "source"))
    is_labelled = any(atom.label == "author" for atom in group.atoms)
    return (_is_json_ld_author(group) or is_labelled or not is_others) and is_name(group.text)


def _is_behind_label(atom: Atom, kind: str) -> bool:
    """Whether it is the first value behind a label with a colon or slash, or one that is all of its element."""
    is_first = atom.label == kind and atom.sure and not atom.label_index and atom.label_gap <= MAX_LABEL_GAP
    return is_first and (atom.label_text.rstrip().endswith(_LABEL_ENDS) or atom.label_gap > 0 and kind_alone(atom.label_text) != "")


def _is_labelled(group: BylineGroup) -> bool:
    """Whether an author's label, a signature in brackets, or two declarations and the head of the page give a name."""
    if are_people("".join(group.text.split())) and any(map(is_signature, group.atoms)):
        return True
    declared = {name.origin for name in group.declared if name.field == "authors" and name.is_person}
    if len(declared) > 1 and any(atom.line.zone == "head" and atom.label in ("", "author") for atom in group.atoms):
        return True
    atom = group.atoms[0] if group.atoms else None
    if atom is None or not _is_behind_label(atom._replace(label_index=0), "author") or HAN.match(atom.after):
        return False
    is_alone = atom.form == "whole" and not atom.label_index and (not atom.after or atom.after[0] in _VALUE_ENDS)
    return is_alone or _is_person(group.text)


def _is_person(text: str) -> bool:
    """Whether a text looks like a person's name: a Chinese one begins with a surname, the words of others are written as in names."""
    return is_person(text) and (text[0] in SURNAMES if HAN.search(text) else all(map(is_capitalized, text.split())))


def source_probabilities(options: Sequence[Option], by_source: Sequence[float], by_author: Sequence[float]) -> list[float]:
    """The probabilities of the model, half of them beside a sure source; 0 of what can't be it, and without a label of likelier authors."""
    possible = [
        score if option.may_be_source and (score >= author or option.has_source_label) else 0.0
        for option, score, author in zip(options, by_source, by_author, strict=True)
    ]
    if not any(option.is_source for option in options):
        return possible
    return [max(LABELLED, score) if option.is_source else score / 2 for option, score in zip(options, possible, strict=True)]


def author_probabilities(options: Sequence[Option], probabilities: Sequence[float]) -> list[float]:
    """The probabilities of the model, raised by labels; 0 of what can be no author, and of organizations beside a person."""
    pairs = list(zip(options, probabilities, strict=True))
    possible = [max(score, LABELLED * option.is_author) if option.may_be_author else 0.0 for option, score in pairs]
    people = [pair for pair in zip(options, possible, strict=True) if pair[0].is_person and not pair[0].is_organization]
    if not any(score >= option.needed for option, score in people):
        return possible
    return [0.0 if option.is_organization else score for option, score in zip(options, possible, strict=True)]
