"""A spider whose callbacks ask for items: `scrapy runspider examples/poet_spider.py -a url=https://example.org/ -O stories.jsonl`.

Wants `pip install 'webcontent[poet]'`. The callback of a list follows its entries, that of a story says what it wants of it.
"""

import scrapy
from scrapy.http import Response

from webcontent import Article, Listing
from webcontent.formats.jsonld import to_json_ld


class StoriesSpider(scrapy.Spider):
    name = "stories"
    custom_settings = {"ADDONS": {"scrapy_poet.Addon": 200, "webcontent.Addon": 300}}

    async def start(self):
        yield scrapy.Request(self.url, callback=self.parse_list)

    def parse_list(self, response: Response, listing: Listing):
        for entry in listing.entries:
            yield scrapy.Request(entry.url, callback=self.parse_story)

    def parse_story(self, response: Response, article: Article):
        yield {"headline": article.title, "time": article.time, "words": len(article.body.split()), "schema": to_json_ld(article)}
