"""What a crawl knows of a page before it becomes an item, its document and its type, and the pipeline that finds them out.

The spider, the two pipelines and pipelines of a user between them pass the page on, and nothing is attached to it: it may be logged,
copied or written to a feed at any step. What was found is kept beside it, as long as the page exists.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from weakref import finalize

from webcontent.crawl.scope import CrawlPart, FromCrawler
from webcontent.crawl.workers import PageDeadlineError, WorkerPool
from webcontent.items import TIMEOUT, Page
from webcontent.pagetype.classify import load_models
from webcontent.pipeline import UNKNOWN, classify, failed_item, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler

    from webcontent.crawl.pipelines.pager import Pager
    from webcontent.document.parsing import Document
    from webcontent.items import Article, Listing, PageType


@dataclass(slots=True, eq=False)
class PageReading:
    """A page that was read, and perhaps classified."""

    page: Page
    """A copy of the page, with the time of fetching: the document refers to it, and must not keep the page itself alive."""
    document: Document | None = None
    """None if the page could not be read, and as soon as its item is made."""
    page_type: PageType | None = None
    pagers: list[Pager | None] = field(default_factory=list)
    """The pager of the page, once it was looked for."""
    is_late: bool = False

    @property
    def known_type(self) -> PageType:
        return self.page_type or UNKNOWN

    @contextmanager
    def guard(self, workers: WorkerPool, stage: str) -> Iterator[None]:
        """A stage whose error costs a part of the item."""
        with workers.guard(stage, self.page.url):
            try:
                yield
            except PageDeadlineError:
                self.is_late = True
                raise

    def finished(self, item: Article | Listing | None) -> Article | Listing:
        """The item, with the flag `timeout` if a stage took too long; a bare one for None. The item is updated inline."""
        item = item or failed_item(self.page, self.known_type)
        if self.is_late:
            item.flags = sorted({*item.flags, TIMEOUT})
        return item


class PageReadings(CrawlPart):
    """The readings of a crawl's pages. A page that a user's pipeline replaces by another one is read anew."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.options = self.config.options()
        self.workers = WorkerPool.of(crawler)
        load_models(self.options.page_type_model, models=self.options.models)  # a missing model ends the crawl here, before page one
        self._by_id: dict[int, PageReading] = {}

    def find(self, page: Page) -> PageReading | None:
        return self._by_id.get(id(page))

    async def read(self, page: Page) -> PageReading:
        """The page, decoded and parsed once per crawl."""
        if (known := self.find(page)) is not None:
            return known
        reading = PageReading(replace(page, fetched_at=page.fetched_at or datetime.now(UTC).isoformat(timespec="seconds")))
        with reading.guard(self.workers, "reading"):
            reading.document = await self.workers.run("reading", read, reading.page, self.options)
        self._by_id[id(page)] = reading
        finalize(page, self._by_id.pop, id(page), None).atexit = False  # without a reference to the crawl
        return reading

    async def classify(self, page: Page) -> PageReading:
        """The page's reading with its type, which is counted once; UNKNOWN if the page could not be classified."""
        with self.workers.page():
            reading = await self.read(page)
            if reading.page_type is None:
                page_type = UNKNOWN
                if reading.document is not None:
                    with reading.guard(self.workers, "pagetype"):
                        page_type = await self.workers.run("pagetype", classify, reading.document, self.options)
                reading.page_type = page_type
                self.stats.inc_value("webcontent/pages")
                self.stats.inc_value(f"webcontent/type/{page_type.type}")
                self.stats.inc_value(f"webcontent/kind/{page_type.kind}")
            return reading


class PageTypePipeline(FromCrawler):
    """Classifies each Page as an article or a list. The page goes on as it is; ExtractionPipeline finds its type in PageReadings."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.readings = PageReadings.of(crawler)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page):
            await self.readings.classify(item)
        return item
