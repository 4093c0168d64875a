"""Folds by site: training and benchmarks split every corpus in the same way."""

from __future__ import annotations

from webcontent.hashing import digest

FOLDS = 5


def fold_of(group: str, folds: int = FOLDS) -> int:
    """The fold of a site or family, from a hash of its name alone: the same in every corpus and run.

    >>> fold_of("example.org")
    0
    """
    return int.from_bytes(digest(group, size=4), "big") % folds
