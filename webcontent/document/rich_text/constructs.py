"""What cleaned HTML writes in another form than the page: which elements are replaced, dropped, unwrapped or marked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webcontent.document.blocks import INLINE, TAG_CODES, are_tags
from webcontent.document.hidden import iter_hidden_inline
from webcontent.document.rich_text import formulas
from webcontent.document.rich_text.class_names import ClassNames, Role, words_of
from webcontent.document.rich_text.code import MAX_BAR_CHARS, find_code, is_prose, tools_beside
from webcontent.document.rich_text.images import MAX_CREDIT_CHARS, find_credits, rows_inside
from webcontent.document.rich_text.nesting import layout_rows
from webcontent.document.rich_text.notes import find_notes
from webcontent.document.rich_text.players import PLAYERS, Player, player_of, player_of_id

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document

_BR, _CODE, _PRE, _IMG = (TAG_CODES[name] for name in ("br", "code", "pre", "img"))
_TOOLS, _CONTENTS, _BEHIND, _SLIDE, _SLIDES, _CLONE = map(Role, ("tool", "contents", "behind", "slide", "slides", "clone"))
_CALLOUTS, _WORD = Role("callout"), re.compile("[a-z]+")
_CALLOUT_KINDS = {word: kind for kind in ("note", "tip", "important", "warning", "caution") for word in words_of("callout", kind)}
_CALLOUT_TAGS = ("div", "aside", "blockquote", "section", "p", "details")
MAX_CALLOUT_BLOCKS = 30
_NO_FORMULAS = frozenset("body html article main section pre code img".split())
_NOT_IN_FORMULAS = ("p", "h1", "h2", "h3", "ul", "ol", "pre", "article")
"""Tags of elements that are no formula whatever their class says, and of those in which there is none."""
_NO_CAPTION = ("figure", "h1", "h2", "h3", "h4", "form", "button", "iframe")
"""What a slide with a caption does not hold."""
READINGS = ("rt", "rp", "rtc")
"""Tags of the readings beside characters (ruby)."""
_IS_HEADING, _IS_ANCHOR = are_tags("h1 h2 h3 h4 h5 h6"), are_tags("a button")
_ANCHOR_TEXT = re.compile(r"[\s#¶§🔗†⚓︎]{1,4}|Permalink|Copy|复制(?:代码)?|Edit|编辑", re.IGNORECASE)
_TRANSLATION = re.compile(r"\s*[A-Za-z][A-Za-z0-9 .,/+&'’()-]{2,}")
"""Readings in Latin letters have accents."""


class Part(NamedTuple):
    """HTML in the place of an element without text."""

    piece: int
    """Number of text pieces before it."""
    parent: int
    """Row of the element that holds it."""
    html: str
    is_inline: bool


@dataclass(slots=True)
class Constructs:
    """Rows of elements, and what is written in their place."""

    replaced: dict[int, str] = field(default_factory=dict)
    """Row -> the HTML in place of the element; "" where it is left out."""
    placed: list[Part] = field(default_factory=list)
    """Players and formulas without text."""
    players: list[tuple[int, Player]] = field(default_factory=list)
    """Players with the number of pieces before them."""
    marked: dict[int, str] = field(default_factory=dict)
    """Row -> the opening tag of an element that is kept with an attribute."""
    unwrapped: set[int] = field(default_factory=set)
    """Rows whose tags are left out."""
    notes: list[tuple[int, int]] = field(default_factory=list)
    """Rows of references to footnotes and of the notes."""
    inline_notes: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Reference -> number and text of a note that stands within a line."""
    note_blocks: dict[int, int] = field(default_factory=dict)
    """Blocks that begin notes -> their numbers."""
    drawings: set[int] = field(default_factory=set)
    """Rows of replaced elements that a formula stands beside, which is written in their place."""
    credits: dict[int, int] = field(default_factory=dict)
    """Rows of the credits of images -> rows of the elements around credit and images."""
    renders_tex: bool = False
    """Whether the page turns TeX between delimiters into formulas."""
    renders_ascii: bool = False
    """Whether it turns AsciiMath between backticks into formulas."""
    has_text_formulas: bool = False
    """Whether its text has formulas: one of these, or TeX between the tags of forums."""
    slides: dict[int, int] = field(default_factory=dict)
    """Rows of slides that hold an image -> rows of their captions, or their own."""
    behind: list[int] = field(default_factory=list)
    """Rows of boxes that stand behind a text: its author, newsletters, disclaimers, quoted mails."""
    callouts: set[int] = field(default_factory=set)
    """Rows of notices beside the text."""

    owners: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """For each piece of text, and behind the last, the outermost replaced element around it, -1 for none."""

    def place(self, blocks: Blocks, row: int, html: str) -> None:
        self.placed.append(Part(int(blocks.elements.piece[row]), int(blocks.elements.parent[row]), html, is_inline=True))


