"""The structure that the blocks of a page share, as plain arrays that can be stored: their ancestors, and blocks that belong together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks


@dataclass(frozen=True, slots=True)
class AncestorTree:
    """The elements that hold blocks, and their ancestors, by depth, the root first. Values are inherited along it.

    It has half of a page's elements or fewer. Those of one depth are adjacent.
    """

    rows: NDArray[np.intp]
    """Their rows in the table of elements."""
    parent: NDArray[np.intp]
    """The place of each one's parent; the root's is its own."""
    depths: list[slice]
    """Their places by depth, from the root's children down."""
    block: NDArray[np.intp]
    """The place of each block's element."""

    def nearest(self, is_wanted: NDArray[np.bool_]) -> NDArray[np.intp]:
        """For each element the place of the nearest wanted one among itself and its ancestors; the root's where there is none."""
        places = np.where(is_wanted, np.arange(len(self.rows)), self.parent)
        for _ in range(len(self.depths).bit_length()):  # each step doubles how far up one has looked (Wyllie 1979)
            places = places[places]
        return places

    def highest(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each element, along the first axis, the highest value of itself and its ancestors."""
        above = self.parent
        for _ in range(len(self.depths).bit_length()):
            values = np.maximum(values, values[above])
            above = above[above]
        return values


@dataclass(frozen=True, slots=True)
class BlockGroups:
    """What the second stage needs of a page beside the probabilities of the first; n blocks."""

    words: NDArray[np.float64]
    starts: NDArray[np.int32]
    """For each level the first block of each block's ancestor at that level: int32 [levels, n]."""
    ends: NDArray[np.int32]
    groups: dict[str, NDArray[np.int64]]
    """Blocks that belong together (of one path, of one record group): the number of each block's group, -1 for none."""


def ancestor_tree(blocks: Blocks) -> AncestorTree:
    """The ancestors of a page's blocks."""
    elements = blocks.elements
    holders = np.zeros(len(elements) + 1, np.int32)
    holders[blocks.element + 1] = 1
    before = np.cumsum(holders)  # holders of blocks before each row
    kept = np.flatnonzero(before[elements.last + 1] > before[:-1])
    depth = elements.depth[kept]
    rows = kept[np.argsort(depth, kind="stable")]
    place = np.zeros(len(elements), np.intp)
    place[rows] = np.arange(len(rows))
    cuts = np.cumsum(np.bincount(depth)).tolist()
    depths = [slice(first, last) for first, last in pairwise(cuts)]
    return AncestorTree(rows, place[np.maximum(elements.parent[rows], 0)], depths, place[blocks.element])
