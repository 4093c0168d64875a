"""Items into a database: a row an address, the newest text of it. SQLite, or PostgreSQL through psycopg.

Tables `articles` and `lists` with a column a field; lists and dicts as JSON (JSONB in PostgreSQL). A row is written before the
item goes on to the feeds; it replaces the row that its address had.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem, NotConfigured

from webcontent.crawl.config import Config
from webcontent.crawl.incremental.store import CrawlStateError, sqlite_path
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.files import stop
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

TABLES: dict[type, str] = {Article: "articles", Listing: "lists"}
_NUMBERS = frozenset({"score", "page_type_score"})
_JSON = frozenset({"authors", "related", "images", "entries", "flags", "evidence"})


class DatabaseError(Exception):
    """The database can't be used; the message says why, in one sentence."""


class Database(Protocol):
    """Methods block, and raise DatabaseError."""

    def write(self, table: str, row: dict[str, Any]) -> None:
        """Inserts a row, or replaces the one of the same address."""

    def close(self) -> None: ...


class DatabasePipeline:
    """Writes each Article and Listing to the database of WEBCONTENT_DATABASE. What has no address is left out.

    A database that does not answer ends the crawl; the item is not lost: with WEBCONTENT_CRAWL_STATE the next run asks for its page again.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.url = Config.from_settings(crawler.settings).database
        if not self.url:
            raise NotConfigured("WEBCONTENT_DATABASE names no database")
        self.stats = crawler.stats
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="database")  # a connection is used by one thread
        self._database = open_database(self.url)  # one that can't be used ends the crawl here, before page one

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        table = TABLES.get(type(item))
        if table is None or not item.url:
            return item
        try:
            await asyncio.get_running_loop().run_in_executor(self._executor, self._database.write, table, row_of(item))
        except DatabaseError as error:
            stop(self.crawler, "database_failed", f"{error} The crawl stops.")
            if (monitor := IncrementalTracker.of(self.crawler)) is not None:
                monitor.keep_open(item.url)
            raise DropItem(f"{item.url} is not in the database", log_level="DEBUG") from None
        self.stats.inc_value(f"webcontent/rows/{table}")
        return item

    def close_spider(self) -> None:
        self._executor.shutdown(wait=True)
        self._database.close()


def open_database(url: str) -> Database:
    """The database at `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST:PORT/NAME`, with its tables. Raises DatabaseError."""
    if url.startswith("sqlite:"):
        return SqliteDatabase(url)
    return PostgresDatabase(url)


def row_of(item: Article | Listing) -> dict[str, Any]:
    """An item's values by column; nested ones as JSON."""
    return {name: _value(name, value) for name, value in ItemAdapter(item).asdict().items()}


def _value(name: str, value: Any) -> Any:
    if name in _JSON:
        value = json.dumps(value, ensure_ascii=False)
    # No database takes lone surrogates, and PostgreSQL no NUL.
    return value.encode("utf-8", "replace").decode().replace("\x00", "").replace("\\u0000", "") if isinstance(value, str) else value


def _columns(item_class: type, text: str, number: str, nested: str) -> dict[str, str]:
    """The columns of a class with their types."""
    names = [field.name for field in fields(item_class)]
    return {name: number if name in _NUMBERS else nested if name in _JSON else text for name in names}


def _create(table: str, columns: dict[str, str]) -> str:
    listed = ", ".join(f'"{name}" {kind}{" primary key" if name == "url" else ""}' for name, kind in columns.items())
    return f"create table if not exists {table} ({listed})"


def _upsert(table: str, names: list[str], mark: str) -> str:
    listed = ", ".join(f'"{name}"' for name in names)
    marks = ", ".join(mark.format(name) for name in names)
    updates = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name != "url")
    return f"insert into {table} ({listed}) values ({marks}) on conflict (url) do update set {updates}"  # noqa: S608  (names of ours)


class SqliteDatabase:
    def __init__(self, url: str) -> None:
        try:
            self.path = sqlite_path(url)
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=30, check_same_thread=False, isolation_level=None)
            self._connection.execute("pragma journal_mode = wal")
            for item_class, table in TABLES.items():
                columns = _columns(item_class, "text", "real", "text")
                self._connection.execute(_create(table, columns))
                present = {row[1] for row in self._connection.execute(f"pragma table_info({table})")}
                for name in columns.keys() - present:  # a table of an earlier version
                    self._connection.execute(f'alter table {table} add column "{name}" {columns[name]}')
        except (sqlite3.Error, OSError, CrawlStateError) as error:
            raise DatabaseError(f"The database {url} can't be opened: {error}.") from error

    def write(self, table: str, row: dict[str, Any]) -> None:
        try:
            self._connection.execute(_upsert(table, list(row), ":{}"), row)
        except sqlite3.Error as error:
            raise DatabaseError(f"The database {self.path} can't be written: {error}.") from error

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()


class PostgresDatabase:
    """A connection that is opened anew once when the server has dropped it."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise DatabaseError("PostgreSQL needs the package psycopg: pip install webcontent[postgres].") from None
        self._psycopg = psycopg
        self._url = url
        parts = urlsplit(url)
        self.place = f"{parts.hostname or 'localhost'}:{parts.port or 5432}{parts.path}"  # without the password
        try:
            self._connection = self._connect()
            with self._connection.transaction():
                # Two crawls that start together would both find no table.
                self._connection.execute("select pg_advisory_xact_lock(hashtext('webcontent'))")
                for item_class, table in TABLES.items():
                    columns = _columns(item_class, "text", "double precision", "jsonb")
                    self._connection.execute(_create(table, columns))
                    for name, kind in columns.items():  # a table of an earlier version
                        self._connection.execute(f'alter table {table} add column if not exists "{name}" {kind}')
        except psycopg.Error as error:
            raise DatabaseError(f"The PostgreSQL database at {self.place} can't be used: {_first_line(error)}.") from error

    def write(self, table: str, row: dict[str, Any]) -> None:
        statement = _upsert(table, list(row), "%({})s")
        try:
            try:
                self._connection.execute(statement, row)
            except (self._psycopg.OperationalError, self._psycopg.InterfaceError):
                self.close()
                self._connection = self._connect()
                self._connection.execute(statement, row)
        except self._psycopg.Error as error:
            raise DatabaseError(f"The PostgreSQL database at {self.place} can't be written: {_first_line(error)}.") from error

    def close(self) -> None:
        with suppress(self._psycopg.Error):
            self._connection.close()

    def _connect(self) -> Any:
        return self._psycopg.connect(self._url, autocommit=True, connect_timeout=10)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
