"""Which tables of a page are layout: they place parts of the page and say nothing by their rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

MAX_CELL_BLOCKS = 12
"""A table of which a cell holds more blocks than this is layout."""
_TABLE, _ROW, _CELL, _HEADER = (TAG_CODES[name] for name in ("table", "tr", "td", "th"))
_IS_PART = are_tags("table tr td th tbody thead tfoot caption")


def layout_rows(blocks: Blocks) -> set[int]:
    """Rows of the elements of layout tables: the tables, their rows and cells."""
    elements = blocks.elements
    tables = np.flatnonzero(elements.tag == _TABLE)
    if not len(tables):
        return set()
    owner = _tables_of(blocks)
    order = np.argsort(owner, kind="stable")
    sorted_owner = owner[order]
    cuts = zip(np.searchsorted(sorted_owner, tables).tolist(), np.searchsorted(sorted_owner, tables, "right").tolist(), strict=True)
    result: set[int] = set()
    for table, (first, last) in zip(tables.tolist(), cuts, strict=True):
        own = order[first:last]
        if _is_layout(blocks, table, own):
            result |= {table, *own[_IS_PART[elements.tag[own]]].tolist()}
    return result


def _tables_of(blocks: Blocks) -> NDArray[np.int64]:
    """For each element the innermost table around it, -1 for none; a table belongs to the one around it."""
    elements = blocks.elements
    owner = np.full(len(elements), -1, np.int64)
    for rows, parents in blocks.steps:
        owner[rows] = np.where(elements.tag[parents] == _TABLE, parents, owner[parents])
    return owner


def _is_layout(blocks: Blocks, table: int, own: NDArray[Any]) -> bool:
    elements = blocks.elements
    node = elements.nodes[table]
    if (node.get("role") or "") in ("presentation", "none"):
        return True
    tags = elements.tag[own]
    if (tags == _HEADER).any() or node.find("caption") is not None:
        return False
    cells = own[tags == _CELL]
    lengths = (elements.end - elements.start)[cells]
    rows = int((tags == _ROW).sum())
    if not len(cells) or len(cells) <= rows or rows <= 1:  # one column or one row
        return True
    return bool(lengths.max(initial=0) > MAX_CELL_BLOCKS) or ((tags == _TABLE).any() and rows <= 3)
