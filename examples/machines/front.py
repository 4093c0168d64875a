"""A spider for several machines: it follows the links of a site's front page, lists and articles. `-a site=https://example.org`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import scrapy

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


class FrontSpider(scrapy.Spider):
    name = "front"
    custom_settings = {
        "ADDONS": {"webcontent.Addon": 300},
        "WEBCONTENT_AUTO": True,
        "WEBCONTENT_REDIS_ITEMS": True,
        "ROBOTSTXT_OBEY": True,
    }

    async def start(self) -> AsyncIterator[Any]:
        yield scrapy.Request(f"{self.site}/")

    def parse(self, response: Any) -> Iterator[Any]:
        for link in response.css("a"):
            if (url := response.urljoin(link.attrib.get("href", ""))).startswith(self.site):
                yield scrapy.Request(url)
