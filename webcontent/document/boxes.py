"""The rectangles that a browser drew: the columns of the table, and the table as numpy columns.

A row stands for a visible element with text of its own or a picture, in document order; at most 2,500 rows, only what
starts above the picture's lower edge. Lengths: the first fifteen columns are what other tools' tables of this kind hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

COLUMNS = (
    "xpath",  # /html/body/div[2]/p: an index only where the tag is not the only one among its siblings
    "tag",
    "x", "y", "w", "h",  # border box, CSS px from the page's upper left corner
    "font_size",  # px
    "font_weight",  # 100 to 900
    "color",  # #rrggbb
    "background",  # #rrggbb of the nearest ancestor that has one
    "own",  # characters of its own text nodes, blanks collapsed
    "text",  # characters of all text in it, blanks collapsed
    "link_text",  # of these inside links
    "links",  # number of links in it, the one that it stands in counted
    "background_image",  # 0 or 1
    "display",  # computed value: block, inline, flex, table-cell ...
    "out_of_flow",  # "", float, absolute or fixed
    "border",  # widths of the top, right, bottom, left border in px, as in "1 0 1 0"; "" for none
    "media",  # 0 none, 1 picture, video or frame, 2 form control
    "visible",  # 0 or 1; our own pass over a page leaves out what is not
)  # fmt: skip
"""Names of the columns. Tables from elsewhere may hold only the first fifteen."""

TEXT_COLUMNS = frozenset({"xpath", "tag", "color", "background", "display", "out_of_flow", "border"})


def table(rows: Sequence[Sequence[Any]]) -> dict[str, NDArray[Any]]:
    """The columns of a table by name: float32 for numbers, object for text; rows that are too short or of wrong types are left out.

    Columns that no row has are missing.

    >>> table([["/html/body/p", "p", 8, 16, 1350, 18, 16, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]])["own"]
    array([5.], dtype=float32)
    """
    good = [row for row in rows if len(row) >= 15 and all(isinstance(number, (int, float)) for number in (*row[2:8], *row[10:15]))]
    width = min(map(len, good), default=len(COLUMNS))
    columns = zip(*(row[:width] for row in good), strict=True) if good else [()] * width
    return {
        name: np.array(column, dtype=object if name in TEXT_COLUMNS else np.float32) for name, column in zip(COLUMNS, columns, strict=False)
    }
