"""The second pipeline: makes an item of each Page, keeps what the settings say, and delivers the item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webcontent.crawl.config import Config
from webcontent.crawl.pipelines.classify import PageTypePipeline
from webcontent.crawl.pipelines.deliver import ItemDelivery
from webcontent.crawl.pipelines.extract import PageExtractor
from webcontent.crawl.pipelines.keep import PageKeeper
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.workers import WorkerPool
from webcontent.items import Page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class ExtractionPipeline(FromCrawler):
    """Makes an Article or a Listing of each Page, by the extractor that the route of its type names.

    A Page that did not pass PageTypePipeline, or that another pipeline has put in its place, is classified here.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = Config.from_settings(crawler.settings)
        self.workers = WorkerPool.of(crawler, config.threads)
        self.classifier = PageTypePipeline(crawler)
        options = replace(config.options(), evidence=True)  # saved pages keep the evidence; ItemDelivery removes it from the feeds
        self.extractor = PageExtractor(crawler, options, self.classifier)
        self.keeper = PageKeeper(crawler)
        self.delivery = ItemDelivery(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page):
            return item
        reading = await self.classifier.classify(item)
        reference_pages = await self.extractor.reference_pages(reading)  # may wait for another page, so it is not in flight
        with self.workers.page():
            part = await self.extractor.extract(reading, reference_pages)
            saved = await self.keeper.item_to_save(part.item)  # before other pages are joined: a check sees this page alone
            await self.keeper.store_screenshot(reading.page, part.item)
        joined = await self.extractor.join(reading, part)  # not in flight, since its further pages may have to wait for capacity
        with self.workers.page():
            delivered = self.delivery.deliver(joined)
            await self.keeper.save(reading.page, saved)
        return delivered
