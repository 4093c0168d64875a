"""Several bodies of one page side by side: their lines in rows, equal ones in one row (difflib finds which are equal)."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINES = 1500
"""Of a body; what follows is not shown."""

Row = list[str | None]
"""A line of each body; None where a body lacks it."""


def align(bodies: Sequence[Sequence[str]]) -> list[Row]:
    """The lines of all bodies in rows.

    >>> align([["a", "b", "d"], ["b", "c", "d"]])
    [['a', None], ['b', 'b'], [None, 'c'], ['d', 'd']]
    """
    rows: list[Row] = []
    keys: list[str] = []
    for column, body in enumerate(bodies):
        lines = list(body[:MAX_LINES])
        own = [key_of(line) for line in lines]
        rows, keys = _merge(rows, keys, lines, own, column)
    return [row + [None] * (len(bodies) - len(row)) for row in rows]


def key_of(line: str) -> str:
    """What makes two lines equal: their letters and digits, whatever the blanks and quotes.

    >>> key_of("“A  line”.") == key_of('"A line".')
    True
    """
    text = unicodedata.normalize("NFKC", line)
    return "".join(char for char in text if char.isalnum()) or "".join(text.split())


def _merge(rows: list[Row], keys: list[str], lines: list[str], own: list[str], column: int) -> tuple[list[Row], list[str]]:
    """The rows with one more column."""
    merged: list[Row] = []
    merged_keys: list[str] = []
    i = j = 0
    for row, line in [*matches(keys, own), (len(rows), len(lines))]:
        for old in range(i, row):
            merged.append(rows[old] + [None])
            merged_keys.append(keys[old])
        for new in range(j, line):
            merged.append([None] * column + [lines[new]])
            merged_keys.append(own[new])
        if row < len(rows):
            merged.append([*rows[row], lines[line]])
            merged_keys.append(keys[row])
        i, j = row + 1, line + 1
    return merged, merged_keys


def matches(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of equal places, increasing on both sides.

    >>> matches("abcb", "xbcb")
    [(1, 1), (2, 2), (3, 3)]
    """
    blocks = SequenceMatcher(None, left, right).get_matching_blocks()
    return [(block.a + offset, block.b + offset) for block in blocks for offset in range(block.size)]
