"""The crawl state: what earlier runs of an incremental crawl did. It is kept in a file (SQLite) or on a server (Redis).

A store holds three things. `CrawlRecord`s say what is known of the URLs that were dealt with. `FrontierEntry`s are the links that
were found and not yet dealt with, so that the next run continues a run that was killed or stopped at its limit. And for each feed
file of an unfinished run it holds up to which byte the file is accounted for. One `put` is one transaction.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from webcontent.addresses import split_url
from webcontent.crawl.discovery.urls import address_key
from webcontent.crawl.server_urls import TIMEOUT_S, check_server_url, sqlite_path, without_password
from webcontent.crawl.setup_errors import SetupError
from webcontent.hashing import LONG, digest
from webcontent.items import BROKEN_FLAGS, TEXT_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from webcontent.items import Article, Listing

ARTICLE, LIST, SOURCE, ALIAS, GONE, BROKEN = KINDS = ("article", "list", "source", "alias", "gone", "broken")
"""Kinds of records: an article; a listing; a feed or sitemap; another URL of a page that has its own record; no page; a page without its
content, such as a robot check."""
MAX_NIGHTS = 60
"""Runs that are kept of each host."""
MAX_TRIES = 5
"""Runs in which the request for a frontier entry may fail before the entry is dropped."""


class CrawlStateError(SetupError):
    """The store can't be used; the message says why, in one sentence."""


class CrawlRecord(NamedTuple):
    """What is known of a URL."""

    kind: str
    digest: str | None = None
    """Of title and body; it differs when the text differs."""
    etag: str | None = None
    last_modified: str | None = None
    """The server's validators, as it sent them."""
    checked: float = 0.0
    """When it was last requested, seconds since 1970."""
    changed: float = 0.0
    """When its text was last found to have changed. Of a page without its content: when it first came so."""
    feeds: str = ""
    """URLs of the feeds that a seed names, separated by blanks."""


class FrontierEntry(NamedTuple):
    """A link that is still to be followed."""

    url: str
    site: str
    priority: int
    depth: int


def open_store(url: str) -> CrawlStateStore:
    """The store at `sqlite:///FILE` or `redis://HOST[:PORT][/DATABASE][?name=NAME]`. Raises CrawlStateError."""
    scheme = url.partition(":")[0]
    if scheme == "sqlite":
        try:
            return SqliteStore(sqlite_path(url))
        except ValueError as error:
            raise CrawlStateError(str(error)) from None
    if scheme in ("redis", "rediss", "unix"):
        return RedisStore(url)
    raise CrawlStateError(f"{without_password(url)!r} is no store; there are sqlite:///FILE and redis://HOST:PORT/DATABASE.")


def key_of(url: str) -> str:
    """The key of a URL in the store: a hash of fixed length of its `address_key`."""
    return digest(address_key(url), LONG).hex()


def digest_of(item: Article | Listing | Mapping[str, Any]) -> str:
    """A hash of an item's title and body. An item and the dict that a feed holds of it have the same."""
    text = "\x00".join(str(_value(item, name) or "") for name in ("title", "body"))
    return digest(text.encode("utf-8", "replace").decode(), LONG).hex()  # feeds hold "?" for a lone surrogate


def broken_flags(item: Article | Listing | Mapping[str, Any]) -> frozenset[str]:
    """The flags by which an item, or the dict that a feed holds of it, lacks the content of its page. A list with entries has it."""
    flags = _value(item, "flags") or ()
    return (
        frozenset()
        if _value(item, "entries")
        else BROKEN_FLAGS.intersection(flags.split(TEXT_SEPARATOR) if isinstance(flags, str) else flags)
    )


def _value(item: Any, name: str) -> Any:
    return item.get(name) if hasattr(item, "get") else getattr(item, name, None)


def _failure(text: str, error: Exception) -> CrawlStateError:
    """The error of a store: a text, and the message of another error as its end. Some messages of Redis end with a full stop."""
    return CrawlStateError(f"{text}: {str(error).rstrip('.')}.")


