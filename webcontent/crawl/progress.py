"""One line on a terminal: pages done, queued, items, rate."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

INTERVAL_S = 0.5
_FORMAT = "{n:,d} pages{postfix} · {rate_fmt} · {elapsed}"


class Progress:
    """Draws the line with tqdm, below the log; nothing where standard error is no terminal."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._open = ExitStack()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not sys.stderr.isatty():
            raise NotConfigured
        progress = cls(crawler)
        crawler.signals.connect(progress.start, signal=signals.spider_opened)
        crawler.signals.connect(progress.stop, signal=signals.spider_closed)
        return progress

    def start(self) -> None:
        from tqdm import tqdm  # type: ignore[import-untyped]
        from tqdm.contrib.logging import logging_redirect_tqdm  # type: ignore[import-untyped]

        self._open.enter_context(logging_redirect_tqdm())
        bar = self._open.enter_context(tqdm(unit=" pages", bar_format=_FORMAT, file=sys.stderr, dynamic_ncols=True, leave=True))
        self._task = asyncio.get_running_loop().create_task(self._draw_always(bar))

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._open.close()

    async def _draw_always(self, bar: Any) -> None:
        try:
            while True:
                self._draw(bar)
                await asyncio.sleep(INTERVAL_S)
        finally:
            self._draw(bar)

    def _draw(self, bar: Any) -> None:
        stats = self.crawler.stats
        bar.n = stats.get_value("webcontent/pages", 0)
        bar.set_postfix_str(f"{self._queued():,d} queued · {stats.get_value('item_scraped_count', 0):,d} items", refresh=False)
        bar.refresh()

    def _queued(self) -> int:
        scheduler: Any = self.crawler.engine.scheduler
        return len(scheduler) if hasattr(scheduler, "__len__") else 0
