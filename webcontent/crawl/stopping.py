"""What kind of run a crawler is in, how a crawl ends before its time, and how an item is left to the next run."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from webcontent.crawl.scope import CrawlScope

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class PostponedItem(DropItem):
    """The item is dropped in this run only: an incremental crawl requests its page again in the next run."""

    def __init__(self, message: str) -> None:
        super().__init__(message, log_level="DEBUG")


def stop_crawl(crawler: Crawler, reason: str, message: str) -> None:
    """Ends a crawl in the way Ctrl-C does, once, and logs the message. `reason`: Scrapy's `finish_reason`."""
    scope = CrawlScope.of(crawler)
    if scope.is_stopping:
        return
    scope.is_stopping = True
    logger.critical(message)
    crawler.stats.inc_value("webcontent/errors/store")
    if crawler.crawling and crawler.engine is not None and crawler.engine.spider is not None:
        scope.closing = asyncio.get_running_loop().create_task(crawler.engine.close_spider_async(reason=reason))


def is_closing(crawler: Crawler) -> bool:
    """Whether the crawl is ending (Ctrl-C, a limit, an error) or has no engine. Scrapy sends no signal when it begins to close."""
    slot = slot_of(crawler)
    return slot is None or slot.closing is not None or crawler.engine is None or not crawler.engine.running


def is_console(crawler: Crawler) -> bool:
    """Whether the crawler serves `scrapy shell`: its engine waits for requests, and nobody waits for items."""
    slot = slot_of(crawler)
    return slot is not None and not slot.close_if_idle


def requests_in_progress(crawler: Crawler) -> set[Request]:
    """The requests that the engine has taken from the scheduler and is not done with: downloads, callbacks, pipelines."""
    return getattr(slot_of(crawler), "inprogress", set())


def wake_engine(crawler: Crawler) -> None:
    """Lets the engine ask the scheduler for requests at once."""
    if (slot := slot_of(crawler)) is not None:
        slot.nextcall.schedule()


def slot_of(crawler: Crawler) -> Any:
    """What the engine holds of the running crawl, a private part of Scrapy's engine; None for a pipeline that runs without a crawl."""
    with suppress(RuntimeError):
        return getattr(crawler.engine, "_slot", None)
    return None
