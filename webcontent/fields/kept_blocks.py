"""Which blocks a body keeps or loses together.

An extractor judges each block alone, and a short cell, term or caption often falls below its threshold while everything around it is text.
A list, table or quote that lacks parts is misleading. On the other hand, line numbers, copy buttons and anchors of headings are never text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.rich_text.constructs import Constructs

MIN_SHARE = 0.6
"""A list, quote or paragraph with a larger share of selected blocks or selected characters is kept whole."""
MIN_TABLE_SHARE = 0.5
"""A table of which at least this share of blocks is selected is kept whole."""
MAX_CELL_BLOCKS = 2
"""Mean over the cells of a table: one with longer cells is a page's layout. Completed too, tables of layout cost cleaneval 0.001 of word
F1 (the menus of old pages)."""
MAX_LINK_SHARE = 0.5
"""A list of which links are a larger part is not completed: it leads to other pages."""
MIN_PROBABILITY = 0.2
"""Mean over the blocks of a table, quote or list between kept blocks that is kept too."""
MAX_BETWEEN_BLOCKS = 60
MAX_UNIT_BLOCKS = 400
"""A unit of more blocks is a page's layout."""
MAX_ATTRIBUTION_CHARS = 120
"""Of the line below a quote that names whose words it holds."""
_IS_CELL = are_tags("td th")
_TABLE, _PRE, _QUOTE = TAG_CODES["table"], TAG_CODES["pre"], TAG_CODES["blockquote"]
_IS_UNIT = are_tags("ul ol dl blockquote details pre p li")
_IS_BETWEEN = are_tags("table ul ol dl blockquote details")


def kept_together(blocks: Blocks, selected: NDArray[np.bool_], constructs: Constructs) -> NDArray[np.bool_]:
    """The selected blocks with the rest of the tables, lists and quotes that are selected for the most part, without what is no text."""
    kept = _with_whole_units(blocks, with_whole_tables(blocks, selected))
    without = kept & ~_replaced_by_nothing(blocks, constructs)
    return without if without.any() else kept


def with_belongings(
    blocks: Blocks, kept: NDArray[np.bool_], constructs: Constructs, probabilities: NDArray[np.float32] | None
) -> NDArray[np.bool_]:
    """The kept blocks, and what belongs to them: code, formulas, footnotes, and tables, quotes and lists between them.

    This is for cleaned HTML. People who make gold texts often leave code and notes out, and the extractor has learned that from them.
    `probabilities`: of each block to be text, where the extractor gives them.
    """
    shown = _with_attributions(blocks, kept if probabilities is None else _with_units_between(blocks, kept, probabilities))
    shown = _with_notes(blocks, _with_constructs(blocks, shown, constructs), constructs)
    shown &= ~_replaced_by_nothing(blocks, constructs)
    return shown | kept


