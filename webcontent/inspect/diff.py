"""Several bodies of one page side by side: their lines in rows, equal ones in one row.

Lines that both sides hold once are anchors, in the longest order that they have in common, and what lies between two anchors is
aligned in the same way (patience diff, Bram Cohen 2005): stable on text that repeats, and never worse than quadratic.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
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
    found: list[tuple[int, int]] = []
    todo = [(0, len(left), 0, len(right))]
    while todo:
        i, end, j, last = todo.pop()
        while i < end and j < last and left[i] == right[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        while i < end and j < last and left[end - 1] == right[last - 1]:
            end, last = end - 1, last - 1
            found.append((end, last))
        anchors = _anchors(left, right, (i, end, j, last))
        for low, high in zip([(i - 1, j - 1), *anchors], [*anchors, (end, last)], strict=True) if anchors else ():
            todo.append((low[0] + 1, high[0], low[1] + 1, high[1]))
        found += anchors
    return sorted(found)


def _anchors(left: Sequence[str], right: Sequence[str], part: tuple[int, int, int, int]) -> list[tuple[int, int]]:
    """Pairs of equal lines that stand once on either side, in the longest order that both have in common."""
    i, end, j, last = part
    here, there = Counter(left[i:end]), Counter(right[j:last])
    place = {right[at]: at for at in range(j, last) if there[right[at]] == 1}
    pairs = [(at, place[left[at]]) for at in range(i, end) if here[left[at]] == 1 and left[at] in place]
    tops: list[int] = []  # last place on the right of the best chain of each length
    chain: list[tuple[int, int]] = []  # length of the best chain that ends in each pair, and the pair before it
    ends: list[int] = []
    for number, (_, at) in enumerate(pairs):
        length = bisect_left(tops, at)
        chain.append((length, ends[length - 1] if length else -1))
        if length == len(tops):
            tops.append(at)
            ends.append(number)
        else:
            tops[length], ends[length] = at, number
    found: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        found.append(pairs[number])
        number = chain[number][1]
    return found[::-1]
