"""Tables in the form that Markdown has: one header row, rows of equal length, cells of one line.

Cells that span columns or rows are repeated, so that each row can be read alone. Header rows are merged into one. A table whose cells hold
code, tables or quotes stays HTML. A table with one column is layout.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from lxml import etree

from webcontent.markdown.structure import HEADINGS
from webcontent.markdown.trees import append_text, has_content, move_content, strip_tags, strip_unwrapped, unwrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from webcontent.markdown.tokens import Tokens

    Cell = HtmlElement
    Row = list[HtmlElement | None]

MAX_COLUMNS = 200
MAX_CELLS = 50_000
"""A table that would be larger with its spans filled in stays HTML."""
MAX_SPAN = 1000
"""Columns or rows of a cell, as browsers read them."""
_WILD = ("table", "pre", "blockquote", "details", *HEADINGS)
"""What a cell of a Markdown table can't hold."""
_LINES = frozenset(("p", "div", "li", "ul", "ol", "dl", "section"))
"""Blocks that become lines of a cell."""
_PARTS = ("thead", "tbody", "tfoot")
_ATTRIBUTES = frozenset(("colspan", "rowspan", "href", "src", "alt"))
"""What a table that stays HTML keeps."""


def tidy_tables(root: HtmlElement, tokens: Tokens) -> None:
    """Brings all tables of a tree into the form of Markdown; updated inline."""
    for table in list(root.iter("table")):
        if any(parent.tag == "table" for parent in table.iterancestors()):
            continue  # it goes with the table around it
        rows = table_rows(table)
        if max(map(len, rows), default=0) <= 1 or all(len(row) <= 1 for row in rows):
            _unwrap(table, rows)
        elif any(table.find(f".//{tag}") is not None for tag in _WILD) or (grid := _grid(rows)) is None:
            _keep_html(table, tokens)
        else:
            _rebuild(table, rows, grid)


def table_rows(table: HtmlElement) -> list[list[Cell]]:
    """The cells of each row of a table, without those of nested tables."""
    rows = [row for part in table for row in ([part] if part.tag == "tr" else part if part.tag in _PARTS else ()) if row.tag == "tr"]
    return [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]


def _grid(rows: list[list[Cell]]) -> list[Row] | None:
    """The rows with the cells of all columns; None where they are too many."""
    grid: list[Row] = []
    open_spans: dict[int, tuple[int, Cell]] = {}  # column -> rows that its cell still covers
    count = 0
    for row in rows:
        line: Row = []
        cells = iter(row)
        cell = next(cells, None)
        while cell is not None or any(column >= len(line) for column in open_spans):
            column = len(line)
            if column in open_spans:
                left, spanning = open_spans.pop(column)
                line.append(spanning)
                if left > 1:
                    open_spans[column] = (left - 1, spanning)
            elif cell is None:
                line.append(None)
            else:
                width, height = _span(cell, "colspan"), _span(cell, "rowspan")
                line += [cell] * width
                if height > 1:
                    open_spans |= {column + offset: (height - 1, cell) for offset in range(width)}
                cell = next(cells, None)
            if len(line) > MAX_COLUMNS:
                return None
        count += len(line)
        if count > MAX_CELLS:
            return None
        grid.append(line)
    width = max(map(len, grid), default=0)
    return [line + [None] * (width - len(line)) for line in grid] if width * len(grid) <= MAX_CELLS else None


def _span(cell: Cell, name: str) -> int:
    value = cell.get(name) or ""
    return min(MAX_SPAN, max(1, int(value))) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _rebuild(table: HtmlElement, rows: list[list[Cell]], grid: Sequence[Row]) -> None:
    """The table with one header row and rows of equal length. Its captions become paragraphs before it."""
    for node in [node for node in table if node.tag == "caption"]:
        if has_content(node):
            strip_tags(node, "p", "div", "i", "em")
            caption, emphasis = table.makeelement("p"), table.makeelement("i")
            move_content(node, emphasis)
            caption.append(emphasis)
            table.addprevious(caption)
    for row in rows:
        for cell in row:
            _flatten(cell)
    headers = _header_rows(rows)
    width = len(grid[0])
    head = [_merged(table, [grid[row][column] for row in range(headers)]) for column in range(width)]
    lines = [head, *([_copy(table, cell) for cell in line] for line in grid[headers:] if any(cell is not None for cell in line))]
    tail = table.tail
    table.clear()
    table.tail = tail
    for number, line in enumerate(lines):
        part = etree.SubElement(table, "thead" if number == 0 else "tbody") if number < 2 else table[-1]
        added = etree.SubElement(part, "tr")
        for cell in line:
            cell.tag = "th" if number == 0 else "td"
            added.append(cell)