def with_whole_tables(blocks: Blocks, selected: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The selected blocks and the other cells of each innermost table of data that is selected for the most part."""
    elements = blocks.elements
    whole = selected.copy()
    tables = np.flatnonzero(elements.tag == _TABLE)
    for place, row in enumerate(tables.tolist()):
        start, end = int(elements.start[row]), int(elements.end[row])
        is_innermost = place + 1 == len(tables) or int(elements.start[tables[place + 1]]) >= end
        if is_innermost and end > start and selected[start:end].mean() >= MIN_TABLE_SHARE and _is_of_data(blocks, row):
            whole[start:end] = True
    return whole


def _is_of_data(blocks: Blocks, row: int) -> bool:
    """Whether the cells of a table are as short as those of data."""
    elements = blocks.elements
    inside = slice(row, int(blocks.elements.last[row]) + 1)
    cells = _IS_CELL[elements.tag[inside]] & (elements.end[inside] > elements.start[inside])
    return int(elements.end[row] - elements.start[row]) <= MAX_CELL_BLOCKS * int(np.count_nonzero(cells))


def _with_whole_units(blocks: Blocks, selected: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The selected blocks and the rest of each list, quote or paragraph that is selected for the most part."""
    elements = blocks.elements
    rows = np.flatnonzero(_IS_UNIT[elements.tag] & (elements.end - elements.start > 1))
    whole = selected.copy()
    if not len(rows):
        return whole
    starts, ends = elements.start[rows], elements.end[rows]
    counts = _sums_of(selected, starts, ends)
    is_partial = (counts > 0) & (counts < ends - starts) & (ends - starts <= MAX_UNIT_BLOCKS)
    if not is_partial.any():
        return whole
    rows, starts, ends, counts = rows[is_partial], starts[is_partial], ends[is_partial], counts[is_partial]
    chars, links, all_chars = (
        _sums_of(column, starts, ends)
        for column in (np.where(selected, blocks.chars, 0), np.where(selected, 0, blocks.link_chars), blocks.chars)
    )
    is_text = ((counts > MIN_SHARE * (ends - starts)) | (chars > MIN_SHARE * all_chars)) & (links <= MAX_LINK_SHARE * (all_chars - chars))
    for row in rows[is_text].tolist():
        whole[int(elements.start[row]) : int(elements.end[row])] = True
    return whole


def _sums_of(column: NDArray[Any], starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float64]:
    """The sums of a column (one number a block) over ranges of blocks."""
    sums = np.concatenate(([0.0], np.cumsum(column, dtype=np.float64)))
    result: NDArray[np.float64] = sums[ends] - sums[starts]
    return result


def _with_units_between(blocks: Blocks, kept: NDArray[np.bool_], probabilities: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The kept blocks, and tables, quotes and lists between them that are not unlikely to be text."""
    elements = blocks.elements
    result = kept.copy()
    padded = np.concatenate((kept, [False]))
    rows = np.flatnonzero(_IS_BETWEEN[elements.tag])
    starts, ends = elements.start[rows], elements.end[rows]
    is_between = (starts < ends) & (ends - starts <= MAX_BETWEEN_BLOCKS) & padded[starts - 1] & padded[ends]
    for start, end in zip(starts[is_between].tolist(), ends[is_between].tolist(), strict=True):
        links = blocks.link_chars[start:end].sum() / max(1, blocks.chars[start:end].sum())
        if links <= MAX_LINK_SHARE and probabilities[start:end].mean() >= MIN_PROBABILITY:
            result[start:end] = True
    return result


def _with_attributions(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The kept blocks and the last, short block of each quote of which all others are kept."""
    elements = blocks.elements
    result = kept.copy()
    rows = np.flatnonzero((elements.tag == _QUOTE) & (elements.end - elements.start > 1))
    for start, end in zip(elements.start[rows].tolist(), elements.end[rows].tolist(), strict=True):
        if not kept[end - 1] and blocks.chars[end - 1] <= MAX_ATTRIBUTION_CHARS and kept[start : end - 1].all():
            result[end - 1] = True
    return result


def _with_constructs(blocks: Blocks, kept: NDArray[np.bool_], constructs: Constructs) -> NDArray[np.bool_]:
    """The kept blocks, code of which a part is kept, and code and formulas between kept blocks."""
    elements = blocks.elements
    result = kept.copy()
    padded = np.concatenate((kept, [False]))
    for row, html in constructs.replaced.items():
        start, end = int(elements.start[row]), int(elements.end[row])
        if html and end > start and not kept[start:end].all() and (kept[start:end].any() or _is_among(blocks, padded, row)):
            result[start:end] |= elements.tag[row] == _PRE or end - start == 1
    return result


def _is_among(blocks: Blocks, padded: NDArray[np.bool_], row: int) -> bool:
    """Whether an element stands between kept blocks, or as code behind a kept block of the same parent. `padded`: kept, and False."""
    elements = blocks.elements
    start, end = int(elements.start[row]), int(elements.end[row])
    if not padded[start - 1]:
        return False
    is_sibling = elements.parent[blocks.element[start - 1]] == elements.parent[row]
    return bool(padded[end] or (is_sibling and elements.tag[row] == _PRE))


def _with_notes(blocks: Blocks, kept: NDArray[np.bool_], constructs: Constructs) -> NDArray[np.bool_]:
    """The kept blocks and the footnotes to which they refer."""
    elements = blocks.elements
    result = kept.copy()
    for reference, note in constructs.notes:
        place = int(elements.start[reference])
        if place < len(kept) and kept[place]:
            result[int(elements.start[note]) : int(elements.end[note])] = True
    return result


def _replaced_by_nothing(blocks: Blocks, constructs: Constructs) -> NDArray[np.bool_]:
    """Which blocks consist of buttons, line numbers and the like."""
    nothing = np.zeros(len(blocks.pieces), np.bool_)
    elements = blocks.elements
    for row, html in constructs.replaced.items():
        if not html and row not in constructs.drawings:
            nothing[int(elements.piece[row]) : int(elements.piece_end[row])] = True
    sums = np.concatenate(([0], np.cumsum(nothing)))
    starts = blocks.piece_start
    counts = sums[starts[1:]] - sums[starts[:-1]]
    blank: NDArray[np.bool_] = counts >= np.maximum(1, starts[1:] - starts[:-1])
    return blank
