"""Ranked candidates -> source, authors and editors with their evidence, or none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.document.blocks import xpath_of
from webcontent.fields.names.candidates import MAX_LABEL_GAP, byline_groups
from webcontent.fields.names.people import is_name
from webcontent.fields.names.ranking import MIN_AUTHOR, MIN_LISTED_AUTHOR, option_of, rank
from webcontent.fields.titles.site_names import site_names
from webcontent.items import Candidate
from webcontent.models import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webcontent.fields.names.candidates import BylineGroup
    from webcontent.fields.names.ranking import Option
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor
    from webcontent.models import ModelRegistry

MAX_NAMES = 20
MIN_SOURCE = 0.35
"""Probability from which a candidate is the source."""
DECIDED_SCORE = 0.9
"""A label or agreement decides: no model is needed."""
NONE = "none"
"""Origin of the empty first candidate of a page that names no source or author; its score is the probability of that."""
MAX_REJECTED = 5
"""Candidates behind it."""
MIN_EVIDENCE = 0.02
"""Candidates with a lower probability are left out of the evidence."""


class Bylines(NamedTuple):
    """Candidates of three fields, best first. Where none is good enough, the first one is empty, with the origin NONE."""

    sources: list[Candidate]
    authors: list[Candidate]
    """Each value is a list of names: the first one the authors, the others single names."""
    editors: list[Candidate]


def find_bylines(signals: PageSignals, anchor: TitleAnchor, models: ModelRegistry = SHIPPED) -> Bylines:
    """The source that the page names, its authors and its editors."""
    names = site_names(signals)
    groups = byline_groups(signals, anchor, names)
    if not groups:
        return Bylines([], [], [])
    options = [option_of(group, names, is_han=signals.is_han) for group in groups]
    if agreed := _agreed_authors(groups, options):
        authors = _candidate(signals, [group.text for group in agreed], agreed[0], DECIDED_SCORE)
        return Bylines([], [authors], _editors(signals, groups))
    by_source, by_author = rank(signals, anchor, groups, options, names, models)
    return Bylines(_sources(signals, groups, by_source), _authors(signals, groups, options, by_author), _editors(signals, groups))


def _agreed_authors(groups: Sequence[BylineGroup], options: Sequence[Option]) -> list[BylineGroup]:
    """The authors in the order of the page, where the declared ones are those that the rules prefer, and each stands in a byline.

    Empty where they do not agree, and on a page that may name a source.
    """
    declared = {place for place, group in enumerate(groups) if any(name.field == "authors" for name in group.declared)}
    preferred = {place for place, group in enumerate(groups) if group.rule[1]}
    may_name_source = any(option.may_be_source for option in options)
    if declared != preferred or may_name_source or not all(_is_in_byline(groups[place], options[place]) for place in declared):
        return []
    return sorted((groups[place] for place in declared), key=lambda group: group.order)


def _is_in_byline(group: BylineGroup, option: Option) -> bool:
    """Whether a person stands above the text or behind an author's label."""
    is_author = option.may_be_author and option.is_person and not option.is_organization
    return is_author and any(atom.label == "author" and atom.label_gap <= MAX_LABEL_GAP or atom.line.zone == "head" for atom in group.atoms)


def _candidate(signals: PageSignals, value: str | list[str], group: BylineGroup, score: float) -> Candidate:
    """A value with the place where the reader sees it, else the first one that declares it."""
    xpath = xpath_of(signals.blocks.elements.nodes[group.atoms[0].row]) if group.atoms else None
    return Candidate(value, "text" if group.atoms else group.declared[0].origin if group.declared else "rules", xpath, round(score, 4))


def _sources(signals: PageSignals, groups: Sequence[BylineGroup], scores: Sequence[float]) -> list[Candidate]:
    ranked = sorted((pair for pair in zip(scores, groups, strict=True) if pair[0] >= MIN_EVIDENCE), key=lambda pair: -pair[0])
    candidates = [_candidate(signals, group.text, group, score) for score, group in ranked]
    return candidates if ranked and ranked[0][0] >= MIN_SOURCE else _none_of(None, candidates)


def _none_of(value: object, candidates: list[Candidate]) -> list[Candidate]:
    """Evidence of a field that the page does not name: no value, then the candidates that are not probable enough."""
    return [Candidate(value, NONE, None, round(1 - candidates[0].score, 4)), *candidates[:MAX_REJECTED]] if candidates else []


def _authors(signals: PageSignals, groups: Sequence[BylineGroup], options: Sequence[Option], scores: Sequence[float]) -> list[Candidate]:
    """The chosen names together, then each other candidate. `scores`: probabilities of the groups."""
    places = choose_authors(options, scores)
    others = sorted((place for place in range(len(groups)) if place not in places), key=lambda place: -scores[place])
    likely = [place for place in others if scores[place] >= MIN_EVIDENCE]
    rejected = [_candidate(signals, [groups[place].text], groups[place], scores[place]) for place in likely]
    if not places:
        return _none_of([], rejected)
    names = [group.text for group in sorted((groups[place] for place in places), key=lambda group: group.order)]
    return [_candidate(signals, names, groups[places[0]], scores[places[0]]), *rejected]


def _editors(signals: PageSignals, groups: list[BylineGroup]) -> list[Candidate]:
    names = editor_names(groups)
    texts = [group.text for group in sorted(names, key=lambda group: group.order)]
    return [_candidate(signals, texts, names[0], DECIDED_SCORE)] if names else []


def editor_names(groups: list[BylineGroup]) -> list[BylineGroup]:
    """The names behind an editor's label, the closest one first; an author may be the editor, too."""
    labelled = [
        (atom.order, group) for group in groups for atom in group.atoms if atom.label == "editor" and atom.label_gap <= MAX_LABEL_GAP
    ]
    names: list[BylineGroup] = []
    for _, group in sorted(labelled, key=lambda pair: pair[0]):
        if is_name(group.text) and not any(group.key in other.key or other.key in group.key for other in names):
            names.append(group)
    return names


def choose_authors(options: Sequence[Option], probabilities: Sequence[float]) -> list[int]:
    """Places of the authors, best first, else of whom JSON-LD calls the author; of names that hold each other the more probable one."""
    chosen: list[int] = []
    for place in np.argsort(-np.asarray(probabilities), kind="stable").tolist()[:MAX_NAMES]:
        score, option = probabilities[place], options[place]
        is_listed = bool(chosen) and option.list is not None and option.list == options[chosen[0]].list
        if score < (MIN_LISTED_AUTHOR if is_listed else MIN_AUTHOR if chosen else option.needed):
            continue
        if not any(option.key in options[other].key or options[other].key in option.key for other in chosen):
            chosen.append(place)
    last_resort = [place for place, option in enumerate(options) if option.may_be_author and option.is_last_resort]
    chosen = chosen or sorted(last_resort, key=lambda place: -probabilities[place])[:1]
    return [_fullest(options, probabilities, place) for place in chosen]


def _fullest(options: Sequence[Option], probabilities: Sequence[float], place: int) -> int:
    """The place of a probable person whose name begins with a single word: Todd Bates instead of Todd; else the same."""
    probable = (n for n, score in enumerate(probabilities) if score >= MIN_LISTED_AUTHOR and options[n].is_person)
    fuller = (n for n in probable if options[n].key.startswith(options[place].key))
    return place if options[place].is_person else next(fuller, place)
