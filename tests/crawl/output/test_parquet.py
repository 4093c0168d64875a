"""Parquet feeds."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tests.crawl.output.exported import FULL, LIST, exported
from webcontent.crawl.output.parquet import GROUP_ROWS, ParquetExporter
from webcontent.items import Article

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


def rows(data: bytes) -> list[dict[str, Any]]:
    return list(parquet.read_table(io.BytesIO(data)).to_pylist())


def test_both_classes_are_in_one_file():
    """With their nested values. Fields that a class lacks are null."""
    article, listing = rows(exported(ParquetExporter, FULL, LIST))
    assert (article["title"], article["authors"], article["images"][0]["width"]) == ("大桥开工", ["张三", "Lee"], 10)
    assert (listing["type"], listing["entries"][0]["title"], listing["time"]) == ("list", "One", None)


def test_rows_are_written_in_groups():
    """Memory is bounded by a group, not by the crawl."""
    data = exported(ParquetExporter, *(Article(url=str(number)) for number in range(GROUP_ROWS + 1)))
    file = parquet.ParquetFile(io.BytesIO(data))
    assert (file.num_row_groups, file.metadata.num_rows) == (2, GROUP_ROWS + 1)


def test_hostile_and_foreign_items(caplog: pytest.LogCaptureFixture):
    """Lone surrogates cost no item. Items of other classes are left out with one warning. A file without items has no rows."""
    assert rows(exported(ParquetExporter, Article(title="a\ud800"), {"x": 1}, {"x": 2}))[0]["title"] == "a?"
    assert len(caplog.records) == 1
    assert rows(exported(ParquetExporter)) == []
