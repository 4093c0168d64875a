"""The second pipeline: makes an item of each Page, keeps what the settings say, and delivers the item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webcontent.crawl.config import Config
from webcontent.crawl.meta import PAGE_TYPE
from webcontent.crawl.pipelines.classify import PageTypePipeline
from webcontent.crawl.pipelines.deliver import ItemDelivery
from webcontent.crawl.pipelines.extract import PageExtractor
from webcontent.crawl.pipelines.keep import PageKeeper
from webcontent.crawl.workers import WorkerPool
from webcontent.items import Page

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler


class ExtractionPipeline:
    """Makes an Article or a Listing of each Page, by the extractor that the route of its type names.

    A Page that did not pass PageTypePipeline is classified here.
    """

    def __init__(self, crawler: Crawler) -> None:
        config = Config.from_settings(crawler.settings)
        self.workers = WorkerPool.of(crawler, config.threads)
        self.classifier = PageTypePipeline(crawler)
        options = replace(config.options(), evidence=True)  # saved pages keep the evidence; ItemDelivery removes it from the feeds
        self.extractor = PageExtractor(crawler, options, self.classifier)
        self.keeper = PageKeeper(crawler)
        self.delivery = ItemDelivery(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page):
            return item
        page_type = item.meta[PAGE_TYPE] if PAGE_TYPE in item.meta else await self.classifier.classify(item)
        reference_pages = await self.extractor.reference_pages(item, page_type)  # may wait for another page, so it is not in flight
        with self.workers.page():
            part = await self.extractor.extract(item, page_type, reference_pages)
            saved = await self.keeper.item_to_save(part.item)  # before other pages are joined: a check sees this page alone
            await self.keeper.store_screenshot(item, part.item)
        joined = await self.extractor.join(item, part)  # not in flight, since its further pages may have to wait for capacity
        with self.workers.page():
            delivered = self.delivery.deliver(joined)
            await self.keeper.save(item, saved)
        return delivered
