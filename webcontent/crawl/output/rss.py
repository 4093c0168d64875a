"""RSS feeds for feed readers. The file is complete when the crawl ends."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from itemadapter import ItemAdapter

from webcontent.crawl.output.failing import StopsAtFullDisk, TakesFile
from webcontent.items import Listing

if TYPE_CHECKING:
    from io import BytesIO
    from typing import Self

    from scrapy.crawler import Crawler


HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class RssExporter(StopsAtFullDisk, TakesFile):
    """Articles as RSS 2.0; listings are left out. `item_export_kwargs` may set `title` and `link` of the feed."""

    def __init__(self, file: BytesIO, title: str = "webcontent", link: str = "", **kwargs: Any) -> None:
        super().__init__(file, **kwargs)
        self.title = title
        self.link = link

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        first = next((seed.url for seed in getattr(crawler.spider, "seeds", ())), None)
        return super().from_crawler(crawler, *args, **({"title": f"New on {first}", "link": first} if first else {}) | kwargs)

    def begin(self) -> None:
        description = f"{self.title}, by webcontent"
        values = {"title": self.title, "link": self.link, "description": description, "lastBuildDate": format_datetime(datetime.now(UTC))}
        self._write(HEAD, *(element(name, text) for name, text in values.items()))

    def add(self, item: Any) -> None:
        values = ItemAdapter(item)
        url = values.get("url") or ""
        title = values.get("title") or url
        if not isinstance(item, Listing) and not title:
            self.leave_out(item)
        if isinstance(item, Listing) or not title:
            return
        address = (element("link", url), element("guid", url, ' isPermaLink="true"')) if url else ()  # the page of a file may have none
        time = rfc_822(values.get("time"))
        names = [("creator", author) for author in values.get("authors") or ()]
        names += [(name, values[name]) for name in ("publisher", "source") if values.get(name)]
        self._write(
            "<item>",
            element("title", title),
            *address,
            element("pubDate", time) if time else "",
            *(element(f"dc:{name}", text) for name, text in names),
            element("description", values.get("body_html") or values.get("body") or ""),
            "</item>",
        )

    def finish(self) -> None:
        self._write("</channel></rss>")

    def _write(self, *parts: str) -> None:
        self.file.write("".join(parts).encode())


def element(name: str, text: Any, attributes: str = "") -> str:
    """An element of XML; characters that XML does not allow are left out of its text."""
    return f"<{name}{attributes}>{escape(_NOT_XML.sub('', str(text)))}</{name}>"


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
