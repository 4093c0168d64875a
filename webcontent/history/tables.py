"""Bounded tables of counts by 64-bit key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]
    Numbers = NDArray[np.float64]

KEPT_SHARE = 0.75
"""A table over its limit is cut to this share of it, so that it is not cut at every page."""


class CountTable:
    """Rows of numbers by key. Over the limit the rows of a single page that are not seen for longest are dropped first."""

    def __init__(self, columns: int, limit: int) -> None:
        self.limit = limit
        self.keys: Keys = np.zeros(0, np.uint64)
        """Sorted."""
        self.values = np.zeros((0, columns), np.float32)
        """The first column is the number of pages."""
        self.seen = np.zeros(0, np.uint32)
        """The last page that had the key."""

    def find(self, keys: Keys) -> NDArray[np.intp]:
        """The row of each key, -1 where there is none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        rows = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[rows] == keys, rows, -1)

    def values_of(self, rows: NDArray[np.intp]) -> Numbers:
        """The values of rows; zeros for -1."""
        result = np.zeros((len(rows), self.values.shape[1]))
        known = rows >= 0
        result[known] = self.values[rows[known]]
        return result

    def add(self, keys: Keys, values: NDArray[Any], page: int) -> None:
        """Adds to the rows of the keys, each of which occurs once; `page`: the page's number."""
        rows = self.find(keys)
        known = rows >= 0
        self.values[rows[known]] += values[known]
        self.seen[rows[known]] = page
        new = np.concatenate((self.keys, keys[~known]))
        order = np.argsort(new, kind="stable")  # a merge, where the new keys are sorted
        self.keys = new[order]
        self.values = np.concatenate((self.values, values[~known]))[order]
        self.seen = np.concatenate((self.seen, np.full(len(new) - len(self.seen), page, np.uint32)))[order]
        if len(self.keys) > self.limit:
            self._keep(np.sort(np.lexsort((self.seen, self.values[:, 0] > 1))[-int(KEPT_SHARE * self.limit) :]))

    def halve(self) -> None:
        """Halves all counts, and drops what is left of single pages long ago."""
        self.values *= np.float32(0.5)
        self._keep(np.flatnonzero(self.values[:, 0] >= 0.5))

    def _keep(self, rows: NDArray[np.intp]) -> None:
        self.keys, self.values, self.seen = self.keys[rows], self.values[rows], self.seen[rows]


def sums_by_key(keys: Keys, columns: Numbers) -> tuple[Keys, NDArray[np.float32]]:
    """Each key once, in order, with 1 and the sums of the columns over its blocks.

    `keys`: uint64 [kinds, blocks]; `columns`: float64 [blocks, columns].
    """
    flat = keys.ravel()
    order = np.argsort(flat)
    flat = flat[order]
    starts = np.flatnonzero(np.append(True, flat[1:] != flat[:-1]))
    sums = np.add.reduceat(columns[order % len(columns)], starts, axis=0)
    return flat[starts], np.column_stack((np.ones(len(starts)), sums)).astype(np.float32)
