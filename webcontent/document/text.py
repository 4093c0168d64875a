"""Chosen blocks -> plain text and cleaned HTML."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.rich_text.nesting import IMPLIED_ROW_GROUP, around_text, nested

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document
    from webcontent.document.rich_text.nesting import Chain

_CELLS = [TAG_CODES["td"], TAG_CODES["th"]]
_ROW = TAG_CODES["tr"]

KEPT_BLOCKS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption thead tbody tfoot tr td th figure figcaption".split()
)
"""Block-level tags that cleaned HTML keeps."""
KEPT_INLINE = frozenset("a b strong i em u s del ins mark small sub sup code q cite abbr kbd samp var time".split())
"""Inline tags that cleaned HTML keeps."""
MAX_NESTING = 64
"""Nested elements in cleaned HTML; deeper ones lose their tags, not their text."""
MAX_ROW_BLOCKS = 64
"""Blocks of a table row that becomes one line of plain text."""
AROUND_TEXT = 0.7
"""The smallest element with this share of the chosen text is where images are looked for."""
_LAZY_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-url", "src")
_DIGITS = re.compile(r"\d{1,5}")
_NEWLINES_OF_PRE = re.compile(r"<pre>\n+")
"""Parsers drop the first line break of a pre element."""


def body_text(blocks: Blocks, chosen: NDArray[np.bool_]) -> str:
    """The chosen blocks as plain text: a line a block; the cells of a table row share a line, separated by tabs."""
    rows = _simple_rows(blocks)
    lines: list[str] = []
    last_row = -1
    for i in np.flatnonzero(chosen).tolist():
        row = int(rows[i])
        if row >= 0 and row == last_row:
            lines[-1] += "\t" + blocks.texts[i]
        else:
            lines.append(blocks.texts[i])
        last_row = row
    return "\n".join(lines)


def _simple_rows(blocks: Blocks) -> NDArray[np.int32]:
    """For each block the table row that makes one line, -1 for none.

    These are the rows without a cell of more than one block; layout tables have such cells.
    """
    result = np.full(len(blocks), -1, np.int32)
    elements = blocks.elements
    lengths = elements.end - elements.start
    rows = np.flatnonzero((elements.tag == _ROW) & (lengths >= 2) & (lengths <= MAX_ROW_BLOCKS))
    if not len(rows):
        return result
    longest = np.zeros(len(elements), np.int32)  # for each element the blocks of its longest cell
    cells = np.flatnonzero(np.isin(elements.tag, _CELLS))
    np.maximum.at(longest, elements.parent[cells], lengths[cells])
    for row in rows[longest[rows] == 1].tolist():
        result[elements.start[row] : elements.end[row]] = row
    return result


def body_html(document: Document, chosen: NDArray[np.bool_]) -> str:
    """The chosen blocks as cleaned HTML: only allowed tags, absolute http(s) links, everything else escaped.

    Images between chosen blocks stay in place. The result is safe to put into a page.
    """
    picked = np.flatnonzero(chosen).tolist()
    return _Writer(document).write(picked, _images_between(document.blocks, chosen)).strip() if picked else ""


class _Writer:
    """Writes cleaned HTML: the parts so far, and the rows of the elements that are open."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks = document.blocks
        self.nodes = document.blocks.elements.nodes
        self.chains = _Chains(document.blocks)
        self.parts: list[str] = []
        self.open_rows: list[int] = []

    def write(self, picked: list[int], images: list[int]) -> str:
        """The picked blocks, with the images (rows of elements) in their places between them."""
        places = self.blocks.elements.piece[images].tolist()
        piece_start, holders, is_picked = self.blocks.piece_start.tolist(), self.blocks.element.tolist(), set(picked).__contains__
        position = 0
        for block in picked:
            while position < len(images) and places[position] <= piece_start[block]:
                self._image(images[position])
                position += 1
            holder = holders[block]
            around = self.chains.block_level(holder)
            preformatted = bool(self.blocks.preformatted[block])
            if not around:  # text outside of the kept block elements is a paragraph
                self._change([])
                self.parts.append("<p>")
            self._texts(piece_start[block], piece_start[block + 1], preformatted=preformatted)
            if not around:
                self._change([])
                self.parts.append("</p>")
            elif is_picked(block + 1) and holders[block + 1] == holder:
                self._change(around)
                self.parts.append("\n" if preformatted else "<br>")
        for row in images[position:]:
            self._image(row)
        self._change([])
        return _NEWLINES_OF_PRE.sub("<pre>", "".join(self.parts))

    def _texts(self, first: int, last: int, *, preformatted: bool) -> None:
        """The pieces [first, last) of one block, with the inline elements around them."""
        for place in range(first, last):
            text, row = self.blocks.pieces[place]
            self._change(self.chains.kept(row))
            self.parts.append(escape(text if preformatted else _collapsed(text, place == first, place == last - 1)))

    def _image(self, row: int) -> None:
        """An image in its place."""
        if html := _image_html(self.document, row):
            self._change(self.chains.block_level(int(self.blocks.elements.parent[row])))
            self.parts.append(html)

    def _change(self, wanted: list[int]) -> None:
        """Closes and opens elements until exactly `wanted` are open."""
        open_rows = self.open_rows
        if open_rows == wanted:
            return
        shared = 0
        while shared < min(len(open_rows), len(wanted)) and open_rows[shared] == wanted[shared]:
            shared += 1
        while len(open_rows) > shared:
            row = open_rows.pop()
            self.parts.append(f"</{self.nodes[row].tag if row >= 0 else IMPLIED_ROW_GROUP!s}>")
        for row in wanted[shared:]:
            self.parts.append(_opening_tag(self.document, self.nodes[row]) if row >= 0 else f"<{IMPLIED_ROW_GROUP}>")
            open_rows.append(row)


