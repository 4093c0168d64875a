"""RSS feeds."""

from __future__ import annotations

import io
from email.utils import parsedate_to_datetime
from types import SimpleNamespace
from typing import Any

import lxml.etree

from tests.crawl.output.exported import FULL, LIST, exported
from webcontent.crawl.discovery.feeds_and_sitemaps import read_source
from webcontent.crawl.output.rss import RssExporter
from webcontent.items import Article

HOSTILE = "]]></title><script>alert(1)</script>\x00\x0b\ud800&amp;"


def test_articles_are_items_of_the_feed():
    """Title, link, time, authors, and the text as escaped HTML. Listings are left out."""
    channel = lxml.etree.fromstring(exported(RssExporter, FULL, LIST, title="New on a.example", link="http://a.example/"))[0]
    assert (channel.findtext("title"), channel.findtext("link")) == ("New on a.example", "http://a.example/")
    (item,) = channel.findall("item")
    assert (item.findtext("title"), item.findtext("link"), item.findtext("guid")) == (FULL.title, FULL.url, FULL.url)
    assert parsedate_to_datetime(item.findtext("pubDate")).isoformat() == "2024-03-05T14:22:00+08:00"
    assert [node.text for node in item.findall("{http://purl.org/dc/elements/1.1/}creator")] == ["张三", "Lee"]
    assert item.findtext("description") == FULL.body_html


def test_any_text_gives_a_well_formed_file():
    """Markup is escaped, and characters that XML does not allow are left out."""
    data = exported(RssExporter, Article(url="http://a/<>", title=HOSTILE, body=HOSTILE), Article(body="neither title nor address"))
    (item,) = lxml.etree.fromstring(data)[0].findall("item")
    assert item.findtext("title") == "]]></title><script>alert(1)</script>&amp;"
    assert b"<script>" not in data


def test_a_page_without_an_address_has_no_link():
    """It came from a file."""
    (item,) = lxml.etree.fromstring(exported(RssExporter, Article(title="A bridge", body="Text")))[0].findall("item")
    assert [(node.tag, node.text) for node in item] == [("title", "A bridge"), ("description", "Text")]


def test_our_own_reader_reads_the_feed():
    """A crawl can begin with the feed of another one."""
    source, _ = read_source(exported(RssExporter, FULL), "http://b.example/feed")
    assert source is not None
    assert [entry.url for entry in source.entries] == [FULL.url]


def test_a_feed_is_named_after_its_first_seed():
    """Unless its options name it."""
    crawler: Any = SimpleNamespace(spider=SimpleNamespace(seeds=[SimpleNamespace(url="https://a.example/")]))
    exporter = RssExporter.from_crawler(crawler, io.BytesIO(), title="My news")
    assert (exporter.title, exporter.link) == ("My news", "https://a.example/")
