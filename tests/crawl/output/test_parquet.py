"""Parquet feeds."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import pytest

from tests.crawl.output.exported import FULL, LIST, exported
from webcontent.crawl.output.parquet import ParquetExporter
from webcontent.items import Article

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


def rows(data: bytes) -> list[dict[str, Any]]:
    return list(parquet.read_table(io.BytesIO(data)).to_pylist())


def test_both_classes_are_in_one_file():
    """With their nested values. Fields that a class lacks are null."""
    article, listing = rows(exported(ParquetExporter, FULL, LIST))
    assert (article["title"], article["authors"], article["images"][0]["width"]) == ("大桥开工", ["张三", "Lee"], 10)
    assert (listing["type"], listing["entries"][0]["title"], listing["time"]) == ("list", "One", None)


@pytest.mark.parametrize(("share", "groups"), [(3, 2), (2, 3)])
def test_rows_are_written_in_groups(share: int, groups: int):
    """Memory is bounded by a group, not by the crawl."""
    data = exported(ParquetExporter, *(Article(body="x" * (16_000_000 // share)) for _ in range(5)))
    file = parquet.ParquetFile(io.BytesIO(data))
    assert (file.num_row_groups, file.metadata.num_rows) == (groups, 5)


@dataclass(slots=True, kw_only=True, repr=False)
class Story(Article):
    """An article with fields of a project's own."""

    comments: int | None = None


def test_own_fields_are_columns():
    """Those of subclasses, and of items of other classes. A type that not all values have is text."""
    found = rows(exported(ParquetExporter, FULL, Story(title="Two", comments=7), {"url": "x", "tags": ["a"], "odd": 1}, {"odd": "b"}))
    assert [row["comments"] for row in found] == [None, 7, None, None]
    assert (found[1]["title"], found[2]["url"], found[2]["tags"]) == ("Two", "x", ["a"])
    assert [row["odd"] for row in found] == [None, None, "1", "b"]


def test_fields_that_come_later_are_left_out_with_one_warning(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """The columns of a Parquet file are fixed when its first rows are written."""
    monkeypatch.setattr("webcontent.crawl.output.parquet.GROUP_CHARACTERS", 1)
    found = rows(exported(ParquetExporter, FULL, *(Story(title=str(number), comments=number) for number in range(3))))
    assert [row["title"] for row in found] == [FULL.title, "0", "1", "2"]
    assert [record.getMessage() for record in caplog.records] == [
        "The feed can't hold these fields of Story, because it has the columns of its first items: comments."
    ]


def test_hostile_items():
    """Lone surrogates cost no item. A file without items has no rows."""
    assert rows(exported(ParquetExporter, Article(title="a\ud800")))[0]["title"] == "a?"
    assert rows(exported(ParquetExporter)) == []
