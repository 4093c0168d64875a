"""Tables in the form that Markdown has: one header row, rows of equal length, cells of one line.

Cells that span columns or rows are repeated, so that each row can be read alone. Header rows are merged into one. A table whose cells hold
code, tables or quotes is written cell by cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml.html import HtmlElement

    Cell = HtmlElement
    Row = list[HtmlElement | None]

MAX_COLUMNS = 200
MAX_CELLS = 50_000
"""A table that would be larger with its spans filled in is written cell by cell."""
_WILD = ("table", "pre", "blockquote", "details", "h1", "h2", "h3", "h4", "h5", "h6")
"""What a cell of a Markdown table can't hold."""
_PARTS = ("thead", "tbody", "tfoot")


def table_rows(table: HtmlElement) -> list[list[Cell]]:
    """The cells of each row of a table, without those of nested tables."""
    rows = [row for part in table for row in ([part] if part.tag == "tr" else part if part.tag in _PARTS else ()) if row.tag == "tr"]
    return [[cell for cell in row if cell.tag in ("td", "th")] for row in rows]


def markdown_table(rows: list[list[Cell]], write: Callable[[Cell], str]) -> str | None:
    """The table of some rows; None for a single column, and where it would be too large. `write`: the Markdown of a cell."""
    is_wild = any(next(cell.iterdescendants(*_WILD), None) is not None for row in rows for cell in row if len(cell))
    grid = None if is_wild or all(len(row) <= 1 for row in rows) else _grid(rows)
    if grid is None:
        return None
    texts = {cell: write(cell) for row in rows for cell in row}
    headers = _header_rows(rows)
    head = [
        " ".join(filter(None, [texts[cell] for cell in dict.fromkeys(column) if cell is not None]))
        for column in zip(*grid[:headers], strict=True)
    ]
    lines = [head or [""] * len(grid[0]), ["---"] * len(grid[0])]
    lines += [["" if cell is None else texts[cell] for cell in row] for row in grid[headers:] if any(cell is not None for cell in row)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _grid(rows: list[list[Cell]]) -> list[Row] | None:
    """The rows with the cells of all columns; None where they are too many."""
    cells: dict[tuple[int, int], Cell] = {}
    columns = 0
    for line, row in enumerate(rows):
        column = 0
        for cell in row:
            while (line, column) in cells:
                column += 1
            width, height = _span(cell, "colspan"), min(_span(cell, "rowspan"), len(rows) - line)
            if len(cells) + width * height > MAX_CELLS or column + width > MAX_COLUMNS:
                return None
            places = ((line + below, column + beside) for below in range(height) for beside in range(width))
            cells |= {place: cell for place in places if place not in cells}
            column += width
        columns = max(columns, column)
    if columns * len(rows) > MAX_CELLS:
        return None
    return [[cells.get((line, column)) for column in range(columns)] for line in range(len(rows))]


def _span(cell: Cell, name: str) -> int:
    value = cell.get(name) or ""
    return max(1, int(value)) if value.isascii() and value.isdigit() and len(value) < 6 else 1


def _header_rows(rows: Sequence[Sequence[Cell]]) -> int:
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
