"""What kind of run a crawler is in, how a crawl ends before its time, and how an item is left to the next run."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING
from weakref import WeakSet

from scrapy.exceptions import DropItem

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class PostponedItem(DropItem):
    """The item is dropped in this run only: an incremental crawl requests its page again in the next run."""

    def __init__(self, message: str) -> None:
        super().__init__(message, log_level="DEBUG")


def stop_crawl(crawler: Crawler, reason: str, message: str) -> None:
    """Ends a crawl in the way Ctrl-C does and logs the message. Further calls for the same crawl do nothing.

    `reason`: Scrapy's `finish_reason`.
    """
    if crawler in _stopped:
        return
    _stopped.add(crawler)
    logger.critical(message)
    crawler.stats.inc_value("webcontent/errors/store")
    if crawler.crawling and crawler.engine is not None and crawler.engine.spider is not None:
        task = asyncio.get_running_loop().create_task(crawler.engine.close_spider_async(reason=reason))
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)


_tasks: set[asyncio.Task[None]] = set()
"""asyncio keeps only weak references to tasks."""
_stopped: WeakSet[Crawler] = WeakSet()


def is_closing(crawler: Crawler) -> bool:
    """Whether the crawl is ending (Ctrl-C, a limit, an error) or has no engine. Scrapy sends no signal when it begins to close."""
    engine = engine_of(crawler)
    return engine is None or not engine.running or engine._slot is None or engine._slot.closing is not None


def is_console(crawler: Crawler) -> bool:
    """Whether the crawler serves `scrapy shell`: its engine waits for requests, and nobody waits for items."""
    engine = engine_of(crawler)
    return engine is not None and engine._slot is not None and not engine._slot.close_if_idle


def engine_of(crawler: Crawler) -> ExecutionEngine | None:
    """The engine of a crawl; None for a pipeline that runs without a crawl."""
    try:
        return crawler.engine
    except RuntimeError:
        return None
