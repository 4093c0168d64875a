"""Feed files hold whole records at any moment."""

from __future__ import annotations

import csv
import io
import json
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from webcontent.crawl.output.csv import CsvExporter
from webcontent.crawl.output.failing import JsonExporter, JsonLinesExporter, XmlExporter
from webcontent.crawl.output.files import FileStorage, LineFile, check_feeds, cut_half_line, fcntl, is_locked, read_tail
from webcontent.crawl.output.markdown import MarkdownExporter
from webcontent.crawl.output.rss import RssExporter
from webcontent.items import Article

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes the disk still takes."""
    room, write = [0], os.write

    def write_what_fits(file: int, data: Any) -> int:
        if room[0] <= 0:
            raise OSError(28, "No space left on device")
        room[0] -= (written := write(file, bytes(data)[: room[0]]))
        return written

    monkeypatch.setattr("webcontent.crawl.output.files.os.write", write_what_fits)
    return room


class Limited(io.RawIOBase):
    """A file on such a disk, as Scrapy's post-processing holds it."""

    def __init__(self, file: Any, room: int) -> None:
        super().__init__()
        self.file, self.room = file, room

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.room -= len(data)
        if self.room < 0:
            raise OSError(28, "No space left on device")
        return int(self.file.write(data))


def test_a_line_is_written_whole_or_not_at_all(tmp_path: Path, room: list[int]):
    """When the disk is full in the middle of a line, the lines before it stay."""
    path = tmp_path / "items.jsonl"
    file = LineFile(str(path), "a")
    room[0] = 25
    file.write(b"0123456789\n")
    with pytest.raises(OSError, match="No space left"):
        file.write(b"0123456789abcdef\n")
    assert path.read_bytes() == b"0123456789\n"
    room[0] = 14
    file.write(b"short\n")
    assert path.read_bytes().endswith(b"9\nshort\n")
    file.close()


class Crawler:
    """The parts of a crawler that an exporter needs."""

    crawling = False

    def __init__(self) -> None:
        self.stats = self
        self.counted: list[str] = []

    def inc_value(self, name: str) -> None:
        self.counted.append(name)


@pytest.mark.parametrize("exporter_class", [JsonLinesExporter, CsvExporter])
def test_a_full_disk_is_logged_once(exporter_class: Any, tmp_path: Path, room: list[int], caplog: pytest.LogCaptureFixture):
    """With the path. Further items are not tried, and the file holds whole records."""
    file = LineFile(str(tmp_path / "items"), "a")
    room[0] = 2500
    crawler = Crawler()
    exporter = exporter_class.from_crawler(crawler, file, encoding="utf-8")
    exporter.start_exporting()
    for number in range(20):
        exporter.export_item(Article(url=f"http://a.example/{number}", body="x" * 300))
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [f"{tmp_path / 'items'} can't be written: No space left on device. The crawl stops."]
    assert crawler.counted == ["webcontent/errors/store"]
    assert exporter.failed
    file.close()
    text = (tmp_path / "items").read_text(encoding="utf-8-sig")
    rows = (
        list(csv.DictReader(io.StringIO(text, newline="")))
        if exporter_class is CsvExporter
        else [json.loads(line) for line in text.splitlines()]
    )
    assert len(rows) >= 2
    assert all(len(row["body"]) == 300 for row in rows)


def test_the_end_of_a_feed_is_read_back(tmp_path: Path):
    """From a byte on. What follows the last whole line is left out, and the byte after that line is given."""
    path = tmp_path / "items.jsonl"
    lines = [json.dumps({"url": f"http://a.example/{number}", "body": "行\u2028"}, ensure_ascii=False) + "\n" for number in range(3)]
    path.write_text("".join(lines) + '{"url": "http://a.exa', encoding="utf-8")
    whole = len("".join(lines).encode())
    items, end = read_tail(path, len(lines[0].encode()), "jsonlines")
    assert [item["url"][-1] for item in items] == ["1", "2"]
    assert end == whole
    path.write_bytes(path.read_bytes()[:whole])
    assert read_tail(path, whole, "jsonlines") == ([], whole)
    assert read_tail(path, whole + 1000, "jsonlines") == ([], whole)