def find_constructs(document: Document) -> Constructs:
    constructs = Constructs()
    blocks = document.blocks
    names = ClassNames(blocks)
    _add_code(blocks, names, constructs)
    _add_formulas(document, names, constructs)
    _add_notes(blocks, names, constructs)
    _add_callouts(blocks, names, constructs)
    _add_slides(blocks, names, constructs)
    _add_readings(document, constructs)
    _add_tools(blocks, names, constructs)
    _add_players(document, names, constructs)
    _add_hidden(blocks, constructs)
    constructs.credits = find_credits(blocks, names)
    constructs.unwrapped |= layout_rows(blocks)
    constructs.behind = names.rows(_BEHIND)
    constructs.owners = np.full(len(blocks.pieces) + 1, -1, np.int64)
    for row in sorted(constructs.replaced, reverse=True):
        constructs.owners[int(blocks.elements.piece[row]) : int(blocks.elements.piece_end[row])] = row
    return constructs


def _add_code(blocks: Blocks, names: ClassNames, constructs: Constructs) -> None:
    elements = blocks.elements
    constructs.unwrapped |= {row for row in np.flatnonzero(elements.tag == _PRE).tolist() if is_prose(elements.nodes[row])}
    found = find_code(blocks, names)
    constructs.replaced |= found
    codes = [elements.nodes[row] for row in found]
    rows = blocks.row_of if codes else {}
    for tool in tools_beside(codes):
        if tool in rows:
            constructs.replaced.setdefault(rows[tool], "")


def _add_formulas(document: Document, names: ClassNames, constructs: Constructs) -> None:
    blocks = document.blocks
    elements = blocks.elements
    text = "\n".join(blocks.texts)
    has_marks = any(mark in text for mark in formulas.TEX_MARKS) or text.count("$") > 1
    constructs.renders_tex = has_marks and formulas.has_renderer(document.root, formulas.RENDERERS)
    constructs.renders_ascii = text.count("`") > 1 and formulas.has_renderer(document.root, formulas.ASCII_RENDERERS)
    has_forum_tex = "[/" in text and formulas.FORUM_TEX.search(text) is not None
    constructs.has_text_formulas = constructs.renders_tex or constructs.renders_ascii or has_forum_tex
    for row in np.flatnonzero(elements.tag == _CODE).tolist() if has_forum_tex else ():
        if match := formulas.FORUM_TEX.fullmatch("".join(elements.nodes[row].itertext()).strip()):
            constructs.replaced[row] = formulas.formula_html(match[1], is_display=False)
    found = set(names.rows(formulas.FORMULAS))
    if not document.tagged.keys().isdisjoint(formulas.TAGS):
        found |= {blocks.row_of[node] for node in document.root.iter(*formulas.TAGS) if node in blocks.row_of}
    end, covered = 0, set[int]()
    for row in sorted(found):
        node = elements.nodes[row]
        if row < end or row in constructs.replaced or node.tag in _NO_FORMULAS or next(node.iter(*_NOT_IN_FORMULAS), None) is not None:
            continue
        if _has_script(node):
            constructs.drawings.add(row)
        formula = "" if row in constructs.drawings else formulas.formula_of(node)
        if formula or row in constructs.drawings:
            constructs.replaced[row] = formula
            if formula and elements.piece[row] == elements.piece_end[row]:  # a script would draw it
                constructs.place(blocks, row, formula)
            end = int(elements.last[row]) + 1
            covered |= set(range(row, end))
    _add_formula_images(blocks, covered, constructs)
    for node, parent, piece in blocks.placed:
        if node.tag == "script" and parent not in covered and (formula := formulas.formula_of_script(node)):
            constructs.placed.append(Part(piece, parent, formula, is_inline=True))


