"""Tables of text on a terminal."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def iter_aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table: columns as wide as their widest cell, numbers on the right.

    >>> list(iter_aligned([("site", "pages"), ("新闻", "12")]))
    ['site  pages', '新闻     12']
    """
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(padded(text, width) for text, width in zip(row, widths, strict=True)).rstrip()


def cells(text: str) -> int:
    """The number of cells of a terminal that a text fills. A Chinese character fills two.

    >>> cells("新闻 1")
    6
    """
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def padded(text: str, width: int) -> str:
    """The text, filled up with blanks to a width in cells; blanks come before a number."""
    blanks = " " * (width - cells(text))
    return blanks + text if text.isdecimal() else text + blanks


def shortened(text: str, width: int) -> str:
    """The text, cut to a width in cells.

    >>> shortened("新闻网站", 6)
    '新闻…'
    """
    if cells(text) <= width:
        return text
    while cells(text) > width - 1:
        text = text[:-1]
    return text + "…"
