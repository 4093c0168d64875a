"""Items in a database: one contract for SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from scrapy.utils.test import get_crawler

from webcontent.crawl.output.database import DatabaseError, DatabasePipeline, PostgresDatabase, RefusedRowError, open_database, row_of
from webcontent.crawl.stopping import PostponedItem
from webcontent.inspect.items.files import from_postgresql
from webcontent.items import Article, Entry, Link, Listing

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL = Article(
    url="http://example.com/1",
    title="大桥 'quoted' \"double\"; drop table articles; --",
    time="2024-03-05T14:22",
    authors=["张三", "Lee"],
    body="a\x00b\ud800",
    related=[Link("另一条\x00", "http://example.com/2")],
    flags=["duplicate"],
    score=0.5,
)


def _postgres_folder() -> Path | None:
    """The folder of the server's programs, also where distributions such as Debian put them."""
    found = [Path(path).parent for path in (shutil.which("initdb"),) if path]
    return next(iter([*found, *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]), None)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server for these tests, with its own folder. It does not run as root."""
    pytest.importorskip("psycopg", reason="the package psycopg is not installed")
    programs = _postgres_folder()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed")
    user = "nobody" if os.geteuid() == 0 else None
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        if user:
            shutil.chown(folder, user)
        data = f"{folder}/data"

        def run(*command: str) -> None:
            done = subprocess.run(command, capture_output=True, text=True, user=user, cwd=folder, timeout=120, check=False)
            if done.returncode:
                pytest.skip(f"PostgreSQL's server does not start here: {done.stderr.strip()[-200:]}")

        run(str(programs / "initdb"), "-D", data, "-U", "tester", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off -c shared_buffers=8MB"
        run(str(programs / "pg_ctl"), "-D", data, "-w", "-t", "60", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql://tester:secret@127.0.0.1:{port}/postgres"
        finally:
            run(str(programs / "pg_ctl"), "-D", data, "-m", "immediate", "stop")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/sub/items.db"
    address: str = request.getfixturevalue("postgres_url")
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("drop table if exists articles, lists, items_dict, items_quote, items_offer")
    return address


def rows(url: str, statement: str) -> list[tuple[Any, ...]]:
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        found = connection.execute(statement).fetchall()
        connection.close()
        return found
    import psycopg

    with psycopg.connect(url) as open_connection:
        return open_connection.execute(statement).fetchall()


def stored(url: str, *items: Any) -> DatabasePipeline:
    """The pipeline after it has processed the items."""
    pipeline = DatabasePipeline.from_crawler(get_crawler(settings_dict={"WEBCONTENT_DATABASE": url}))

    async def process() -> None:
        for item in items:
            assert await pipeline.process_item(item) is item

    asyncio.run(process())
    return pipeline


def test_one_row_per_url(url: str):
    """With any text: quotes, Chinese, NUL, lone surrogates. Nested values are JSON."""
    stored(url, FULL, Listing(url="http://example.com/", entries=[Entry("One", "http://example.com/1")])).close_spider()
    ((address, title, body, score, authors, related),) = rows(url, "select url, title, body, score, authors, related from articles")
    assert (address, title, body, score) == (FULL.url, FULL.title, "ab?", 0.5)
    assert (authors if isinstance(authors, list) else json.loads(authors)) == ["张三", "Lee"]
    assert (related if isinstance(related, list) else json.loads(related))[0]["title"] == "另一条"
    assert rows(url, "select url, type, kind from lists") == [("http://example.com/", "list", "listing")]


def test_a_later_item_replaces_the_row(url: str):
    """Also an item of a later run. A value that the later item lacks is removed."""
    stored(url, FULL).close_spider()
    stored(url, Article(url=FULL.url, title="Corrected", body="New")).close_spider()
    assert rows(url, "select title, body, time from articles") == [("Corrected", "New", None)]


def test_every_field_has_its_column(url: str):
    """Columns that a table of an earlier version lacks are added."""
    stored(url).close_spider()
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        connection.execute("alter table lists drop column fingerprint")
        connection.close()
    else:
        import psycopg

        with psycopg.connect(url, autocommit=True) as open_connection:
            open_connection.execute("alter table lists drop column fingerprint")
    stored(url, Listing(url="http://example.com/", fingerprint="ab")).close_spider()
    assert rows(url, "select fingerprint from lists") == [("ab",)]
    assert set(row_of(FULL).values) == {field.name for field in fields(Article)}


HOSTILE_TEXTS = ["a\\u0000b", "a\x00b", "back\\slash\\", '\\"', "\ud800\x00", "\\\\u0000", "\u202e", "'; drop table articles; --"]


def test_hostile_texts_in_nested_values_stay_valid_json(url: str):
    """Also the characters backslash, u, 0, 0, 0, 0 as a text. NUL and lone surrogates are no part of JSON texts in databases."""
    item = Article(
        url="http://example.com/1", authors=HOSTILE_TEXTS, related=[Link(text, "http://example.com/2") for text in HOSTILE_TEXTS]
    )
    stored(url, item).close_spider()
    ((authors, related),) = rows(url, "select authors, related from articles")
    expected = [text.replace("\x00", "").replace("\ud800", "?") for text in HOSTILE_TEXTS]
    assert (authors if isinstance(authors, list) else json.loads(authors)) == expected
    assert [link["title"] for link in (related if isinstance(related, list) else json.loads(related))] == expected


@pytest.mark.parametrize("rest", ["x" * 5_000, "新" * 1_500, "%E6%96%B0" * 400])
def test_long_addresses_are_cut_and_flagged(url: str, rest: str):
    """Addresses that begin alike have rows of their own."""
    items = [Article(url=f"http://example.com/{rest}{number}") for number in range(2)]
    stored(url, *items).close_spider()
    found = rows(url, "select url, flags from articles")
    assert len({address for address, _ in found}) == 2
    assert max(len(address.encode()) for address, _ in found) <= 2000
    assert all("bad-address" in str(flags) for _, flags in found)


def test_a_refused_row_costs_only_itself(url: str, caplog: pytest.LogCaptureFixture):
    """It is counted and logged, its item goes on to the feeds, and the crawl continues."""
    pipeline = stored(url)
    table = "create table articles (url text primary key check (url not like '%refused'), title text)"
    for statement in ("drop table articles", table):
        pipeline._database._connection.execute(statement)  # type: ignore[attr-defined]
    pipeline.close_spider()
    items = [Article(url=f"http://example.com/{name}") for name in ("first", "refused", "last")]
    pipeline = stored(url, *items)
    pipeline.close_spider()
    assert sorted(rows(url, "select url from articles")) == [("http://example.com/first",), ("http://example.com/last",)]
    assert pipeline.stats.get_value("webcontent/rows_refused/articles") == 1
    assert pipeline.stats.get_value("webcontent/rows/articles") == 2
    assert "refuses the row of http://example.com/refused" in caplog.text


@pytest.mark.process
def test_a_value_that_postgresql_cannot_read_costs_only_its_row(postgres_url: str):
    """JSON has no infinity, and a key may not be too long for an index: neither drops the connection."""
    database = open_database(postgres_url)
    assert isinstance(database, PostgresDatabase)
    connection = database._connection
    row = row_of(Article(url="http://example.com/odd"))
    for values in ({"images": "[Infinity]"}, {"url": "".join(hashlib.sha512(bytes([n])).hexdigest() for n in range(60))}):
        with pytest.raises(RefusedRowError):
            database.write(row._replace(values=row.values | values))
    assert database._connection is connection
    database.close()


def test_an_article_without_url_is_refused(url: str, caplog: pytest.LogCaptureFixture):
    """It goes on to the feeds; it is counted, and the log says so."""
    pipeline = stored(url, Article(title="x"))
    pipeline.close_spider()
    assert rows(url, "select count(*) from articles") == [(0,)]
    assert pipeline.stats.get_value("webcontent/rows_refused/articles") == 1
    assert "it has no url" in caplog.text


@dataclass(slots=True, kw_only=True, repr=False)
class Story(Article):
    """An article with fields of a project's own."""

    comments: int | None = None
    tags: list[str] = field(default_factory=list)
    seen: date | None = None


