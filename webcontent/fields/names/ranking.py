"""How probable each candidate is the source or an author: the model `bylines_v1`, raised and lowered by what labels say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webcontent.fields.lexicon import words
from webcontent.fields.names.candidates import is_signature
from webcontent.fields.names.features import author_form, is_person, strength
from webcontent.fields.names.lines import MARK
from webcontent.fields.names.people import HAN, SURNAMES, are_people, is_name

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from webcontent.fields.names.atoms import Atom
    from webcontent.fields.names.candidates import BylineGroup
    from webcontent.fields.page_signals import PageSignals

MODEL = "bylines_v1"
MIN_AUTHOR = 0.35
"""Probability from which a candidate is an author. Chosen by hand: the figures of unseen sites hardly differ from 0.3 to 0.4."""
JSON_LD_AUTHOR = "json-ld:author"
LABELLED = 0.5
"""The least probability of an author or source of a Chinese page that its label, its signature or its declarations alone make one: there
are few such pages to learn from. Any number from MIN_AUTHOR and MIN_SOURCE on decides the same where nothing else is labelled."""
MIN_PERSON_BESIDE_SITE = 0.3
"""Beside a person of this probability the name of the site is no author."""
BESIDE_LABELLED = 0.99
"""Of the probability of a source that its label alone makes one: the bound for other candidates beside it."""
MIN_SOURCE_STRENGTH = 3.0
"""How closely a source belongs to a label that decides alone."""
NO_SOURCES = frozenset(words("chinese_bylines", "no_source"))
_VALUE_ENDS = f" {MARK}）)】〕]"
LABEL_ENDS = (":", "：", "/", "／")
LABELLED_FORM, LISTED_FORM = 4, 3
"""Values of `author_form` of a person directly behind a label, and of others behind one."""


class AuthorOption(NamedTuple):
    """What the choice knows of a candidate beside its probability."""

    key: str
    is_possible: bool
    is_labelled: bool
    """Whether its places alone make it an author."""
    is_person: bool
    is_site: bool
    """Whether the site has this name."""
    is_last_resort: bool
    """Whether it is the author where nobody else is: JSON-LD calls it so on a page that is not Chinese."""


class SourceOption(NamedTuple):
    """What the choice knows of a candidate for the source beside its probability."""

    is_possible: bool
    is_labelled: bool
    """Whether its label alone makes it the source."""


def author_options(signals: PageSignals, groups: Sequence[BylineGroup], names: Collection[str]) -> list[AuthorOption]:
    """One for each candidate. `names`: plain names of the site."""
    return [
        AuthorOption(
            key=group.key,
            is_possible=may_be_author(group),
            is_labelled=signals.is_han and _is_labelled(group, names),
            is_person=_is_person(group.text),
            is_site=group.key in names,
            is_last_resort=not signals.is_han and any(name.origin.startswith(JSON_LD_AUTHOR) for name in group.declared),
        )
        for group in groups
    ]


def may_be_author(group: BylineGroup) -> bool:
    """Whether a candidate may be an author: a name that JSON-LD or no other label than an author's gives."""
    labels = {atom.label for atom in group.atoms}
    best = group.atoms[0] if group.atoms else None
    is_others = best is not None and (best.label == "editor" or _is_image(group) or _is_all_of_source(best)) and "author" not in labels
    is_declared = any(name.origin == JSON_LD_AUTHOR for name in group.declared)
    return (is_declared or not is_others and not any(map(_is_idiom, group.atoms))) and is_name(group.text)


def _is_idiom(atom: Atom) -> bool:
    """Whether a label and the word behind it repeat the word before it: step by step."""
    before, behind = atom.label_text.lower().split(), atom.text.lower().split()
    return len(before) > 1 and before[:1] == behind[:1]


def _is_image(group: BylineGroup) -> bool:
    """Whether a label names somebody as a photographer, and nothing above the text names the same person without one."""
    is_alone = any(not atom.label and atom.form == "whole" and atom.line.zone == "head" for atom in group.atoms)
    return group.atoms[0].label == "image" and not is_alone


