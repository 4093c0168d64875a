"""Feeds in formats of their own: Parquet for data frames and DuckDB, RSS for feed readers. Both are whole when the crawl ends."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from webcontent.crawl.output.files import stop
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BytesIO
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

GROUP_ROWS, GROUP_BYTES = 1000, 32_000_000
"""What is held in memory until a row group is written: items, or bytes of their Arrow columns."""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class WholeFileExporter(BaseItemExporter):
    """An exporter whose file is of no use before it is finished: where it can't be written, it is emptied and the crawl ends."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.crawler: Crawler | None = None
        self.has_failed = False
        self._file = file

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        exporter = cls(*args, **kwargs)
        exporter.crawler = crawler
        return exporter

    def _try(self, write: Callable[..., None], *arguments: Any) -> None:
        if self.has_failed:
            return
        try:
            write(*arguments)
        except OSError as error:
            if self.crawler is None:
                raise
            self.has_failed = True
            self._give_up()
            path = getattr(self._file, "name", None) or "The feed"
            with suppress(OSError):  # of what waits to be written
                self._file.close()
            with suppress(OSError):
                os.truncate(path, 0)
            self.crawler.stats.inc_value("feedexport/failed_count/FileStorage")  # Scrapy's own count; the monitor asks for it
            stop(self.crawler, "feed_failed", f"{path} can't be written: {error.strerror or error}. The crawl stops; the feed is empty.")

    def _give_up(self) -> None:
        """Sees to it that nothing is written any more."""


class ParquetExporter(WholeFileExporter):
    """Articles and lists in the columns of `webcontent.batch.table.SCHEMA`, one file for both (`type` tells them apart).

    Items of other classes are left out, with a warning. Needs pyarrow: pip install webcontent[parquet].
    """

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self._writer: Any = None
        self._items: list[Article | Listing] = []
        self._chars = 0
        self._warned = False

    def start_exporting(self) -> None:
        from pyarrow import parquet

        from webcontent.batch.table import SCHEMA

        self._writer = parquet.ParquetWriter(self._file, SCHEMA, compression="zstd")

    def export_item(self, item: Any) -> None:
        if not isinstance(item, (Article, Listing)):
            if not self._warned:
                logger.warning("Parquet feeds hold Article and Listing items; %s is left out.", type(item).__name__)
            self._warned = True
            return
        self._items.append(item)
        self._chars += len(item.body) + len(getattr(item, "body_html", ""))
        if len(self._items) >= GROUP_ROWS or self._chars >= GROUP_BYTES:
            self._try(self._write_group)

    def finish_exporting(self) -> None:
        self._try(self._finish)

    def _finish(self) -> None:
        self._write_group()
        self._writer.close()
        self._file.flush()

    def _give_up(self) -> None:
        self._writer.is_open = False  # else it closes itself later

    def _write_group(self) -> None:
        from webcontent.batch.table import table_from_items

        if self._items:
            self._writer.write_batch(table_from_items(self._items))
        self._items, self._chars = [], 0


class RssExporter(WholeFileExporter):
    """Articles as RSS 2.0, for feed readers; lists are left out. `item_export_kwargs` may set `title` and `link` of the feed."""

    def __init__(self, file: BytesIO, title: str = "webcontent", link: str = "", **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.title = title
        self.link = link
        self._xml = XMLGenerator(file, "utf-8", short_empty_elements=True)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        seeds = getattr(crawler.spider, "seeds", ())
        first = seeds[0].url if seeds else ""
        kwargs.setdefault("title", f"New on {first}" if len(seeds) == 1 else f"What {crawler.spidercls.name} found")
        kwargs.setdefault("link", first)
        return super().from_crawler(crawler, *args, **kwargs)

    def start_exporting(self) -> None:
        self._try(self._start)

    def export_item(self, item: Any) -> None:
        self._try(self._export, item)

    def finish_exporting(self) -> None:
        self._try(self._finish)

    def _start(self) -> None:
        self._xml.startDocument()
        self._xml.startElement("rss", AttributesImpl({"version": "2.0", "xmlns:dc": "http://purl.org/dc/elements/1.1/"}))
        self._xml.startElement("channel", AttributesImpl({}))
        self._write("title", self.title)
        self._write("link", self.link)
        self._write("description", f"{self.title}, by webcontent")
        self._write("lastBuildDate", format_datetime(datetime.now(UTC)))

    def _export(self, item: Any) -> None:
        values = ItemAdapter(item)
        if isinstance(item, Listing) or not values.get("url"):
            return
        self._xml.startElement("item", AttributesImpl({}))
        self._write("title", values.get("title") or values["url"])
        self._write("link", values["url"])
        self._write("guid", values["url"], isPermaLink="true")
        if time := rfc_822(values.get("time")):
            self._write("pubDate", time)
        for author in values.get("authors") or ():
            self._write("dc:creator", author)
        if values.get("source"):
            self._write("dc:publisher", values["source"])
        self._write("description", values.get("body_html") or values.get("body") or "")
        self._xml.endElement("item")

    def _finish(self) -> None:
        self._xml.endElement("channel")
        self._xml.endElement("rss")
        self._xml.endDocument()
        self._file.flush()

    def _write(self, name: str, text: str, **attributes: str) -> None:
        self._xml.startElement(name, AttributesImpl(attributes))
        self._xml.characters(_NOT_XML.sub("", str(text)))
        self._xml.endElement(name)


def rfc_822(time: str | None) -> str | None:
    """An item's time as RSS wants it; a day stands for its beginning, what has no offset for UTC.

    >>> rfc_822("2024-03-05T14:22+08:00"), rfc_822("2024-03-05"), rfc_822("2024")
    ('Tue, 05 Mar 2024 14:22:00 +0800', 'Tue, 05 Mar 2024 00:00:00 +0000', None)
    """
    try:
        parsed = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return format_datetime(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))
