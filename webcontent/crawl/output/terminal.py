"""Tables of text on a terminal, where a Chinese character fills two cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqdm.utils import disp_len, disp_trim

from webcontent.printable import on_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def iter_aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table: columns as wide as their widest cell, numbers on the right.

    >>> list(iter_aligned([("site", "pages"), ("新闻", "12")]))
    ['site  pages', '新闻     12']
    """
    rows = [list(map(on_terminal, row)) for row in rows]  # what a server says may stand in a cell
    widths = [max(map(disp_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        blanks = [" " * (width - disp_len(text)) for text, width in zip(row, widths, strict=True)]
        yield "  ".join(gap + text if text.isdecimal() else text + gap for text, gap in zip(row, blanks, strict=True)).rstrip()


def shortened(text: str, width: int) -> str:
    """The text, cut to a width in cells.

    >>> shortened("新闻网站", 6)
    '新闻…'
    """
    return text if disp_len(text) <= width else disp_trim(text, width - 1) + "…"
