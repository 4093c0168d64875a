"""Tables of counts: bounded, sorted, halved."""

from __future__ import annotations

import numpy as np

from webcontent.history.tables import CountTable, sums_by_key


def keys_of(*keys: int) -> np.ndarray:
    return np.array(keys, np.uint64)


def test_a_table_keeps_what_repeats_and_what_is_new():
    """Over its limit the rows of one page that were not seen for long go first."""
    table = CountTable(1, 100)
    ever = keys_of(1, 2, 3)
    for page in range(50):
        keys = np.concatenate((ever, np.arange(1000 + 10 * page, 1010 + 10 * page, dtype=np.uint64)))
        table.add(keys, np.ones((len(keys), 1), np.float32), page)
    assert len(table.keys) <= 100
    assert (np.diff(table.keys.astype(np.int64)) > 0).all()
    assert table.values[table.find(ever), 0].tolist() == [50, 50, 50]
    assert (table.find(np.arange(1490, 1500, dtype=np.uint64)) >= 0).all()
    assert (table.find(np.arange(1000, 1010, dtype=np.uint64)) < 0).all()


def test_unknown_keys_have_no_row_and_zeros():
    """Also in an empty table."""
    table = CountTable(2, 10)
    assert table.find(keys_of(5)).tolist() == [-1]
    table.add(keys_of(5), np.array([[1, 7]], np.float32), 0)
    assert table.values_of(table.find(keys_of(4, 5))).tolist() == [[0, 0], [1, 7]]


def test_halving_drops_what_is_left_of_single_pages():
    """A row of one page is kept once, and goes the next time."""
    table = CountTable(1, 10)
    table.add(keys_of(1, 2), np.array([[1], [4]], np.float32), 0)
    table.halve()
    assert table.keys.tolist() == [1, 2]
    table.halve()
    assert (table.keys.tolist(), table.values.tolist()) == ([2], [[1]])


def test_values_are_summed_by_key():
    """Each key once, in order, with 1 for the page."""
    keys, values = sums_by_key(np.array([[9, 3, 9], [4, 4, 9]], np.uint64), np.array([[1.0], [10.0], [100.0]]))
    assert keys.tolist() == [3, 4, 9]
    assert values.tolist() == [[1, 10], [1, 11], [1, 201]]
