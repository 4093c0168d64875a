"""The rectangles that a browser drew: the columns of the table, and the table as numpy columns.

A row stands for a visible element with text of its own or an image, in document order. A table has at most 2,500 rows, of elements that
start above the lower edge of the screenshot. Tables of other tools may hold only the first fifteen columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
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
    "link_text",  # characters inside links
    "links",  # number of links in it, and the link around it
    "background_image",  # 0 or 1
    "display",  # computed value: block, inline, flex, table-cell ...
    "out_of_flow",  # "", float, absolute or fixed
    "border",  # widths of the top, right, bottom, left border in px, as in "1 0 1 0"; "" for none
    "media",  # 0 none, 1 image, video or frame, 2 form control
    "visible",  # 0 or 1; the browser capture leaves out invisible elements
)  # fmt: skip
"""Names of the columns."""
MIN_COLUMNS = 15
"""Columns that each row has."""
MAX_BOXES = 2500
MAX_NUMBER = 1e6
"""Rows with a larger number are left out."""
TEXT_COLUMNS = frozenset({"xpath", "tag", "color", "background", "display", "out_of_flow", "border"})
_NUMBERS = [place for place, name in enumerate(COLUMNS[:MIN_COLUMNS]) if name not in TEXT_COLUMNS]


def box_columns(rows: Any) -> dict[str, NDArray[Any]]:
    """The columns of a table by name: float32 for numbers, object for text.

    Any table may be given. Rows that are too short or of wrong types are left out. The columns are those that all rows have.

    >>> box_columns([["/html/body/p", "p", 8, 16, 1350, 18, 16, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]])["own"]
    array([5.], dtype=float32)
    """
    valid = [row for row in rows[:MAX_BOXES] if _is_valid(row)] if isinstance(rows, list | tuple) else []
    width = min(map(len, valid), default=len(COLUMNS))
    columns = zip(*(row[:width] for row in valid), strict=True) if valid else [()] * width
    return {
        name: np.array(column, dtype=object if name in TEXT_COLUMNS else np.float32) for name, column in zip(COLUMNS, columns, strict=False)
    }


def _is_valid(row: Any) -> bool:
    if not isinstance(row, list | tuple) or len(row) < MIN_COLUMNS:
        return False
    return all(isinstance(number := row[place], int | float) and -MAX_NUMBER <= number <= MAX_NUMBER for place in _NUMBERS)
