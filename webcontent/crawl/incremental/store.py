"""What earlier runs of a crawl gave: a store in a file (SQLite) or on a server that several machines share (Redis).

A store knows three things: `Record`s of the addresses that were dealt with; `FrontierEntry`s, the links that were found and not yet
dealt with, so that a run that was killed or stopped at its limit goes on in the next one; and how far each feed file of an
unfinished run was written. One `put` is one transaction: all of it or nothing.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from webcontent.crawl.discovery.urls import without_password
from webcontent.hashing import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from webcontent.items import Article, Listing

ARTICLE, LIST, SOURCE, ALIAS, GONE = "article", "list", "source", "alias", "gone"
"""Kinds of records: an article; a list; a feed or sitemap; another address of a page that has its record; no page at all."""
MAX_TRIES = 5
"""Runs in which a lead is asked for in vain before it is given up: its server does not answer, or with errors."""
CHUNK = 500
"""Keys of one question."""


class CrawlStateError(Exception):
    """The store can't be used; the message says why, in one sentence."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of an address."""

    kind: str
    digest: str | None = None
    """Of title and body: another one is another text."""
    etag: str | None = None
    last_modified: str | None = None
    """The server's validators, as it sent them."""
    checked: float = 0.0
    """When it was last asked for, seconds since 1970."""
    changed: float = 0.0
    """When its text was last found to be another one."""
    feeds: str = ""
    """Addresses of the feeds that a seed names, parted by blanks."""


@dataclass(frozen=True, slots=True)
class FrontierEntry:
    """A link that is still to be followed."""

    url: str
    site: str
    priority: int
    depth: int


class CrawlStateStore(Protocol):
    """Methods block, may be called from any thread, and raise CrawlStateError."""

    def get(self, keys: Sequence[str]) -> dict[str, Record]:
        """The records of those keys that have one."""

    def add_leads(self, leads: Mapping[str, FrontierEntry]) -> None:
        """Remembers links by their keys; those that are known already stay as they are."""

    def put(self, records: Mapping[str, Record], feeds: Mapping[str, int] | None = None, standing: Iterable[str] = ()) -> None:
        """Writes records, forgets the leads of their keys, and notes up to which byte each feed file is accounted for.

        The leads of the `standing` keys stay: lists that later runs ask for again, whether a page leads to them or not.
        """

    def leads(self, site: str) -> list[FrontierEntry]:
        """The site's leads, best first."""

    def count_failures(self, keys: Iterable[str]) -> None:
        """Counts a try of the leads of these keys; after MAX_TRIES a lead is dropped, unless its page has a record."""

    def feeds(self) -> dict[str, int]:
        """Feed files of runs that did not end, with the byte up to which they are accounted for."""

    def forget_feeds(self, paths: Iterable[str]) -> None:
        """The files are whole: nothing of them is left to be looked at."""

    def close(self) -> None: ...


def open_store(url: str) -> CrawlStateStore:
    """The store at `sqlite:///FILE` or `redis://HOST[:PORT][/DATABASE][?name=NAME]`. Raises CrawlStateError."""
    scheme = url.partition(":")[0]
    if scheme == "sqlite":
        return SqliteStore(sqlite_path(url))
    if scheme in ("redis", "rediss", "unix"):
        return RedisStore(url)
    raise CrawlStateError(f"{url!r} is no store; there are sqlite:///FILE and redis://HOST:PORT/DATABASE.")


def sqlite_path(url: str) -> str:
    """The file of an address: three slashes before a relative path, four before an absolute one.

    >>> sqlite_path("sqlite:///seen.db"), sqlite_path("sqlite:////var/lib/seen.db")
    ('seen.db', '/var/lib/seen.db')
    """
    path = url.removeprefix("sqlite:///")
    if path == url or not path:
        raise CrawlStateError(f"{url!r} names no file; it is sqlite:///FILE, with four slashes before an absolute path.")
    return path


def key_of(address_key: str) -> str:
    """What an address is filed under: 16 bytes of a hash as text, whatever its length."""
    return digest(address_key, size=16).hex()


