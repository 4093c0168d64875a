"""Parquet and RSS feeds."""

from __future__ import annotations

import io
from email.utils import parsedate_to_datetime
from typing import Any

import lxml.etree
import pytest

from webcontent.crawl.output.parquet import GROUP_ROWS, ParquetExporter, RssExporter
from webcontent.items import Article, Entry, Image, Link, Listing

HOSTILE = "]]></title><script>alert(1)</script>\x00\x0b\ud800&amp;"
FULL = Article(
    url="http://example.com/1?a=1&b=2",
    title="大桥开工",
    time="2024-03-05T14:22+08:00",
    source="Reuters",
    authors=["张三", "Lee"],
    body="第一段",
    body_html="<p>第一段 &amp; mehr</p>",
    related=[Link("另一条", "http://example.com/2")],
    images=[Image("http://example.com/1.jpg", width=10)],
    score=0.5,
)
LIST = Listing(url="http://example.com/", title="News", entries=[Entry("One", "http://example.com/1")])


def exported(exporter_class: Any, *items: object, **options: object) -> bytes:
    file = io.BytesIO()
    file.close, close = lambda: None, file.close  # type: ignore[method-assign]
    exporter = exporter_class(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    data = file.getvalue()
    close()
    return data


def rows(data: bytes) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    return list(parquet.read_table(io.BytesIO(data)).to_pylist())


def test_both_classes_stand_in_one_parquet_file():
    """With their nested values; what a class does not have is null."""
    article, listing = rows(exported(ParquetExporter, FULL, LIST))
    assert (article["title"], article["authors"], article["images"][0]["width"]) == ("大桥开工", ["张三", "Lee"], 10)
    assert (listing["type"], listing["entries"][0]["title"], listing["time"]) == ("list", "One", None)


def test_parquet_is_written_in_groups():
    """Memory is bounded by a group, not by the crawl."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    data = exported(ParquetExporter, *(Article(url=str(number)) for number in range(GROUP_ROWS + 1)))
    file = parquet.ParquetFile(io.BytesIO(data))
    assert (file.num_row_groups, file.metadata.num_rows) == (2, GROUP_ROWS + 1)


def test_parquet_takes_what_no_encoding_holds(caplog: pytest.LogCaptureFixture):
    """Lone surrogates cost no item; items of other classes are left out with one warning; no items make a file of no rows."""
    assert rows(exported(ParquetExporter, Article(title="a\ud800"), {"x": 1}, {"x": 2}))[0]["title"] == "a?"
    assert len(caplog.records) == 1
    assert rows(exported(ParquetExporter)) == []


def test_rss_is_what_feed_readers_read():
    """Title, link, time, authors, and the text as escaped HTML; lists are left out."""
    channel = lxml.etree.fromstring(exported(RssExporter, FULL, LIST, title="New on a.example", link="http://a.example/"))[0]
    assert (channel.findtext("title"), channel.findtext("link")) == ("New on a.example", "http://a.example/")
    (item,) = channel.findall("item")
    assert (item.findtext("title"), item.findtext("link"), item.findtext("guid")) == (FULL.title, FULL.url, FULL.url)
    assert parsedate_to_datetime(item.findtext("pubDate")).isoformat() == "2024-03-05T14:22:00+08:00"
    assert [node.text for node in item.findall("{http://purl.org/dc/elements/1.1/}creator")] == ["张三", "Lee"]
    assert item.findtext("description") == FULL.body_html


def test_rss_holds_whatever_a_page_says():
    """Markup is escaped, what XML does not allow is left out, and the file stays well-formed."""
    data = exported(RssExporter, Article(url="http://a/<>", title=HOSTILE, body=HOSTILE), Article(title="no address"))
    (item,) = lxml.etree.fromstring(data)[0].findall("item")
    assert item.findtext("title") == "]]></title><script>alert(1)</script>&amp;"
    assert b"<script>" not in data


def test_our_own_reader_reads_our_rss():
    """What one crawl writes another may begin with."""
    from webcontent.crawl.discovery.feeds_and_sitemaps import read_source

    source = read_source(exported(RssExporter, FULL), "http://b.example/feed", 10**6)
    assert source is not None
    assert [entry.url for entry in source.entries] == [FULL.url]
