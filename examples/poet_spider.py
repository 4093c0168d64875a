"""A spider whose callbacks declare the items that they need.

    pip install 'webcontent[poet]'
    scrapy runspider examples/poet_spider.py -a url=https://example.org/ -O articles.jsonl

The callback of a list page follows its entries. The callback of an article page yields some of its fields.
"""

import scrapy
from scrapy.http import Response

from webcontent import Article, Listing
from webcontent.formats.jsonld import to_json_ld


class ArticlesSpider(scrapy.Spider):
    name = "articles"
    custom_settings = {"ADDONS": {"scrapy_poet.Addon": 200, "webcontent.Addon": 300}}

    async def start(self):
        yield scrapy.Request(self.url, callback=self.parse_list)

    def parse_list(self, response: Response, listing: Listing):
        for entry in listing.entries:
            yield scrapy.Request(entry.url, callback=self.parse_article)

    def parse_article(self, response: Response, article: Article):
        yield {"headline": article.title, "time": article.time, "words": len(article.body.split()), "schema": to_json_ld(article)}
