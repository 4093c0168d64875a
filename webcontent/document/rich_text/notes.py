"""Footnotes: which links refer to which notes. A citation, whose name says so, keeps its number and its list."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from lxml import etree

from webcontent.document.blocks import INLINE, TAG_CODES
from webcontent.document.rich_text.class_names import Role
from webcontent.document.text import TextLengths

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks

MAX_REFERENCE_CHARS = 12
"""A longer link text is no reference to a note."""
MAX_BACK_CHARS = 80
"""Of the links back of a note with many references: "↑ 1.0 1.1 1.2"."""
MAX_CLIMB = 4
"""Elements around the target of a reference among which the note is looked for."""
HOLDERS = ("li", "aside", "div", "p", "dd", "dl", "section", "tr", "td")
"""Elements that hold a note."""

_SUP, _OL = TAG_CODES["sup"], TAG_CODES["ol"]
_ANCHORS: Any = etree.XPath("descendant::a[@name]")
_CITATION = re.compile(r"cit(?:e|ation)|bib|(?:^|[^a-z])refs?(?:erence)?(?![a-z]*note)|CR\d", re.IGNORECASE)
_NOTE = re.compile(r"foot-?note|fn|ftn|endnote|sdfoot|(?:^|[^a-z])note", re.IGNORECASE)
_REFERENCE_TEXT = re.compile(r"\[?\(?\s*(?:note\s*)?(?:\d{1,4}|[a-z]|[ivx]{1,5}|[*†‡§]{1,3}|注?\s*[\d①-⑳]{1,3})\s*\)?\]?", re.IGNORECASE)
_BACK_TEXT = re.compile(r"[\s↩︎↑^⏎⤴↵🔙🡅←↺\[\]a-z0-9().,*†‡§—-]{0,12}|(?:back|return|jump up|返回|回到)[\w\s]{0,20}", re.IGNORECASE)
_BACK, _ENTRY = Role("back_link"), Role("note_entry")
_FOOTNOTE = re.compile(r"foot-?note|fn|ftn|noteref", re.IGNORECASE)
_ARROWS = frozenset("↩︎↑^⏎⤴↵🔙🡅←↺ \ufe0e")
_NUMBER = re.compile(r"\d{1,3}|[*†‡§]{1,3}")
_LABEL = re.compile(r"^\s*(?:\[?\(?(?:\d{1,4}|[*†‡§]{1,3})\)?\]?\.?|[①-⑳])\s*$")


@dataclass(slots=True)
class Notes:
    """Rows of elements, and the numbers of notes."""

    references: dict[int, int] = field(default_factory=dict)
    """Row of a link -> number of its note."""
    definitions: dict[int, int] = field(default_factory=dict)
    """Row of the element that holds a note -> its number."""
    citations: list[tuple[int, int]] = field(default_factory=list)
    """Rows of the links of citations, and of the entries of reference lists that they lead to."""
    back_links: set[int] = field(default_factory=set)
    """Rows of links back into the text, and of the numbers that notes begin with."""


def find_notes(blocks: Blocks) -> Notes:
    """The footnotes of a page, numbered in the order of their first references."""
    notes = Notes()
    elements, nodes = blocks.elements, blocks.elements.nodes
    fragments = {row: address.partition("#")[2] for row, address in blocks.addresses.items() if "#" in address}
    links = [row for row, fragment in fragments.items() if fragment and (_may_refer(nodes[row]) or _is_back_link(nodes[row]))]
    if not links:
        return _unlinked_notes(blocks)
    rows, lengths = blocks.row_of, TextLengths()
    targets = {name: row for row, name in enumerate(elements.ids) if name}
    targets |= {node.get("name"): rows[node] for node in _ANCHORS(nodes[0]) if node in rows}
    numbers: dict[int, int] = {}
    for row in links:
        link, target = nodes[row], targets.get(fragments[row], -1)
        if target <= row:
            if _is_back_link(link):
                notes.back_links.add(_whole_back_link(blocks, row, lengths))
            continue
        note = _holder(nodes[target], lengths)
        holder = rows.get(note) if note is not None else None
        is_entry = nodes[target].get("role") == "doc-biblioentry" or _ENTRY.is_of(nodes[target])
        if holder is None or not _may_refer(link, is_entry=is_entry):
            continue
        if _is_citation(link, nodes[target], nodes[holder]):
            notes.citations.append((row, holder))
        elif _is_note(link, nodes[target]):
            notes.references[row] = notes.definitions[holder] = numbers.setdefault(holder, len(numbers) + 1)
    for row in notes.definitions:
        notes.back_links |= {rows[node] for node in _labels(nodes[row]) if node in rows}
    return notes if notes.references or notes.citations else _unlinked_notes(blocks)


def _unlinked_notes(blocks: Blocks) -> Notes:
    """Notes without links: raised numbers in the text, and behind it paragraphs that begin with them, or a list of as many items."""
    elements, nodes = blocks.elements, blocks.elements.nodes
    raised = {row: text for row in np.flatnonzero(elements.tag == _SUP).tolist() if (text := _raised_number(nodes[row]))}
    labels = {row: text for row, text in raised.items() if _begins_note(blocks, row)}
    references = {row: text for row, text in raised.items() if row not in labels}
    holders = {text: next(parent for parent in elements.around(row) if nodes[parent].tag not in INLINE) for row, text in labels.items()}
    numbers = list(dict.fromkeys(references.values()))
    if not labels and numbers == [str(number + 1) for number in range(len(numbers))]:
        holders = dict(zip(numbers, _items_behind(blocks, max(references, default=0), len(numbers)), strict=False))
    if not holders or holders.keys() != set(numbers) or min(holders.values()) < min(references):
        return Notes()
    order = {text: index + 1 for index, text in enumerate(numbers)}
    definitions = {row: order[text] for text, row in holders.items()}
    return Notes({row: order[text] for row, text in references.items()}, definitions, [], set(labels))


def _raised_number(node: HtmlElement) -> str:
    """The number of a note that a raised element shows; "" where it shows none."""
    text = "".join(node.itertext()).strip().strip("[]()")
    return text if next(node.iter("a"), None) is None and _NUMBER.fullmatch(text) else ""


def _begins_note(blocks: Blocks, row: int) -> bool:
    """Whether a raised number is the first text of a paragraph or item that has more."""
    elements = blocks.elements
    holder = next(parent for parent in elements.around(row) if elements.nodes[parent].tag not in INLINE)
    return bool(elements.piece[row] == elements.piece[holder] and elements.piece_end[row] < elements.piece_end[holder])


def _items_behind(blocks: Blocks, row: int, count: int) -> list[int]:
    """The items of the last numbered list behind an element, if there are as many and a line or a heading parts them from the text."""
    elements, nodes = blocks.elements, blocks.elements.nodes
    for ordered in reversed(np.flatnonzero(elements.tag == _OL).tolist()):
        before = nodes[ordered].getprevious()
        is_named = _NOTE.search(f"{_names(nodes[ordered])} {_names(nodes[ordered].getparent())}")
        if ordered > row and (is_named or before is not None and before.tag in ("hr", "h2", "h3", "h4", "h5", "h6")):
            items = [child for child in range(ordered + 1, int(elements.last[ordered]) + 1) if elements.parent[child] == ordered]
            return items if len(items) == count else []
    return []


def _may_refer(link: HtmlElement, *, is_entry: bool = True) -> bool:
    """Whether a link may refer to a note: by the number that it shows, or by a name ("[God72]") if that of an entry of a list."""
    text = "".join(link.itertext()).strip()
    is_named = is_entry and "reference" in (link.get("class") or "")
    return len(text) <= MAX_REFERENCE_CHARS and (is_named or _REFERENCE_TEXT.fullmatch(text) is not None)


def _names(node: HtmlElement | None) -> str:
    names = ("class", "id", "role", "name", "epub:type", "href")
    return " ".join(filter(None, map(node.get, names))) if node is not None else ""


def _is_citation(link: HtmlElement, target: HtmlElement, holder: HtmlElement) -> bool:
    """Whether the names around a reference say citation, and none says footnote."""
    around = holder.getparent()
    in_list = around is not None and around.tag in ("ol", "ul", "dl")
    names = " ".join(map(_names, (link, target, link.getparent(), around if in_list else None)))
    return _CITATION.search(names) is not None and not _FOOTNOTE.search(names)


def _is_note(link: HtmlElement, target: HtmlElement) -> bool:
    """Whether a link refers to a note: it is raised, or its names say so."""
    is_raised = next(link.iterancestors("sup"), link.find("sup")) is not None
    return is_raised or _NOTE.search(f"{_names(link)} {_names(target)}") is not None


def _holder(target: HtmlElement, lengths: TextLengths) -> HtmlElement | None:
    """The element that holds the note to which a reference leads."""
    for node in islice((target, *target.iterancestors()), MAX_CLIMB):
        if node.tag == "body":
            break
        if node.tag in HOLDERS and lengths[node] > MAX_REFERENCE_CHARS:
            return node
        if node.tag == "dt":
            following = node.getnext()
            return following if following is not None and following.tag == "dd" else None
    return None


def _is_back_link(link: HtmlElement) -> bool:
    """Whether a link leads from a note back into the text."""
    text = "".join(link.itertext()).strip()
    if not _BACK_TEXT.fullmatch(text):
        return False
    around = takewhile(lambda node: node.tag in ("span", "sup"), islice(link.iterancestors(), 2))
    names = [link.get("rev"), link.get("role"), *(node.get("class") for node in (link, *around))]
    return _BACK.is_in(" ".join(filter(None, names))) or text != "" and _ARROWS.issuperset(text)


def _whole_back_link(blocks: Blocks, row: int, lengths: TextLengths) -> int:
    """Row of the link, or of the element that holds nothing but links back ("^ a b c")."""
    for parent in islice(blocks.elements.around(row), MAX_CLIMB):
        node = blocks.elements.nodes[parent]
        if node.tag not in ("span", "sup", "b") or lengths[node] > (MAX_BACK_CHARS if _BACK.is_of(node) else MAX_REFERENCE_CHARS):
            break
        row = parent
    return row


def _labels(note: HtmlElement) -> list[HtmlElement]:
    """The elements at the beginning of a note that show its number."""
    parts = ((node, "".join(node.itertext())) for node in note.iter("a", "span", "sup", "label", "td", "dt"))
    node, text = next(((node, text) for node, text in parts if text.strip()), (note, ""))
    return [node] if _LABEL.match(text) and node is not note else []
