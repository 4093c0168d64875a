"""Chosen blocks -> cleaned HTML, with only allowed tags and absolute http(s) links, and the plain text of an item, in one walk."""

from __future__ import annotations

import re
from html import escape
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import INLINE, TAG_CODES, is_inline
from webcontent.document.rich_text.constructs import Part
from webcontent.document.rich_text.formulas import with_broken_formulas, with_formulas
from webcontent.document.rich_text.images import image_url, is_fallback, is_pixel, rows_inside
from webcontent.document.rich_text.nesting import around_text, nested
from webcontent.document.rich_text.plain import BULLET, INDENT, is_marked, plain_text
from webcontent.document.text import body_text

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document
    from webcontent.document.rich_text.constructs import Constructs
    from webcontent.document.rich_text.nesting import Chain

KEPT_BLOCKS = frozenset(
    "p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre table caption thead tbody tfoot tr td th figure figcaption details "
    "summary".split()
)
"""Block-level tags that cleaned HTML keeps."""
KEPT_INLINE = frozenset("a b strong i em u s del ins mark small sub sup code q cite abbr kbd samp var time".split())
"""Inline tags that cleaned HTML keeps."""
MAX_NESTING = 64
"""Nested elements in cleaned HTML; deeper ones lose their tags, not their text."""
AROUND_TEXT = 0.7
"""The smallest element with this share of the chosen text is where images are looked for."""
MAX_PLAYER_GAP = 4
"""Blocks between a player and the chosen text, such as a byline below a video."""
_OF_PARAGRAPHS = frozenset(("blockquote", "details"))
"""Elements whose text is written in paragraphs, because other paragraphs stand beside it."""
_KEPT_APART, _CODE = frozenset(("a", "span", "time", "cite", "button", "label")), frozenset(("code", "pre", "kbd", "samp"))
_FIGURE = TAG_CODES["figure"]
_DIGITS = re.compile(r"\d{1,5}")
_BLOCK_LEVEL = ("<pr", "<p>")
"""How block-level HTML in place of an element begins."""
_NEWLINES_OF_PRE = re.compile(r"<pre>\n+")
"""Parsers drop the first line break of a pre element."""


def body_texts(
    document: Document, kept: NDArray[np.bool_], constructs: Constructs, shown: NDArray[np.bool_] | None = None
) -> tuple[str, str]:
    """The kept blocks as plain text; the shown ones, those and others, as cleaned HTML, which is safe to put into a page.

    Images and players between shown blocks stay in place.
    """
    shown = kept if shown is None else shown
    writer = _Writer(document, constructs, kept)
    html = writer.write(np.flatnonzero(shown).tolist(), _placed_parts(document, constructs, shown)) if shown.any() else ""
    html = with_broken_formulas(html) if constructs.renders_tex else html
    notes = [(number, text) for reference, (number, text) in constructs.inline_notes.items() if reference in html]
    html += "".join([f'<p id="fn-{number}">{escape(text)}</p>' for number, text in notes])
    text = "\n".join([body_text(document.blocks, kept, writer.texts.__getitem__), *(f"[{number}] {text}" for number, text in notes)])
    return text, _NEWLINES_OF_PRE.sub("<pre>", html).strip()


