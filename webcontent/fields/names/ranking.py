"""How probable each candidate is the source or an author: the model `bylines_v1`, raised and lowered by what labels say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.fields.lexicon import words
from webcontent.fields.names.candidates import is_signature
from webcontent.fields.names.context import context_hashes
from webcontent.fields.names.features import DIRECTLY_LABELLED, LABELLED, author_form, byline_features, is_person, strength
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
LABELLED_PERSON, LABELLED_OTHER, LABELLED_SOURCE = 0.5, 0.4, 0.5
"""The least probability of what stands behind a label with a colon on a Chinese page: of a person's name and of another name behind an
author's label, and of a source. There are few such pages to learn from."""
SIGNED_PERSON = 0.4
"""The least probability of a Chinese person in brackets at the end of the text, or whom two declarations and the head of the page name."""
BESIDE_LABELLED = 0.99
"""Of the probability of a source that its label alone makes one: the bound for other candidates beside it."""
MIN_SOURCE_STRENGTH = 3.0
"""How closely a source belongs to a label that decides alone."""
MAX_SOURCE_CHARS = 20
"""A longer text without a label is the title of another page."""
JSON_LD_AUTHOR = "json-ld:author"
NO_SOURCES = frozenset(words("chinese_bylines", "no_source"))
_VALUE_ENDS = f" {MARK}）)】〕]"
_LABEL_ENDS = (":", "：", "/", "／")


class AuthorOption(NamedTuple):
    """What the choice knows of a candidate beside its probability."""

    key: str
    is_possible: bool
    is_ruled: bool
    """Whether it is in the list that the rules prefer."""
    list: tuple[int, str] | None
    """See `BylineGroup.list`; None on pages that are not Chinese."""
    least: float
    """The probability that its label alone gives it."""
    is_person: bool
    is_organization: bool
    """Whether it is the name of the site or of an organization."""
    needed: float
    """The probability from which it is the first author."""
    is_last_resort: bool
    """Whether it is the author where nobody else is: JSON-LD calls it so on a page that is not Chinese."""


class SourceOption(NamedTuple):
    """What the choice knows of a candidate for the source beside its probability."""

    is_possible: bool
    is_labelled: bool
    """Whether one of its places is behind a source's label."""
    least: float


def rank(
    signals: PageSignals, anchor: TitleAnchor, groups: Sequence[BylineGroup], names: Collection[str], models: ModelRegistry
) -> tuple[list[float], list[float], list[AuthorOption]]:
    """Of each candidate the probability to be the source, that to be an author, and its option. `names`: plain names of the site."""
    sources, options = source_options(signals, groups), author_options(signals, groups, names)
    places = [n for n, (source, option) in enumerate(zip(sources, options, strict=True)) if source.is_possible or option.is_possible]
    by_source, by_author = np.zeros((2, len(groups)))
    if places:
        model, possible = models.load(MODEL), [groups[place] for place in places]
        features = byline_features(signals, anchor, groups, names, model.config["features"], possible)
        outputs = model.run(features=features, context=context_hashes(signals, possible))
        by_source[places], by_author[places] = (output[:, 0] for output in outputs)
    scores = source_probabilities(sources, by_source.tolist(), by_author.tolist())
    return scores, author_probabilities(options, by_author.tolist()), options


def author_options(signals: PageSignals, groups: Sequence[BylineGroup], names: Collection[str]) -> list[AuthorOption]:
    """One for each candidate. `names`: plain names of the site."""
    return [
        AuthorOption(
            key=group.key,
            is_possible=_may_be_author(group),
            is_ruled=bool(group.rule[1]),
            list=group.list if signals.is_han else None,
            least=_least(group, names) if signals.is_han else 0.0,
            is_person=_is_person(group.text),
            is_organization=group.key in names or ORGANIZATION.search(group.text) is not None,
            needed=MIN_AUTHOR if signals.is_han or _author_origins(group) or _has_colon(group) else MIN_UNDECLARED_AUTHOR,
            is_last_resort=not signals.is_han and any(origin.startswith(JSON_LD_AUTHOR) for origin in _author_origins(group)),
        )
        for group in groups
    ]


def _author_origins(group: BylineGroup) -> set[str]:
    """Where the page declares somebody as an author."""
    return {name.origin for name in group.declared if "author" in name.origin}


def _may_be_author(group: BylineGroup) -> bool:
    """Whether a candidate may be an author: a name that JSON-LD or no other label than an author's gives."""
    best = group.atoms[0] if group.atoms else None
    is_others = (
        best is not None
        and (best.label == "editor" or _is_image(group) or _is_all_of_source(best))
        and all(atom.label != "author" for atom in group.atoms)
    )
    is_declared = JSON_LD_AUTHOR in _author_origins(group)
    return (is_declared or not is_others) and is_name(group.text)


