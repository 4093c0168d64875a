"""Writes items to a database, SQLite or PostgreSQL: one row per URL with the latest item. docs/incremental.md describes the tables.

A row is written before the item reaches the feeds, and replaces the row of the same URL.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured

from webcontent.addresses import MAX_ADDRESS_CHARACTERS
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.server_urls import CONNECT_S, TIMEOUT_S, check_server_url, sqlite_path, without_password
from webcontent.crawl.setup_errors import SetupError
from webcontent.crawl.stopping import PostponedItem, stop_crawl
from webcontent.formats.table import COLUMN_TYPES, TABLES, ColumnType, column_types, table_of
from webcontent.hashing import digest
from webcontent.items import TIMES, Article, Listing, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

REFUSALS = ("22", "23", "42804", "54", "P0")
"""PostgreSQL's error codes, or classes of them, that mean the row and not the table or the server: data, constraints, types, limits,
triggers."""
TEXT_OF_TIME = "_text"
"""End of the columns of PostgreSQL that hold a time as the page has it."""
_NOT_IN_NAMES = re.compile('["%]')
"""Characters of the names of fields that statements can't hold."""


class DatabaseError(SetupError):
    """The database can't be used; the message says why, in one sentence."""


class RefusedRowError(Exception):
    """The database takes other rows but not this one; the message is the database's reason."""


class Row(NamedTuple):
    table: str
    values: dict[str, Any]
    """By column; nested values are JSON."""
    types: dict[str, ColumnType]
    """Of the columns. A column without a value of a known type has none and is left out."""


class DatabasePipeline(FromCrawler):
    """Writes each item to the database of WEBCONTENT_DATABASE.

    A database that does not answer ends the crawl. An incremental crawl requests the page again in its next run. A row that the
    database refuses is counted and logged, and its item goes on to the feeds: the next run would fare no better.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.config.database:
            raise NotConfigured("WEBCONTENT_DATABASE names no database")
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="database")  # a connection belongs to one thread
        self._database = open_database(self.config.database)  # a database that can't be used ends the crawl before its first page

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page) or not ItemAdapter.is_item(item):
            return item
        row = row_of(item)
        address = row.values.get("url") or f"an item of the class {type(item).__name__}"
        try:
            await asyncio.get_running_loop().run_in_executor(self._executor, self._database.write, row)
        except DatabaseError as error:
            stop_crawl(self.crawler, "database_failed", f"{error} The crawl stops.")
            raise PostponedItem(f"{address} is not in the database") from None
        except RefusedRowError as error:
            self.stats.inc_value(f"webcontent/rows_refused/{row.table}")
            logger.warning("The database refuses the row of %s: %s", address, error)
            return item
        self.stats.inc_value(f"webcontent/rows/{row.table}")
        return item

    def close_spider(self) -> None:
        self._executor.shutdown(wait=True)
        self._database.close()


def open_database(url: str) -> Database:
    """The database at `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST:PORT/NAME`, with its tables. Raises DatabaseError."""
    return Database(url) if url.startswith("sqlite:") else PostgresDatabase(url)


def row_of(item: Any) -> Row:
    """The row of an item.

    An address, which is the primary key, is cut where PostgreSQL would refuse it (from 2,704 bytes on), and ends in a hash of the whole
    one. The row of an item of ours then has the flag `bad-address`.
    """
    values = {_NOT_IN_NAMES.sub("_", name): value for name, value in _storable(ItemAdapter(item).asdict()).items()}
    types = dict(column_types(cast("Any", type(item)))) if isinstance(item, (Article, Listing)) else {}
    if isinstance(url := values.get("url"), str) and len(url.encode()) > MAX_ADDRESS_CHARACTERS:
        ending = f"#{digest(url).hex()}"
        values["url"] = url.encode()[: MAX_ADDRESS_CHARACTERS - len(ending)].decode(errors="ignore") + ending
        if types:
            values["flags"] = sorted({*values["flags"], "bad-address"})
    types |= {name: COLUMN_TYPES[type(value)] for name, value in values.items() if type(value) in COLUMN_TYPES and name not in types}
    as_json = {name: json.dumps(value, ensure_ascii=False) for name, value in values.items() if isinstance(value, (list, dict))}
    return Row(table_of(item), {name: value for name, value in (values | as_json).items() if name in types}, types)


def _storable(value: Any) -> Any:
    """A value of plain types, without NUL and lone surrogates, which databases refuse also inside of JSON."""
    if isinstance(value, dict):
        return {_storable(str(name)): _storable(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_storable(part) for part in value]
    if value is None or type(value) in (int, float, bool):
        return value
    return str(value).encode("utf-8", "replace").decode().replace("\x00", "")


class Database:
    """An SQLite file, which several processes of one machine may use at a time. Tables and columns are made when they are needed.

    Methods block, and raise DatabaseError. A subclass says what other databases do differently.
    """

    dialect = "sqlite"
    placeholder = "?"
    errors: tuple[type[Exception], ...] = (sqlite3.Error, OSError, ValueError, OverflowError)

    def __init__(self, url: str) -> None:
        self.url, self.address = url, without_password(url)
        self._columns: dict[str, set[str]] = {}
        with self._one_sentence():
            self._connection = self._connect()
            for item_class, table in TABLES.items():
                self._add_columns(Row(table, {}, dict(column_types(item_class))))

    def write(self, row: Row) -> None:
        """Inserts a row, or replaces the row of the same URL. Raises RefusedRowError for a row that can't be stored."""
        with self._one_sentence():
            self._write(row)

    def _connect(self) -> Any:
        path = Path(sqlite_path(self.url))
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=TIMEOUT_S, check_same_thread=False, isolation_level=None)
        connection.execute("pragma journal_mode = wal")
        return connection

    def _is_refusal(self, error: Any) -> bool:
        return isinstance(error, (sqlite3.DataError, sqlite3.IntegrityError, OverflowError))

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        """A transaction beside which no other crawl changes tables."""
        with self._connection:
            self._connection.execute("begin immediate")
            yield

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        try:
            yield
        except self.errors as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
            if self._is_refusal(error):
                raise RefusedRowError(reason) from error
            raise DatabaseError(f"The database {self.address} can't be used: {reason}.") from error

    def _write(self, row: Row) -> None:
        if row.table in TABLES.values() and not row.values["url"]:
            raise RefusedRowError("it has no url")
        self._add_columns(row)
        names = [f'"{name}"' for name in row.values]
        updates = ", ".join(f"{name} = excluded.{name}" for name in names if name != '"url"')
        values = ", ".join([self.placeholder] * len(names))
        key = f" on conflict (url) do update set {updates}" if updates and row.values.get("url") else ""
        statement = f"insert into {row.table} ({', '.join(names)}) values ({values}){key}"  # noqa: S608  (names are quoted)
        self._connection.execute(statement, list(row.values.values()))

    def _add_columns(self, row: Row) -> None:
        """Makes the table of a row, and the columns that it lacks, such as those of a table of an earlier version."""
        if not row.types.keys() - self._columns.get(row.table, set()):
            return
        key = "primary key" if row.table in TABLES.values() else "unique"
        columns = {"url": f"text {key}"} | {name: getattr(types, self.dialect) for name, types in row.types.items() if name != "url"}
        with self._exclusively():
            definitions = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
            self._connection.execute(f"create table if not exists {row.table} ({definitions})")
            columns_now = self._connection.execute(f"select * from {row.table} limit 0").description  # noqa: S608  (a name of ours)
            present = {column[0] for column in columns_now}
            for name in columns.keys() - present:
                self._connection.execute(f'alter table {row.table} add column "{name}" {columns[name]}')
        self._columns[row.table] = present | columns.keys()

    def close(self) -> None:
        with suppress(Exception):  # of a connection that is lost already
            self._connection.close()