class _Writer:
    """Writes cleaned HTML: the parts so far, and the rows of the elements that are open."""

    def __init__(self, document: Document, constructs: Constructs, kept: NDArray[np.bool_]) -> None:
        self.document = document
        self.constructs = constructs
        self.kept = kept.tolist()
        self.texts: dict[int, str] = {}
        """The plain text of each kept block."""
        self.is_changed = False
        """Whether the block that is written has another text than the page's."""
        self.mark, self.numbers = "", dict[int, int]()
        """The mark of the list item that the next text begins; list -> number of its last item."""
        self.blocks = document.blocks
        self.nodes = document.blocks.elements.nodes
        self.chains = _Chains(document.blocks, constructs)
        self.owner = constructs.owners.tolist() if constructs.replaced else None
        self.parts: list[str] = []
        self.open_rows: list[int] = []
        self.closings: list[str] = []
        """The closing tags of the open elements."""
        self.unkept: dict[int, str] = {}
        """Replaced element -> its HTML, while none of its blocks so far is kept."""
        self.emitted: set[int] = set()
        """Replaced elements that were written."""
        self.placed: list[Part] = []
        self.position = 0
        """Number of placed parts that were written."""
        self.paragraph = "<p>"
        self.opens_paragraph = self.in_paragraph = False
        """Whether the next text begins a paragraph of its own; whether it is in one."""

    def write(self, picked: list[int], placed: list[Part]) -> str:
        """The picked blocks, with the placed parts between and in them."""
        self.placed = placed
        starts, holders, is_picked = self.blocks.piece_start.tolist(), self.blocks.element.tolist(), set(picked).__contains__
        for block in picked:
            holder = holders[block]
            if self.position < len(placed):
                self._place_before(starts[block], holder)
            around = self.chains.block_level(holder)
            count, self.is_changed = len(self.parts), False
            if self.owner is not None and self._write_replaced(starts[block]):
                self._keep_text(block, count, self.owner[starts[block]])
                continue
            self.opens_paragraph, self.in_paragraph = self._is_bare(around), False
            note = self.constructs.note_blocks.get(block)
            self.paragraph = f'<p id="fn-{note}">' if note else "<p>"
            self._texts(block, starts[block], starts[block + 1], around)
            self._place_inline(starts[block + 1], holder, starts[block])
            self._keep_text(block, count)
            is_line = not self.in_paragraph and is_picked(block + 1) and len(self.parts) > count and self.parts[-1][:3] not in _BLOCK_LEVEL
            self._end_paragraph(around)
            if is_line and self.chains.block_level(holders[block + 1]) == around:
                self._change(around)
                self.parts.append("\n" if self.blocks.preformatted[block] else "<br>")
        for part in self.placed[self.position :]:
            self._place(part)
        self._change([])
        return "".join(self.parts)

    def _keep_text(self, block: int, first: int, replaced: int = -1) -> None:
        """Keeps the plain text of a block, whose HTML begins with the part `first`; `replaced`: the row of what replaces the block.

        The text of a replaced element is that of its first kept block, whatever blocks are shown before it.
        """
        html = "".join(self.parts[first:]) or self.unkept.pop(replaced, "")
        if not self.kept[block]:
            self.unkept |= {replaced: html} if replaced >= 0 else {}
            return
        text = plain_text(html) if self.is_changed or "<sup>" in html else self.blocks.texts[block]
        if text and self.mark:
            text = text if is_marked(text) or "<pre>" in html else self.mark + text
            self.mark = ""
        self.texts[block] = text

    def _end_paragraph(self, around: list[int]) -> None:
        if self.in_paragraph:
            self._change(around)
            self.parts.append("</p>")

    def _texts(self, block: int, first: int, last: int, around: list[int]) -> None:
        """The pieces [first, last) of one block, with the inline elements around them."""
        preformatted = bool(self.blocks.preformatted[block])
        owner = self.owner
        for place in range(first, last):
            text, row = self.blocks.pieces[place]
            if place > first and self.position < len(self.placed):
                self._place_inline(place, int(self.blocks.element[block]), first)
            if owner is not None and (replaced := owner[place]) >= 0:
                self.is_changed = True
                if replaced not in self.emitted:
                    self.emitted.add(replaced)
                    write = self._block if self.constructs.replaced[replaced].startswith(_BLOCK_LEVEL) else self._inline
                    write(self.constructs.replaced[replaced], int(self.blocks.elements.parent[replaced]), around)
                continue
            text = text if preformatted else _collapsed(text, place == first, place == last - 1)
            if place > first and self._is_glued(place):
                self.is_changed = True
                self._inline(" ", int(self.blocks.elements.parent[row]), around)
            is_tex = self.constructs.has_text_formulas and not preformatted and self.nodes[row].tag not in _CODE
            renders = {"is_rendered": self.constructs.renders_tex, "is_ascii": self.constructs.renders_ascii}
            html = with_formulas(text, **renders) if is_tex else escape(text)
            self.is_changed |= is_tex
            self._inline(html, row, around)

    def _is_glued(self, place: int) -> bool:
        """Whether a piece of text and the one before it are words of two siblings that style sheets alone keep apart.

        A small letter before a capital is the sign: within a word that two elements divide, it is rare.
        """
        (before, row_before), (text, row) = self.blocks.pieces[place - 1], self.blocks.pieces[place]
        if row == row_before or not text[:1].isupper() or not before[-1:].islower():
            return False
        parent, other = int(self.blocks.elements.parent[row]), self.blocks.elements.parent[row_before]
        return parent == other and {self.nodes[row].tag, self.nodes[row_before].tag} <= _KEPT_APART and self.nodes[parent].tag not in _CODE

    def _inline(self, html: str, row: int, around: list[int]) -> None:
        """Inline HTML in the element of a row."""
        if not html:
            return
        kept = self.chains.kept(row)
        # An inline element around the block would have to be opened before the paragraph, inside of it, and so would end it.
        is_inside = kept[: len(around)] == around
        if self.opens_paragraph and is_inside:
            self._change(around)
            self.parts.append(self.paragraph)
            self.in_paragraph = True
        elif self.in_paragraph and not is_inside:
            self._end_paragraph(around)
            self.in_paragraph = False
        self.opens_paragraph = False
        self._change(kept)
        self.parts.append(html)

    def _block(self, html: str, row: int, around: list[int]) -> None:
        """Block-level HTML in the element of a row, between texts of one block."""
        self._end_paragraph(around)
        self.opens_paragraph, self.in_paragraph = self.in_paragraph or self.opens_paragraph, False
        self._change(self._around_blocks(row))
        self.parts.append(html)

    def _around_blocks(self, row: int) -> list[int]:
        """The kept elements around block-level HTML in the element of a row: it would end a paragraph."""
        return [kept for kept in self.chains.block_level(row) if kept < 0 or self.nodes[kept].tag != "p"]

    def _write_replaced(self, piece: int) -> bool:
        """Writes the block-level element that replaces a block; False if nothing does."""
        if self.owner is None or (row := int(self.owner[piece])) < 0 or is_inline(self.nodes[row]):
            return False
        self.is_changed = True
        if row not in self.emitted:
            self.emitted.add(row)
            if html := self.constructs.replaced[row]:
                self._change(self._around_blocks(int(self.blocks.elements.parent[row])))
                self.parts.append(html)
        return True

    def _place_before(self, piece: int, holder: int) -> None:
        """The placed parts before a block. Inline parts that its element holds are left for its text."""
        while self.position < len(self.placed) and (part := self.placed[self.position]).piece <= piece:
            if part.is_inline and part.piece == piece and self._holder(part.parent) == holder:
                break
            self._place(part)
            self.position += 1

    def _place_inline(self, piece: int, holder: int, first: int) -> None:
        """The inline parts within and at the end of a block that begins with the piece `first`. Players are left for what follows."""
        while self.position < len(self.placed) and (part := self.placed[self.position]).piece <= piece:
            if not part.is_inline or self._holder(part.parent) != holder:
                return
            self.is_changed = True
            is_apart = part.piece > first and self.blocks.pieces[part.piece - 1][0][-1:].isspace()
            is_apart = is_apart and bool(self.parts) and not self.parts[-1].endswith(" ")
            self._inline(" " * is_apart + part.html, part.parent, self.chains.block_level(holder))
            self.position += 1

    def _place(self, part: Part) -> None:
        """A part between blocks; an inline one in a paragraph of its own."""
        around = self.chains.block_level(part.parent) if part.is_inline else self._around_blocks(part.parent)
        self._change(around)
        is_bare = self._is_bare(around)
        self.parts.append(f"<p>{part.html}</p>" if part.is_inline and is_bare else part.html)

    def _is_bare(self, around: list[int]) -> bool:
        """Whether a text in elements needs a paragraph of its own."""
        return not around or self.nodes[around[-1]].tag in _OF_PARAGRAPHS or around[-1] in self.constructs.callouts

    def _holder(self, row: int) -> int:
        """Row of the innermost block-level element around a row."""
        return next(outer for outer in (row, *self.blocks.elements.around(row)) if outer <= 0 or not is_inline(self.nodes[outer]))

    def _change(self, wanted: list[int]) -> None:
        """Closes and opens elements until exactly `wanted` are open."""
        open_rows = self.open_rows
        if open_rows == wanted:
            return
        shared, most = 0, min(len(open_rows), len(wanted))
        while shared < most and open_rows[shared] == wanted[shared]:
            shared += 1
        while len(open_rows) > shared:
            if self.nodes[open_rows.pop()].tag == "li":
                self.mark = ""
            self.parts.append(self.closings.pop())
        for row in wanted[shared:]:
            tag = self._opening_tag(row)
            if tag.startswith("<li"):
                self.mark = self._mark_of(row)
            open_rows.append(row)
            self.parts.append(tag)
            self.closings.append(f"</{tag[tag.rindex('<') + 1 : -1].partition(' ')[0]}>")

    def _mark_of(self, row: int) -> str:
        """The mark of a list item in plain text, with an indent for each item around it."""
        indent, parent = INDENT * sum(self.nodes[outer].tag == "li" for outer in self.open_rows), int(self.blocks.elements.parent[row])
        if self.nodes[parent].tag != "ol":
            return indent + BULLET
        start = self.nodes[parent].get("start") or ""
        self.numbers[parent] = self.numbers.get(parent, int(start) - 1 if _DIGITS.fullmatch(start) else 0) + 1
        return f"{indent}{self.numbers[parent]}. "

    def _opening_tag(self, row: int) -> str:
        if row < 0:  # a table part that the page leaves out, by the element around it
            return "<tbody>" if self.nodes[-2 - row].tag == "table" else "<tr>"
        if row in self.constructs.credits and self.nodes[row].tag != "figcaption":
            is_apart = not self.parts or self.parts[-1][-1:].isspace()
            return "<cite>" if is_apart else " <cite>"
        return self.constructs.marked.get(row) or _opening_tag(self.document, self.nodes[row])


