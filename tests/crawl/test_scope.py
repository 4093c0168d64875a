"""What belongs to a crawl ends with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import article, listing, python, serve
from webcontent.crawl.scope import CrawlScope

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = """
import asyncio
import gc
import sys
import weakref

from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

from twisted.internet import reactor
from webcontent.crawl.spiders.seeds import SeedsSpider

SETTINGS = {
    "ADDONS": {"webcontent.Addon": 300}, "WEBCONTENT_RENDER": False, "DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False, "WEBCONTENT_DUPLICATES": "flag",
    "FEEDS": {"items.jsonl": {"format": "jsonlines"}, "items.csv": {"format": "csv"}},
}
crawlers = weakref.WeakSet()
items = []

async def run_all():
    for number in range(3):
        runner = AsyncCrawlerRunner({**SETTINGS, "WEBCONTENT_CRAWL_STATE": f"sqlite:///{number}.db"})
        crawler = runner.create_crawler(SeedsSpider)
        crawlers.add(crawler)
        await runner.crawl(crawler, urls=sys.argv[1], sources=0)
        items.append(crawler.stats.get_value("item_scraped_count"))
        del crawler, runner

def begin():
    task = asyncio.get_event_loop().create_task(run_all())
    task.add_done_callback(lambda ended: reactor.callLater(0.1, reactor.stop))

reactor.callWhenRunning(begin)
reactor.run()
gc.collect()
print(items, len(crawlers))
"""


@pytest.mark.process
def test_crawls_are_freed(tmp_path: Path):
    """Of three crawls in one process none is alive after a collection."""
    story = article("A bridge in two parts", links='<a href="/story.html?page=2">2</a>')
    with serve({"/": listing("News", {"/story.html": "A bridge in two parts, a long headline"}), "/story.html": story}) as site:
        done = python(SCRIPT, site.url, cwd=tmp_path)
    assert done.stdout.splitlines()[-1:] == ["[2, 2, 2] 0"], done.stderr


def test_parts_are_made_once():
    """Each crawl has its own."""
    scope, other = (CrawlScope.of(get_crawler()) for _ in range(2))
    assert scope.part(list, list) is scope.part(list, list)
    assert scope.part(list, list) is not other.part(list, list)
    assert scope.find(dict) is None
    scope.forget(list)
    assert scope.find(list) is None
