"""Footnotes: which links refer to which notes. A citation, whose name says so, keeps its number and its list."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from lxml import etree

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

_ANCHORS: Any = etree.XPath("descendant::a[@name]")
_CITATION = re.compile(r"cit(?:e|ation)|bib|(?:^|[^a-z])refs?(?:erence)?(?![a-z]*note)|CR\d", re.IGNORECASE)
_NOTE = re.compile(r"foot-?note|fn|ftn|endnote|sdfoot|(?:^|[^a-z])note", re.IGNORECASE)
_REFERENCE_TEXT = re.compile(r"\[?\(?\s*(?:note\s*)?(?:\d{1,4}|[a-z]|[ivx]{1,5}|[*†‡§]{1,3}|注?\s*[\d①-⑳]{1,3})\s*\)?\]?", re.IGNORECASE)
_BACK_TEXT = re.compile(r"[\s↩︎↑^⏎⤴↵🔙🡅←↺\[\]a-z0-9().,*†‡§—-]{0,12}|(?:back|return|jump up|返回|回到)[\w\s]{0,20}", re.IGNORECASE)
_BACK, _ENTRY = Role("back_link"), Role("note_entry")
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
    elements = blocks.elements
    anchors = (elements.nodes[row] for row, address in blocks.addresses.items() if address.rpartition("#")[2] and "#" in address)
    links = [link for link in anchors if _is_back_link(link) or _is_reference(link) or _is_named_reference(link)]
    if not links:
        return notes
    rows = blocks.row_of
    targets = {name: row for row, name in enumerate(elements.ids) if name}
    targets |= {link.get("name"): rows[link] for link in _ANCHORS(elements.nodes[0]) if link in rows}
    numbers: dict[int, int] = {}
    lengths = TextLengths()
    for link in links:
        row = rows.get(link)
        if row is None:
            continue
        target = targets.get(str(link.get("href")).rpartition("#")[2])
        if target is None or target <= row:
            if _is_back_link(link):
                notes.back_links.add(_whole_back_link(link, row, rows, lengths))
            continue
        node = elements.nodes[target]
        holder = _holder(node, lengths)
        if holder is None or holder not in rows:
            continue
        if not _is_reference(link) and not _is_entry(node):
            continue
        if _is_citation(link, node, holder):
            notes.citations.append((row, rows[holder]))
        elif _is_note(link, node):
            number = numbers.setdefault(rows[holder], len(numbers) + 1)
            notes.references[row] = number
            notes.definitions[rows[holder]] = number
    for row in notes.definitions:
        notes.back_links |= {rows[node] for node in _labels(elements.nodes[row]) if node in rows}
    return notes


def _is_reference(link: HtmlElement) -> bool:
    text = "".join(link.itertext()).strip()
    return len(text) <= MAX_REFERENCE_CHARS and _REFERENCE_TEXT.fullmatch(text) is not None


def _is_named_reference(link: HtmlElement) -> bool:
    """Whether a link may be a citation by a name, such as "[God72]"."""
    return "reference" in (link.get("class") or "") and len("".join(link.itertext()).strip()) <= MAX_REFERENCE_CHARS


def _is_entry(target: HtmlElement) -> bool:
    """Whether an element says of itself that it is an entry of a list of references."""
    return target.get("role") == "doc-biblioentry" or _ENTRY.is_of(target)


def _names(node: HtmlElement) -> str:
    return " ".join(filter(None, (node.get("class"), node.get("id"), node.get("role"), node.get("name"), node.get("epub:type"))))


def _is_citation(link: HtmlElement, target: HtmlElement, holder: HtmlElement) -> bool:
    """Whether the names around a reference say citation, and none says footnote."""
    parent = link.getparent()
    around = holder.getparent()
    names = f"{_names(link)} {_names(target)} {link.get('href')} {_names(parent) if parent is not None else ''}"
    names += f" {_names(around)}" if around is not None and around.tag in ("ol", "ul", "dl") else ""
    return bool(_CITATION.search(names)) and not re.search(r"foot-?note|fn|ftn|noteref", names, re.IGNORECASE)


def _is_note(link: HtmlElement, target: HtmlElement) -> bool:
    """Whether a link refers to a note: it is raised, or its names say so."""
    is_raised = any(parent.tag == "sup" for parent in link.iterancestors("sup")) or link.find("sup") is not None
    return is_raised or bool(_NOTE.search(f"{_names(link)} {_names(target)} {link.get('href')}"))


def _holder(target: HtmlElement, lengths: TextLengths) -> HtmlElement | None:
    """The element that holds the note to which a reference leads."""
    node: HtmlElement | None = target
    for _ in range(MAX_CLIMB):
        if node is None or node.tag == "body":
            return None
        if node.tag in HOLDERS and lengths[node] > MAX_REFERENCE_CHARS:
            return node
        if node.tag == "dt":
            following = node.getnext()
            return following if following is not None and following.tag == "dd" else None
        node = node.getparent()
    return None


def _is_back_link(link: HtmlElement) -> bool:
    """Whether a link leads from a note back into the text."""
    text = "".join(link.itertext()).strip()
    parent = link.getparent()
    names = f"{link.get('class') or ''} {link.get('rev') or ''} {link.get('role') or ''}"
    for _ in range(2):
        if parent is not None and parent.tag in ("span", "sup"):
            names += f" {parent.get('class') or ''}"
            parent = parent.getparent()
    is_named = _BACK.is_in(names)
    return bool(_BACK_TEXT.fullmatch(text)) and (is_named or (text != "" and all(c in "↩︎↑^⏎⤴↵🔙🡅←↺ \ufe0e" for c in text)))


def _whole_back_link(link: HtmlElement, row: int, rows: dict[HtmlElement, int], lengths: TextLengths) -> int:
    """Row of the link, or of the element that holds nothing but links back ("^ a b c")."""
    for parent in islice(link.iterancestors(), MAX_CLIMB):
        is_named = _BACK.is_of(parent)
        if parent.tag not in ("span", "sup", "b") or lengths[parent] > (MAX_BACK_CHARS if is_named else MAX_REFERENCE_CHARS):
            break
        row = rows.get(parent, row)
    return row


def _labels(note: HtmlElement) -> list[HtmlElement]:
    """The elements at the beginning of a note that show its number."""
    parts = ((node, "".join(node.itertext())) for node in note.iter("a", "span", "sup", "label", "td", "dt"))
    node, text = next(((node, text) for node, text in parts if text.strip()), (note, ""))
    return [node] if _LABEL.match(text) and node is not note else []
