"""Footnotes: which links refer to which notes. A citation, whose name says so, keeps its number and its list."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import etree

from webcontent.document.blocks import INLINE, TAG_CODES, are_tags
from webcontent.document.rich_text.class_names import Role
from webcontent.document.text import TextLengths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks
    from webcontent.document.rich_text.class_names import ClassNames

MAX_REFERENCE_CHARS = 12
"""A longer link text is no reference to a note."""
MAX_BACK_CHARS = 80
"""Of the links back of a note with many references: "↑ 1.0 1.1 1.2"."""
MAX_CLIMB = 4
"""Elements around the target of a reference among which the note is looked for."""
HOLDERS = ("li", "aside", "div", "p", "dd", "dl", "section", "tr", "td")
"""Elements that hold a note."""

_OL, _IS_LABEL = TAG_CODES["ol"], are_tags("sup b strong")
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_ANCHORS: Any = etree.XPath("descendant::a[@name]")
_CITATION = re.compile(r"cit(?:e|ation)|bib|(?:^|[^a-z])refs?(?:erence)?(?![a-z]*note)|CR\d", re.IGNORECASE)
_NOTE = re.compile(r"foot-?note|fn|ftn|endnote|sdfoot|(?:^|[^a-z])note", re.IGNORECASE)
_REFERENCE_TEXT = re.compile(r"\[?\(?\s*(?:note\s*)?(?:\d{1,4}|[a-z]|[ivx]{1,5}|[*†‡§]{1,3}|注?\s*[\d①-⑳]{1,3})\s*\)?\]?", re.IGNORECASE)
_BACK_TEXT = re.compile(r"[\s↩︎↑^⏎⤴↵🔙🡅←↺\[\]a-z0-9().,*†‡§—-]{0,12}|(?:back|return|jump up|返回|回到)[\w\s]{0,20}", re.IGNORECASE)
_BACK, _INLINE_NOTE, _NOTE_CLASS = (Role(name) for name in ("back_link", "inline_note", "note"))
_FOOTNOTE = re.compile(r"foot-?note|fn|ftn|noteref", re.IGNORECASE)
_ARROWS = frozenset("↩︎↑^⏎⤴↵🔙🡅←↺ \ufe0e")
_NUMBER = re.compile(r"\d{1,3}|[*†‡§]{1,3}")
_AROUND_LABEL = "[]().: \n"
_ID = re.compile(r"[\w-]+")
_LABELS = re.compile(r"[\[(]?(\d{1,3}|[*†‡§]{1,3})[\]).:]?\s")
_LABEL = re.compile(r"^\s*(?:\[?\(?(?:\d{1,4}|[*†‡§]{1,3})\)?\]?\.?|[①-⑳])\s*$")


class Note(NamedTuple):
    """Where the text of a note stands."""

    row: int
    """The element that holds it."""
    block: int = -1
    """The block that begins it, where the element holds several notes."""
    text: str = ""
    """Its text, where it stands within the line that refers to it."""


class Notes(NamedTuple):
    """The footnotes of a page."""

    references: dict[int, Note]
    """Row of a link, or of a note within a line -> the note."""
    citations: list[tuple[int, int]]
    """Rows of the links of citations, and of the entries of reference lists that they lead to."""
    labels: set[int]
    """Rows of links back into the text, and of the numbers that notes begin with."""


def find_notes(blocks: Blocks, names: ClassNames) -> Notes:
    notes = _linked_notes(blocks, names)
    return notes if notes.references or notes.citations else _unlinked_notes(blocks, names)


def _linked_notes(blocks: Blocks, names: ClassNames) -> Notes:
    elements, nodes = blocks.elements, blocks.elements.nodes
    notes = Notes(dict(_notes_in_lines(blocks, names)), [], set())
    found, labels = notes.references, notes.labels
    near = {row: href.partition("#")[2] for row, href in blocks.addresses.items() if "#" in href or href.startswith("javascript:")}
    links = {
        row: fragment
        for row, fragment in near.items()
        if (_may_refer(nodes[row]) or _is_back_link(nodes[row]) if fragment else _shown_number(nodes[row]))
    }
    if not links:
        return notes
    rows, lengths = blocks.row_of, TextLengths()
    targets = {name: row for row, name in enumerate(elements.ids) if name}
    targets |= {node.get("name"): rows[node] for node in _ANCHORS(nodes[0]) if node in rows}
    linked: dict[int, tuple[int, int]] = {}
    for row, fragment in links.items():
        link, target = nodes[row], targets.get(fragment, -1) if fragment else _scripted_target(nodes[row], targets)
        if target <= row:
            if fragment and _is_back_link(link):
                labels.add(_whole_back_link(blocks, row, lengths))
            continue
        note = _holder(nodes[target], lengths)
        if note is not None and rows.get(note, row) < row and nodes[target].tag in HOLDERS:  # around the link
            note = nodes[target]
        if note is None or note not in rows or not _may_refer(link):
            continue
        if rows[note] < row:
            text = " ".join("".join(nodes[target].itertext()).split())
            if text and nodes[target].tag in INLINE and (not fragment or _is_note(link, nodes[target])):
                found[row] = Note(target, text=text)
                labels.add(target)
        elif _is_citation(link, nodes[target], note):
            notes.citations.append((row, rows[note]))
        elif not fragment or _is_note(link, nodes[target]):
            linked[row] = target, rows[note]
    counts = Counter(holder for _, holder in set(linked.values()))
    for row, (target, holder) in linked.items():
        is_shared = counts[holder] > 1
        block = int(np.searchsorted(blocks.piece_start, elements.piece[target], side="right")) - 1 if is_shared else -1
        found[row] = Note(holder, block)
        numbers = [nodes[target]] if is_shared else _labels(nodes[holder])
        labels.update(rows[node] for node in numbers if node in rows and _LABEL.match("".join(node.itertext())))
        labels.update(outer for outer in (target, *elements.around(target)) if outer < holder and nodes[outer].tag in _HEADINGS)
    return notes


def _notes_in_lines(blocks: Blocks, names: ClassNames) -> Iterator[tuple[int, Note]]:
    """Notes beside the words that they are about; where a number is shown again without text, it refers to the same note."""
    elements, end = blocks.elements, 0
    numbered: dict[str, Note] = {}
    for row in names.rows(_INLINE_NOTE):
        node = elements.nodes[row]
        parts = [text for text in node.itertext() if text.strip()]
        if row < end or not parts or node.tag not in INLINE:
            continue
        end = int(elements.last[row]) + 1
        label = parts[0].strip(_AROUND_LABEL)
        is_label = _NUMBER.fullmatch(label) is not None
        shown = (label, "", "footnotemark") if is_label else ()
        first = next((place for place, text in enumerate(parts) if text.strip(_AROUND_LABEL) not in shown), len(parts))
        note = Note(row, text=" ".join("".join(parts[first:]).split()))
        if note.text or label in numbered:
            yield row, numbered.setdefault(label, note) if is_label else note


def _scripted_target(link: HtmlElement, targets: Mapping[str, int]) -> int:
    """Row of the element that a script shows for a link: its id is in an attribute of the link, or of an element around it; -1 if none."""
    holders = (link, *islice(link.iterancestors(), 2))
    values = [value for holder in holders for name, value in holder.items() if name not in ("id", "class", "href")]
    return next((targets[word] for value in values for word in _ID.findall(value) if word in targets), -1)


def _unlinked_notes(blocks: Blocks, names: ClassNames) -> Notes:
    """Notes without links: raised numbers in the text, and behind it paragraphs that begin with them, or a list of as many items."""
    elements, nodes = blocks.elements, blocks.elements.nodes
    shown = {
        row: text
        for row in np.flatnonzero(_IS_LABEL[elements.tag]).tolist()
        if (text := _shown_number(nodes[row])) and nodes[row].find(".//a") is None
    }
    beginning = {row for row in shown if _begins_note(blocks, row)}
    references = {row: text for row, text in shown.items() if row not in beginning and nodes[row].tag == "sup"}
    if not references:
        return Notes({}, [], set())
    beginning = {row for row in beginning if row > max(references) or nodes[row].tag == "sup"}
    holders = {shown[row]: next(parent for parent in elements.around(row) if nodes[parent].tag not in INLINE) for row in beginning}
    if not holders:
        named = (
            (row, _LABELS.match("".join(nodes[row].itertext()).strip())) for row in names.rows(_NOTE_CLASS) if nodes[row].tag in HOLDERS
        )
        holders = {match[1]: row for row, match in named if match}
    numbers = list(dict.fromkeys(references.values()))
    if not holders and numbers == [str(number + 1) for number in range(len(numbers))]:
        holders = dict(zip(numbers, _items_behind(blocks, max(references), len(numbers)), strict=False))
    if holders.keys() != set(numbers) or min(holders.values()) < min(references):
        return Notes({}, [], set())
    return Notes({row: Note(holders[text]) for row, text in references.items()}, [], beginning)


def _shown_number(node: HtmlElement) -> str:
    """The number of a note that an element shows; "" where it shows none."""
    text = "".join(node.itertext()).strip("[]().\n ")
    return text if _NUMBER.fullmatch(text) else ""


def _begins_note(blocks: Blocks, row: int) -> bool:
    """Whether a number is the first text of a paragraph or item that has more."""
    elements = blocks.elements
    holder = next(parent for parent in elements.around(row) if elements.nodes[parent].tag not in INLINE)
    return bool(elements.piece[row] == elements.piece[holder] and elements.piece_end[row] < elements.piece_end[holder])


def _items_behind(blocks: Blocks, row: int, count: int) -> list[int]:
    """The items of the last numbered list behind an element, if there are as many and a line or a heading parts them from the text."""
    elements, nodes = blocks.elements, blocks.elements.nodes
    for ordered in reversed(np.flatnonzero(elements.tag == _OL).tolist()):
        before = nodes[ordered].getprevious()
        is_named = _NOTE.search(f"{_names(nodes[ordered])} {_names(nodes[ordered].getparent())}")
        if ordered > row and (is_named or before is not None and before.tag in ("hr", *_HEADINGS)):
            items = [child for child in range(ordered + 1, int(elements.last[ordered]) + 1) if elements.parent[child] == ordered]
            return items if len(items) == count else []
    return []


def _may_refer(link: HtmlElement) -> bool:
    """Whether a link may refer to a note, by the number that it shows."""
    text = "".join(link.itertext()).strip()
    return len(text) <= MAX_REFERENCE_CHARS and _REFERENCE_TEXT.fullmatch(text) is not None


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
        if node.tag == "dt" or node.tag in _HEADINGS and _LABEL.match("".join(node.itertext())):
            following = node.getnext()
            return following if following is not None and following.tag in ("dd", "p", "div") else None
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
