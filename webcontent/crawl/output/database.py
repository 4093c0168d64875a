"""Writes items to a database, SQLite or PostgreSQL: one row per URL with the latest item.

The tables `articles` and `lists` have a column for each field; lists and dicts are JSON (JSONB in PostgreSQL). A row is written before
the item reaches the feeds. It replaces the row of the same URL.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured

from webcontent.crawl.config import Config
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.server_urls import check_server_url, sqlite_path, without_password
from webcontent.crawl.setup_errors import SetupError
from webcontent.crawl.stopping import PostponedItem, stop_crawl
from webcontent.formats.table import TABLES, column_types
from webcontent.hashing import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy.crawler import Crawler

    from webcontent.items import Article, Listing

logger = logging.getLogger(__name__)

_UPSERT = "insert into {table} ({columns}) values ({values}) on conflict (url) do update set {updates}"
LOCK_TIMEOUT_S = 30
"""How long SQLite waits for another process's lock."""
CONNECT_TIMEOUT_S = 10
MAX_ADDRESS_BYTES = 2000
"""Bytes of an address, which is the primary key. PostgreSQL refuses keys of more than 2,704 bytes."""
ADDRESS_DIGEST_BYTES = 8
REFUSALS = ("22", "23", "54", "P0")
"""Classes of PostgreSQL's error codes that mean the row and not the table or the server: data, constraints, limits, triggers."""


class DatabaseError(SetupError):
    """The database can't be used; the message says why, in one sentence."""


class RefusedRowError(Exception):
    """The database takes other rows but not this one; the message is the database's reason."""


class DatabasePipeline(FromCrawler):
    """Writes each Article and Listing with a URL to the database of WEBCONTENT_DATABASE.

    A database that does not answer ends the crawl. An incremental crawl requests the page again in its next run. A row that the
    database refuses is counted and logged, and its item goes on to the feeds: the next run would fare no better.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.url = Config.from_settings(crawler.settings).database
        if not self.url:
            raise NotConfigured("WEBCONTENT_DATABASE names no database")
        self.stats = crawler.stats
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="database")  # a connection belongs to one thread
        self._database = open_database(self.url)  # a database that can't be used ends the crawl before its first page

    async def process_item(self, item: Any) -> Any:
        table = TABLES.get(type(item))
        if table is None or not item.url:
            return item
        try:
            await asyncio.get_running_loop().run_in_executor(self._executor, self._database.write, table, row_of(item))
        except DatabaseError as error:
            stop_crawl(self.crawler, "database_failed", f"{error} The crawl stops.")
            raise PostponedItem(f"{item.url} is not in the database") from None
        except RefusedRowError as error:
            self.stats.inc_value(f"webcontent/rows_refused/{table}")
            logger.warning("The database refuses the row of %s: %s", item.url, error)
            return item
        self.stats.inc_value(f"webcontent/rows/{table}")
        return item

    def close_spider(self) -> None:
        self._executor.shutdown(wait=True)
        self._database.close()


def open_database(url: str) -> SqliteDatabase | PostgresDatabase:
    """The database at `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST:PORT/NAME`, with its tables. Raises DatabaseError."""
    return SqliteDatabase(url) if url.startswith("sqlite:") else PostgresDatabase(url)


def row_of(item: Article | Listing) -> dict[str, Any]:
    """An item's values by column, nested values as JSON.

    An address of more than MAX_ADDRESS_BYTES is cut and ends in a hash of the whole one; the row then has the flag `bad-address`.
    """
    values = _storable(ItemAdapter(item).asdict())
    if len((values["url"] or "").encode()) > MAX_ADDRESS_BYTES:
        ending = f"#{digest(values['url'], ADDRESS_DIGEST_BYTES).hex()}"
        values["url"] = values["url"].encode()[: MAX_ADDRESS_BYTES - len(ending)].decode(errors="ignore") + ending
        values["flags"] = sorted({*values["flags"], "bad-address"})
    return {name: json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else value for name, value in values.items()}


def _storable(value: Any) -> Any:
    """A value without NUL and lone surrogates, which databases refuse also inside of JSON."""
    if isinstance(value, dict):
        return {_storable(name): _storable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_storable(part) for part in value]
    return value.encode("utf-8", "replace").decode().replace("\x00", "") if isinstance(value, str) else value


def _create(table: str, columns: Mapping[str, str]) -> str:
    definitions = ", ".join(f'"{name}" {kind}{" primary key" if name == "url" else ""}' for name, kind in columns.items())
    return f"create table if not exists {table} ({definitions})"


def _upsert(table: str, names: Iterable[str], placeholder: str) -> str:
    """The statement that inserts or replaces a row. `placeholder`: of a value, with {} for the column's name."""
    columns = ", ".join(f'"{name}"' for name in names)
    values = ", ".join(placeholder.format(name) for name in names)
    updates = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name != "url")
    return _UPSERT.format(table=table, columns=columns, values=values, updates=updates)


