"""The crawl state: what earlier runs of an incremental crawl did. It is kept in a file (SQLite) or on a server (Redis).

Records say what is known of the URLs that were dealt with. The frontier has the links that were found and not yet dealt with. Of each
feed file of an unfinished run it is known up to which byte it is accounted for. One `put` is one transaction.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from webcontent.addresses import split_url
from webcontent.crawl.discovery.urls import address_key
from webcontent.crawl.server_urls import TIMEOUT_S, redis_client, sqlite_path, without_password
from webcontent.crawl.setup_errors import SetupError
from webcontent.hashing import LONG, digest
from webcontent.inspect.items.nights import MAX_NIGHTS
from webcontent.items import BROKEN_FLAGS, TEXT_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from webcontent.items import Article, Listing

    Row = tuple[str, str, str]
    """Table, key, value."""

ARTICLE, LIST, SOURCE, ALIAS, GONE, BROKEN = KINDS = ("article", "list", "source", "alias", "gone", "broken")
"""Kinds of records: an article; a listing; a feed or sitemap; another URL of a page that has its own record; no page; a page without its
content, such as a robot check."""
MAX_TRIES = 5
"""Runs in which the request for a frontier entry may fail before the entry is dropped."""

_SITES, _TRIES = "frontier-sites", "frontier-tries"


class CrawlStateError(SetupError):
    """The store can't be used; the message says why, in one sentence."""


class CrawlRecord(NamedTuple):
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
    url: str
    site: str
    priority: int
    depth: int


def open_store(url: str) -> CrawlStateStore:
    """The store at `sqlite:///FILE` or `redis://HOST[:PORT][/DATABASE][?name=NAME]`. Raises CrawlStateError."""
    scheme = url.partition(":")[0]
    try:
        if scheme == "sqlite":
            return CrawlStateStore(SqliteTables(sqlite_path(url)))
        if scheme in ("redis", "rediss", "unix"):
            return CrawlStateStore(RedisTables(url))
    except (ValueError, SetupError) as error:
        raise CrawlStateError(str(error)) from None
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
    names = flags.split(TEXT_SEPARATOR) if isinstance(flags, str) else flags
    return frozenset() if _value(item, "entries") else BROKEN_FLAGS.intersection(names)


def _value(item: Any, name: str) -> Any:
    return item.get(name) if hasattr(item, "get") else getattr(item, name, None)


def _failure(text: str, error: Exception) -> CrawlStateError:
    """The error of a store: a text, and the message of another error as its end. Some messages of Redis end with a full stop."""
    return CrawlStateError(f"{text}: {str(error).rstrip('.')}.")


