"""Bodies side by side."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.inspect.compare import MAX_LINES, align


@pytest.mark.parametrize(
    ("bodies", "rows"),
    [
        ([["a", "b"], ["a", "b"]], [["a", "a"], ["b", "b"]]),
        ([["a", "c"], ["a", "b", "c"]], [["a", "a"], [None, "b"], ["c", "c"]]),
        ([[], ["a"]], [[None, "a"]]),
        ([["x", "a"], ["y", "a"]], [["x", None], [None, "y"], ["a", "a"]]),
        ([["a", "a", "b"], ["a", "b"]], [["a", None], ["a", "a"], ["b", "b"]]),
        ([["a"], ["b"], ["a", "b"]], [["a", None, "a"], [None, "b", "b"]]),
        ([["It’s  a “line”."], ['Its a "line".']], [["It’s  a “line”.", 'Its a "line".']]),
        ([["***"], ["* * *"], ["---"]], [["***", "* * *", None], [None, None, "---"]]),
    ],
)
def test_equal_lines_share_a_row(bodies: list[list[str]], rows: list[list[str | None]]):
    """White space and quotes do not matter. The order of each body is kept."""
    assert align(bodies) == rows


def test_every_line_is_shown_once_and_in_order():
    """This holds for texts that repeat and are shuffled, too."""
    generator = np.random.default_rng(5)
    for _ in range(50):
        bodies = [[f"line {n}" for n in generator.integers(0, 12, 30)] for _ in range(3)]
        rows = align(bodies)
        for column, body in enumerate(bodies):
            assert [row[column] for row in rows if row[column] is not None] == body


def test_long_bodies_are_cut():
    assert len(align([["line"] * (MAX_LINES + 500)])) == MAX_LINES
