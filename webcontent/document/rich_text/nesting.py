"""Which elements can stand in which others, so that a browser builds the same tree from cleaned HTML; which tables are layout.

libxml2's tree may hold what no parser of HTML5 would nest, such as a link in a link: the start of the inner element ends the outer one
(HTML Standard, 13.2.6.4). `nested` leaves out the outer element in this case, and table parts that are outside of a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags

if TYPE_CHECKING:
    from webcontent.document.blocks import Blocks

T = TypeVar("T")

MAX_CELL_BLOCKS = 12
"""A table of which a cell holds more blocks than this is layout."""
MAX_AROUND_TABLE = 3
"""Rows of a table that places other tables."""
_TABLE, _CELL = TAG_CODES["table"], TAG_CODES["td"]
_IS_PART = are_tags("table tr td th tbody thead tfoot caption")

STRUCTURE = frozenset(("table", "thead", "tbody", "tfoot", "tr"))
"""Elements that hold no text and no other elements than table parts."""
_ROW_GROUPS = frozenset(("thead", "tbody", "tfoot"))
_PARENTS = {
    **dict.fromkeys(("caption", *_ROW_GROUPS), frozenset(("table",))),
    "tr": _ROW_GROUPS,
    **dict.fromkeys(("td", "th"), frozenset(("tr",))),
}
"""Table parts by the elements that they may be children of."""
IMPLIED = {("table", "tr"): "tbody", **{(group, cell): "tr" for group in _ROW_GROUPS for cell in ("td", "th")}}
"""Table parts by what they are put into and what they hold: pages leave them out."""
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_CELLS = frozenset(("td", "th", "caption"))
_ITEMS = {"li": frozenset(("li",)), **dict.fromkeys(("dt", "dd"), frozenset(("dt", "dd")))}
_END_PARAGRAPHS = _HEADINGS | set("aside blockquote dd details div dl dt figure figcaption li ol p pre ul section summary table".split())
_PARAGRAPH_BORDERS = _CELLS | {"table"}
_ITEM_BORDERS = {name: (_END_PARAGRAPHS | _PARAGRAPH_BORDERS | STRUCTURE) - names - {"p"} for name, names in _ITEMS.items()}
"""Elements out of which the start of an item ends no other item, by its tag."""
_LINKS, _PARAGRAPHS = frozenset(("a",)), frozenset(("p",))
SIMPLE = frozenset("b strong em u s del ins mark small sub sup code q cite abbr kbd samp var time i".split())
"""Inline elements that end no other element."""

Chain = tuple[tuple[str, T], ...]
"""Elements around a place, outermost first, as name and key."""


def nested(chain: Chain[T], name: str, key: T, implied_key: T) -> Chain[T]:
    """The chain with an element added, and without the elements that its start would end. An element that can't stand there is left out.

    `implied_key`: of the part that is added between a table and a row, or a row group and a cell.

    >>> nested((("a", 1), ("b", 2)), "a", 3, 0)
    (('b', 2), ('a', 3))
    >>> nested((("table", 1),), "tr", 2, -1)
    (('table', 1), ('tbody', -1), ('tr', 2))
    >>> nested((("table", 1), ("thead", 2)), "th", 3, -1)
    (('table', 1), ('thead', 2), ('tr', -1), ('th', 3))
    >>> nested((("h1", 1), ("time", 2)), "h2", 3, 0)
    (('h1', 1), ('time', 2))
    """
    parent = chain[-1][0] if chain else ""
    if name in _PARENTS:
        if implied := IMPLIED.get((parent, name)):
            return (*chain, (implied, implied_key), (name, key))
        return (*chain, (name, key)) if parent in _PARENTS[name] else chain
    if parent in STRUCTURE:
        if name in SIMPLE or name == "a":
            return chain
        chain = around_text(chain)
    if name in SIMPLE:
        return (*chain, (name, key))
    if name in _HEADINGS and any(outer in _HEADINGS for outer, _ in chain):
        return chain
    if name == "a":
        chain = _without(chain, _LINKS, _CELLS)
    if name in _ITEMS:
        chain = _without(chain, _ITEMS[name], _ITEM_BORDERS[name])
    if name in _END_PARAGRAPHS:
        chain = _without(chain, _PARAGRAPHS, _PARAGRAPH_BORDERS)
    return (*chain, (name, key))


def around_text(chain: Chain[T]) -> Chain[T]:
    """The chain without the table parts at its end that can't hold text."""
    end = len(chain)
    while end and chain[end - 1][0] in STRUCTURE:
        end -= 1
    return chain[:end]


def _without(chain: Chain[T], names: frozenset[str], borders: frozenset[str]) -> Chain[T]:
    """The chain without the elements of these names after the last border."""
    if not any(name in names for name, _ in chain):
        return chain
    place = next((place for place in range(len(chain), 0, -1) if chain[place - 1][0] in borders), 0)
    return (*chain[:place], *(element for element in chain[place:] if element[0] not in names))


def layout_rows(blocks: Blocks) -> set[int]:
    """Rows of the elements of layout tables: the tables, their rows and cells, and the tables in them, but not those of headed lines."""
    elements, count = blocks.elements, len(blocks.elements)
    if not (elements.tag == _TABLE).any():
        return set()
    owner = np.full(count + 1, count, np.int64)  # the innermost table around each element; a table belongs to the one around it
    for rows, parents in blocks.steps:
        owner[rows] = np.where(elements.tag[parents] == _TABLE, parents, owner[parents])
    owner = owner[:-1]
    tables, lines, cells, headers, captions, titles, links, images = (
        np.bincount(owner[elements.tag == tag], minlength=count + 1)
        for tag in map(TAG_CODES.__getitem__, ("table", "tr", "td", "th", "caption", "h1", "a", "img"))
    )
    longest = np.zeros(count + 1, np.int64)
    np.maximum.at(longest, owner[elements.tag == _CELL], (elements.end - elements.start)[elements.tag == _CELL])
    filled = np.bincount(owner[(elements.tag == _CELL) & (elements.end > elements.start)], minlength=count + 1)
    is_placing = (longest > MAX_CELL_BLOCKS) | (tables > 0) & (lines <= MAX_AROUND_TABLE) | (titles > 0)
    is_line = (lines <= 1) & ((longest > 1) | (filled <= 2) | (links + images > 0))  # three cells of a line each are data
    is_named = headers + captions > 0
    is_layout = ~is_named & (is_placing | is_line | (cells <= lines))
    own = np.where(elements.tag == _TABLE, np.arange(count), owner)
    is_layout[[row for row in np.flatnonzero(elements.tag == _TABLE) if elements.nodes[row].get("role") in ("presentation", "none")]] = True
    is_layout[count] = False
    return set(np.flatnonzero(_IS_PART[elements.tag] & (is_layout[own] | is_layout[owner] & ~(is_named & (longest <= 1))[own])).tolist())