class PostgresDatabase(Database):
    """A connection that is opened again, once, when the server has dropped it."""

    dialect = "postgres"
    placeholder = "%s"

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise DatabaseError('PostgreSQL needs the package psycopg: pip install "webcontent[postgres]".') from None
        self._psycopg, self.errors = psycopg, (psycopg.Error, ValueError)
        super().__init__(url)

    def _connect(self) -> Any:
        check_server_url(self.url)
        return self._psycopg.connect(self.url, autocommit=True, connect_timeout=CONNECT_S)

    def _is_refusal(self, error: Any) -> bool:
        code = getattr(error, "sqlstate", None) or ""
        return isinstance(error, self._psycopg.DataError) or code.startswith(REFUSALS)

    def _write(self, row: Row) -> None:
        if row.table in TABLES.values():
            names = row.values.keys() & TIMES
            texts = {f"{name}{TEXT_OF_TIME}": row.values[name] for name in names}
            row = row._replace(values=row.values | texts | {name: _moment(row.values[name]) for name in names})
        try:
            super()._write(row)
        except (self._psycopg.OperationalError, self._psycopg.InterfaceError) as error:
            if self._is_refusal(error):
                raise
            self.close()
            self._connection = self._connect()
            super()._write(row)

    def _add_columns(self, row: Row) -> None:
        if row.table in TABLES.values():
            times = {name: ColumnType("text", "timestamptz") for name in row.types.keys() & TIMES}
            row = row._replace(types=row.types | times | {f"{name}{TEXT_OF_TIME}": COLUMN_TYPES[str] for name in times})
        super()._add_columns(row)

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        with self._connection.transaction():
            # Two crawls that start at the same time would both find no table.
            self._connection.execute("select pg_advisory_xact_lock(hashtext('webcontent'))")
            yield


def _moment(text: str | None) -> datetime | None:
    """The moment of a time in ISO 8601; None if its zone is not known.

    >>> _moment("2024-03-05T14:22+08:00").isoformat(), _moment("2024-03-05T14:22"), _moment(None)
    ('2024-03-05T14:22:00+08:00', None, None)
    """
    with suppress(ValueError):
        moment = datetime.fromisoformat(text or "")
        return moment if moment.tzinfo is not None else None
    return None
