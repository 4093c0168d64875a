"""RSS feeds for feed readers. The file is complete when the crawl ends."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from itemadapter import ItemAdapter

from webcontent.crawl.output.failing import WholeFileExporter
from webcontent.items import Listing

if TYPE_CHECKING:
    from io import BytesIO
    from typing import Self

    from scrapy.crawler import Crawler

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class RssExporter(WholeFileExporter):
    """Articles as RSS 2.0; listings are left out. `item_export_kwargs` may set `title` and `link` of the feed."""

    def __init__(self, file: BytesIO, title: str = "webcontent", link: str = "", **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.title = title
        self.link = link
        self._xml = XMLGenerator(file, "utf-8", short_empty_elements=True)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        seeds = getattr(crawler.spider, "seeds", ())
        first = seeds[0].url if seeds else ""
        kwargs.setdefault("title", f"New on {first}" if len(seeds) == 1 else f"Items of {crawler.spidercls.name}")
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
        url = values.get("url") or ""
        title = values.get("title") or url
        if isinstance(item, Listing) or not title:
            return
        self._xml.startElement("item", AttributesImpl({}))
        self._write("title", title)
        if url:  # the page of a file may have none
            self._write("link", url)
            self._write("guid", url, isPermaLink="true")
        if time := rfc_822(values.get("time")):
            self._write("pubDate", time)
        for author in values.get("authors") or ():
            self._write("dc:creator", author)
        for name in ("publisher", "source"):
            if values.get(name):
                self._write(f"dc:{name}", values[name])
        self._write("description", values.get("body_html") or values.get("body") or "")
        self._xml.endElement("item")

    def _finish(self) -> None:
        self._xml.endElement("channel")
        self._xml.endElement("rss")
        self._xml.endDocument()
        self._file.flush()

    def _write(self, name: str, text: str, **attributes: str) -> None:
        """An element; characters that XML does not allow are left out of its text."""
        self._xml.startElement(name, AttributesImpl(attributes))
        self._xml.characters(_NOT_XML.sub("", str(text)))
        self._xml.endElement(name)


def rfc_822(time: str | None) -> str | None:
    """An item's time in the format of RSS. A date without a time is the beginning of that day; a time without an offset is UTC.

    >>> rfc_822("2024-03-05T14:22+08:00"), rfc_822("2024-03-05"), rfc_822("2024")
    ('Tue, 05 Mar 2024 14:22:00 +0800', 'Tue, 05 Mar 2024 00:00:00 +0000', None)
    """
    try:
        parsed = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return format_datetime(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))
