"""Which tables of a page are layout: they place parts of the page and say nothing by their rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags

if TYPE_CHECKING:
    from webcontent.document.blocks import Blocks

MAX_CELL_BLOCKS = 12
"""A table of which a cell holds more blocks than this is layout."""
MAX_AROUND_TABLE = 3
"""Rows of a table that places other tables."""
_TABLE, _ROW, _CELL, _HEADER, _CAPTION = (TAG_CODES[name] for name in ("table", "tr", "td", "th", "caption"))
_IS_PART = are_tags("table tr td th tbody thead tfoot caption")


def layout_rows(blocks: Blocks) -> set[int]:
    """Rows of the elements of layout tables: the tables, their rows and cells, and the tables in them."""
    elements, count = blocks.elements, len(blocks.elements)
    if not (elements.tag == _TABLE).any():
        return set()
    owner = np.full(count + 1, count, np.int64)  # the innermost table around each element; a table belongs to the one around it
    for rows, parents in blocks.steps:
        owner[rows] = np.where(elements.tag[parents] == _TABLE, parents, owner[parents])
    owner = owner[:-1]
    tables, lines, cells, headers, captions = (
        np.bincount(owner[elements.tag == tag], minlength=count + 1) for tag in (_TABLE, _ROW, _CELL, _HEADER, _CAPTION)
    )
    longest = np.zeros(count + 1, np.int64)
    np.maximum.at(longest, owner[elements.tag == _CELL], (elements.end - elements.start)[elements.tag == _CELL])
    is_placing = (longest > MAX_CELL_BLOCKS) | (tables > 0) & (lines <= MAX_AROUND_TABLE)
    is_layout = (headers + captions == 0) & (is_placing | (cells <= lines) | (lines <= 1))  # one column or one row
    own = np.where(elements.tag == _TABLE, np.arange(count), owner)
    is_layout[[row for row in np.flatnonzero(elements.tag == _TABLE) if elements.nodes[row].get("role") in ("presentation", "none")]] = True
    is_layout[count] = False
    return set(np.flatnonzero(_IS_PART[elements.tag] & (is_layout[own] | is_layout[owner])).tolist())
