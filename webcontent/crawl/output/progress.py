"""One line on a terminal: pages done, queued, items, rate."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured
from tqdm import tqdm
from tqdm.contrib import DummyTqdmFile

from webcontent.crawl.scope import FromCrawler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

_FORMAT = "{n:d} pages{postfix}, {rate_fmt}, {elapsed}"


class Progress(FromCrawler):
    """Draws the line with tqdm, below the log. Draws nothing if standard error is no terminal."""

    def __init__(self, crawler: Crawler) -> None:
        if not sys.stderr.isatty():
            raise NotConfigured
        super().__init__(crawler)
        self._above = DummyTqdmFile(sys.stderr)
        """A stream for the log. Its lines push the progress line down instead of cutting it in two."""
        crawler.signals.connect(self.start, signal=signals.spider_opened)

    def start(self) -> None:
        self._bar = tqdm(unit=" pages", bar_format=_FORMAT, file=sys.stderr, dynamic_ncols=True)
        _send_log(sys.stderr, self._above)
        self._task = asyncio.get_running_loop().create_task(self._draw_always())
        self.crawler.signals.connect(self.stop, signal=signals.spider_closed)

    def stop(self) -> None:
        self._task.cancel()
        self._draw()
        self._bar.close()
        _send_log(self._above, sys.stderr)

    async def _draw_always(self) -> None:
        while True:
            self._draw()
            await asyncio.sleep(0.5)

    def _draw(self) -> None:
        engine: Any = self.crawler.engine
        queued = len(engine.downloader.active) + (len(engine.scheduler) if hasattr(engine.scheduler, "__len__") else 0)
        self._bar.n = self.stats.get_value("webcontent/pages", 0)
        self._bar.set_postfix_str(f"{queued} queued, {self.stats.get_value('item_scraped_count', 0)} items", refresh=False)
        self._bar.refresh()


def _send_log(before: Any, after: Any) -> None:
    for handler in logging.root.handlers:
        if isinstance(handler, logging.StreamHandler) and handler.stream is before:
            handler.setStream(after)
