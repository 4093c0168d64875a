"""The table of output formats names what exists, and each name once."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name

import pytest

from webcontent.formats.outputs import OUTPUTS, exporters, feed_format, format_of_file


def test_everything_that_the_table_names_exists():
    named = [path for output in OUTPUTS for path in (output.exporter, output.reader) if path]
    assert [path for path in named if not callable(resolve_name(path))] == []


def test_names_are_unique():
    """A feed, a suffix, and a signature belong to one format."""
    for names in ([name for output in OUTPUTS for name in getattr(output, part)] for part in ("names", "suffixes")):
        assert len(names) == len(set(names))
    assert exporters().keys() == {"json", "xml", *(name for output in OUTPUTS if output.exporter for name in output.names)}


@pytest.mark.parametrize(
    ("name", "head", "title"),
    [
        ("items.csv.gz", b"\x1f\x8b", "CSV"),
        ("items.csv", b"url,title", "CSV"),
        ("items.parquet", b"PAR1", "Parquet"),
        ("items", b"SQLite format 3\x00", "SQLite"),
        ("items.csv", b"PAR1", "Parquet"),
        ("items.txt", b'{"url": "https://example.org/"}', "JSON lines"),
        ("items.rss", b"<rss>", "JSON lines"),
    ],
)
def test_a_reader_is_found_by_the_first_bytes_and_then_by_the_name(name: str, head: bytes, title: str):
    assert format_of_file(Path(name), head).title == title


def test_formats_of_others_are_not_in_the_table():
    assert feed_format("xml") is None
    assert feed_format("jsonlines") is feed_format("jl")