def _collapsed(text: str, is_first: bool, is_last: bool) -> str:
    """White space as a browser shows it: runs become one space, none at the ends of a block."""
    inner = " ".join(text.split())
    before = "" if is_first or not text[:1].isspace() else " "
    after = "" if is_last or not text[-1:].isspace() or not inner else " "
    return before + inner + after


class _Chains:
    """For each element the kept elements around its text, itself included, outermost first: as rows.

    A row below 0 is a row group that the page leaves out, see `nesting`.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.nodes = blocks.elements.nodes
        self.parent = blocks.elements.parent.tolist()
        self.chains: dict[int, Chain[int]] = {-1: ()}
        self.texts: dict[int, tuple[list[int], list[int]]] = {-1: ([], [])}
        """Row -> (kept elements around a text, the block-level ones among them)."""

    def kept(self, row: int) -> list[int]:
        return (self.texts.get(row) or self._find(row))[0]

    def block_level(self, row: int) -> list[int]:
        return (self.texts.get(row) or self._find(row))[1]

    def _find(self, row: int) -> tuple[list[int], list[int]]:
        pending, place = [], row
        while place not in self.chains:
            pending.append(place)
            place = self.parent[place]
        chain = self.chains[place]
        for place in reversed(pending):
            name = self.nodes[place].tag
            if len(chain) < MAX_NESTING and (name in KEPT_BLOCKS or name in KEPT_INLINE):
                implied = -2 - chain[-1][1] if chain else 0  # one for each table
                chain = nested(chain, name, place, implied)
            self.chains[place] = chain
        shown = around_text(chain)
        self.texts[row] = [key for _, key in shown], [key for name, key in shown if name in KEPT_BLOCKS]
        return self.texts[row]


def _opening_tag(document: Document, node: HtmlElement) -> str:
    name = node.tag
    if name == "a" and (url := document.absolute(node.get("href"))):
        return f'<a href="{escape(url)}">'
    if name not in ("td", "th"):
        return f"<{name!s}>"
    spans = "".join(f' {name}="{value}"' for name in ("colspan", "rowspan") if _DIGITS.fullmatch(value := node.get(name) or ""))
    return f"{_empty_cells_before(node)}<{node.tag!s}{spans}>"


def _empty_cells_before(node: HtmlElement) -> str:
    """The empty cells between a table cell and the one before it. Without them the row's columns would shift."""
    cells = ""
    before = node.getprevious()
    while before is not None and before.tag in ("td", "th") and not len(before) and not (before.text or "").strip():
        cells += f"<{before.tag}></{before.tag}>"
        before = before.getprevious()
    return cells


def _images_between(blocks: Blocks, chosen: NDArray[np.bool_]) -> list[int]:
    """Rows of the images that belong to the chosen text: those beside it in the smallest element around most of it."""
    elements = blocks.elements
    rows = np.flatnonzero(elements.tag == TAG_CODES["img"])
    if not len(rows):
        return []
    sums = blocks.subtree_sums(np.where(chosen, blocks.chars, 0))
    total = float(sums[0]) if len(sums) else 0.0
    holder = int(np.flatnonzero(sums >= AROUND_TEXT * total)[-1]) if total else 0
    inside = (elements.start[rows] >= elements.start[holder]) & (elements.end[rows] <= elements.end[holder]) & (rows > holder)
    around = np.concatenate((chosen, [False]))
    near = around[np.minimum(elements.start[rows], len(chosen))] | around[np.maximum(elements.start[rows] - 1, 0)]
    images: list[int] = rows[inside & near].tolist()
    return images


def _image_html(document: Document, row: int) -> str:
    node = document.blocks.elements.nodes[row]
    url = image_url(document, node)
    return f'<img src="{escape(url)}" alt="{escape(node.get("alt") or "")}">' if url else ""


def image_url(document: Document, node: HtmlElement) -> str | None:
    """Address of an image, lazily loaded ones included; None for data: URIs and the like."""
    for name in _LAZY_SOURCES:
        if url := document.absolute(node.get(name)):
            return url
    sources = (node.get("srcset") or node.get("data-srcset") or "").split(",")
    return document.absolute(sources[-1].split()[0]) if sources[-1].split() else None
