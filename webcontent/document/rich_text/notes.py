"""Footnotes: which links refer to which notes. A citation, whose name says so, keeps its number and its list."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from lxml import etree

from webcontent.document.blocks import TAG_CODES, are_tags, is_inline
from webcontent.document.rich_text.class_names import Role
from webcontent.document.text import TextLengths

if TYPE_CHECKING:
    from collections.abc import Iterator

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

_OL, _BUTTON, _IS_LABEL = TAG_CODES["ol"], TAG_CODES["button"], are_tags("sup b strong")
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
    notes.labels.update(label for row in notes.references for label in _labels_before(blocks, row))
    lengths, linked = TextLengths(), dict[int, tuple[int, int]]()
    for row, target, is_scripted in _iter_links(blocks):
        link, aim = nodes[row], nodes[target]
        if target <= row:
            if not is_scripted and _is_back_link(link):
                notes.labels.add(_whole_back_link(blocks, row, lengths))
            continue
        node = _holder(aim, lengths)
        holder = blocks.row_of.get(node, -1) if node is not None else -1
        if 0 <= holder < row and aim.tag in HOLDERS:  # around the link
            holder = target
        if holder < 0 or not _may_refer(link):
            continue
        is_note = is_scripted or _is_note(link, aim)
        if holder < row:
            text = " ".join("".join(aim.itertext()).split())
            if text and is_note and is_inline(aim):
                notes.references[row] = Note(target, text=text)
                notes.labels.add(target)
        elif _is_citation(link, aim, nodes[holder]):
            notes.citations.append((row, holder))
        elif is_note:
            linked[row] = target, holder
    counts = Counter(holder for _, holder in set(linked.values()))
    for row, (target, holder) in linked.items():
        is_shared = counts[holder] > 1
        block = int(np.searchsorted(blocks.piece_start, elements.piece[target], side="right")) - 1 if is_shared else -1
        notes.references[row] = Note(holder, block)
        label = nodes[target] if is_shared else _first_part(nodes[holder])
        if label in blocks.row_of and _LABEL.match("".join(label.itertext())):
            notes.labels.add(blocks.row_of[label])
        notes.labels.update(outer for outer in (target, *elements.around(target)) if outer < holder and nodes[outer].tag in _HEADINGS)
    return notes


def _iter_links(blocks: Blocks) -> Iterator[tuple[int, int, bool]]:
    """Rows of links that may refer to notes or lead back, of what they lead to (-1: nothing on the page), and whether a script shows it.

    A script finds it by an attribute of the link, or of an element around it, that holds its id.
    """
    elements, nodes = blocks.elements, blocks.elements.nodes
    fragments = {row: href.partition("#")[2] for row, href in blocks.addresses.items() if "#" in href or href.startswith("javascript:")}
    fragments |= dict.fromkeys(np.flatnonzero(elements.tag == _BUTTON).tolist(), "")
    links = [
        (row, name)
        for row, name in fragments.items()
        if (_may_refer(nodes[row]) or _is_back_link(nodes[row]) if name else _shown_number(nodes[row]))
    ]
    if not links:
        return
    targets = {name: row for row, name in enumerate(elements.ids) if name}
    targets |= {node.get("name"): blocks.row_of[node] for node in _ANCHORS(nodes[0]) if node in blocks.row_of}
    for row, name in links:
        holders = () if name else (nodes[row], *islice(nodes[row].iterancestors(), 2))
        values = (value for holder in holders for key, value in holder.items() if key not in ("id", "class", "href"))
        names = (word for value in values for word in _ID.findall(value)) if holders else (name,)
        yield row, next((targets[word] for word in names if word in targets), -1), not name


def _notes_in_lines(blocks: Blocks, names: ClassNames) -> Iterator[tuple[int, Note]]:
    """Notes beside the words that they are about; where a number is shown again without text, it refers to the same note."""
    elements, end = blocks.elements, 0
    numbered: dict[str, Note] = {}
    distill = [row for row in np.flatnonzero(elements.tag == 0).tolist() if elements.nodes[row].tag == "d-footnote"]
    for row in sorted([*names.rows(_INLINE_NOTE), *distill]):
        node = elements.nodes[row]
        parts = [text for text in node.itertext() if text.strip()]
        if row < end or not parts or not is_inline(node):
            continue
        end = int(elements.last[row]) + 1
        label = parts[0].strip(_AROUND_LABEL)
        is_label = _NUMBER.fullmatch(label) is not None
        shown = (label, "", "footnotemark") if is_label else ()
        first = next((place for place, text in enumerate(parts) if text.strip(_AROUND_LABEL) not in shown), len(parts))
        note = Note(row, text=" ".join("".join(parts[first:]).split()))
        if note.text or label in numbered:
            yield row, numbered.setdefault(label, note) if is_label else note


def _labels_before(blocks: Blocks, row: int) -> Iterator[int]:
    """Rows of the number and the switch before a note within a line."""
    for node in islice(blocks.elements.nodes[row].itersiblings(preceding=True), 3):
        text = "".join(node.itertext()).strip()
        if (node.tail or "").strip() or node.tag not in ("label", "input", "sup") or len(text) > 1 and not _shown_number(node):
            return
        if text:
            yield blocks.row_of[node]


def _unlinked_notes(blocks: Blocks, names: ClassNames) -> Notes:
    """Notes without links: raised numbers in the text, and behind it paragraphs that begin with them, or a list of as many items."""
    elements, nodes = blocks.elements, blocks.elements.nodes
    shown = {
        row: text
        for row in np.flatnonzero(_IS_LABEL[elements.tag]).tolist()
        if (text := _shown_number(nodes[row])) and nodes[row].find(".//a") is None
    }
    holder_of = {row: next(parent for parent in elements.around(row) if not is_inline(nodes[parent])) for row in shown}
    beginning = {
        row
        for row, holder in holder_of.items()
        if elements.piece[row] == elements.piece[holder] and elements.piece_end[row] < elements.piece_end[holder]
    }
    references = {row: text for row, text in shown.items() if row not in beginning and nodes[row].tag == "sup"}
    if not references:
        return Notes({}, [], set())
    beginning = {row for row in beginning if row > max(references) or nodes[row].tag == "sup"}
    holders = {shown[row]: holder_of[row] for row in beginning}
    if not holders:
        named = (
            (row, _LABELS.match("".join(nodes[row].itertext()).strip())) for row in names.rows(_NOTE_CLASS) if nodes[row].tag in HOLDERS
        )
        holders = {match[1]: row for row, match in named if match}
        parts = (_first_part(nodes[row]) for row in holders.values())
        beginning = {blocks.row_of[part] for part in parts if part is not None and _LABEL.match("".join(part.itertext()))}
    numbers = list(dict.fromkeys(references.values()))
    first_blocks: dict[str, int] = {}
    if not holders and numbers == [str(number + 1) for number in range(len(numbers))]:
        holders = dict(zip(numbers, _items_behind(blocks, max(references), len(numbers)), strict=False))
        first_blocks = {} if holders else dict(_lines_behind(blocks, int(elements.start[max(references)])))
        holders = holders or {text: int(blocks.element[block]) for text, block in first_blocks.items()}
    if holders.keys() != set(numbers) or min(holders.values()) < min(references):
        return Notes({}, [], set())
    if len({*holders.values()}) == len(holders):
        first_blocks = {}  # each line has an element of its own
    return Notes({row: Note(holders[text], first_blocks.get(text, -1)) for row, text in references.items()}, [], beginning)


def _lines_behind(blocks: Blocks, block: int) -> Iterator[tuple[str, int]]:
    """The labels of the paragraphs and lines behind a block that begin with a number in brackets, or with a mark behind it."""
    for place in range(block + 1, len(blocks)):
        match = _LABELS.match(blocks.texts[place][:MAX_REFERENCE_CHARS])
        if match and not match[0].strip().isdigit() and blocks.elements.nodes[blocks.element[place]].tag == "p":
            yield match[1], place


def _shown_number(node: HtmlElement) -> str:
    """The number of a note that an element shows; "" where it shows none."""
    text = "".join(node.itertext()).strip("[]().\n ")
    return text if _NUMBER.fullmatch(text) else ""


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


def _first_part(note: HtmlElement) -> HtmlElement | None:
    """The element with the first text of a note, which may be its number."""
    parts = note.iter("a", "span", "sup", "label", "td", "dt")
    return next((node for node in parts if node is not note and "".join(node.itertext()).strip()), None)
