"""The table of boxes as columns."""

from __future__ import annotations

import numpy as np

from webcontent.document.boxes import COLUMNS, TEXT_COLUMNS, box_columns

SHORT = ["/html/body/p", "p", 8, 16, 1350, 18, 16.5, 400, "#000000", "#ffffff", 5, 5, 0, 0, 0]
WHOLE = [*SHORT, "block", "", "", 0, 1]


def test_a_table_of_boxes_has_columns_by_name():
    """Rows of an older table are shorter; damaged rows are left out."""
    assert len(WHOLE) == len(COLUMNS)
    assert len(SHORT) == 15
    assert box_columns([WHOLE, WHOLE])["font_size"].tolist() == [16.5, 16.5]
    assert box_columns([WHOLE])["display"].tolist() == ["block"]
    assert "display" not in box_columns([SHORT, WHOLE])
    assert box_columns([SHORT, ["p"], [None] * 20])["own"].tolist() == [5]
    assert box_columns([])["own"].tolist() == []


def test_numbers_and_texts_have_their_types():
    """float32 for numbers, object for texts; also without rows."""
    for rows in ([], [WHOLE]):
        columns = box_columns(rows)
        assert all((column.dtype == object) == (name in TEXT_COLUMNS) for name, column in columns.items())
        assert columns["x"].dtype == np.float32
