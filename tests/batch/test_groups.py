"""Row groups of Parquet files."""

from __future__ import annotations

import io
from contextlib import nullcontext
from unittest.mock import Mock

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'webcontent[parquet]'")

from webcontent.batch import table


@pytest.mark.parametrize(("size", "groups"), [(33_554_432, 2), (33_554_431, 1)])
def test_a_group_ends_with_the_line_that_fills_it(size: int, groups: int, monkeypatch: pytest.MonkeyPatch):
    lines = b" " * (size - 3) + b"{}\n" + b"{}\n"
    written: list[object] = []
    monkeypatch.setattr(table, "whole_file", lambda target: io.BytesIO())
    monkeypatch.setattr(table.parquet, "ParquetWriter", lambda *arguments, **options: nullcontext(Mock(write_batch=written.append)))
    monkeypatch.setattr(table, "batch_of_rows", lambda rows, schema: rows)
    table.write_table(Mock(open=lambda mode: io.BytesIO(lines)), Mock())
    assert len(written) == groups
