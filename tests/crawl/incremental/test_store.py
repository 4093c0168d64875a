"""The store of what earlier runs gave: one contract for SQLite and Redis."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from webcontent.crawl.incremental.store import (
    ALIAS,
    ARTICLE,
    GONE,
    LIST,
    MAX_TRIES,
    CrawlStateError,
    CrawlStateStore,
    FrontierEntry,
    Record,
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
    """A Redis server of its own, on loopback."""
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
    """The address of an empty store."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/sub/seen.db"
    return f"{request.getfixturevalue('redis_url')}?name={tmp_path.name}"


@pytest.fixture
def store(address: str) -> Iterator[CrawlStateStore]:
    made = open_store(address)
    yield made
    made.close()


def lead(url: str, site: str = "a.example", priority: int = 0) -> FrontierEntry:
    return FrontierEntry(url, site, priority, 1)


def test_records_come_back_as_they_were_put(store: CrawlStateStore, address: str):
    """Also to another process; what was not put is not there."""
    records = {"a": Record(ARTICLE, "d", '"etag"', "Tue, 05 Mar 2024 06:22:00 GMT", 2.5, 1.5, "http://a/f http://a/g"), "b": Record(LIST)}
    store.put(records)
    other = open_store(address)
    assert other.get(["a", "b", "c"]) == records
    other.close()
    assert store.get([]) == {}


def test_a_record_replaces_the_one_before(store: CrawlStateStore):
    store.put({"a": Record(ARTICLE, "old")})
    store.put({"a": Record(ARTICLE, "new")})
    assert store.get(["a"]) == {"a": Record(ARTICLE, "new")}


def test_many_keys_are_asked_for_at_once(store: CrawlStateStore):
    """More than a statement of SQLite takes."""
    store.put({str(number): Record(ALIAS) for number in range(3000)})
    assert len(store.get([str(number) for number in range(4000)])) == 3000


def test_leads_stay_until_their_page_is_done(store: CrawlStateStore):
    """Best first, those of a site alone; a record takes its lead away."""
    store.add_leads(
        {"a": lead("http://a.example/1"), "b": lead("http://a.example/2", priority=9), "c": lead("http://c.example/", "c.example")}
    )
    assert [found.url for found in store.leads("a.example")] == ["http://a.example/2", "http://a.example/1"]
    store.put({"b": Record(ARTICLE)})
    assert [found.url for found in store.leads("a.example")] == ["http://a.example/1"]
    assert store.leads("c.example") == [lead("http://c.example/", "c.example")]


def test_the_lead_of_a_list_stands(store: CrawlStateStore):
    """Run after run, however often nothing new is found; one that leads nowhere goes."""
    store.add_leads({"a": lead("http://a.example/1")})
    store.put({"a": Record(LIST)}, standing=["a"])
    for _ in range(MAX_TRIES + 2):
        store.count_failures(["a"])
    assert len(store.leads("a.example")) == 1
    store.put({"a": Record(GONE)})
    assert store.leads("a.example") == []


def test_a_known_lead_stays_as_it_is(store: CrawlStateStore):
    store.add_leads({"a": lead("http://a.example/1", priority=5)})
    store.add_leads({"a": lead("http://a.example/1?x", priority=0)})
    assert store.leads("a.example") == [lead("http://a.example/1", priority=5)]


def test_a_lead_that_never_gives_a_page_is_given_up(store: CrawlStateStore):
    """Else a server that is gone would be asked for ever."""
    store.add_leads({"a": lead("http://a.example/1"), "b": lead("http://a.example/2")})
    for _ in range(MAX_TRIES):
        assert len(store.leads("a.example")) == 2
        store.count_failures(["a", "unknown"])
    assert store.leads("a.example") == [lead("http://a.example/2")]


def test_feed_files_are_remembered_until_they_are_whole(store: CrawlStateStore):
    store.put({}, {"x.jsonl": 10, "y.csv": 0})
    store.put({"a": Record(ARTICLE)}, {"x.jsonl": 20})
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
        ("sqlite:///{tmp}/text/seen.db", "can't be opened"),
        ("sqlite:///{tmp}/text", "can't be opened"),
        ("mysql://x", "is no store; there are sqlite"),
    ],
    ids=["no server", "password", "no file", "folder", "below a file", "no database", "scheme"],
)
def test_a_store_that_cannot_be_used_says_why(url: str, message: str, tmp_path: Path):
    """In one sentence, without passwords."""
    (tmp_path / "text").write_text("This is no database, but a file of somebody's that must stay as it is. " * 20)
    if url.startswith("redis"):
        pytest.importorskip("redis")
    with pytest.raises(CrawlStateError, match=message) as error:
        open_store(url.format(tmp=tmp_path))
    assert "secret" not in str(error.value)
    assert (tmp_path / "text").read_text().startswith("This is no database")


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path):
    """What was committed before stays; what could not be is not there at all."""
    store = open_store(f"sqlite:///{tmp_path}/seen.db")
    store.put({"a": Record(ARTICLE)})
    pages = store._database.execute("pragma page_count").fetchone()[0]
    store._database.execute(f"pragma max_page_count = {pages}")
    with pytest.raises(CrawlStateError, match="disk is full"):
        store.put({str(number): Record(ARTICLE, "x" * 1000) for number in range(1000)})
    assert store.get(["a", "1"]) == {"a": Record(ARTICLE)}
    store.add_leads({"b": lead("http://a.example/1")})
    store.close()


def test_redis_that_has_gone_is_an_error(tmp_path: Path, redis_url: str):
    """Whichever method meets it."""
    import redis

    store = open_store(redis_url)
    store.close()
    store._redis = redis.Redis(port=1)
    with pytest.raises(CrawlStateError, match="does not answer"):
        store.get(["a"])
    with pytest.raises(CrawlStateError, match="does not answer"):
        store.put({"a": Record(ARTICLE)})


def test_a_digest_is_that_of_title_and_body():
    """The same of an item and of the line that a feed holds of it."""
    item = Article(title="大桥", body="Text", time="2024")
    assert digest_of(item) == digest_of({"title": "大桥", "body": "Text"}) == digest_of(Listing(title="大桥", body="Text"))
    assert digest_of(item) != digest_of(Article(title="大桥", body="Text."))
    assert digest_of(Article()) == digest_of({"title": None, "body": ""}) == digest_of({})
    assert len(key_of("x" * 5000)) == 32
