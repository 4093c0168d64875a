"""Chosen blocks -> plain text; the texts of elements, and how long they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from lxml.html import HtmlElement

from webcontent.document.blocks import TAG_CODES

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

MAX_TEXT_CHARS = 500
"""Characters of an element's text that are read."""
MAX_RAW_CHARS = 4 * MAX_TEXT_CHARS
"""The same before white space is collapsed."""

_CELLS = [TAG_CODES["td"], TAG_CODES["th"]]
_ROW = TAG_CODES["tr"]
MAX_ROW_BLOCKS = 64
"""Blocks of a table row that becomes one line of plain text."""


def body_text(blocks: Blocks, chosen: NDArray[np.bool_], text_of: Callable[[int], str] | None = None) -> str:
    """The chosen blocks as plain text: a line a block; the cells of a table row share a line, separated by tabs.

    `text_of`: the text of a block where it is not the block's own; blocks without text are left out.
    """
    rows = simple_rows(blocks).tolist()
    lines: list[str] = []
    last_row = -1
    for block in np.flatnonzero(chosen).tolist():
        text = blocks.texts[block] if text_of is None else text_of(block)
        if text and rows[block] >= 0 and rows[block] == last_row:
            lines[-1] += "\t" + text
        elif text:
            lines.append(text)
        last_row = rows[block] if text else last_row
    return "\n".join(lines)


def simple_rows(blocks: Blocks) -> NDArray[np.int32]:
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


def node_text(node: HtmlElement) -> str:
    """Text of an element without scripts and styles, white space collapsed, cut at MAX_TEXT_CHARS."""
    parts: list[str] = []
    size = 0
    for element in node.iter():
        if element.tag not in ("script", "style") and element.text:
            parts.append(element.text)
        if element is not node and element.tail:
            parts.append(element.tail)
        size += len(parts[-1]) if parts else 0
        if size > MAX_RAW_CHARS:
            break
    return " ".join("".join(parts).split())[:MAX_TEXT_CHARS]


class TextLengths(dict[HtmlElement, int]):
    """Characters of the texts of the elements of one page, without the white space around each. Each element is read once."""

    def __missing__(self, node: HtmlElement) -> int:
        length = self[node] = len("".join(node.itertext()).strip())
        return length
