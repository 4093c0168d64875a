"""Bodies of one page side by side: equal lines share a row. difflib finds the equal lines."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINES = 1500
"""Lines of a body. Later lines are not shown."""

Row = list[str | None]
"""One line per body; None where a body lacks it."""


def align(bodies: Sequence[Sequence[str]]) -> list[Row]:
    """The lines of all bodies in rows. Each body keeps its order.

    >>> align([["a", "b", "d"], ["b", "c", "d"]])
    [['a', None], ['b', 'b'], [None, 'c'], ['d', 'd']]
    """
    rows: list[Row] = []
    keys: list[str] = []
    for column, body in enumerate(bodies):
        lines = list(body[:MAX_LINES])
        rows, keys = _merge(rows, keys, lines, column)
    return [row + [None] * (len(bodies) - len(row)) for row in rows]


def line_key(line: str) -> str:
    """The letters and digits of a line. Lines with the same key count as equal, whatever their white space and quotes.

    >>> line_key("“A  line”.") == line_key('"A line".')
    True
    """
    text = unicodedata.normalize("NFKC", line)
    return "".join(char for char in text if char.isalnum()) or "".join(text.split())


def _merge(rows: list[Row], keys: list[str], lines: list[str], column: int) -> tuple[list[Row], list[str]]:
    """The rows and their keys, with the lines as one more column."""
    line_keys = [line_key(line) for line in lines]
    merged: list[Row] = []
    merged_keys: list[str] = []
    next_row = next_line = 0
    for row, line in [*matches(keys, line_keys), (len(rows), len(lines))]:
        for i in range(next_row, row):
            merged.append([*rows[i], None])
            merged_keys.append(keys[i])
        for i in range(next_line, line):
            merged.append([*([None] * column), lines[i]])
            merged_keys.append(line_keys[i])
        if row < len(rows):
            merged.append([*rows[row], lines[line]])
            merged_keys.append(keys[row])
        next_row, next_line = row + 1, line + 1
    return merged, merged_keys


def matches(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of positions with equal values, increasing on both sides.

    >>> matches("abcb", "xbcb")
    [(1, 1), (2, 2), (3, 3)]
    """
    blocks = SequenceMatcher(None, left, right).get_matching_blocks()
    return [(block.a + offset, block.b + offset) for block in blocks for offset in range(block.size)]
