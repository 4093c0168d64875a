"""What a crawl knows of a page before it becomes an item: its document and its type.

The spider, the two pipelines and pipelines of a user between them pass the page on, and nothing is attached to it: it may be logged,
copied or written to a feed at any step. What was found is kept beside it, as long as the page exists.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from weakref import ref

from webcontent.crawl.config import Config
from webcontent.crawl.scope import CrawlScope
from webcontent.crawl.workers import PageDeadlineError, WorkerPool
from webcontent.items import TIMEOUT
from webcontent.pipeline import UNKNOWN, failed_item, read

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.document.parsing import Document
    from webcontent.items import Article, Listing, Page, PageType


@dataclass(slots=True, eq=False)
class PageReading:
    """A page that was read, and perhaps classified."""

    page: Page
    """A copy of the page, with the time of fetching: the document refers to it, and must not keep the page itself alive."""
    document: Document | None = None
    """None if the page could not be read, and as soon as its item is made."""
    page_type: PageType | None = None
    """None if it is not classified yet."""
    is_late: bool = False
    """Whether a stage took too long."""

    @property
    def known_type(self) -> PageType:
        return self.page_type or UNKNOWN

    def note(self, error: Exception) -> None:
        """Notes a failure of a stage."""
        self.is_late = self.is_late or isinstance(error, PageDeadlineError)

    def failed_item(self) -> Article | Listing:
        """The item of a page that could not be read or extracted."""
        return failed_item(self.page, self.known_type)

    def flagged(self, item: Article | Listing) -> Article | Listing:
        """The item, with the flag `timeout` if a stage took too long. The item is updated inline."""
        if self.is_late:
            item.flags = sorted({*item.flags, TIMEOUT})
        return item


class PageReadings:
    """The readings of a crawl's pages. A page that a user's pipeline replaces by another one is read anew."""

    def __init__(self, crawler: Crawler) -> None:
        config = Config.from_settings(crawler.settings)
        self.options = config.options()
        self.workers = WorkerPool.of(crawler, config.threads)
        self._by_id: dict[int, tuple[ref[Page], PageReading]] = {}

    @classmethod
    def of(cls, crawler: Crawler) -> PageReadings:
        """The crawl's readings, made on first use."""
        return CrawlScope.of(crawler).part(cls, lambda: cls(crawler))

    def find(self, page: Page) -> PageReading | None:
        """The reading of a page, if it was read."""
        return self._by_id[id(page)][1] if id(page) in self._by_id else None

    async def read(self, page: Page) -> PageReading:
        """The page, decoded and parsed once per crawl."""
        if (known := self.find(page)) is not None:
            return known
        reading = PageReading(replace(page, fetched_at=page.fetched_at or datetime.now(UTC).isoformat(timespec="seconds")))
        try:
            reading.document = await self.workers.run("reading", read, reading.page, self.options)
        except Exception as error:  # the border where a page may not stop a crawl
            reading.note(error)
            self.workers.failed("reading", page.url, error)
        self._by_id[id(page)] = ref(page, self._forgetter(id(page))), reading
        return reading

    def _forgetter(self, key: int) -> Any:
        by_id = self._by_id  # without a reference to the crawl
        return lambda _: by_id.pop(key, None)
