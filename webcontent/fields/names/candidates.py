"""Candidates of source, authors and editors: the atoms of the lines and the declared names, one group for each name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webcontent.fields.lexicon import alternation
from webcontent.fields.names.atoms import Atom, cut_lines
from webcontent.fields.names.declared import DeclaredName, declared_names
from webcontent.fields.names.lines import MARK, byline_lines
from webcontent.fields.names.people import HAN, ORGANIZATION, PERSON_CHARS, PERSON_WORDS, SURNAMES, is_capitalized
from webcontent.fields.names.rules import ORIGINS, rule_authors
from webcontent.fields.page_signals import plain

if TYPE_CHECKING:
    from collections.abc import Collection

    from webcontent.fields.names.lines import Line
    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

MAX_GROUPS = 16
"""Candidates of a page that are ranked: the most promising ones."""
MAX_LABEL_GAP = 2
"""Borders of elements between a name and the label that it belongs to."""
MAX_TITLE_LENGTH = 2
"""Of a title with its spaces and marks, in lengths of its plain form."""
ACCOUNT = "account:"
"""Stands for a label where the class of an element says that it holds the name of an account."""
ACCOUNT_ANCESTORS = 3
NAMING_LABELS = ("source", "author", "editor")
NO_RULE = (0, 0, 2 * len(ORIGINS))

_ACCOUNT = re.compile(alternation("class_names", "account"), re.I)
_SIGNATURE_END = re.compile(rf"(?:[\s、，]{{1,2}}[\u3400-\u9fff]{{1,3}})*[)）〕】\s{MARK}。]*")
_NO_VALUE = re.compile(r"https?:|www\.|[<>{}=@©]|\?|^\W*\d+\W*$|(?:\d\D*){5}")


@dataclass(slots=True)
class BylineGroup:
    """One candidate: all places that show or declare the same name."""

    text: str
    key: str
    """Its plain form."""
    atoms: list[Atom] = field(default_factory=list)
    """Best first."""
    declared: list[DeclaredName] = field(default_factory=list)
    rule: tuple[int, int, int] = NO_RULE
    """Whether the rules found it, whether they prefer it, and the rank of its best place."""

    @property
    def order(self) -> tuple[bool, int, int]:
        """The order of names on the page; declared ones behind those that it shows."""
        if self.atoms:
            return False, self.atoms[0].line.block, self.atoms[0].start
        return True, self.declared[0].position if self.declared else 0, 0

    @property
    def list(self) -> tuple[int, str] | None:
        """Its block and label where its best place is behind an author's label, or a signature: those with the same one are a list."""
        best = self.atoms[0] if self.atoms else None
        if best is None or not is_signature(best) and (best.label != "author" or best.label_gap > MAX_LABEL_GAP):
            return None
        return best.line.block, best.label_text

    def prominence(self) -> tuple[object, ...]:
        """Orders candidates, the most promising one first: declared and labelled ones, values beside dates, what looks like a name."""
        order = self.atoms[0].order if self.atoms else ()
        support = bool(self.declared) + self.rule[0]
        if support or self.atoms[0].label in NAMING_LABELS:
            return 0, -support, order
        is_placed = any(atom.beside_date or atom.bracket for atom in self.atoms)
        return 1, not is_placed, not _looks_like_name(self.text), order


def byline_groups(signals: PageSignals, anchor: TitleAnchor, names: Collection[str] = ()) -> list[BylineGroup]:
    """The candidates, the most promising ones first. `names`: plain names of the site."""
    groups: dict[str, BylineGroup] = {}

    def group_of(text: str) -> BylineGroup | None:
        key = _key_of(text)
        return groups.setdefault(key, BylineGroup(text, key)) if key and key != anchor.key else None

    declared = declared_names(signals, anchor)
    authors_by_rules, accounts = rule_authors(signals, anchor, names, declared), _account_rows(signals)
    ruled = {plain(name) for authors in authors_by_rules for name in authors.names}
    for atom in cut_lines([line for line in byline_lines(signals, anchor) if not _is_title(line, anchor.key or "")]):
        if group := group_of(atom.text):
            is_account = bool(accounts) and group.key not in ruled and _names_account(signals, atom, accounts)
            group.atoms.append(atom._replace(label="source", label_text=ACCOUNT, label_gap=0, label_index=0) if is_account else atom)
    for name in declared:
        if group := group_of(name.text):
            group.declared.append(name)
    for place, authors in enumerate(authors_by_rules):
        for group in filter(None, map(group_of, authors.names)):
            group.rule = 1, group.rule[1] or place == 0, min(group.rule[2], authors.rank)
    for group in groups.values():
        if len(group.atoms) > 1:
            group.atoms.sort(key=lambda atom: atom.order)
            group.text = group.atoms[0].text
    return sorted(groups.values(), key=BylineGroup.prominence)[:MAX_GROUPS]


def _is_title(line: Line, key: str) -> bool:
    """Whether a line is the title. `key`: its plain form."""
    return len(key) <= len(line.text) <= MAX_TITLE_LENGTH * len(key) and plain(line.text) == key


def _account_rows(signals: PageSignals) -> set[int]:
    """Elements whose class says that they hold the name of the account under which a Chinese text appears on a platform."""
    classes, ids = signals.blocks.elements.classes, signals.blocks.elements.ids
    rows = [row for row, fields in signals.field_rows if "source" in fields] if signals.is_han else []
    return {row for row in rows if _ACCOUNT.search(f"{classes[row]} {ids[row]}")}


def _names_account(signals: PageSignals, atom: Atom, accounts: set[int]) -> bool:
    """Whether a value above the text is the name of the account."""
    is_above = atom.line.zone in ("head", "opening") and not atom.label and atom.form == "whole"
    return is_above and any(row in accounts for row in signals.ancestors(atom.row, ACCOUNT_ANCESTORS))


def _key_of(text: str) -> str:
    """The plain form of what can be a name; "" of others."""
    return "" if len(key := plain(text)) < 2 or _NO_VALUE.search(text) else key


def _looks_like_name(text: str) -> bool:
    """Whether a text that nothing else calls a name looks like one of a person or an organization."""
    parts = text.split()
    if HAN.search(text):
        return len(text) in PERSON_CHARS and text[0] in SURNAMES or ORGANIZATION.search(text) is not None
    return len(parts) in PERSON_WORDS and is_capitalized(parts[0]) and is_capitalized(parts[-1])


def is_signature(atom: Atom) -> bool:
    """Whether it stands in brackets at the end of a block of the text, alone or before other names, as its authors do."""
    is_place = atom.bracket and not atom.label and atom.line.zone in ("ending", "opening", "behind")
    return is_place and _SIGNATURE_END.fullmatch(atom.after) is not None