def _is_person(text: str) -> bool:
    """Whether a text looks like a person's name; a Chinese one begins with a surname."""
    return is_person(text) and (text[0] in SURNAMES or not HAN.search(text))


def _is_labelled(group: BylineGroup, names: Collection[str]) -> bool:
    """Whether a label, a signature or declarations make somebody an author. `names`: the site's, which nothing but a label makes one."""
    is_signed = are_people("".join(group.text.split())) and any(map(is_signature, group.atoms))
    return is_signed or group.key not in names and _is_declared_twice(group) or _is_behind_label(group)


def _is_declared_twice(group: BylineGroup) -> bool:
    """Whether two kinds of declarations call somebody the author whom the page shows above the text."""
    origins = {name.origin for name in group.declared if "author" in name.origin and not name.origin.endswith("organization")}
    return len(origins) > 1 and any(atom.line.zone == "head" and atom.label in ("", "author") for atom in group.atoms)


def _is_behind_label(group: BylineGroup) -> bool:
    """Whether a name is a person, or all, of what stands behind an author's label with a colon or slash, and not in a sentence."""
    atom = group.atoms[0] if group.atoms else None
    if atom is None or not atom.label_text.rstrip().endswith(LABEL_ENDS) or HAN.match(atom.after):
        return False
    is_alone = not atom.label_index and (not atom.after or atom.after[0] in _VALUE_ENDS)
    form = author_form(atom)
    return form == LABELLED_FORM and _is_person(group.text) or form >= LISTED_FORM and is_alone


def source_options(signals: PageSignals, groups: Sequence[BylineGroup]) -> list[SourceOption]:
    """One for each candidate."""
    options = []
    for group in groups:
        is_labelled = any(atom.label == "source" for atom in group.atoms)
        # The model learned Chinese date lines; elsewhere a page names its source by a label.
        is_possible = signals.is_han or is_labelled or any("source" in name.origin for name in group.declared)
        is_several = len(group.text.split()) > 1 and are_people(group.text)
        is_possible = is_possible and group.text not in NO_SOURCES and (is_labelled or not is_several)
        is_sure = signals.is_han and bool(group.atoms) and _is_all_of_source(group.atoms[0])
        options.append(SourceOption(is_possible, is_possible and is_sure))
    return options


def _is_all_of_source(atom: Atom) -> bool:
    """Whether a value is all of what stands behind a source's label with a colon."""
    return atom.label == "source" and strength(atom) >= MIN_SOURCE_STRENGTH and atom.label_text.rstrip().endswith(LABEL_ENDS)


def source_probabilities(options: Sequence[SourceOption], by_source: Sequence[float], by_author: Sequence[float]) -> list[float]:
    """The probabilities of the model, raised by labels; 0 of what can't be the source, and without a label of likelier authors."""
    raised = [
        max(score * (option.is_possible and score >= author), LABELLED * option.is_labelled)
        for option, score, author in zip(options, by_source, by_author, strict=True)
    ]
    sure = max((score for option, score in zip(options, raised, strict=True) if option.is_labelled), default=1.0)
    return [score if option.is_labelled else min(score, BESIDE_LABELLED * sure) for option, score in zip(options, raised, strict=True)]


def author_probabilities(options: Sequence[AuthorOption], probabilities: Sequence[float]) -> list[float]:
    """The probabilities of the model, raised by labels; 0 of what can be no author, and of the site beside a person."""
    raised = [
        max(score, LABELLED * option.is_labelled) if option.is_possible else 0.0
        for option, score in zip(options, probabilities, strict=True)
    ]
    pairs = list(zip(options, raised, strict=True))
    people = [score for option, score in pairs if (option.is_person or option.is_labelled) and not option.is_site]
    has_person = max(people, default=0.0) >= MIN_PERSON_BESIDE_SITE
    return [0.0 if option.is_site and has_person else score for option, score in pairs]