class CrawlStateStore:
    """The crawl state in tables of texts by key. Its methods block, may be called from any thread, and raise CrawlStateError."""

    def __init__(self, tables: SqliteTables | RedisTables) -> None:
        self._tables = tables
        self.close = tables.close

    def get(self, keys: Iterable[str]) -> dict[str, CrawlRecord]:
        records = {key: _as_record(value) for key, value in self._tables.read("records", list(keys)).items()}
        return {key: record for key, record in records.items() if record is not None}

    def add_entries(self, entries: Mapping[str, FrontierEntry]) -> None:
        """Adds links to the frontier by their keys. Entries that are there already stay unchanged."""
        rows = [(f"frontier:{entry.site}", key, json.dumps([entry.url, entry.priority, entry.depth])) for key, entry in entries.items()]
        self._tables.write(new=[*rows, *((_SITES, key, entry.site) for key, entry in entries.items())])

    def put(self, records: Mapping[str, CrawlRecord], feeds: Mapping[str, int] | None = None, standing: Iterable[str] = ()) -> None:
        """Writes records, removes the frontier entries of their keys, and notes up to which byte each feed file is accounted for.

        The entries of the `standing` keys stay: these are listings that later runs request again, whether a page links to them or not.
        """
        done = self._tables.read(_SITES, list(records.keys() - set(standing)))
        rows = [("records", key, json.dumps(record)) for key, record in records.items()]
        self._tables.write([*rows, *(("feeds", path, str(size)) for path, size in (feeds or {}).items())], gone=_entries(done))

    def frontier(self, site: str) -> list[FrontierEntry]:
        """The frontier entries of a site, highest priority first."""
        found = (_as_entry(value, site) for value in self._tables.read(f"frontier:{site}").values())
        return sorted((entry for entry in found if entry is not None), key=lambda entry: -entry.priority)

    def count_failures(self, keys: Iterable[str]) -> None:
        """Counts a failed request for the entries of these keys. After MAX_TRIES an entry is dropped, unless its page has a record."""
        names = list(keys)
        sites, records, tries = (self._tables.read(table, names) for table in (_SITES, "records", _TRIES))
        counts = {key: 1 + (int(tries[key]) if tries.get(key, "").isdecimal() else 0) for key in sites if key not in records}
        lost = {key: site for key, site in sites.items() if counts.get(key, 0) >= MAX_TRIES}
        self._tables.write([(_TRIES, key, str(count)) for key, count in counts.items() if key not in lost], gone=_entries(lost))

    def feeds(self) -> dict[str, int]:
        """Feed files of runs that did not end, with the byte up to which they are accounted for."""
        return {path: int(size) for path, size in self._tables.read("feeds").items() if size.isascii() and size.isdigit()}

    def forget_feeds(self, paths: Iterable[str]) -> None:
        self._tables.write(gone=[("feeds", path) for path in paths])

    def nights(self) -> dict[str, dict[str, dict[str, float]]]:
        """The counts of runs, by host and start of the run, oldest first."""
        return {host: _as_nights(counts) for host, counts in sorted(self._tables.read("nights").items())}

    def put_nights(self, nights: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
        self._tables.write([("nights", host, json.dumps(dict(list(counts.items())[-2 * MAX_NIGHTS :]))) for host, counts in nights.items()])


def _entries(sites: Mapping[str, str]) -> list[tuple[str, str]]:
    """All rows of frontier entries, given by their sites."""
    return [(table, key) for key, site in sites.items() for table in (f"frontier:{site}", _SITES, _TRIES)]


def _as_nights(text: str) -> dict[str, dict[str, float]]:
    """The runs of a host as a store holds them; none for a value that is none, whoever wrote it."""
    with suppress(ValueError, RecursionError, AttributeError, TypeError):
        return {str(night): {str(name): float(count) for name, count in counts.items()} for night, counts in json.loads(text).items()}
    return {}


def _as_record(value: str) -> CrawlRecord | None:
    """A record as a store holds it; None for a value that is none, whoever wrote it."""
    with suppress(ValueError, TypeError, RecursionError):
        record = CrawlRecord(*json.loads(value))
        texts, times = (record.digest, record.etag, record.last_modified), (record.checked, record.changed)
        is_valid = record.kind in KINDS and isinstance(record.feeds, str) and all(isinstance(text, str | None) for text in texts)
        return record if is_valid and all(type(time) in (int, float) for time in times) else None
    return None


def _as_entry(value: str, site: str) -> FrontierEntry | None:
    """A frontier entry as a store holds it; None for a value that is none, or whose host is neither that of the site nor below it."""
    with suppress(ValueError, TypeError, RecursionError, AttributeError):
        url, priority, depth = json.loads(value)
        parts = split_url(url)
        is_on_site = parts is not None and f".{parts.hostname}".endswith(f".{site.rpartition(':')[0] or site}")
        return FrontierEntry(url, site, priority, depth) if is_on_site and type(priority) is int and type(depth) is int else None
    return None


class SqliteTables:
    """Tables of texts by key in a file. Several processes of one machine may use it at a time."""

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

    def read(self, table: str, keys: Sequence[str] | None = None) -> dict[str, str]:
        """The rows of a table, first those that were written first; with `keys`, those of them that are there."""
        select, *values = (_ALL, table) if keys is None else (_SOME, table, json.dumps(keys))
        with self._transaction("begin") as database:
            return dict(database.execute(select, values).fetchall())

    def write(self, rows: Iterable[Row] = (), *, new: Iterable[Row] = (), gone: Iterable[tuple[str, str]] = ()) -> None:
        """Writes rows, adds the new ones whose keys are not there, and removes others: all or nothing."""
        with self._transaction("begin immediate") as database:
            database.executemany("insert or replace into state values (?, ?, ?)", rows)
            database.executemany("insert or ignore into state values (?, ?, ?)", new)
            database.executemany("delete from state where name = ? and key = ?", gone)

    def close(self) -> None:
        with self._lock, suppress(sqlite3.Error):
            self._database.close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                with self._database as database:  # commits, or rolls back
                    database.execute(begin)
                    yield database
            except sqlite3.Error as error:
                raise _failure(f"The store {self.path} can't be used", error) from error


class RedisTables:
    """SqliteTables on a Redis server, one hash each. `?name=` (default: webcontent) separates several incremental crawls on one server."""

    def __init__(self, url: str) -> None:
        address, _, query = url.partition("?")
        options = dict(parse_qsl(query))
        self._name = options.pop("name", "webcontent")
        self._redis = redis_client(f"{address}?{urlencode(options)}" if options else address)
        self.address = without_password(address)

    def read(self, table: str, keys: Sequence[str] | None = None) -> dict[str, str]:
        with self._errors():
            if keys is None:
                return dict(self._redis.hgetall(f"{self._name}:{table}"))
            values = self._redis.hmget(f"{self._name}:{table}", keys) if keys else []
        return {key: value for key, value in zip(keys, values, strict=True) if value is not None}

    def write(self, rows: Iterable[Row] = (), *, new: Iterable[Row] = (), gone: Iterable[tuple[str, str]] = ()) -> None:
        with self._errors(), self._redis.pipeline(transaction=True) as pipe:
            for table, key, value in rows:
                pipe.hset(f"{self._name}:{table}", key, value)
            for table, key, value in new:
                pipe.hsetnx(f"{self._name}:{table}", key, value)
            for table, key in gone:
                pipe.hdel(f"{self._name}:{table}", key)
            pipe.execute()

    def close(self) -> None:
        self._redis.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        from redis import RedisError

        try:
            yield
        except (RedisError, OSError) as error:
            raise _failure(f"The Redis server at {self.address} does not answer", error) from error


_ALL = "select key, value from state where name = ? order by rowid"
_SOME = "select key, value from state where name = ? and key in (select value from json_each(?))"
_SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = full;
create table if not exists state (name text not null, key text not null, value text not null, unique (name, key));
"""
