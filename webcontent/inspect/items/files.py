"""Items as a crawl writes them: JSON lines, CSV, Parquet, SQLite, PostgreSQL. Each gives its items as dicts, one at a time."""

from __future__ import annotations

import csv
import gzip
import json
import sqlite3
import zlib
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from webcontent.formats.outputs import READABLE, file_beside, format_of_file
from webcontent.formats.table import TABLES, rows_of_csv
from webcontent.items import TEXT_LISTS, TEXT_SEPARATOR, TIMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO


CONNECT_S = 10
"""Seconds to wait for a connection to a database."""


def with_listings(names: Iterable[str]) -> list[str]:
    """The files, each CSV file followed by the file of its lists if there is one: `a.csv` by `a.listings.csv`."""
    pairs = ((name, file_beside(name, "listings")) for name in names)
    both = ((name, listings) if name.endswith(".csv") and Path(listings).is_file() else (name,) for name, listings in pairs)
    return list(dict.fromkeys(chain.from_iterable(both)))


def read_items(path: Path) -> Iterator[dict[str, Any] | None]:
    """The items of a file, whose first bytes and suffix tell its format; None for a line that holds no item.

    Raises OSError if the file can't be read, and ValueError, with the reason, if its content can't.
    """
    with path.open("rb") as file:
        output = format_of_file(path, file.read(max(len(output.signature) for output in READABLE)))
    if missing := output.missing_package():
        raise ValueError(f"{path} is a {output.title} file, which needs {missing}")
    yield from resolve_name(output.reader)(path)


def from_lines(path: Path) -> Iterator[dict[str, Any] | None]:
    with _opened(path) as file:
        for line in file:
            try:
                item = json.loads(line)
            except (ValueError, RecursionError):
                item = None
            if isinstance(item, dict) and _is_item(item):
                yield item
            elif line.strip():
                yield None


def from_csv(path: Path) -> Iterator[dict[str, Any] | None]:
    try:
        with _opened(path) as file:
            for row in rows_of_csv(file):
                yield {name: _from_cell(name, text) for name, text in row.items()} if _is_item(row) else None
    except csv.Error as error:
        raise ValueError(f"{path} is no CSV file: {error}.") from None


def _from_cell(name: str, text: str) -> Any:
    """A value of an item from its cell. Records stay JSON, since only their presence matters to a report."""
    if name in TEXT_LISTS:
        return text.split(TEXT_SEPARATOR) if text else []
    return text.replace(" ", "T", 1) if name in TIMES else text


def from_parquet(path: Path) -> Iterator[dict[str, Any]]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=64):
                yield from filter(_is_item, batch.to_pylist())
    except pa.ArrowException as error:
        raise ValueError(f"{path} is a damaged Parquet file: {error}.") from None


def from_sqlite(path: Path) -> Iterator[dict[str, Any]]:
    try:
        # Without a write-ahead log nobody writes to it. Then it is read as it is, so that SQLite leaves no files of its own beside it.
        how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)) as database:
            database.row_factory = sqlite3.Row
            present = {row["name"] for row in database.execute("select name from sqlite_master where type = 'table'")}
            for table in TABLES.values():
                for row in database.execute(f"select * from {table}") if table in present else ():  # noqa: S608  (a name of ours)
                    yield {name: _from_column(value) for name, value in dict(row).items()}
    except sqlite3.Error as error:
        raise ValueError(f"{path} can't be read as a database: {error}.") from None


def from_postgresql(url: str) -> Iterator[dict[str, Any]]:
    """The items of a PostgreSQL database, with times as the pages have them. Raises ValueError if it can't be read."""
    try:
        import psycopg
        from psycopg.rows import dict_row
    except ImportError:
        raise ValueError('PostgreSQL needs the package psycopg: pip install "webcontent[postgres]"') from None
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_S, row_factory=dict_row) as database:
            for table in TABLES.values():
                if (database.execute("select to_regclass(%s) as name", (table,)).fetchone() or {}).get("name"):
                    with database.cursor(name="report") as rows:
                        for row in rows.execute(f"select * from {table}"):  # noqa: S608  (a name of ours)
                            yield row | {name: row[f"{name}_text"] for name in TIMES if row.get(f"{name}_text")}
    except psycopg.Error as error:
        raise ValueError(f"The PostgreSQL database can't be read: {next(iter(str(error).splitlines()), type(error).__name__)}.") from None


def _from_column(value: Any) -> Any:
    """A value of a column; lists and records are JSON there."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value  # a text that begins with a bracket
    return value


def _is_item(item: dict[str, Any]) -> bool:
    return "url" in item or "title" in item


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """A text file, gzipped or not. Line breaks are left as they are, which the CSV reader needs."""
    opened: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
            yield file
    except (EOFError, zlib.error) as error:
        raise ValueError(f"{path} is a damaged gzip file: {error}.") from None