def _add_formula_images(blocks: Blocks, covered: set[int], constructs: Constructs) -> None:
    """`covered`: rows of formulas and what is in them."""
    for row in np.flatnonzero(blocks.elements.tag == _IMG).tolist():
        image = "" if row in covered else formulas.formula_of_image(blocks.elements.nodes[row])
        if image:
            constructs.place(blocks, row, image)
        if image or row in covered:
            constructs.replaced.setdefault(row, "")


def _has_script(node: HtmlElement) -> bool:
    """Whether an element is MathJax 2's drawing of a script that stands beside it."""
    is_drawing = "mathjax" in (node.get("class") or "").lower() or node.tag == "mjx-chtml"
    siblings = islice(node.itersiblings(), 3) if is_drawing else ()
    return any(sibling.tag == "script" and (sibling.get("type") or "").startswith("math/") for sibling in siblings)


def _add_notes(blocks: Blocks, names: ClassNames, constructs: Constructs) -> None:
    """Footnotes, numbered in the order of their first references."""
    elements, nodes = blocks.elements, blocks.elements.nodes
    references, constructs.notes, labels = find_notes(blocks, names)
    numbers = {note: index + 1 for index, note in enumerate(dict.fromkeys(references[row] for row in sorted(references)))}
    for row, note in references.items():
        parent = int(elements.parent[row])
        is_alone = parent >= 0 and nodes[parent].tag == "sup" and len(nodes[parent]) == 1
        html = constructs.replaced[parent if is_alone else row] = f'<sup><a href="#fn-{numbers[note]}">{numbers[note]}</a></sup>'
        if note.text:
            constructs.inline_notes[html] = numbers[note], note.text
        else:
            constructs.notes.append((row, note.row))
    for note, number in numbers.items():
        if note.block >= 0:
            constructs.note_blocks[note.block] = number
            constructs.unwrapped.add(note.row)
        elif not note.text:
            tag = nodes[note.row].tag if nodes[note.row].tag in ("li", "p", "dd") else "div"
            constructs.marked[note.row] = f'<{tag!s} id="fn-{number}">'
    for row in labels:
        constructs.replaced.setdefault(row, "")


def _add_callouts(blocks: Blocks, names: ClassNames, constructs: Constructs) -> None:
    """Notices become quotes whose class is one of the five kinds that GitHub knows; inner ones belong to the outer."""
    elements, end = blocks.elements, 0
    details = np.flatnonzero(elements.tag == TAG_CODES["details"]).tolist()
    for row in sorted({*names.rows(_CALLOUTS), *details}):
        node = elements.nodes[row]
        words = _WORD.findall(f"{node.get('data-callout') or ''} {elements.classes[row]}".lower())
        kind = next((_CALLOUT_KINDS[word] for word in words if word in _CALLOUT_KINDS), "")
        is_small = 0 < elements.end[row] - elements.start[row] <= MAX_CALLOUT_BLOCKS
        if row >= end and kind and is_small and node.tag in _CALLOUT_TAGS and row not in constructs.marked:
            constructs.marked[row] = f'<blockquote class="{kind}">'
            constructs.callouts.add(row)
            end = int(elements.last[row]) + 1


def _add_slides(blocks: Blocks, names: ClassNames, constructs: Constructs) -> None:
    """Slides with an image and a caption at most become figures. Copies of slides, which loops have at their ends, are left out."""
    elements, end = blocks.elements, 0
    tracks = {track for track in names.rows(_SLIDES) if elements.nodes[track].tag not in INLINE}
    found = np.flatnonzero(np.isin(elements.parent, [*tracks])).tolist() if tracks else []
    for row in sorted({*found, *names.rows(_SLIDE)}):
        node, text = elements.nodes[row], slice(int(elements.start[row]), int(elements.end[row]))
        is_picture = next(node.iter("img"), None) is not None and next(node.iter(*_NO_CAPTION), None) is None
        if _CLONE.is_of(node):
            constructs.replaced.setdefault(row, "")
        elif row >= end and is_picture and blocks.chars[text].sum() <= MAX_CREDIT_CHARS and not blocks.link_chars[text].any():
            end = int(elements.last[row]) + 1
            inner = int(blocks.element[text.start]) if text.start < text.stop else row
            caption = next((one for one in (inner, *elements.around(inner)) if elements.parent[one] == row), row)
            constructs.slides[row] = caption
            constructs.marked |= {caption: "<figcaption>"} | {row: "<figure>"}
            constructs.unwrapped |= {int(elements.parent[row])} & tracks


