"""The spider of `scrapy harvest`: `seeds`, with a count of what each seed gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import HtmlResponse

from webcontent.crawl.commands.seed_report import SeedRow
from webcontent.crawl.discovery.urls import address_key
from webcontent.crawl.meta import SEED
from webcontent.crawl.pipelines.classify import PageReadings
from webcontent.crawl.spiders.seeds import SeedsSpider
from webcontent.items import ARTICLE, Article, Listing, Page

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

NOT_HTML = "not an HTML page"
"""The reason of a seed whose address leads to a PDF file, an image ..."""


class HarvestSpider(SeedsSpider):
    name = "harvest"

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.seeds = list({address_key(seed.url): seed for seed in self.seeds}.values())  # named twice, it would seem to give nothing
        self.rows = [SeedRow(seed.url) for seed in self.seeds]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *arguments: Any, **named: Any) -> Self:
        spider = super().from_crawler(crawler, *arguments, **named)
        crawler.signals.connect(spider.item_scraped, signal=signals.item_scraped)
        crawler.signals.connect(spider.item_dropped, signal=signals.item_dropped)
        crawler.signals.connect(spider.request_dropped, signal=signals.request_dropped)
        return spider

    async def _judge(self, response: Response) -> Any:
        row = self.rows[response.meta[SEED]]
        if isinstance(response, HtmlResponse):
            row.pages += 1
        else:
            row.failures[NOT_HTML] += 1
        return await super()._judge(response)

    def failed(self, failure: Failure) -> Any:
        assert failure.value is not None
        self.rows[failure.request.meta[SEED]].add_error(failure.value)  # type: ignore[attr-defined]  # set by Scrapy
        return super().failed(failure)

    def item_scraped(self, item: Any, response: Response) -> None:
        if isinstance(item, Article | Listing):
            row = self.rows[response.meta[SEED]]
            row.new += 1
            self._count(row, is_article=isinstance(item, Article))

    def item_dropped(self, item: Any, response: Response) -> None:
        """`item`: the page as the spider yielded it."""
        reading = PageReadings.of(self.crawler).find(item) if isinstance(item, Page) else None
        if reading is not None and reading.page_type is not None:
            self._count(self.rows[response.meta[SEED]], is_article=reading.page_type.type == ARTICLE)

    def request_dropped(self, request: Request) -> None:
        """Notes a seed that was redirected to a page of another seed: Scrapy asks for each address once."""
        first_url = request.meta.get("redirect_urls", [""])[0]
        number = request.meta.get(SEED)
        if number is not None and first_url == self.seeds[number].url:
            self.rows[number].same_as = request.url

    @staticmethod
    def _count(row: SeedRow, *, is_article: bool) -> None:
        row.articles += is_article
        row.lists += not is_article
