"""Blocks that a body has because of their neighbours: the rest of a table, list or quote, code, formulas and footnotes.

An extractor judges each block alone, and a short cell or term often falls below its threshold while everything around it is text.
A list, table or quote that lacks parts is misleading. On the other hand, line numbers, copy buttons and anchors of headings are never text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags
from webcontent.document.rich_text.writer import holder_of_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.rich_text.constructs import Constructs

HALF = 0.5
"""A table with more selected blocks is kept whole, and so is a list, quote or paragraph with more selected blocks or characters, unless
a larger share of the rest is links."""
MAX_UNIT_BLOCKS = 400
"""A unit of more blocks is a page's layout."""
MAX_SMALL_TABLE, MAX_SMALL_CHARS = 12, 120
"""Blocks of a table that is kept whole because of a single selected block: opening hours, a place with a date. Characters of one with a
single row or column."""
MIN_PROSE_CHARS = 80
"""A paragraph with more, between selected ones of the same markup, is a part of their text."""
MIN_PROBABILITY = 0.2
"""Mean over the blocks of a table, quote or list between kept blocks that cleaned HTML has too."""
MAX_ATTRIBUTION_CHARS = 120
"""Of the line below a quote that names whose words it holds."""
_IS_UNIT = are_tags("table ul ol dl blockquote details pre p li")
_IS_BETWEEN = are_tags("table ul ol dl blockquote details")
_MAY_END = are_tags("dl")
"""Of these, what may end a text, as notices may."""
_TABLE, _QUOTE, _P = TAG_CODES["table"], TAG_CODES["blockquote"], TAG_CODES["p"]


def with_whole_units(blocks: Blocks, selected: NDArray[np.bool_], constructs: Constructs) -> NDArray[np.bool_]:
    """The selected blocks with the rest of the tables, lists and quotes that are selected for the most part, without what is no text."""
    elements = blocks.elements
    is_unit = _IS_UNIT[elements.tag]
    is_unit[list(constructs.callouts)] = True
    rows = np.flatnonzero(is_unit & (elements.end - elements.start > 1))
    columns = (selected, np.where(selected, blocks.chars, 0), np.where(selected, 0, blocks.chars), np.where(selected, 0, blocks.link_chars))
    counts, chars, other_chars, links = (blocks.subtree_sums(column)[rows] for column in columns)
    sizes = elements.end[rows] - elements.start[rows]
    is_table, is_partial = elements.tag[rows] == _TABLE, (counts < sizes) & (sizes <= MAX_UNIT_BLOCKS)
    is_text = (counts > HALF * sizes) | ~is_table & (chars > HALF * (chars + other_chars))
    is_of_text = links <= HALF * other_chars
    is_small = is_table & (counts > 0) & (sizes <= MAX_SMALL_TABLE) & is_of_text
    whole = selected.copy()
    for row in rows[(is_text & (is_table | is_of_text) | is_small) & is_partial].tolist():
        start, end = int(elements.start[row]), int(elements.end[row])
        if row not in constructs.unwrapped or end - start <= MAX_SMALL_TABLE and blocks.chars[start:end].sum() <= MAX_SMALL_CHARS:
            whole[start:end] = True
    whole |= _holes(blocks, whole)
    without = whole & ~_replaced_by_nothing(blocks, constructs)
    return without if without.any() else whole


def _holes(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Paragraphs of prose between kept ones of the same parent and class: terms of use, whose wordings extractors take for boilerplate."""
    found = np.zeros(len(blocks), np.bool_)
    is_prose = (blocks.tag == _P) & (blocks.chars >= MIN_PROSE_CHARS) & (blocks.link_chars <= HALF * blocks.chars) & ~blocks.hidden
    parents, classes = blocks.elements.parent[blocks.element], blocks.elements.classes
    bounds: dict[tuple[int, str], list[int]] = {}
    missing = np.flatnonzero(is_prose & ~kept).tolist()
    for block in np.flatnonzero((blocks.tag == _P) & kept).tolist() if missing else ():
        bounds.setdefault((int(parents[block]), classes[blocks.element[block]]), [block, block])[1] = block
    for block in missing:
        first, last = bounds.get((int(parents[block]), classes[blocks.element[block]]), (block, block))
        found[block] = first < block < last
    if blocks.chars[found].sum() > HALF * blocks.chars[kept].sum():
        found[:] = False
    return found


def with_belongings(
    blocks: Blocks, kept: NDArray[np.bool_], constructs: Constructs, probabilities: NDArray[np.float32] | None
) -> NDArray[np.bool_]:
    """The kept blocks, and what cleaned HTML has with them: code, formulas, footnotes, and tables, quotes and lists between them.

    People who make gold texts often leave code and notes out, and the extractor has learned that from them.
    `probabilities`: of each block to be text, where the extractor gives them.
    """
    elements, text, nothing = blocks.elements, kept, _replaced_by_nothing(blocks, constructs)
    kept = _with_units_between(blocks, kept, constructs, probabilities)
    shown = kept.copy()
    holder = holder_of_text(blocks, kept)
    for row in sorted(row for row, html in constructs.replaced.items() if html and elements.end[row] > elements.start[row]):
        start, end = int(elements.start[row]), int(elements.end[row])
        before = next((block for block in range(start - 1, -1, -1) if not nothing[block]), -1)
        is_behind = before >= 0 and shown[before] and (shown[end : end + 1].any() or holder < row <= elements.last[holder])
        is_code = constructs.replaced[row].startswith("<pre>")
        if kept[start:end].any() or is_behind:
            shown[start:end] |= is_code or end - start == 1
    for reference, note in constructs.notes:
        block = int(elements.start[reference])
        if block < len(kept) and shown[block]:
            shown[int(elements.start[note]) : int(elements.end[note])] = True
    return shown & ~nothing | text


def _with_units_between(
    blocks: Blocks, kept: NDArray[np.bool_], constructs: Constructs, probabilities: NDArray[np.float32] | None
) -> NDArray[np.bool_]:
    """The kept blocks, tables, quotes and lists between them or behind that are not unlikely to be text, and last lines of kept quotes."""
    elements = blocks.elements
    result, padded, holder = kept.copy(), np.append(kept, False), holder_of_text(blocks, kept)
    is_unit, may_end = _IS_BETWEEN[elements.tag], _MAY_END[elements.tag]
    is_unit[list(constructs.callouts)] = may_end[list(constructs.callouts)] = True
    for row in np.flatnonzero(is_unit & (elements.end > elements.start)).tolist():
        start, end = int(elements.start[row]), int(elements.end[row])
        is_before = padded[end] or may_end[row] and holder < row <= elements.last[holder]
        if probabilities is not None and end - start <= MAX_UNIT_BLOCKS and padded[start - 1] and is_before:
            is_of_links = blocks.link_chars[start:end].sum() > HALF * blocks.chars[start:end].sum()
            result[start:end] |= not is_of_links and probabilities[start:end].mean() >= MIN_PROBABILITY
        if elements.tag[row] == _QUOTE and blocks.chars[end - 1] <= MAX_ATTRIBUTION_CHARS and result[start : end - 1].any():
            result[end - 1] |= result[start : end - 1].all()
    return result


def _replaced_by_nothing(blocks: Blocks, constructs: Constructs) -> NDArray[np.bool_]:
    """Which blocks consist of buttons, line numbers and the like."""
    nothing = {row for row, html in constructs.replaced.items() if not html} - constructs.drawings
    if not nothing:
        return np.zeros(len(blocks), np.bool_)
    return np.logical_and.reduceat(np.isin(constructs.owners[:-1], list(nothing)), blocks.piece_start[:-1])
