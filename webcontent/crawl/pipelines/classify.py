"""The first pipeline: reads each Page and classifies it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from webcontent.crawl.config import Config
from webcontent.crawl.meta import DOCUMENT, PAGE_TYPE
from webcontent.crawl.workers import PageDeadlineError, WorkerPool
from webcontent.items import TIMEOUT, Page
from webcontent.pagetype import load_models
from webcontent.pipeline import UNKNOWN, classify, read

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from webcontent.document.parsing import Document
    from webcontent.items import PageType
    from webcontent.pipeline import Options


class PageTypePipeline:
    """Classifies each Page as an article or a list. Its meta carries the page type to ExtractionPipeline."""

    def __init__(self, crawler: Crawler) -> None:
        config = Config.from_settings(crawler.settings)
        self.options = config.options()
        self.stats = crawler.stats
        self.workers = WorkerPool.of(crawler, config.threads)
        load_models(self.options.page_type_model, models=self.options.models)  # a missing model ends the crawl here, before page one

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page):
            item.meta[PAGE_TYPE] = await self.classify(item)
        return item

    async def classify(self, page: Page) -> PageType:
        """The page's type, which is counted; UNKNOWN if it could not be classified. `page` keeps its document in its meta."""
        with self.workers.page():
            self.stats.inc_value("webcontent/pages")
            page_type = UNKNOWN
            if document := await read_document(page, self.workers, self.options):
                try:
                    page_type = await self.workers.run("pagetype", classify, document, self.options)
                except Exception as error:  # the border where a page may not stop a crawl
                    flag_deadline(page, error)
                    self.workers.failed("pagetype", page.url, error)
            self.stats.inc_value(f"webcontent/type/{page_type.type}")
            self.stats.inc_value(f"webcontent/kind/{page_type.kind}")
            return page_type


def flag_deadline(page: Page, error: Exception) -> None:
    """Flags a page on which a stage took too long. `page` and its document are updated inline."""
    if isinstance(error, PageDeadlineError):
        page.flags = sorted({*page.flags, TIMEOUT})
        if (document := page.meta.get(DOCUMENT)) is not None:
            document.flags.add(TIMEOUT)


async def read_document(page: Page, workers: WorkerPool, options: Options) -> Document | None:
    """The page, decoded and parsed once per crawl; None if that failed. `page` keeps the document in its meta."""
    page.fetched_at = page.fetched_at or datetime.now(UTC).isoformat(timespec="seconds")
    if DOCUMENT not in page.meta:
        try:
            page.meta[DOCUMENT] = await workers.run("reading", read, page, options)
        except Exception as error:  # the border where a page may not stop a crawl
            flag_deadline(page, error)
            workers.failed("reading", page.url, error)
            page.meta[DOCUMENT] = None
    document: Document | None = page.meta[DOCUMENT]
    return document
