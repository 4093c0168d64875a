"""The records of a list page (algorithm 2 of I-AWCE), and an entry for each record."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, TAGS, are_tags
from webcontent.document.features.columns import covered
from webcontent.fields.dates import iter_times
from webcontent.items import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document

CANDIDATES = 15
"""The paper's n: number of ids that are kept by rank."""
PARTS_SHARE = 0.8
"""Share of siblings that have to differ in tag to be parts of one record."""
MIN_COUNT = 2
"""An id that occurs less often is no list."""
MAX_LINKS = 50
"""Links of a record that are compared."""
MAX_TIME_LINE = 80
"""Characters of a line that may hold an entry's time."""
_LINK, _TIME = TAG_CODES["a"], TAG_CODES["time"]
_ARE_HEADINGS, _ARE_LIST_NOISE = are_tags("h1 h2 h3 h4 h5 h6"), are_tags("footer")


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
    lists = [np.array(rows) for rows in ids.values() if len(rows) >= MIN_COUNT]
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


class Records:
    """The records of a list page, with the tables for reading entries from them."""

    def __init__(self, document: Document, rows: NDArray[np.intp]) -> None:
        self.document = document
        self.blocks = document.blocks
        self.elements = elements = document.blocks.elements
        self.rows = rows.tolist()
        borders = np.append(np.flatnonzero(elements.depth <= elements.depth[rows[0]]), len(elements))
        self.ends = borders[np.searchsorted(borders, rows, side="right")].tolist()
        """The row behind each record."""
        self.links = np.flatnonzero(elements.tag == _LINK).tolist()
        self.times = np.flatnonzero(elements.tag == _TIME).tolist()
        self.piece, self.piece_end = elements.piece.tolist(), elements.piece_end.tolist()
        self.block_starts = set(document.blocks.piece_start.tolist())
        """The pieces that begin a block."""
        headings = np.flatnonzero(_ARE_HEADINGS[elements.tag])
        self.in_heading = covered(elements.piece[headings], elements.piece_end[headings], len(document.blocks.pieces)).tolist()

    def iter_entries(self) -> Iterator[Entry]:
        """An entry for each record that has a link, each address once."""
        seen: set[str] = set()
        for first, end in zip(self.rows, self.ends, strict=True):
            link, url = self._find_link(first, end)
            if url is not None and url not in seen:
                seen.add(url)
                yield Entry(title=self._title(link), url=url, time=self._time(first, end))

    def _find_link(self, first: int, end: int) -> tuple[int, str | None]:
        """Row and address of a record's main link: one in a heading before others, the longest text before shorter ones."""
        rows = _between(self.links, first, end) or self._links_around(first)
        weights = {row: (any(self.in_heading[self.piece[row] : self.piece_end[row]]), len(self._text(row))) for row in rows[:MAX_LINKS]}
        for row in sorted(weights, key=lambda row: weights[row], reverse=True):
            if (url := self.document.absolute(self.elements.nodes[row].get("href"))) is not None:
                return row, url
        return first, None

    def _links_around(self, row: int) -> list[int]:
        """The link that a record stands in, if any."""
        while row >= 0 and self.elements.tag[row] != _LINK:
            row = int(self.elements.parent[row])
        return [row] if row >= 0 else []

    def _text(self, row: int, *, headings_only: bool = False) -> str:
        """Text of an element, or of the headings around and in it."""
        places = range(self.piece[row], self.piece_end[row])
        parts = [
            (" " if place in self.block_starts else "") + self.blocks.pieces[place][0]
            for place in places
            if self.in_heading[place] or not headings_only
        ]
        return " ".join("".join(parts).split())

    def _title(self, row: int) -> str:
        """The title of the linked page: the link's heading, its text, else its title attribute or its image's alt text.

        A text that ends in an ellipsis is completed from the link's title attribute.
        """
        node = self.elements.nodes[row]
        named = " ".join((node.get("title") or "").split())
        shown = self._text(row, headings_only=True) or self._text(row)
        start = shown.rstrip(".… ")
        if len(start) < len(shown) and named.startswith(start):
            return named
        return shown or named or " ".join(" ".join(image.get("alt") or "" for image in node.iter("img")).split())

    def _time(self, first: int, end: int) -> str | None:
        """The first time of a record: from its time elements, else from its short lines, the shortest first."""
        marked = [self.elements.nodes[row].get("datetime") or "" for row in _between(self.times, first, end)]
        lines = self.blocks.texts[self.elements.start[first] : self.elements.end[first]]
        short = [line for line in lines if len(line) <= MAX_TIME_LINE]
        for line in (*marked, *sorted(short, key=len)):
            for found in iter_times(line, now=self.document.fetched_at):
                return found.value
        return None


def _between(rows: list[int], first: int, end: int) -> list[int]:
    """The sorted rows that lie in [first, end)."""
    return rows[bisect_left(rows, first) : bisect_left(rows, end)]