@attrs.define
class Quote:
    text: str
    url: str | None = None
    price: float | None = None


def test_own_fields_of_a_subclass_are_columns(url: str):
    """Beside articles without them, in the table of articles, with values of any type."""
    story = Story(url="http://example.com/2", title="Two", comments=7, tags=["a"], seen=date(2026, 3, 5))
    stored(url, FULL, story, Article(url="http://example.com/3")).close_spider()
    found = rows(url, "select comments, tags, seen from articles order by url")
    assert [(comments, json.loads(tags) if isinstance(tags, str) else tags, seen) for comments, tags, seen in found] == [
        (None, None, None),
        (7, ["a"], "2026-03-05"),
        (None, None, None),
    ]


def test_items_of_other_classes_have_a_table_of_their_class(url: str):
    """With the columns that their values need. A later item replaces the row of its URL; items without one are added."""
    stored(
        url,
        {"url": "http://example.com/1", "name": "One", 'odd "%s': [1, {"a": None}]},
        {"url": "http://example.com/1", "name": "Two", "size": 3},
        {"name": "No address"},
        Quote("A", price=1.5),
        Quote("A"),
        Quote("B", url="http://example.com/b"),
    ).close_spider()
    assert sorted(rows(url, "select name, size from items_dict"), key=str) == [("No address", None), ("Two", 3)]
    assert sorted(rows(url, "select text, url, price from items_quote"), key=str) == [
        ("A", None, 1.5),
        ("A", None, None),
        ("B", "http://example.com/b", None),
    ]


