"""The crawl's own threads: parsing, classifying, extracting and storing never run on the reactor's thread."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from scrapy import signals
from scrapy.exceptions import DontCloseSpider

from webcontent.batch.pool import PAGE_LIMIT_S
from webcontent.crawl.scope import CrawlPart
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy.crawler import Crawler

T = TypeVar("T")
logger = logging.getLogger(__name__)

PAGES_PER_THREAD = 4
"""How many pages may wait for a thread before downloads wait for them: Scrapy does not count screenshots."""
CHECK_S = 5.0
"""Time between two looks at a job that is not done."""
WRITING = ("store", "save")
"""Stages that write: an OSError in them is the disk's fault and not the page's."""


class PageDeadlineError(Exception):
    """A stage took more than PAGE_LIMIT_S of CPU time on a page."""


class _Interruption(BaseException):
    """Ends a job in its thread. No border in the page pipeline catches it."""


class _Job:
    """A job in a worker thread, which can be interrupted between two steps of Python code, not inside of a library."""

    def __init__(self, run: Callable[[], Any]) -> None:
        self._run = run
        self._thread: int | None = None
        self._began = self.elapsed_ms = 0.0
        self._lock = threading.Lock()
        self._is_interrupted = False

    def __call__(self) -> Any:
        begin = perf_counter()
        with suppress(_Interruption):
            self._thread = threading.get_ident()
            self._began = self._cpu_s()
            try:
                return self._run()
            except StopIteration as error:  # no future takes it: the crawl would wait for ever
                raise RuntimeError("StopIteration") from error
            finally:
                self.elapsed_ms = (perf_counter() - begin) * 1000
                with self._lock:
                    self._thread = None
                if self._is_interrupted:  # its exception must not meet the thread's next job
                    time.sleep(1)
        return None

    def _cpu_s(self) -> float:
        """CPU time that the thread of the job has used, where the system can tell; else the time of day."""
        if hasattr(time, "pthread_getcpuclockid") and self._thread is not None:
            return time.clock_gettime(time.pthread_getcpuclockid(self._thread))
        return time.monotonic()

    def interrupt_if_late(self) -> bool:
        with self._lock:
            if self._thread is not None and self._cpu_s() - self._began > PAGE_LIMIT_S:
                self._is_interrupted = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread), ctypes.py_object(_Interruption))
            return self._is_interrupted


class WorkerPool(CrawlPart):
    """A crawl's threads, with a bound on the pages in flight. All methods run on the reactor's thread, the jobs in threads."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.limit = self.config.threads * PAGES_PER_THREAD
        self.pages = 0
        self._executor = ThreadPoolExecutor(self.config.threads, thread_name_prefix="webcontent")
        self._capacity = asyncio.Event()
        self._capacity.set()
        self._elapsed_ms: dict[str, float] = {}
        self._reported: set[tuple[str, int | None]] = set()
        """Failures to write that have been logged: stage and error number."""
        self._shows_traces = crawler.settings.get("LOG_LEVEL") == "DEBUG"  # in Scrapy a logger's own level lets everything pass
        crawler.signals.connect(self._stay, signal=signals.spider_idle)
        crawler.signals.connect(self.close, signal=signals.spider_closed)

    async def run(self, stage: str, job: Callable[..., T], *arguments: Any) -> T:
        """The result of the job; its time is added to `webcontent/ms/<stage>`. Raises PageDeadlineError for a job that takes too long."""
        timed = _Job(lambda: job(*arguments))
        future = asyncio.get_running_loop().run_in_executor(self._executor, timed)
        while not future.done():
            await asyncio.wait((future,), timeout=CHECK_S)
            if not future.done() and timed.interrupt_if_late():
                # One thread more for this one, which may never return from a library. The executor has no public way to add it.
                self._executor._max_workers += 1
                self._executor.submit(lambda: None)
                raise PageDeadlineError(f"it took more than {PAGE_LIMIT_S} s of CPU time")
        self._elapsed_ms[stage] = self._elapsed_ms.get(stage, 0.0) + timed.elapsed_ms
        self.stats.set_value(f"webcontent/ms/{stage}", round(self._elapsed_ms[stage]))
        return cast("T", future.result())

    @contextmanager
    def page(self) -> Iterator[None]:
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, change: int) -> None:
        self.pages += change
        (self._capacity.set if self.pages < self.limit else self._capacity.clear)()

    async def wait_for_capacity(self) -> None:
        """Waits until fewer pages are in flight than the limit. Downloads that wait here keep memory bounded."""
        await self._capacity.wait()

    @contextmanager
    def guard(self, stage: str, url: str | None) -> Iterator[None]:
        """The border where a page may not stop a crawl: an error is counted and logged, and costs a part of the item, never the item."""
        try:
            yield
        except Exception as error:
            self.failed(stage, url, error)

    def failed(self, stage: str, url: str | None, error: Exception) -> None:
        """Counts and logs a failure of a page. The same failure to write is logged once."""
        self.stats.inc_value(f"webcontent/errors/{stage}")
        if not isinstance(error, OSError) or stage not in WRITING:
            message = f"{type(error).__name__}: {on_terminal(str(error))}"  # it may quote the page
            logger.error("%s of %s failed: %s", stage, url, message, exc_info=error if self._shows_traces else None)
        elif (stage, error.errno) not in self._reported:
            self._reported.add((stage, error.errno))
            message = "%s of %s failed: %s. The crawl goes on; further pages with the same failure are only counted."
            logger.error(message, stage, url, error.strerror or error)

    def _stay(self) -> None:
        """`scrapy parse --pipelines` does not wait for its pipelines."""
        if self.pages:
            raise DontCloseSpider

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
