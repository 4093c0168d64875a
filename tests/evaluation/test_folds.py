"""Folds by site."""

from __future__ import annotations

from webcontent.evaluation.folds import fold_of


def test_a_fold_is_the_same_everywhere() -> None:
    """It depends on the name alone, and all folds are used."""
    assert fold_of("example.org") == fold_of("example.org")
    assert {fold_of(f"site{i}.example") for i in range(200)} == {0, 1, 2, 3, 4}
    assert {fold_of(f"site{i}.example", 3) for i in range(200)} == {0, 1, 2}