def digest_of(item: Article | Listing | Mapping[str, Any]) -> str:
    """What of an item makes it another one when it changes: title and body. Also of the dict that a feed holds."""
    values = [item.get(name) if hasattr(item, "get") else getattr(item, name) for name in ("title", "body")]
    return key_of("\x00".join(str(value or "") for value in values))


def _reason(error: Exception) -> str:
    """Its message, for a sentence; some of Redis' end with a full stop."""
    return str(error).rstrip(".")


class SqliteStore:
    """A file. Several processes of one machine may use it at a time."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = Lock()
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
            self._database.executescript(_SCHEMA)
            self._database.execute("begin immediate")  # a file that can't be written is found out here
            self._database.execute("rollback")
        except (sqlite3.Error, OSError) as error:
            raise CrawlStateError(f"The store {path} can't be opened: {_reason(error)}.") from error

    def get(self, keys: Sequence[str]) -> dict[str, Record]:
        found: dict[str, Record] = {}
        with self._lock, self._errors():
            for start in range(0, len(keys), CHUNK):
                part = keys[start : start + CHUNK]
                marks = ",".join("?" * len(part))
                rows = self._database.execute(f"select {_COLUMNS} from pages where key in ({marks})", part)  # noqa: S608  (only marks)
                found |= {key: Record(*values) for key, *values in rows}
        return found

    def add_leads(self, leads: Mapping[str, FrontierEntry]) -> None:
        rows = [(key, lead.url, lead.site, lead.priority, lead.depth) for key, lead in leads.items()]
        with self._transaction() as database:
            database.executemany("insert or ignore into leads (key, url, site, priority, depth) values (?, ?, ?, ?, ?)", rows)

    def put(self, records: Mapping[str, Record], feeds: Mapping[str, int] | None = None, standing: Iterable[str] = ()) -> None:
        done = records.keys() - set(standing)
        rows = [(key, *asdict(record).values()) for key, record in records.items()]
        with self._transaction() as database:
            database.executemany("insert or replace into pages values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            database.executemany("delete from leads where key = ?", [(key,) for key in done])
            database.executemany("insert or replace into feeds (path, size) values (?, ?)", list((feeds or {}).items()))

    def leads(self, site: str) -> list[FrontierEntry]:
        with self._lock, self._errors():
            rows = self._database.execute(
                "select url, site, priority, depth from leads where site = ? order by priority desc, rowid", (site,)
            )
            return [FrontierEntry(*row) for row in rows]

    def count_failures(self, keys: Iterable[str]) -> None:
        with self._transaction() as database:
            rows = [(key,) for key in keys]
            database.executemany("update leads set tries = tries + 1 where key = ? and key not in (select key from pages)", rows)
            database.execute("delete from leads where tries >= ?", (MAX_TRIES,))

    def feeds(self) -> dict[str, int]:
        with self._lock, self._errors():
            return dict(self._database.execute("select path, size from feeds").fetchall())

    def forget_feeds(self, paths: Iterable[str]) -> None:
        with self._transaction() as database:
            database.executemany("delete from feeds where path = ?", [(path,) for path in paths])

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._errors():
            self._database.execute("begin immediate")
            try:
                yield self._database
                self._database.execute("commit")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._database.execute("rollback")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise CrawlStateError(f"The store {self.path} can't be used: {_reason(error)}.") from error


_COLUMNS = "key, kind, digest, etag, last_modified, checked, changed, feeds"
_SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = full;
create table if not exists pages (
    key text primary key, kind text not null, digest text, etag text, last_modified text, checked real, changed real,
    feeds text
) without rowid;
create table if not exists leads (
    key text unique not null, url text not null, site text not null, priority integer, depth integer, tries integer default 0
);
create index if not exists leads_of_site on leads (site, priority);
create table if not exists feeds (path text primary key, size integer not null);
"""