class SqliteStore:
    """A store in a file. Several processes of one machine may use it at a time.

    The methods of a store block, may be called from any thread, and raise CrawlStateError.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = Lock()
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=TIMEOUT_S, check_same_thread=False, isolation_level=None)
            try:
                self._database.executescript(_SCHEMA)
                self._database.executescript("begin immediate; rollback")  # fails if the file can't be written
            except sqlite3.Error:
                self._database.close()
                raise
        except (sqlite3.Error, OSError) as error:
            raise _failure(f"The store {path} can't be opened", error) from error

    def get(self, keys: Sequence[str]) -> dict[str, CrawlRecord]:
        """The records of those keys that have one."""
        with self._transaction("begin") as database:
            return {key: CrawlRecord(*values) for key, *values in database.execute(_SELECT, (json.dumps(keys),))}

    def add_entries(self, entries: Mapping[str, FrontierEntry]) -> None:
        """Adds links to the frontier by their keys. Entries that are there already stay unchanged."""
        rows = [(key, *entry) for key, entry in entries.items()]
        with self._transaction() as database:
            database.executemany("insert or ignore into frontier (key, url, site, priority, depth) values (?, ?, ?, ?, ?)", rows)

    def put(self, records: Mapping[str, CrawlRecord], feeds: Mapping[str, int] | None = None, standing: Iterable[str] = ()) -> None:
        """Writes records, removes the frontier entries of their keys, and notes up to which byte each feed file is accounted for.

        The entries of the `standing` keys stay: these are listings that later runs request again, whether a page links to them or not.
        """
        done = records.keys() - set(standing)
        rows = [(key, *record) for key, record in records.items()]
        with self._transaction() as database:
            database.executemany("insert or replace into records values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            database.executemany("delete from frontier where key = ?", [(key,) for key in done])
            database.executemany("insert or replace into feeds (path, size) values (?, ?)", list((feeds or {}).items()))

    def frontier(self, site: str) -> list[FrontierEntry]:
        """The frontier entries of a site, highest priority first."""
        select = "select url, site, priority, depth from frontier where site = ? order by priority desc, rowid"
        with self._transaction("begin") as database:
            return [FrontierEntry(*row) for row in database.execute(select, (site,))]

    def count_failures(self, keys: Iterable[str]) -> None:
        """Counts a failed request for the entries of these keys. After MAX_TRIES an entry is dropped, unless its page has a record."""
        with self._transaction() as database:
            rows = [(key,) for key in keys]
            database.executemany("update frontier set tries = tries + 1 where key = ? and key not in (select key from records)", rows)
            database.execute("delete from frontier where tries >= ?", (MAX_TRIES,))

    def feeds(self) -> dict[str, int]:
        """Feed files of runs that did not end, with the byte up to which they are accounted for."""
        with self._transaction("begin") as database:
            return dict(database.execute("select path, size from feeds").fetchall())

    def forget_feeds(self, paths: Iterable[str]) -> None:
        """Forgets feed files that are complete."""
        with self._transaction() as database:
            database.executemany("delete from feeds where path = ?", [(path,) for path in paths])

    def nights(self) -> dict[str, dict[str, dict[str, float]]]:
        """The counts of runs, by host and start of the run, oldest first."""
        with self._transaction("begin") as database:
            rows = database.execute("select host, counts from nights order by host").fetchall()
        return {host: _as_nights(counts) for host, counts in rows}

    def put_nights(self, nights: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
        with self._transaction() as database:
            rows = [(host, _nights_text(counts)) for host, counts in nights.items()]
            database.executemany("insert or replace into nights values (?, ?)", rows)

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            self._database.close()

    @contextmanager
    def _transaction(self, begin: str = "begin immediate") -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                with self._database as database:  # commits, or rolls back
                    database.execute(begin)
                    yield database
            except sqlite3.Error as error:
                raise _failure(f"The store {self.path} can't be used", error) from error


_SELECT = (
    "select key, kind, digest, etag, last_modified, checked, changed, feeds from records where key in (select value from json_each(?))"
)
_SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = full;
create table if not exists records (
    key text primary key, kind text not null, digest text, etag text, last_modified text, checked real, changed real,
    feeds text
) without rowid;
create table if not exists frontier (
    key text unique not null, url text not null, site text not null, priority integer, depth integer, tries integer default 0
);
create index if not exists frontier_by_site on frontier (site, priority);
create table if not exists feeds (path text primary key, size integer not null);
create table if not exists nights (host text primary key, counts text not null);
"""


def _nights_text(counts: Mapping[str, Mapping[str, float]]) -> str:
    return json.dumps(dict(list(counts.items())[-MAX_NIGHTS:]))


def _as_nights(text: str) -> dict[str, dict[str, float]]:
    """The runs of a host as a store holds them; none for a value that is none, whoever wrote it."""
    with suppress(ValueError, RecursionError, AttributeError, TypeError):
        return {str(night): {str(name): float(count) for name, count in counts.items()} for night, counts in json.loads(text).items()}
    return {}


def _as_record(value: str) -> CrawlRecord | None:
    """A record as Redis holds it; None for a value that is none, whoever wrote it."""
    with suppress(ValueError, TypeError, RecursionError):
        record = CrawlRecord(*json.loads(value))
        texts, times = record[1:4], (record.checked, record.changed)
        is_valid = record.kind in KINDS and isinstance(record.feeds, str) and all(isinstance(text, str | None) for text in texts)
        return record if is_valid and all(type(time) in (int, float) for time in times) else None
    return None


def _as_entry(value: str, site: str) -> FrontierEntry | None:
    """A frontier entry as Redis holds it; None for a value that is none, or whose host is neither that of the site nor below it."""
    with suppress(ValueError, TypeError, RecursionError, AttributeError):
        url, priority, depth = json.loads(value)
        parts = split_url(url)
        is_on_site = parts is not None and f".{parts.hostname}".endswith(f".{site.rpartition(':')[0] or site}")
        return FrontierEntry(url, site, priority, depth) if is_on_site and type(priority) is int and type(depth) is int else None
    return None


