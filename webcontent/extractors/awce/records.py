"""The records of a list page (algorithm 2 of I-AWCE), and an entry for each record."""

from __future__ import annotations

from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, TAGS, are_tags
from webcontent.document.features.columns import covered
from webcontent.fields.dates import iter_times
from webcontent.fields.links.anchors import Anchors
from webcontent.fields.page_signals import plain
from webcontent.items import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document
    from webcontent.fields.links.anchors import Anchor

CANDIDATES = 15
"""The paper's n: number of ids that are kept by rank."""
MAX_TIME_LINE = 80
"""Characters of a line that may hold an entry's time."""
PARTS_SHARE = 0.8
"""Share of siblings that have to differ in tag to be parts of one record."""
_LINK, _TIME = TAG_CODES["a"], TAG_CODES["time"]
_ARE_LIST_NOISE = are_tags("footer")


def find_records(blocks: Blocks) -> NDArray[np.intp] | None:
    """Algorithm 2: rows of the list's records, in page order; None where no id occurs twice.

    The paper gives the elements of the best id. A record is the largest element around one of them that holds no other; where
    siblings found like that differ in tag (headline, lead and date of one class), they are parts, and their parent is the record.
    """
    elements = blocks.elements
    rows = _elements_of_best_id(blocks)
    while rows is not None:
        rows = _widened(elements, rows, len(blocks.pieces))
        parents: NDArray[np.intp] = np.unique(elements.parent[rows]).astype(np.intp)
        differing = np.unique(elements.parent[rows].astype(np.int64) * len(TAGS) + elements.tag[rows])
        if not 1 < len(parents) < len(rows) or len(differing) < PARTS_SHARE * len(rows):
            break
        rows = parents
    return rows


def _widened(elements: Elements, rows: NDArray[np.intp], pieces: int) -> NDArray[np.intp]:
    """The largest elements that hold one of the rows each, at the depth that most of them have."""
    marks = np.bincount(elements.piece[rows], minlength=pieces)
    sums = np.concatenate(([0], np.cumsum(marks)))
    held = sums[elements.piece_end] - sums[elements.piece]
    tops = np.flatnonzero((held == 1) & (held[elements.parent] > 1) & (elements.parent >= 0))
    if not len(tops):
        return rows
    depth = int(np.bincount(elements.depth[tops]).argmax())
    return np.flatnonzero((elements.depth == depth) & (held > 0))


def _elements_of_best_id(blocks: Blocks) -> NDArray[np.intp] | None:
    """Rows of the id (depth and class) that algorithm 2 gives."""
    elements = blocks.elements
    noise = np.flatnonzero(_ARE_LIST_NOISE[elements.tag])
    lengths = _own_lengths(blocks, covered(elements.piece[noise], elements.piece_end[noise], len(blocks.pieces)))
    is_leaf = np.ones(len(elements), bool)
    is_leaf[elements.parent[elements.parent >= 0]] = False
    ids: dict[tuple[int, str], list[int]] = defaultdict(list)
    depths = elements.depth.tolist()
    for row in np.flatnonzero(is_leaf & (lengths > 0)).tolist():
        ids[depths[row], elements.classes[row]].append(row)
    lists = [np.array(rows) for rows in ids.values() if len(rows) > 1]
    if not lists:
        return None
    count = np.array([len(rows) for rows in lists])
    length = np.array([int(lengths[rows].sum()) for rows in lists])
    ranked = np.argsort(-(count * length), kind="stable")[:CANDIDATES]  # formula 4
    return lists[int(ranked[np.argmax((length / count)[ranked])])]  # formula 5


def _own_lengths(blocks: Blocks, gone: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Characters that each element itself holds, outside of its children."""
    count = len(blocks.pieces)
    lengths = np.fromiter((len(text.strip()) for text, _ in blocks.pieces), np.int64, count)
    holders = np.fromiter((row for _, row in blocks.pieces), np.int64, count)
    return np.bincount(holders, np.where(gone, 0, lengths), len(blocks.elements)).astype(np.int64)


def iter_entries(document: Document, rows: NDArray[np.intp]) -> Iterator[Entry]:
    """An entry for each record that has a link, each address once. `rows`: as `find_records` gives them."""
    anchors, elements = Anchors(document), document.blocks.elements
    seen: set[str] = set()
    for first, end in zip(rows.tolist(), (elements.last[rows] + 1).tolist(), strict=True):
        links = anchors.between(first, end) or _links_around(anchors, first)
        anchor = max((link for link in links if link.url), key=attrgetter("title_weight"), default=None)
        url = anchor.url if anchor is not None else None
        if anchor is not None and url is not None and url not in seen:
            seen.add(url)
            title = anchor.full_text if plain(anchor.title) == plain(anchor.text) else anchor.title
            yield Entry(title=title, url=url, time=_time(document, first, end))


def _links_around(anchors: Anchors, row: int) -> list[Anchor]:
    """The link that a record stands in, if any."""
    while row >= 0 and anchors.elements.tag[row] != _LINK:
        row = int(anchors.elements.parent[row])
    return anchors.between(row, row + 1) if row >= 0 else []


def _time(document: Document, first: int, end: int) -> str | None:
    """The first time of a record: from its time elements, else from its short lines, the shortest first."""
    elements = document.blocks.elements
    marked = [elements.nodes[first + row].get("datetime") or "" for row in np.flatnonzero(elements.tag[first:end] == _TIME).tolist()]
    short = [line for line in document.blocks.texts[elements.start[first] : elements.end[first]] if len(line) <= MAX_TIME_LINE]
    times = (found for line in (*marked, *sorted(short, key=len)) for found in iter_times(line, now=document.fetched_at))
    return next((found.value for found in times), None)
