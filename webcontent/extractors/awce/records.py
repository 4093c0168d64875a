"""The records of a list page: algorithm 2 of I-AWCE."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAGS, are_tags
from webcontent.document.features.columns import covered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements

CANDIDATES = 15
"""The paper's n: number of ids that are kept by rank."""
PARTS_SHARE = 0.8
"""Share of siblings that have to differ in tag to be parts of one record."""
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