def _collapsed(text: str, is_first: bool, is_last: bool) -> str:
    """White space as a browser shows it: runs become one space, none at the ends of a block."""
    inner = " ".join(text.split())
    before = "" if is_first or not text[:1].isspace() else " "
    after = "" if is_last or not text[-1:].isspace() or not inner else " "
    return before + inner + after


class _Chains:
    """For each element the kept elements around its text, itself included, outermost first: as rows.

    A row below 0 is a table part that the page leaves out, see `nesting`.
    """

    def __init__(self, blocks: Blocks, constructs: Constructs) -> None:
        self.marked, self.unwrapped, self.credits = constructs.marked, constructs.unwrapped, constructs.credits
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
            is_kept = name in KEPT_BLOCKS or name in KEPT_INLINE or place in self.marked or place in self.credits
            if is_kept and len(chain) < MAX_NESTING and place not in self.unwrapped:
                implied = -2 - chain[-1][1] if chain else 0  # one for each table or row group
                chain = nested(chain, str(name), place, implied)
            self.chains[place] = chain
        shown = around_text(chain)
        block_level = [
            key for name, key in shown if name in KEPT_BLOCKS or key in self.marked or (key in self.credits and name not in INLINE)
        ]
        self.texts[row] = [key for _, key in shown], block_level
        return self.texts[row]


