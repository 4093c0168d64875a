"""The stores of the crawl state: one contract for SQLite and Redis."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from webcontent.crawl.incremental.feed_files import recover_feeds
from webcontent.crawl.incremental.store import (
    ALIAS,
    ARTICLE,
    GONE,
    LIST,
    CrawlRecord,
    CrawlStateError,
    CrawlStateStore,
    FrontierEntry,
    digest_of,
    key_of,
    open_store,
)
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REDIS = shutil.which("redis-server")


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Redis server on loopback."""
    if REDIS is None:
        pytest.skip("redis-server is not installed")
    pytest.importorskip("redis", reason="the package redis is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tmp_path_factory.mktemp("redis")
    command = [REDIS, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            until = time.monotonic() + 30
            while time.monotonic() < until:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            server.terminate()


@pytest.fixture(params=["sqlite", "redis"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/sub/state.db"
    return f"{request.getfixturevalue('redis_url')}?name={tmp_path.name}"


@pytest.fixture
def store(address: str) -> Iterator[CrawlStateStore]:
    made = open_store(address)
    yield made
    made.close()


def entry(url: str, site: str = "a.example", priority: int = 0) -> FrontierEntry:
    return FrontierEntry(url, site, priority, 1)


def test_records_come_back_as_they_were_put(store: CrawlStateStore, address: str):
    """Also to another process. A key without record is left out."""
    records = {
        "a": CrawlRecord(ARTICLE, "d", '"etag"', "Tue, 05 Mar 2024 06:22:00 GMT", 2.5, 1.5, "http://a/f http://a/g"),
        "b": CrawlRecord(LIST),
    }
    assert (records["b"].checked, records["b"].changed) == (0, 0)
    store.put(records)
    other = open_store(address)
    assert other.get(["a", "b", "c"]) == records
    other.close()
    assert store.get([]) == {}


def test_nights_come_back_as_they_were_put(store: CrawlStateStore, address: str):
    """The nights of a host that are put again take the place of the first ones."""
    store.put_nights({"b.example": {"1": {"asked": 2.0}}, "a.example": {"1": {"asked": 9.0, "new": 1.5}}})
    store.put_nights({"b.example": {"1": {"asked": 2.0}, "2": {"asked": 3.0}}})
    other = open_store(address)
    assert other.nights() == {"a.example": {"1": {"asked": 9.0, "new": 1.5}}, "b.example": {"1": {"asked": 2.0}, "2": {"asked": 3.0}}}
    other.close()


def test_thirty_open_a_new_store_at_once(address: str):
    """Each puts a record and an entry; none is lost, and none waits in vain."""
    barrier = Barrier(30)

    def work(number: int) -> None:
        barrier.wait(timeout=60)
        made = open_store(address)
        made.put({str(number): CrawlRecord(ARTICLE)})
        made.add_entries({f"entry {number}": entry(f"http://a.example/{number}")})
        made.close()

    with ThreadPoolExecutor(30) as pool:
        list(pool.map(work, range(30)))
    made = open_store(address)
    assert len(made.get([str(number) for number in range(30)])) == 30
    assert len(made.frontier("a.example")) == 30
    made.close()


def test_a_record_replaces_the_one_before(store: CrawlStateStore):
    store.put({"a": CrawlRecord(ARTICLE, "old")})
    store.put({"a": CrawlRecord(ARTICLE, "new")})
    assert store.get(["a"]) == {"a": CrawlRecord(ARTICLE, "new")}


def test_many_keys_are_read_at_once(store: CrawlStateStore):
    """More than a statement of SQLite allows."""
    store.put({str(number): CrawlRecord(ALIAS) for number in range(3000)})
    assert len(store.get([str(number) for number in range(4000)])) == 3000


def test_frontier_entries_stay_until_their_page_is_done(store: CrawlStateStore):
    """Highest priority first, of one site only. A record removes the entry of its key."""
    store.add_entries(
        {"a": entry("http://a.example/1"), "b": entry("http://a.example/2", priority=9), "c": entry("http://c.example/", "c.example")}
    )
    assert [other.url for other in store.frontier("a.example")] == ["http://a.example/2", "http://a.example/1"]
    store.put({"b": CrawlRecord(ARTICLE)})
    assert [other.url for other in store.frontier("a.example")] == ["http://a.example/1"]
    assert store.frontier("c.example") == [entry("http://c.example/", "c.example")]


def test_the_entry_of_a_listing_stays(store: CrawlStateStore):
    """Run after run, however often nothing new is found; one without a page is removed."""
    store.add_entries({"a": entry("http://a.example/1")})
    store.put({"a": CrawlRecord(LIST)}, standing=["a"])
    for _ in range(7):
        store.count_failures(["a"])
    assert len(store.frontier("a.example")) == 1
    store.put({"a": CrawlRecord(GONE)})
    assert store.frontier("a.example") == []


def test_an_entry_that_is_there_stays_unchanged(store: CrawlStateStore):
    store.add_entries({"a": entry("http://a.example/1", priority=5)})
    store.add_entries({"a": entry("http://a.example/1?x", priority=0)})
    assert store.frontier("a.example") == [entry("http://a.example/1", priority=5)]


def test_an_entry_whose_requests_fail_is_dropped(store: CrawlStateStore):
    """Otherwise a server that no longer exists would be requested for ever."""
    store.add_entries({"a": entry("http://a.example/1"), "b": entry("http://a.example/2")})
    for _ in range(5):
        assert len(store.frontier("a.example")) == 2
        store.count_failures(["a", "unknown"])
    assert store.frontier("a.example") == [entry("http://a.example/2")]


def test_feed_files_are_kept_until_they_are_complete(store: CrawlStateStore):
    store.put({}, {"x.jsonl": 10, "y.csv": 0})
    store.put({"a": CrawlRecord(ARTICLE)}, {"x.jsonl": 20})
    assert store.feeds() == {"x.jsonl": 20, "y.csv": 0}
    store.forget_feeds(["x.jsonl", "z"])
    assert store.feeds() == {"y.csv": 0}
    store.forget_feeds([])


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("redis://127.0.0.1:1/0", "No Redis server answers at redis://127.0.0.1:1/0"),
        ("redis://:secret@127.0.0.1:1/0", "No Redis server answers at redis://127.0.0.1:1/0"),
        ("sqlite:///", "names no file"),
        ("sqlite:///{tmp}", "can't be opened"),
        ("sqlite:///{tmp}/text/state.db", "can't be opened"),
        ("sqlite:///{tmp}/text", "can't be opened"),
        ("mysql://x", "is no store; there are sqlite"),
    ],
    ids=["no server", "password", "no file", "folder", "below a file", "no database", "scheme"],
)
def test_a_store_that_cannot_be_used_gives_the_reason(url: str, message: str, tmp_path: Path):
    """In one sentence, without passwords."""
    (tmp_path / "text").write_text("This is no database, but a file that must stay unchanged. " * 20)
    if url.startswith("redis"):
        pytest.importorskip("redis")
    with pytest.raises(CrawlStateError, match=message) as error:
        open_store(url.format(tmp=tmp_path))
    assert "secret" not in str(error.value)
    assert (tmp_path / "text").read_text().startswith("This is no database")


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path):
    """Earlier transactions stay; the one that failed has written nothing."""
    store = open_store(f"sqlite:///{tmp_path}/state.db")
    store.put({"a": CrawlRecord(ARTICLE)})
    pages = store._tables._database.execute("pragma page_count").fetchone()[0]
    store._tables._database.execute(f"pragma max_page_count = {pages}")
    with pytest.raises(CrawlStateError, match="disk is full"):
        store.put({str(number): CrawlRecord(ARTICLE, "x" * 1000) for number in range(1000)})
    assert store.get(["a", "1"]) == {"a": CrawlRecord(ARTICLE)}
    store.add_entries({"b": entry("http://a.example/1")})
    store.close()


@pytest.mark.process
def test_a_redis_that_no_longer_answers_is_an_error(tmp_path: Path, redis_url: str):
    """In every method."""
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    store = open_store(redis_url)
    store.close()
    store._tables._redis = redis.Redis(port=1, retry=Retry(NoBackoff(), 0))  # the waits between its attempts are not tested
    with pytest.raises(CrawlStateError, match="does not answer"):
        store.get(["a"])
    with pytest.raises(CrawlStateError, match="does not answer"):
        store.put({"a": CrawlRecord(ARTICLE)})


def test_a_digest_is_that_of_title_and_body():
    """It is the same for an item and for the line that a feed holds of it."""
    item = Article(title="大桥", body="Text", time="2024")
    assert digest_of(item) == digest_of({"title": "大桥", "body": "Text"}) == digest_of(Listing(title="大桥", body="Text"))
    assert digest_of(item) != digest_of(Article(title="大桥", body="Text."))
    assert digest_of(Article()) == digest_of({"title": None, "body": ""}) == digest_of({})
    assert len(key_of("x" * 5000)) == 32


HOSTILE_VALUES = (
    "", "null", "5", "{}", "[]", "[1]", '"text"', "not json", "[" * 5_000, '["article", 5]', '["other", null, null, null, 1.0, 1.0, ""]',
    '["article", null, null, null, "soon", 1.0, ""]', '["javascript:alert(1)", 1, 1]', '["http://127.0.0.1/", 1, 1]', '["http://a.example/", "x", 1]', '["http://a.example/", 1]',
)  # fmt: skip


def test_values_of_others_in_redis_count_as_unknown(redis_url: str):
    """Whoever can write to the server can't stop a crawl, nor lead it to another site."""
    import redis

    name = "hostile"
    server, store = redis.Redis.from_url(redis_url), open_store(f"{redis_url}?name={name}")
    good = CrawlRecord(ARTICLE, "d", checked=1.0, changed=1.0)
    store.put({"good": good})
    store.add_entries({"good": FrontierEntry("http://a.example/1", "a.example", 1, 0)})
    for number, value in enumerate(HOSTILE_VALUES):
        server.hset(f"{name}:records", f"bad{number}", value)
        server.hset(f"{name}:frontier:a.example", f"bad{number}", value)
        server.hset(f"{name}:feeds", f"bad{number}", value)
    keys = ["good", *(f"bad{number}" for number in range(len(HOSTILE_VALUES)))]
    assert store.get(keys) == {"good": good}
    assert store.frontier("a.example") == [FrontierEntry("http://a.example/1", "a.example", 1, 0)]
    recover_feeds(store)
    store.close()
    server.close()
