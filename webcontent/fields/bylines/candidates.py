"""Candidates of source, authors and editors: the atoms of the lines and the declared names, one group for each name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.fields.bylines.cutting import Atom, cut_lines
from webcontent.fields.bylines.declared import Declared, declared_names
from webcontent.fields.bylines.regions import ZONES, byline_lines
from webcontent.fields.page_signals import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor
    from webcontent.items import Candidate

MAX_GROUPS = 24
"""Candidates of a page for which features are computed: the most promising ones by a plain score."""
FAR_BLOCK = 1_000_000
MAX_DIGITS = 4
NAMING_LABELS = ("source", "author", "editor")

_NO_VALUE = re.compile(r"https?:|www\.|[<>{}=@©]|\?|^\W*\d+\W*$")
_LABEL_SCORES = {
    "source": 6.0, "author": 6.0, "editor": 6.0, "": 0.0, "other_role": 1.0, "image": 0.5, "unknown": 0.5, "date": -1.0, "counter": -2.0,
    "topic": -2.0,
}  # fmt: skip
_ZONE_SCORES = {"head": 1.0, "opening": 1.0, "ending": 1.0, "behind": 0.0, "marked": 1.0}


@dataclass(slots=True)
class BylineGroup:
    """One candidate: all places that show or declare the same name."""

    text: str
    key: str
    """Its plain form."""
    atoms: list[Atom] = field(default_factory=list)
    """Best first."""
    declared: list[Declared] = field(default_factory=list)
    rule: tuple[float, float, float] = (0, 0, 0)
    """Whether the rules found it, whether they prefer it, and their score."""

    node: HtmlElement | None = None
    """The element that holds its best place."""

    @property
    def place(self) -> tuple[str, str | None]:
        """Origin and xpath: where the reader sees it, else the first place that declares it."""
        if self.node is not None:
            return "text", xpath_of(self.node)
        return (self.declared[0].origin, None) if self.declared else ("rules", None)

    @property
    def order(self) -> tuple[int, int]:
        """The order of names on the page; declared ones behind those that it shows."""
        if self.atoms:
            return self.atoms[0].line.block, self.atoms[0].start
        return FAR_BLOCK, self.declared[0].position if self.declared else 0

    def score(self) -> float:
        """How promising it is, by labels and places alone."""
        best = atom_score(self.atoms[0]) if self.atoms else 0.0
        return best + 3.0 * bool(self.declared) + 3.0 * self.rule[0] + 0.5 * (len(self.atoms) > 1)


def byline_groups(signals: PageSignals, anchor: TitleAnchor, authors: Sequence[Candidate] = ()) -> list[BylineGroup]:
    """The candidates, the most promising ones first. `authors`: those that the rules find."""
    groups: dict[str, BylineGroup] = {}
    for atom in cut_lines(byline_lines(signals, anchor)):
        if (key := _key_of(atom.text)) and key != anchor.key:
            groups.setdefault(key, BylineGroup(atom.text, key)).atoms.append(atom)
    for name in declared_names(signals, anchor):
        if key := _key_of(name.text):
            groups.setdefault(key, BylineGroup(name.text, key)).declared.append(name)
    for place, candidate in enumerate(authors):
        for name in candidate.value:
            if key := _key_of(name):
                group = groups.setdefault(key, BylineGroup(name, key))
                group.rule = group.rule if group.rule[0] else (1, place == 0, candidate.score)
    for group in groups.values():
        if len(group.atoms) > 1:
            group.atoms.sort(key=atom_score, reverse=True)
            group.text = group.atoms[0].text
    best = sorted(groups.values(), key=BylineGroup.score, reverse=True)[:MAX_GROUPS]
    for group in best:
        if group.atoms:
            group.node = signals.blocks.elements.nodes[group.atoms[0].row]
    return best


def _key_of(text: str) -> str:
    """The plain form of what can be a name; "" of others."""
    key = plain(text)
    if len(key) < 2 or _NO_VALUE.search(text) or sum(map(str.isdigit, key)) > MAX_DIGITS:
        return ""
    return key


def atom_score(atom: Atom) -> float:
    """How promising a place of a name is."""
    label = _LABEL_SCORES.get(atom.label, 0.0) - 0.4 * atom.label_gap - 0.3 * atom.label_index
    zone = _ZONE_SCORES[atom.line.zone]
    return label + zone + 1.5 * (atom.beside_date > 0) + 1.0 * atom.bracket - 0.1 * (atom.form != "whole") - 0.05 * min(10, atom.position)


ZONE_CODES = {zone: code for code, zone in enumerate(ZONES)}