class SqliteDatabase:
    """A database in a file. Several processes of one machine may use it at a time. Methods block, and raise DatabaseError."""

    def __init__(self, url: str) -> None:
        try:
            self.path = sqlite_path(url)
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=LOCK_TIMEOUT_S, check_same_thread=False, isolation_level=None)
            self._connection.execute("pragma journal_mode = wal")
            for item_class, table in TABLES.items():
                columns = {name: types.sqlite for name, types in column_types(item_class).items()}
                self._connection.execute(_create(table, columns))
                present = {row[1] for row in self._connection.execute(f"pragma table_info({table})")}
                for name in columns.keys() - present:  # a table of an earlier version
                    self._connection.execute(f'alter table {table} add column "{name}" {columns[name]}')
        except (sqlite3.Error, OSError, ValueError) as error:
            raise DatabaseError(f"The database {url} can't be opened: {error}.") from error

    def write(self, table: str, row: dict[str, Any]) -> None:
        """Inserts a row, or replaces the row of the same URL. Raises RefusedRowError for a row that can't be stored."""
        try:
            self._connection.execute(_upsert(table, row, ":{}"), row)
        except (sqlite3.DataError, sqlite3.IntegrityError, OverflowError) as error:
            raise RefusedRowError(_first_line(error)) from error
        except sqlite3.Error as error:
            raise DatabaseError(f"The database {self.path} can't be written: {error}.") from error

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()


class PostgresDatabase:
    """A connection that is opened again, once, when the server has dropped it. The methods are those of SqliteDatabase."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise DatabaseError('PostgreSQL needs the package psycopg: pip install "webcontent[postgres]".') from None
        self._psycopg = psycopg
        self._url = url
        self.address = without_password(url)
        try:
            check_server_url(url)
        except ValueError as error:
            raise DatabaseError(f"The address of the database can't be read: {error}.") from None
        try:
            self._connection = self._connect()
            with self._connection.transaction():
                # Two crawls that start at the same time would both find no table.
                self._connection.execute("select pg_advisory_xact_lock(hashtext('webcontent'))")
                for item_class, table in TABLES.items():
                    columns = {name: types.postgres for name, types in column_types(item_class).items()}
                    self._connection.execute(_create(table, columns))
                    for name, kind in columns.items():  # a table of an earlier version
                        self._connection.execute(f'alter table {table} add column if not exists "{name}" {kind}')
        except psycopg.Error as error:
            raise DatabaseError(f"The PostgreSQL database at {self.address} can't be used: {_first_line(error)}.") from error

    def write(self, table: str, row: dict[str, Any]) -> None:
        statement = _upsert(table, row, "%({})s")
        try:
            try:
                self._connection.execute(statement, row)
            except (self._psycopg.OperationalError, self._psycopg.InterfaceError) as error:
                if _is_refusal(error):
                    raise
                self.close()
                self._connection = self._connect()
                self._connection.execute(statement, row)
        except self._psycopg.Error as error:
            if isinstance(error, self._psycopg.DataError) or _is_refusal(error):
                raise RefusedRowError(_first_line(error)) from error
            raise DatabaseError(f"The PostgreSQL database at {self.address} can't be written: {_first_line(error)}.") from error

    def close(self) -> None:
        with suppress(self._psycopg.Error):
            self._connection.close()

    def _connect(self) -> Any:
        return self._psycopg.connect(self._url, autocommit=True, connect_timeout=CONNECT_TIMEOUT_S)


def _is_refusal(error: Any) -> bool:
    """Whether PostgreSQL refused one row."""
    return (getattr(error, "sqlstate", None) or "").startswith(REFUSALS)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
