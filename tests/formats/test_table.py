"""Fields of all plain types have a column."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import pytest

from webcontent.crawl.output.database import Database, row_of
from webcontent.formats.table import column_types, rows_of_csv
from webcontent.items import Article


@dataclass(slots=True, kw_only=True, repr=False)
class Counted(Article):
    """An article with a number and a truth value."""

    comments: int | None = None
    is_live: bool = False


def test_numbers_and_truth_values_are_stored(tmp_path):
    """They come back from the database as they were."""
    database = Database(f"sqlite:///{tmp_path / 'items.db'}")
    database.write(row_of(Counted(url="http://example.com/", comments=12, is_live=True)))
    assert database._connection.execute("select comments, is_live, score from articles").fetchall() == [(12, 1, 0.0)]
    database.close()


def test_every_type_of_a_field_has_a_type_of_postgresql():
    types = column_types(Counted)
    assert {name: types[name].postgres for name in ("url", "authors", "evidence", "score", "comments", "is_live")} == {
        "url": "text",
        "authors": "jsonb",
        "evidence": "jsonb",
        "score": "double precision",
        "comments": "bigint",
        "is_live": "boolean",
    }


@dataclass(slots=True, kw_only=True, repr=False)
class Unreadable(Article):
    """An article with a type that only a type checker knows."""

    price: Decimal | None = None  # type: ignore[name-defined]  # noqa: F821


def test_a_type_that_only_a_type_checker_knows_costs_no_item():
    """Its column follows from its values."""
    assert column_types(Unreadable) == column_types(Article)
    row = row_of(Unreadable(url="http://example.com/", price=1.5))  # type: ignore[arg-type]
    assert (row.values["price"], row.types["price"].postgres) == (1.5, "double precision")


def test_every_plain_type_has_a_type_of_arrow():
    table = pytest.importorskip("webcontent.batch.table", exc_type=ImportError)
    assert [str(table._arrow_type(kind)) for kind in (str, float, int, bool, int | None)] == ["string", "double", "int32", "bool", "int32"]


def test_a_cell_may_hold_a_book():
    """64 million characters, where Python reads 131,072 by default. Other readers of the process keep theirs."""
    before = csv.field_size_limit()
    rows = rows_of_csv(["a\n", "1\n"])
    assert next(rows) == {"a": "1"}
    assert csv.field_size_limit() == 64_000_000
    assert list(rows) == []
    assert csv.field_size_limit() == before