@pytest.mark.parametrize("half", ['http://a.example/9,"half a', 'http://a.example/9,"half\na\n', "http://a.ex", ""])
def test_the_end_of_a_csv_feed_is_read_back(half: str, tmp_path: Path):
    """Cells may hold line breaks; an incomplete row may end in one."""
    path = tmp_path / "items.csv"
    text = '\ufeffurl,body\r\nhttp://a.example/1,"two\nlines, ""quoted"""\r\nhttp://a.example/2,' + "x" * 200_000 + "\r\n"
    path.write_bytes((text + half).encode())
    items, end = read_tail(path, 0, "csv")
    assert [(item["url"], item["body"][:3]) for item in items] == [("http://a.example/1", "two"), ("http://a.example/2", "xxx")]
    assert end == len(text.encode())


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"", b""), (b'{"a": 1}\n', b'{"a": 1}\n'), (b'{"a": 1}\n{"b', b'{"a": 1}\n'), (b'{"a": 1}', b'{"a": 1}\n'), (b"half", b"")],
    ids=["empty", "whole", "half line", "no line break", "nothing whole"],
)
def test_an_incomplete_line_is_cut_off(before: bytes, after: bytes, tmp_path: Path):
    """A line that lacks only its line break is whole; another program wrote it."""
    path = tmp_path / "items.jsonl"
    path.write_bytes(before)
    cut_half_line(path)
    assert path.read_bytes() == after
    cut_half_line(tmp_path / "none.jsonl")


@pytest.mark.skipif(fcntl is None, reason="this system locks no files")
def test_an_open_file_is_locked(tmp_path: Path):
    """Until it is closed; a killed process holds no lock."""
    path = tmp_path / "items.jsonl"
    storage = FileStorage(str(path), feed_options={"format": "jsonlines"})
    file = storage.open(None)
    assert is_locked(path)
    file.close()
    assert not is_locked(path)


@pytest.mark.parametrize("exporter_class", [RssExporter, JsonExporter, XmlExporter, MarkdownExporter])
def test_other_formats_are_whole_or_not_there(exporter_class: Any, tmp_path: Path):
    """What was there before stays where the disk is full, and nothing is beside it; else the new file takes its place."""
    path = tmp_path / "items"
    path.write_text("before")
    for room, content in ((30, "before"), (100_000, "A bridge")):
        storage = FileStorage(str(path), feed_options={"format": "json", "overwrite": True})
        file = storage.open(None)
        exporter = exporter_class(Limited(file, room), encoding="utf-8")
        exporter.crawler = Crawler()
        exporter.start_exporting()
        exporter.export_item(Article(title="A bridge", url="http://a.example/", body="Text"))
        exporter.finish_exporting()
        with nullcontext() if exporter.failed is None else pytest.raises(OSError, match="not whole"):
            storage.store(file)
        assert content in path.read_text()
        assert [found.name for found in tmp_path.iterdir()] == ["items"]


def test_what_is_added_to_a_file_is_stored_as_scrapy_stores_it(tmp_path: Path):
    """Also what a user compresses."""
    (tmp_path / "items.json").write_text("before")
    storage = FileStorage(str(tmp_path / "items.json"), feed_options={"format": "json"})
    assert not storage.is_by_line
    with storage.open(None) as file:
        assert file.name == str(tmp_path / "items.json")
    assert not FileStorage("x.jsonl", feed_options={"format": "jsonlines", "postprocessing": ["x"]}).is_by_line


@pytest.mark.parametrize(
    ("uri", "options", "message"),
    [
        ("{tmp}", {}, "Is a directory"),
        ("{tmp}/text/items.jsonl", {}, "can't be written: (?:File exists|Not a directory)"),
        ("/proc/none/items.jsonl", {}, "/proc/none/items.jsonl can't be written"),
        ("{tmp}/text.parquet", {}, "exists, and nothing can be added"),
        ("{tmp}/text", {"format": "rss"}, "exists, and nothing can be added"),
    ],
)
def test_a_feed_that_cannot_be_written_is_named_before_the_first_page(uri: str, options: dict[str, Any], message: str, tmp_path: Path):
    """With its path and the reason."""
    for name in ("text", "text.parquet"):
        (tmp_path / name).write_text("x")
    with pytest.raises(ValueError, match=message):
        check_feeds({uri.format(tmp=tmp_path): options})


def test_feeds_that_can_be_written_pass(tmp_path: Path):
    """New folders are created. Other storages are left to Scrapy."""
    (tmp_path / "old.parquet").write_text("x")
    check_feeds(
        {
            f"{tmp_path}/new/folder/%(time)s.jsonl": {},
            f"file://{tmp_path}/x.csv": {},
            "stdout:": {"format": "jsonlines"},
            "s3://bucket/x.jsonl": {},
            f"{tmp_path}/old.parquet": {"overwrite": True},
        }
    )


def test_the_end_of_a_half_written_csv_file_is_found(tmp_path: Path):
    """A cell that was never closed is followed by as many lines as its text has."""
    path = tmp_path / "items.csv"
    whole = b"url,body\n" + b'http://example.com/1,"A text.\nOf two lines, with a ""quote""."\n' * 20_000
    path.write_bytes(whole + b'http://example.com/2,"' + b"A line of a long text.\n" * 20_000)
    records, end = read_tail(path, 0, "csv")
    assert (len(records), end) == (20_000, len(whole))
