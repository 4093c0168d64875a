"""Candidates of source, authors and editors: the atoms of the lines and the declared names, one group for each name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.fields.lexicon import alternation
from webcontent.fields.names.atoms import Atom, cut_lines
from webcontent.fields.names.declared import DeclaredName, declared_names
from webcontent.fields.names.lines import MARK, ZONES, byline_lines
from webcontent.fields.names.people import HAN, ORGANIZATION, PERSON_CHARS, SURNAMES
from webcontent.fields.names.rules import rule_authors
from webcontent.fields.page_signals import plain

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement

    from webcontent.fields.names.lines import Line
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

MAX_GROUPS = 16
"""Candidates of a page: the most promising ones by a plain score."""
MAX_LABEL_GAP = 2
"""Borders of elements between a name and the label that it belongs to."""
MAX_TITLE_LENGTH = 2
"""Of a title with its spaces and marks, in lengths of its plain form."""
FAR_BLOCK = 1_000_000
MAX_DIGITS = 4
ACCOUNT = "account:"
"""Stands for a label where the class of an element says that it holds the name of an account."""
ACCOUNT_ANCESTORS = 3
NAMING_LABELS = ("source", "author", "editor")

NAME_WORDS = range(2, 4)
LONG_HAN_CHARS = 10
"""A longer Chinese text is rarely a name."""
_ACCOUNT = re.compile(alternation("class_names", "account"), re.I)
_SIGNATURE_END = re.compile(rf"(?:[\s、，]{{1,2}}[\u3400-\u9fff]{{1,3}})*[)）〕】\s{MARK}。]*")
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
    declared: list[DeclaredName] = field(default_factory=list)
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

    @property
    def list(self) -> tuple[int, str] | None:
        """Its block and label where its best place is behind an author's label, or a signature: those with the same one are a list."""
        best = self.atoms[0] if self.atoms else None
        if best is None or not is_signature(best) and (best.label != "author" or best.label_gap > MAX_LABEL_GAP):
            return None
        return best.line.block, best.label_text

    def score(self) -> float:
        """How promising it is, by labels and places alone."""
        best = atom_score(self.atoms[0]) if self.atoms else 0.0
        support = 3.0 * bool(self.declared) + 3.0 * self.rule[0] + 0.5 * (len(self.atoms) > 1)
        is_plain = not self.declared and not self.rule[0] and self.atoms[0].label not in NAMING_LABELS
        return best + support + (_look(self.text) if is_plain else 0.0)


def byline_groups(signals: PageSignals, anchor: TitleAnchor, names: Collection[str] = ()) -> list[BylineGroup]:
    """The candidates, the most promising ones first. `names`: plain names of the site."""
    groups: dict[str, BylineGroup] = {}
    declared = declared_names(signals, anchor)
    authors = rule_authors(signals, anchor, names, declared)
    accounts = _account_rows(signals)
    ruled = {plain(name) for candidate in authors for name in candidate.value} if accounts else set()
    for value in cut_lines([line for line in byline_lines(signals, anchor) if not _is_title(line, anchor.key or "")]):
        is_account = bool(accounts) and plain(value.text) not in ruled and _names_account(signals, value, accounts)
        atom = value._replace(label="source", label_text=ACCOUNT, label_gap=0, label_index=0) if is_account else value
        if (key := _key_of(atom.text)) and key != anchor.key:
            groups.setdefault(key, BylineGroup(atom.text, key)).atoms.append(atom)
    for name in declared:
        if key := _key_of(name.text):
            groups.setdefault(key, BylineGroup(name.text, key)).declared.append(name)
    for place, candidate in enumerate(authors):
        for text in candidate.value:
            if key := _key_of(text):
                group = groups.setdefault(key, BylineGroup(text, key))
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


def _is_title(line: Line, key: str) -> bool:
    """Whether a line is the title. `key`: its plain form."""
    return len(key) <= len(line.text) <= MAX_TITLE_LENGTH * len(key) and plain(line.text) == key


def _account_rows(signals: PageSignals) -> set[int]:
    """Elements whose class says that they hold the name of the account under which a Chinese text appears on a platform."""
    if not signals.is_han:
        return set()
    classes, ids = signals.blocks.elements.classes, signals.blocks.elements.ids
    return {row for row, fields in signals.field_rows if "source" in fields and _ACCOUNT.search(f"{classes[row]} {ids[row]}")}


def _names_account(signals: PageSignals, atom: Atom, accounts: set[int]) -> bool:
    """Whether a value above the text is the name of the account."""
    is_above = atom.line.zone in ("head", "opening") and not atom.label and atom.form == "whole"
    return is_above and any(row in accounts for row in signals.ancestors(atom.row, ACCOUNT_ANCESTORS))


def _key_of(text: str) -> str:
    """The plain form of what can be a name; "" of others."""
    key = plain(text)
    if len(key) < 2 or _NO_VALUE.search(text) or sum(map(str.isdigit, key)) > MAX_DIGITS:
        return ""
    return key


def _look(text: str) -> float:
    """How much a text that nothing else calls a name looks like one, from -1 to 0.9."""
    if not HAN.search(text):
        parts = text.split()
        return 0.5 if len(parts) in NAME_WORDS and parts[0][0].isupper() and parts[-1][0].isupper() else -0.5
    is_person = len(text) in PERSON_CHARS and text[0] in SURNAMES
    return 0.5 * is_person + 0.4 * (ORGANIZATION.search(text) is not None) - (len(text) > LONG_HAN_CHARS)


def is_signature(atom: Atom) -> bool:
    """Whether it stands in brackets at the end of a block of the text, alone or before other names, as its authors do."""
    is_place = atom.bracket and not atom.label and atom.line.zone in ("ending", "opening", "behind")
    return is_place and _SIGNATURE_END.fullmatch(atom.after) is not None


def atom_score(atom: Atom) -> float:
    """How promising a place of a name is."""
    label = _LABEL_SCORES.get(atom.label, 0.0) - 0.4 * atom.label_gap - 0.3 * atom.label_index
    zone = _ZONE_SCORES[atom.line.zone]
    return label + zone + 1.5 * (atom.beside_date > 0) + 1.0 * atom.bracket - 0.1 * (atom.form != "whole") - 0.05 * min(10, atom.position)


ZONE_CODES = {zone: code for code, zone in enumerate(ZONES)}
