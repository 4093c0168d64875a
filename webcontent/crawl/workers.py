"""The crawl's own threads: parsing, classifying, extracting and storing never run on the reactor's thread."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from scrapy import signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.crawler import Crawler

T = TypeVar("T")
logger = logging.getLogger(__name__)

PAGES_PER_THREAD = 4
"""How many pages may wait for a thread before downloads wait for them: Scrapy does not count screenshots."""
WRITING = ("store", "save")
"""Stages whose OSError is the disk's fault and not the page's."""


class WorkerPool:
    """One pool of threads a crawl, with a bound on the pages in flight and the time spent by stage.

    All methods but the jobs themselves run on the reactor's thread.
    """

    def __init__(self, crawler: Crawler, size: int) -> None:
        self.crawler = crawler
        self.stats = crawler.stats
        self.limit = size * PAGES_PER_THREAD
        self.pages = 0
        self._executor = ThreadPoolExecutor(size, thread_name_prefix="webcontent")
        self._room = asyncio.Event()
        self._room.set()
        self._elapsed_ms: dict[str, float] = {}
        self._told: set[tuple[str, int | None]] = set()
        self._shows_traces = crawler.settings.get("LOG_LEVEL") == "DEBUG"  # loggers themselves let everything pass in Scrapy
        crawler.signals.connect(self.close, signal=signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler, size: int) -> WorkerPool:
        """The crawl's threads, made on first use."""
        if crawler not in _made:
            _made[crawler] = cls(crawler, size)
        return _made[crawler]

    async def run(self, stage: str, job: Callable[..., T], *arguments: Any) -> T:
        """What the job gives; its time is added to `webcontent/ms/<stage>`."""

        def timed() -> tuple[T | BaseException, float]:
            begin = perf_counter()
            try:
                result: T | BaseException = job(*arguments)
            except Exception as error:  # raised again where the caller waits
                result = error
            return result, (perf_counter() - begin) * 1000

        result, elapsed_ms = await asyncio.get_running_loop().run_in_executor(self._executor, timed)
        self._elapsed_ms[stage] = self._elapsed_ms.get(stage, 0.0) + elapsed_ms
        self.stats.set_value(f"webcontent/ms/{stage}", round(self._elapsed_ms[stage]))
        if isinstance(result, BaseException):
            raise result
        return result

    @contextmanager
    def page(self) -> Iterator[None]:
        """Counts a page as in flight."""
        self.pages += 1
        self._update()
        try:
            yield
        finally:
            self.pages -= 1
            self._update()

    async def room(self) -> None:
        """Waits until fewer pages are in flight than the limit; a download that waits here keeps memory bounded."""
        await self._room.wait()

    def failed(self, stage: str, url: str | None, error: Exception) -> None:
        """Counts and logs a failure that costs a page a part of its item, never the item. Of a disk that refuses it tells once."""
        self.stats.inc_value(f"webcontent/errors/{stage}")
        if isinstance(error, OSError) and stage in WRITING:
            if (reason := (stage, error.errno)) not in self._told:
                self._told.add(reason)
                message = "%s of %s failed: %s. The crawl goes on; further pages of which the same is true are only counted."
                logger.error(message, stage, url, error.strerror or error)
            return
        logger.error("%s of %s failed: %s: %s", stage, url, type(error).__name__, error, exc_info=self._shows_traces)

    def close(self) -> None:
        _made.pop(self.crawler, None)
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _update(self) -> None:
        if self.pages < self.limit:
            self._room.set()
        else:
            self._room.clear()


_made: WeakKeyDictionary[Crawler, WorkerPool] = WeakKeyDictionary()