@pytest.mark.process
def test_postgresql_has_moments_and_the_texts_of_times(url: str):
    """A moment where the zone is known."""
    if url.startswith("sqlite"):
        pytest.skip("SQLite has no type for times")
    known = Article(url="http://example.com/1", time="2024-03-05T14:22+08:00", fetched_at="2026-01-02T03:04:05+00:00")
    stored(url, known, Article(url="http://example.com/2", time="2024-03-05T14:22")).close_spider()
    items = list(from_postgresql(url))
    assert [item["time"] for item in items] == [known.time, "2024-03-05T14:22"]
    assert (items[0]["fetched_at"], items[0]["authors"]) == (known.fetched_at, [])
    found = rows(url, "select time at time zone 'utc', time_text, fetched_at is null from articles order by url")
    assert [(str(moment), text, is_null) for moment, text, is_null in found] == [
        ("2024-03-05 06:22:00", "2024-03-05T14:22+08:00", False),
        ("None", "2024-03-05T14:22", True),
    ]


@pytest.mark.process
def test_a_dropped_connection_is_opened_again(postgres_url: str):
    """A restart of the server loses nothing."""
    database = open_database(postgres_url)
    assert isinstance(database, PostgresDatabase)
    pid = database._connection.info.backend_pid
    rows(postgres_url, f"select pg_terminate_backend({pid})")
    database.write(row_of(Article(url="http://example.com/again")))
    assert rows(postgres_url, "select url from articles where url like '%again'") == [("http://example.com/again",)]
    database.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://me:secret@127.0.0.1:1/news", "The database postgresql://127.0.0.1:1/news can't be used: connection"),
        ("sqlite:////proc/none/items.db", "The database sqlite:////proc/none/items.db can't be used"),
    ],
)
def test_a_database_that_cannot_be_used_gives_the_reason(url: str, message: str):
    """In one sentence, without the password."""
    if url.startswith("postgres"):
        pytest.importorskip("psycopg")
    with pytest.raises(DatabaseError, match=message) as error:
        open_database(url)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_database_that_fails_ends_the_crawl(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """The item reaches no feed and is postponed: an incremental crawl requests its page again."""
    pipeline = stored(f"sqlite:///{tmp_path}/items.db")
    pages = pipeline._database._connection.execute("pragma page_count").fetchone()[0]  # type: ignore[attr-defined]
    pipeline._database._connection.execute(f"pragma max_page_count = {pages}")  # type: ignore[attr-defined]
    with pytest.raises(PostponedItem, match="not in the database"):
        asyncio.run(pipeline.process_item(Article(url="http://example.com/", body="x" * 100_000)))
    assert "database or disk is full. The crawl stops." in caplog.text
    pipeline.close_spider()