def _is_image(group: BylineGroup) -> bool:
    """Whether a label names somebody as a photographer, and nothing above the text names the same person without one."""
    is_alone = any(not atom.label and atom.form == "whole" and atom.line.zone == "head" for atom in group.atoms)
    return group.atoms[0].label == "image" and not is_alone


def _is_person(text: str) -> bool:
    """Whether a text looks like a person's name: a Chinese one begins with a surname, the words of others are written as in names."""
    return is_person(text) and (text[0] in SURNAMES if HAN.search(text) else all(map(is_capitalized, text.split())))


def _has_colon(group: BylineGroup) -> bool:
    """Whether an author's label with a colon names somebody."""
    return any(atom.label == "author" and atom.label_text.rstrip().endswith(_LABEL_ENDS) for atom in group.atoms)


def _least(group: BylineGroup, names: Collection[str]) -> float:
    """The probability that labels, signatures and declarations give a name. `names`: the site's, which nothing but a label makes one."""
    is_signed = are_people("".join(group.text.split())) and any(map(is_signature, group.atoms))
    people = [origin for origin in _author_origins(group) if not origin.endswith("organization")]
    is_in_head = any(atom.line.zone == "head" and atom.label in ("", "author") for atom in group.atoms)
    is_declared_twice = len(people) > 1 and is_in_head and group.key not in names
    return max(_labelled(group), SIGNED_PERSON if is_signed or is_declared_twice else 0.0)


def _labelled(group: BylineGroup) -> float:
    """The probability that an author's label gives a name: 0 without one that ends with a colon or slash, and in a sentence."""
    atom = group.atoms[0] if group.list is not None else None
    if atom is None or not atom.label_text.rstrip().endswith(_LABEL_ENDS) or HAN.match(atom.after):
        return 0.0
    form = author_form(atom)
    if form == DIRECTLY_LABELLED and _is_person(group.text):
        return LABELLED_PERSON
    is_alone = not atom.label_index and (not atom.after or atom.after[0] in _VALUE_ENDS)
    return LABELLED_OTHER if form >= LABELLED and is_alone else 0.0


def source_options(signals: PageSignals, groups: Sequence[BylineGroup]) -> list[SourceOption]:
    """One for each candidate."""
    options = []
    for group in groups:
        is_labelled = any(atom.label == "source" for atom in group.atoms)
        # The model learned Chinese date lines; elsewhere a page names its source by a label.
        may_be_source = signals.is_han or is_labelled or any("source" in name.origin for name in group.declared)
        may_be_unlabelled = len(group.text) <= MAX_SOURCE_CHARS and not (len(group.text.split()) > 1 and are_people(group.text))
        may_be_source = may_be_source and group.text not in NO_SOURCES and (is_labelled or may_be_unlabelled)
        is_sure = signals.is_han and bool(group.atoms) and _is_all_of_source(group.atoms[0])
        options.append(SourceOption(may_be_source, is_labelled, LABELLED_SOURCE if is_sure and may_be_source else 0.0))
    return options


def _is_all_of_source(atom: Atom) -> bool:
    """Whether a value is all of what stands behind a source's label with a colon."""
    return atom.label == "source" and strength(atom) >= MIN_SOURCE_STRENGTH and atom.label_text.rstrip().endswith(_LABEL_ENDS)


def source_probabilities(options: Sequence[SourceOption], by_source: Sequence[float], by_author: Sequence[float]) -> list[float]:
    """The probabilities of the model, raised by labels; 0 of what can't be the source, and without a label of likelier authors."""
    raised = [
        max(score, option.least) if option.is_possible and (score >= author or option.is_labelled) else 0.0
        for option, score, author in zip(options, by_source, by_author, strict=True)
    ]
    sure = max((score for option, score in zip(options, raised, strict=True) if option.least), default=1.0)
    return [score if option.least else min(score, BESIDE_LABELLED * sure) for option, score in zip(options, raised, strict=True)]


def author_probabilities(options: Sequence[AuthorOption], probabilities: Sequence[float]) -> list[float]:
    """The probabilities of the model, raised by labels; 0 of what can be no author, and of organizations beside a person."""
    listed = {option.list for option in options if option.least == LABELLED_PERSON}  # beside people a label's other values are none
    least = [0.0 if option.least == LABELLED_OTHER and option.list in listed else option.least for option in options]
    raised = [max(score, own) if option.is_possible else 0.0 for option, score, own in zip(options, probabilities, least, strict=True)]
    people = [pair for pair in zip(options, raised, strict=True) if (pair[0].is_person or pair[0].least) and not pair[0].is_organization]
    if not any(score >= option.needed for option, score in people):
        return raised
    return [0.0 if option.is_organization else score for option, score in zip(options, raised, strict=True)]
