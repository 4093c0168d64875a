"""Items as arguments of callbacks and page objects, by scrapy-poet (extra `poet`).

```python
async def parse(self, response, article: webcontent.Article): ...
```
The add-on registers the provider; scrapy-poet's own add-on does the rest.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003  (scrapy-poet reads the annotations when it runs)
from dataclasses import replace
from typing import Any

import zyte_common_items as zyte
from scrapy.crawler import Crawler  # noqa: TC002
from scrapy.http import Response  # noqa: TC002
from scrapy_poet.page_input_providers import PageObjectInputProvider

from webcontent.crawl.pipelines import PAGE_TYPE, ExtractionPipeline
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
    """Gives a callback or a page object what it asks for of a page: Page, PageType, Article, Listing, and zyte-common-items' own.

    Who asks for an Article gets one, and who asks for a Listing too, whatever type the page has: PageType says which it is. Zyte's classes
    are given to whom no other provider has them for.
    """

    name = "webcontent"
    provided_classes = {Page, PageType, *TYPES}

    def __init__(self, injector: Any) -> None:
        super().__init__(injector)  # type: ignore[no-untyped-call]
        self._pipeline: ExtractionPipeline | None = None

    async def __call__(self, to_provide: set[Callable[..., Any]], response: Response, crawler: Crawler) -> list[Any]:
        if self._pipeline is None:
            self._pipeline = ExtractionPipeline.from_crawler(crawler)
        return [await self._provide(kind, response, self._pipeline) for kind in to_provide]

    async def _provide(self, kind: Any, response: Response, pipeline: ExtractionPipeline) -> Any:
        page = Page.from_response(response)
        if kind is Page:
            return page
        await pipeline.page_type.process_item(page)
        found: PageType = page.meta[PAGE_TYPE]
        if kind is PageType:
            return found
        if found.type != TYPES[kind]:
            page.meta[PAGE_TYPE] = replace(found, type=TYPES[kind], score=1 - found.score)
        with pipeline.threads.page():
            item = await pipeline.make(page)
        if not pipeline.config.evidence:
            item.evidence = {}
        if kind is zyte.ArticleNavigation:
            assert isinstance(item, Listing)
            return to_zyte_navigation(item)
        return to_zyte(item) if kind in (zyte.Article, zyte.ArticleList) else item