def _opening_tag(document: Document, node: HtmlElement) -> str:
    name = node.tag
    if name == "a" and (url := document.absolute(node.get("href"))):
        return f'<a href="{escape(url)}">'
    if name == "ol" and _DIGITS.fullmatch(start := node.get("start") or "") and start != "1":
        return f'<ol start="{start}">'
    if name not in ("td", "th"):
        return f"<{name!s}>"
    spans = "".join(f' {name}="{value}"' for name in ("colspan", "rowspan") if _DIGITS.fullmatch(value := node.get(name) or ""))
    return f"{_empty_cells_before(node)}<{node.tag!s}{spans}>"


def _empty_cells_before(node: HtmlElement) -> str:
    """The empty cells between a table cell and the one before it. Without them the row's columns would shift."""
    before = takewhile(
        lambda cell: cell.tag in ("td", "th") and not len(cell) and not (cell.text or "").strip(), node.itersiblings(preceding=True)
    )
    return "".join([f"<{cell.tag!s}></{cell.tag!s}>" for cell in before])


def _placed_parts(document: Document, constructs: Constructs, chosen: NDArray[np.bool_]) -> list[Part]:
    """Images, players and formulas without text that belong to the chosen blocks, in order."""
    blocks = document.blocks
    elements, holder = blocks.elements, holder_of_text(blocks, chosen)
    seen: set[str] = set()
    images = _images_between(blocks, chosen, holder, constructs)
    parts = [
        Part(int(elements.piece[row]), int(elements.parent[row]), html, is_inline=bool(blocks.piece_start[block] < elements.piece[row]))
        for row, block in zip(images.tolist(), _blocks_at(blocks, elements.piece[images]).tolist(), strict=True)
        if (html := _image_html(document, row, seen))
    ]
    places = _blocks_at(blocks, [part.piece for part in constructs.placed]).tolist()
    for part, block in zip(constructs.placed, places, strict=True):
        is_inside = int(elements.piece[holder]) <= part.piece <= int(elements.piece_end[holder])
        before, behind = (1, 1) if part.is_inline else (MAX_PLAYER_GAP, MAX_PLAYER_GAP) if is_inside else (0, 0)
        if chosen[max(0, block - before) : block + behind].any():
            parts.append(part)
    return sorted(parts, key=lambda part: part.piece)


