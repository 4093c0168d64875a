"""`scrapy crawl demo -O items.jsonl` serves the demo site on loopback and crawls it like any other site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals

from webcontent.crawl.output.terminal import iter_aligned, shortened
from webcontent.crawl.spiders.seeds import SeedsSpider
from webcontent.demo.server import DemoServer
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from scrapy.crawler import Crawler

COLUMNS = ("type", "title", "time", "source", "chars")
TITLE_CELLS = 46
"""Width of the column of titles, in cells of a terminal."""


class DemoSpider(SeedsSpider):
    """Starts the server, crawls it as the spider `seeds` does, and prints a table of the items."""

    name = "demo"
    custom_settings = {
        "WEBCONTENT_CRAWL_STATE": "",  # its server has another address each time
        "AUTOTHROTTLE_ENABLED": False,  # the server is our own
        "LOG_LEVEL": "WARNING",  # so that the table stands alone
    }

    def __init__(self, **arguments: Any) -> None:
        self.server = DemoServer()
        super().__init__(urls=f"{self.server.url}/", **arguments)
        self.items: list[Article | Listing] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, *arguments: Any, **named: Any) -> Self:
        spider = super().from_crawler(crawler, *arguments, **named)
        crawler.signals.connect(spider.server.start, signal=signals.spider_opened)
        crawler.signals.connect(spider.add_item, signal=signals.item_scraped)
        return spider

    def add_item(self, item: Any) -> None:
        if isinstance(item, Article | Listing):
            self.items.append(item)

    def closed(self, reason: str) -> None:
        """Called by Scrapy when the crawl has ended."""
        self.server.stop()
        if self.items:
            print("\n".join(iter_table(self.items)), flush=True)


def iter_table(items: Sequence[Article | Listing]) -> Iterator[str]:
    """A line per item: lists first, then articles from the latest to the oldest. The last line counts them."""
    lists = sorted((item for item in items if isinstance(item, Listing)), key=lambda item: item.url or "")
    articles = sorted((item for item in items if isinstance(item, Article)), key=lambda item: item.time or "", reverse=True)
    yield from iter_aligned([COLUMNS, *map(_row, lists), *map(_row, articles)])
    yield f"{len(lists)} lists, {len(articles)} articles"


def _row(item: Article | Listing) -> tuple[str, ...]:
    time, source, publisher = (item.time, item.source, item.publisher) if isinstance(item, Article) else (None, None, None)
    shown = source or (f"{publisher} (publisher)" if publisher else "")
    return item.type, shortened(item.title or "", TITLE_CELLS), time or "", shown, str(len(item.body))
