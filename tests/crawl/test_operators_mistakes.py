"""Stores, files and folders that can't be used: one sentence says so, and what was written is whole."""

from __future__ import annotations

import json
import sqlite3
import time
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import article, crawl_seeds, serve
from webcontent.crawl.incremental import store as module
from webcontent.crawl.incremental.store import ARTICLE, GONE, LIST, CrawlRecord, CrawlStateError, open_store
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.files import LineFile
from webcontent.items import Article, Link
from webcontent.models import ModelError, ModelRegistry

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "a\x00b\ud800\u202e\r\n\x1b[2J,\"';=1+1\U0010ffff"


def test_a_locked_store_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Another program holds its lock for longer than a crawl waits."""
    monkeypatch.setattr(module, "TIMEOUT_S", 0.1)
    open_store(f"sqlite:///{tmp_path}/seen.db").close()
    other = sqlite3.connect(tmp_path / "seen.db", isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(CrawlStateError, match=r"seen\.db can't be opened: database is locked\."):
        open_store(f"sqlite:///{tmp_path}/seen.db")
    other.close()


@pytest.mark.parametrize("content", [b"no database at all" * 500, b"SQLite format 3\x00" + b"\xff" * 4_000])
def test_a_damaged_store_is_named(content: bytes, tmp_path: Path):
    """It is not overwritten."""
    (tmp_path / "seen.db").write_bytes(content)
    with pytest.raises(CrawlStateError, match=r"seen\.db can't be opened"):
        open_store(f"sqlite:///{tmp_path}/seen.db")
    assert (tmp_path / "seen.db").read_bytes() == content


YEAR_S, DAY_S = 365 * 86_400, 86_400


@pytest.mark.parametrize(
    ("record", "with_changes", "is_due"),
    [
        (CrawlRecord(GONE, checked=10 * YEAR_S, changed=10 * YEAR_S), False, True),
        (CrawlRecord(LIST, checked=10 * YEAR_S, changed=10 * YEAR_S), False, True),
        (CrawlRecord(ARTICLE, checked=10 * YEAR_S, changed=10 * YEAR_S - DAY_S), True, True),
        (CrawlRecord(ARTICLE, checked=10 * YEAR_S, changed=10 * YEAR_S - DAY_S), False, False),
        (CrawlRecord(LIST, checked=-100 * DAY_S, changed=-56 * YEAR_S), False, True),
        (CrawlRecord(LIST, checked=-80 * DAY_S, changed=-56 * YEAR_S), False, False),
    ],
    ids=["gone", "list", "changes", "article", "1970", "1970, later"],
)
def test_a_clock_that_was_wrong_holds_up_no_page(record: CrawlRecord, with_changes: bool, is_due: bool, tmp_path: Path):
    """In seconds from now. Where only what is new matters an article is not delivered again, whatever the clock says."""
    settings = {"WEBCONTENT_CRAWL_STATE": f"sqlite:///{tmp_path}/seen.db", "WEBCONTENT_CHANGED": with_changes}
    tracker, now = IncrementalTracker(get_crawler(settings_dict=settings)), time.time()
    assert tracker.is_due(record._replace(checked=now + record.checked, changed=now + record.changed)) is is_due
    tracker.store.close()


def test_two_writers_of_one_file_leave_whole_lines(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """And the second says that there is another."""
    path = tmp_path / "items.jsonl"
    files = [LineFile(str(path), "a") for _ in range(2)]

    def write(number: int) -> None:
        for line in range(500):
            files[number].write(json.dumps({"writer": number, "line": line, "text": "x" * 2_000}).encode() + b"\n")

    threads = [Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for file in files:
        file.close()
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(items) == 1_000
    assert "Another crawl writes to" in caplog.text


@pytest.mark.process
def test_a_linked_output_is_written_through_its_link(tmp_path: Path):
    """The link stays, and its target holds the items."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "items.jsonl").symlink_to(tmp_path / "elsewhere" / "real.jsonl")
    with serve({"/": article("A bridge opens")}) as site:
        items = crawl_seeds(site.url, tmp_path)
    assert len(items) == 1
    assert (tmp_path / "items.jsonl").is_symlink()
    assert (tmp_path / "elsewhere" / "real.jsonl").stat().st_size > 0


@pytest.mark.parametrize("name", ["model.onnx", "config.json", "reference.json"])
def test_empty_files_of_a_model_are_named(name: str, tmp_path: Path):
    """Before the first page."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for file in ("model.onnx", "config.json", "reference.json"):
        (folder / file).write_text("{}" if file != name and file.endswith("json") else "", encoding="utf-8")
    with pytest.raises(ModelError, match="mine"):
        ModelRegistry(tmp_path).load("mine")


def test_hostile_texts_survive_parquet(tmp_path: Path):
    """All but lone surrogates, which UTF-8 can't hold."""
    parquet = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    from webcontent.batch.table import table_from_items

    item = Article(url="http://example.com/", title=HOSTILE, authors=[HOSTILE], related=[Link(HOSTILE, "http://example.com/2")])
    parquet.write_table(pa.Table.from_batches([table_from_items([item])]), tmp_path / "items.parquet")
    (row,) = parquet.read_table(tmp_path / "items.parquet").to_pylist()
    expected = HOSTILE.replace("\ud800", "?")
    assert (row["title"], row["authors"], row["related"][0]["title"]) == (expected, [expected], expected)