def _blocks_at(blocks: Blocks, pieces: Any) -> NDArray[np.intp]:
    """The blocks of pieces of text."""
    return np.searchsorted(blocks.piece_start, np.asarray(pieces, np.int64), side="right") - 1


def holder_of_text(blocks: Blocks, chosen: NDArray[np.bool_]) -> int:
    """Row of the smallest element with most of the chosen text."""
    sums = blocks.subtree_sums(np.where(chosen, blocks.chars, 0))
    total = float(sums[0]) if len(sums) else 0.0
    return int(np.flatnonzero(sums >= AROUND_TEXT * total)[-1]) if total else 0


def _images_between(blocks: Blocks, chosen: NDArray[np.bool_], holder: int, constructs: Constructs) -> NDArray[np.intp]:
    """Rows of the images that belong to the chosen text: those beside it in the smallest element around most of it, and captioned ones."""
    elements = blocks.elements
    rows, figures = (np.flatnonzero(elements.tag == tag) for tag in (TAG_CODES["img"], _FIGURE))
    figures = np.append(figures, np.array([*constructs.slides], np.intp))
    if not len(rows):
        return rows
    inside = (elements.start[rows] >= elements.start[holder]) & (elements.end[rows] <= elements.end[holder]) & (rows > holder)
    around = np.append(chosen, False)
    near = around[np.minimum(elements.start[rows], len(chosen))] | around[np.maximum(elements.start[rows] - 1, 0)]
    before = np.append(0, np.cumsum(chosen))
    captioned = rows_inside(blocks, figures[before[elements.end[figures]] > before[elements.start[figures]]])
    covered = rows_inside(blocks, np.fromiter(constructs.replaced, np.int64, len(constructs.replaced)))
    found: NDArray[np.intp] = rows[((inside & near) | captioned[rows]) & ~covered[rows]]
    return found


def _image_html(document: Document, row: int, seen: set[str]) -> str:
    """An image; "" for one without address and for one that was written before. `seen`: addresses, updated inline."""
    node = document.blocks.elements.nodes[row]
    url = image_url(document, node)
    if not url or url in seen or is_pixel(node) or is_fallback(node):
        return ""
    seen.add(url)
    return f'<img src="{escape(url)}" alt="{escape(node.get("alt") or "")}">'