def _header_rows(rows: list[list[Cell]]) -> int:
    """The number of rows at the beginning that hold headers: those of <thead>, or of <th> alone."""
    count = 0
    for row in rows:
        parent = row[0].getparent() if row else None
        part = parent.getparent() if parent is not None else None
        is_head = part is not None and part.tag == "thead"
        if row and not (is_head or all(cell.tag == "th" for cell in row)):
            break
        count += 1
    return count if count < len(rows) else min(count, 1)


def _merged(table: HtmlElement, cells: Sequence[Cell | None]) -> Cell:
    """One header of the headers above each other, each once."""
    merged = table.makeelement("th")
    for cell in dict.fromkeys(cell for cell in cells if cell is not None):
        if has_content(cell):
            if has_content(merged):
                append_text(merged, " ")
            move_content(_copy(table, cell), merged)
    return merged


def _copy(table: HtmlElement, cell: Cell | None) -> Cell:
    """A cell of its own for each place, without attributes and tail."""
    copied = table.makeelement("td") if cell is None else deepcopy(cell)
    copied.attrib.clear()
    copied.tail = None
    return copied


def _flatten(cell: Cell) -> None:
    """Makes one line of a cell: its blocks are separated by <br>, list items begin with a bullet."""
    for node in list(cell.iterdescendants()):
        if node.tag not in _LINES:
            continue
        if node.tag == "li":
            node.text = f"• {(node.text or '').lstrip()}"
        if _has_text_before(cell, node):
            node.addprevious(node.makeelement("br"))
        if (node.tail or "").strip() and has_content(node):
            node.addnext(_break_with_tail(node))
        unwrap(node)
    strip_unwrapped(cell)


def _break_with_tail(node: HtmlElement) -> HtmlElement:
    line_break = node.makeelement("br")
    line_break.tail, node.tail = node.tail, None
    return line_break


def _has_text_before(cell: Cell, node: HtmlElement) -> bool:
    """Whether there is content in a cell before a node, and no line break directly before it."""
    previous = node.getprevious()
    if previous is not None:
        if (previous.tail or "").strip():
            return True
        if previous.tag == "br":
            return False
        return has_content(previous) or _has_text_before(cell, previous)
    parent = node.getparent()
    if parent is None or (parent.text or "").strip():
        return parent is not None
    return parent is not cell and _has_text_before(cell, parent)


def _unwrap(table: HtmlElement, rows: list[list[Cell]]) -> None:
    """Takes the tags of a layout table away; its cells become blocks."""
    for row in rows:
        for cell in row:
            cell.tag = "div"
    for node in list(table):
        if node.tag in _PARTS:
            for part_row in list(node):
                part_row.drop_tag()
        if node.tag == "caption":
            node.tag = "p"
        else:
            node.drop_tag()
    table.tag = "div"


def _keep_html(table: HtmlElement, tokens: Tokens) -> None:
    """The table as HTML, without blank lines, which would end it."""
    for node in table.iter():
        for name in [name for name in node.attrib if name not in _ATTRIBUTES]:
            del node.attrib[name]
    tail, table.tail = table.tail, None
    html = etree.tostring(table, encoding="unicode", method="html")
    while "\n\n" in html:
        html = html.replace("\n\n", "\n&#10;")
    paragraph = table.makeelement("p")
    paragraph.text, paragraph.tail = tokens.add(html.strip()), tail
    parent = table.getparent()
    if parent is not None:
        parent.replace(table, paragraph)