def _add_readings(document: Document, constructs: Constructs) -> None:
    """Leaves out the readings beside Chinese and Japanese characters (ruby). A translation in Latin letters stays, in parentheses."""
    rows = {} if document.tagged.keys().isdisjoint(READINGS) else document.blocks.row_of
    for node in document.root.iter(*READINGS) if rows else ():
        text = " ".join("".join(node.itertext()).split())
        is_alone = all(next(node.itersiblings("rt", "rtc", preceding=is_before), None) is None for is_before in (True, False))
        is_translation = node.tag == "rt" and is_alone and _TRANSLATION.fullmatch(text)
        if node in rows:
            constructs.replaced[rows[node]] = f"（{escape(text)}）" if is_translation else ""


def _add_hidden(blocks: Blocks, constructs: Constructs) -> None:
    """Leaves out what stays hidden within lines, unless it holds a formula, code or a note."""
    if hidden := list(iter_hidden_inline(blocks)):
        holders = {outer for row, html in constructs.replaced.items() if html for outer in (row, *blocks.elements.around(row))}
        for row in hidden:
            if row not in holders:
                constructs.replaced.setdefault(row, "")


def _add_tools(blocks: Blocks, names: ClassNames, constructs: Constructs) -> None:
    """Leaves out edit links, anchors of headings and copy buttons."""
    nodes = blocks.elements.nodes
    _add_contents(blocks, names, constructs)
    for row in names.rows(_TOOLS):
        node = nodes[row]
        text = "".join(node.itertext()).strip()
        if len(text) <= MAX_BAR_CHARS and node.tag in ("a", "span", "button", "div"):
            constructs.replaced.setdefault(row, "")
    headings = np.flatnonzero(_IS_HEADING[blocks.elements.tag])
    for row in np.flatnonzero(rows_inside(blocks, headings) & _IS_ANCHOR[blocks.elements.tag]).tolist():
        if _ANCHOR_TEXT.fullmatch("".join(nodes[row].itertext()).strip() or "-"):
            constructs.replaced.setdefault(row, "")


def _add_contents(blocks: Blocks, names: ClassNames, constructs: Constructs) -> None:
    """Leaves out tables of contents: elements that are named so and hold little but links within the page."""
    elements, found = blocks.elements, set(names.rows(_CONTENTS))
    if any(word in name for name in map(str.lower, filter(None, elements.ids)) for word in _CONTENTS.literals):
        found |= {row for row, name in enumerate(elements.ids) if name and _CONTENTS.is_in(name)}
    for row in found:
        links = list(elements.nodes[row].iter("a"))
        chars = (len("".join(node.itertext())) for node in (elements.nodes[row], *links))
        is_within = all((link.get("href") or "#").startswith("#") for link in links)
        if is_within and len(links) > (elements.nodes[row].tag != "nav") and next(chars) <= 3 * sum(chars):
            constructs.replaced.setdefault(row, "")


def _add_players(document: Document, names: ClassNames, constructs: Constructs) -> None:
    blocks = document.blocks
    seen: set[str] = set()
    elements = blocks.elements
    found = [(piece, parent, player_of(document, node)) for node, parent, piece in blocks.placed]
    rows = sorted({*np.flatnonzero(elements.tag == 0).tolist(), *names.rows(PLAYERS)})  # unknown tags, and those named so
    found += [(int(elements.piece[row]), int(elements.parent[row]), player_of_id(elements.nodes[row])) for row in rows]
    for piece, parent, player in sorted(found, key=lambda one: one[0]):
        if player and player.url not in seen:
            seen.add(player.url)
            html = f'<p><a href="{escape(player.url)}">{escape(player.title or player.url)}</a></p>'
            constructs.placed.append(Part(piece, parent, html, is_inline=False))
            constructs.players.append((piece, player))