class RedisStore:
    """SqliteStore on a Redis server. `?name=` (default: webcontent) separates several incremental crawls on one server.

    Keys: hash `NAME:records` of records by key; hash `NAME:frontier:SITE` of links by key; hash `NAME:frontier-sites` of sites by key;
    hash `NAME:frontier-tries:SITE` of failed requests by key; hash `NAME:feeds` of bytes by feed file; hash `NAME:nights` of runs by
    host.
    """

    def __init__(self, url: str) -> None:
        try:
            import redis
        except ImportError:
            raise CrawlStateError(f'{without_password(url)} needs the package redis: pip install "webcontent[redis]"') from None
        try:
            check_server_url(url)
        except ValueError as error:
            raise CrawlStateError(f"The address of the store can't be read: {error}.") from None
        self._error = redis.RedisError
        address, _, query = url.partition("?")
        options = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
        name = options.pop("name", "webcontent")
        self.address = without_password(address)
        rest = "&".join(f"{key}={value}" for key, value in options.items())
        names = ("records", "frontier", "feeds", "frontier-sites", "frontier-tries", "nights")
        self._records, self._frontier, self._feeds, self._sites, self._tries, self._nights = (f"{name}:{part}" for part in names)
        try:
            self._redis: Any = redis.Redis.from_url(address + (f"?{rest}" if rest else ""), decode_responses=True, socket_timeout=TIMEOUT_S)
            self._redis.ping()
        except ValueError:  # its message may hold a part of the password
            raise CrawlStateError(f"The address {self.address} can't be read.") from None
        except (redis.RedisError, OSError) as error:
            raise _failure(f"No Redis server answers at {self.address}", error) from error

    def get(self, keys: Sequence[str]) -> dict[str, CrawlRecord]:
        with self._errors():
            values = self._redis.hmget(self._records, list(keys)) if keys else []
        records = {key: _as_record(value) for key, value in zip(keys, values, strict=True) if value}
        return {key: record for key, record in records.items() if record is not None}

    def add_entries(self, entries: Mapping[str, FrontierEntry]) -> None:
        with self._transaction() as pipe:
            for key, entry in entries.items():
                pipe.hsetnx(f"{self._frontier}:{entry.site}", key, json.dumps([entry.url, entry.priority, entry.depth]))
                pipe.hsetnx(self._sites, key, entry.site)

    def put(self, records: Mapping[str, CrawlRecord], feeds: Mapping[str, int] | None = None, standing: Iterable[str] = ()) -> None:
        keys = list(records.keys() - set(standing))
        with self._errors():
            sites = self._redis.hmget(self._sites, keys) if keys else []
        with self._transaction() as pipe:
            for key, record in records.items():
                pipe.hset(self._records, key, json.dumps(record))
            for key, site in zip(keys, sites, strict=True):
                if site:
                    self._remove(pipe, key, site)
            for path, size in (feeds or {}).items():
                pipe.hset(self._feeds, path, size)

    def frontier(self, site: str) -> list[FrontierEntry]:
        with self._errors():
            values = self._redis.hvals(f"{self._frontier}:{site}")
        entries = [entry for value in values if (entry := _as_entry(value, site)) is not None]
        return sorted(entries, key=lambda entry: -entry.priority)

    def count_failures(self, keys: Iterable[str]) -> None:
        records = self.get(names := list(keys))
        for key in names:
            with self._errors():
                site = self._redis.hget(self._sites, key)
                is_lost = site and key not in records and int(self._redis.hincrby(f"{self._tries}:{site}", key, 1)) >= MAX_TRIES
            if is_lost:
                with self._transaction() as pipe:
                    self._remove(pipe, key, site)

    def _remove(self, pipe: Any, key: str, site: str) -> None:
        for name in (f"{self._frontier}:{site}", f"{self._tries}:{site}", self._sites):
            pipe.hdel(name, key)

    def feeds(self) -> dict[str, int]:
        with self._errors():
            values = self._redis.hgetall(self._feeds)
        return {path: int(size) for path, size in values.items() if size.isascii() and size.isdigit()}

    def forget_feeds(self, paths: Iterable[str]) -> None:
        with self._transaction() as pipe:
            for path in paths:
                pipe.hdel(self._feeds, path)

    def nights(self) -> dict[str, dict[str, dict[str, float]]]:
        with self._errors():
            rows = self._redis.hgetall(self._nights)
        return {host: _as_nights(counts) for host, counts in sorted(rows.items())}

    def put_nights(self, nights: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
        with self._transaction() as pipe:
            for host, counts in nights.items():
                pipe.hset(self._nights, host, _nights_text(counts))

    def close(self) -> None:
        self._redis.close()

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Commands that take effect together, at the end."""
        with self._errors(), self._redis.pipeline(transaction=True) as pipe:
            yield pipe
            pipe.execute()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (self._error, OSError) as error:
            raise _failure(f"The Redis server at {self.address} does not answer", error) from error


CrawlStateStore = SqliteStore | RedisStore
