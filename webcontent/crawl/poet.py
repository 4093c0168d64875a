"""Items as arguments of callbacks and page objects, through scrapy-poet (extra `poet`).

```python
async def parse(self, response, article: webcontent.Article): ...
```
The add-on registers the provider; scrapy-poet's own add-on does the rest. scrapy-poet reads this module's annotations when it runs,
so they are real objects here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import zyte_common_items as zyte
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy_poet.page_input_providers import PageObjectInputProvider

from webcontent.crawl.config import Config
from webcontent.crawl.pipelines.extract import PageExtractor
from webcontent.formats.zyte import to_zyte, to_zyte_navigation
from webcontent.items import Article, Listing, Page, PageType, Type

TYPES: dict[Any, Type] = {
    Article: "article",
    Listing: "list",
    zyte.Article: "article",
    zyte.ArticleList: "list",
    zyte.ArticleNavigation: "list",
}
"""Classes of items, and the type of page that each is made of."""


class ItemProvider(PageObjectInputProvider):
    """Provides what can be made of a page: Page, PageType, Article, Listing, and items of zyte-common-items.

    A callback that asks for an Article or a Listing gets one, whatever type the page has; PageType gives the page's real type.
    Items of zyte-common-items are provided unless another provider has them.
    """

    name = "webcontent"
    provided_classes = {Page, PageType, *TYPES}

    def __init__(self, injector: Any) -> None:
        super().__init__(injector)  # type: ignore[no-untyped-call]
        self._extractor: PageExtractor | None = None

    async def __call__(self, to_provide: set[Callable[..., Any]], response: Response, crawler: Crawler) -> list[Any]:
        if self._extractor is None:
            options = Config.from_settings(crawler.settings).options()
            self._extractor = PageExtractor(crawler, options)
        return [await self._provide(item_class, response, self._extractor) for item_class in to_provide]

    async def _provide(self, item_class: Any, response: Response, extractor: PageExtractor) -> Any:
        page = Page.from_response(response)
        if item_class is Page:
            return page
        reading = await extractor.readings.classify(page)
        page_type = reading.known_type
        if item_class is PageType:
            return page_type
        if page_type.type != TYPES[item_class]:
            reading.page_type = replace(page_type, type=TYPES[item_class], score=1 - page_type.score)
        with extractor.workers.page():
            item = await extractor.make_item(reading)
        if item_class is zyte.ArticleNavigation:
            assert isinstance(item, Listing)
            return to_zyte_navigation(item)
        return to_zyte(item) if item_class in (zyte.Article, zyte.ArticleList) else item