class RedisStore:
    """A Redis server; `?name=` (default: webcontent) keeps several monitors on one server apart."""

    def __init__(self, url: str) -> None:
        try:
            import redis
        except ImportError:
            raise CrawlStateError(f"{url} needs the package redis: pip install webcontent[redis]") from None
        self._error = redis.RedisError
        address, _, query = url.partition("?")
        options = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
        name = options.pop("name", "webcontent")
        self.place = without_password(address)
        rest = "&".join(f"{key}={value}" for key, value in options.items())
        self._pages, self._leads, self._feeds = (f"{name}:{part}" for part in ("seen", "leads", "feeds"))
        try:
            self._redis = redis.Redis.from_url(address + (f"?{rest}" if rest else ""), decode_responses=True, socket_timeout=30)
            self._redis.ping()
        except (redis.RedisError, ValueError, OSError) as error:
            raise CrawlStateError(f"No Redis server answers at {self.place}: {_reason(error)}.") from error

    def get(self, keys: Sequence[str]) -> dict[str, Record]:
        if not keys:
            return {}
        values: Any = self._run(lambda: self._redis.hmget(self._pages, list(keys)))
        return {key: Record(*json.loads(value)) for key, value in zip(keys, values, strict=True) if value}

    def add_leads(self, leads: Mapping[str, FrontierEntry]) -> None:
        def write() -> None:
            with self._redis.pipeline(transaction=True) as pipe:
                for key, lead in leads.items():
                    pipe.hsetnx(f"{self._leads}:{lead.site}", key, json.dumps([lead.url, lead.priority, lead.depth]))
                    pipe.hsetnx(f"{self._leads}:site", key, lead.site)
                pipe.execute()

        if leads:
            self._run(write)

    def put(self, records: Mapping[str, Record], feeds: Mapping[str, int] | None = None, standing: Iterable[str] = ()) -> None:
        def write() -> None:
            keys = list(records.keys() - set(standing))
            sites: Any = self._redis.hmget(f"{self._leads}:site", keys) if keys else []
            with self._redis.pipeline(transaction=True) as pipe:
                for key, record in records.items():
                    pipe.hset(self._pages, key, json.dumps(list(asdict(record).values())))
                for key, site in zip(keys, sites, strict=True):
                    if site:
                        self._forget(pipe, key, site)
                for path, size in (feeds or {}).items():
                    pipe.hset(self._feeds, path, size)
                pipe.execute()

        self._run(write)

    def leads(self, site: str) -> list[FrontierEntry]:
        found: Any = self._run(lambda: self._redis.hvals(f"{self._leads}:{site}"))
        leads = [FrontierEntry(url, site, priority, depth) for url, priority, depth in map(json.loads, found)]
        return sorted(leads, key=lambda lead: -lead.priority)

    def count_failures(self, keys: Iterable[str]) -> None:
        done = self.get(names := list(keys))

        def write() -> None:
            for key in names:
                site: Any = self._redis.hget(f"{self._leads}:site", key)
                if site and key not in done and int(self._redis.hincrby(f"{self._leads}:tries:{site}", key, 1)) >= MAX_TRIES:
                    with self._redis.pipeline(transaction=True) as pipe:
                        self._forget(pipe, key, site)
                        pipe.execute()

        self._run(write)

    def _forget(self, pipe: Any, key: str, site: str) -> None:
        """Takes a lead away."""
        pipe.hdel(f"{self._leads}:{site}", key)
        pipe.hdel(f"{self._leads}:tries:{site}", key)
        pipe.hdel(f"{self._leads}:site", key)

    def feeds(self) -> dict[str, int]:
        values: Any = self._run(lambda: self._redis.hgetall(self._feeds))
        return {path: int(size) for path, size in values.items()}

    def forget_feeds(self, paths: Iterable[str]) -> None:
        names = list(paths)
        if names:
            self._run(lambda: self._redis.hdel(self._feeds, *names))

    def close(self) -> None:
        self._redis.close()

    def _run(self, job: Any) -> Any:
        try:
            return job()
        except (self._error, OSError) as error:
            raise CrawlStateError(f"The Redis server at {self.place} does not answer: {_reason(error)}.") from error
