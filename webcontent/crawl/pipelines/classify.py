"""The first pipeline: reads each Page and classifies it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.crawl.pipelines.reading import PageReadings
from webcontent.crawl.scope import FromCrawler
from webcontent.items import Page
from webcontent.pagetype import load_models
from webcontent.pipeline import UNKNOWN, classify

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.pipelines.reading import PageReading
    from webcontent.items import PageType


class PageTypePipeline(FromCrawler):
    """Classifies each Page as an article or a list. The page goes on as it is; ExtractionPipeline finds its type in PageReadings."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.readings = PageReadings.of(crawler)
        self.stats = crawler.stats
        self.workers = self.readings.workers
        options = self.readings.options
        load_models(options.page_type_model, models=options.models)  # a missing model ends the crawl here, before page one

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, Page):
            await self.classify(item)
        return item

    async def classify(self, page: Page) -> PageReading:
        """The page's reading with its type, which is counted once; UNKNOWN if the page could not be classified."""
        with self.workers.page():
            reading = await self.readings.read(page)
            if reading.page_type is None:
                reading.page_type = await self._type_of(reading)
                self.stats.inc_value("webcontent/pages")
                self.stats.inc_value(f"webcontent/type/{reading.page_type.type}")
                self.stats.inc_value(f"webcontent/kind/{reading.page_type.kind}")
            return reading

    async def _type_of(self, reading: PageReading) -> PageType:
        if reading.document is None:
            return UNKNOWN
        try:
            return await self.workers.run("pagetype", classify, reading.document, self.readings.options)
        except Exception as error:  # the border where a page may not stop a crawl
            reading.note(error)
            self.workers.failed("pagetype", reading.page.url, error)
            return UNKNOWN
