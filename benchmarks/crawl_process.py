"""One crawl of the benchmark `crawl`, in a process of its own: `python -m benchmarks.crawl_process KIND URLS BROWSER`.

`ours` is webcontent with screenshot, boxes, page type and extraction. `unprepared` is the same with pages that are captured as they
load: nothing is waited for, hidden, scrolled or opened. `bare` is scrapy-playwright, which only loads the pages. Both open
the same number of pages at once, without delays. URLS is a JSON file with a list of addresses. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import scrapy
from scrapy import signals
from scrapy.crawler import CrawlerProcess

from webcontent.crawl.rendering.browser import PAGES_PER_CORE
from webcontent.crawl.rendering.chromium import launch_options

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

TICK_S = 0.01
"""Interval at which the event loop's lag is measured."""
SAMPLE_S = 1.0
"""Interval at which memory and CPU time are measured."""
P99 = 0.99
_PARTS = {"renderers": "--type=renderer", "gpu, utility": "--type=", "driver": "playwright/driver"}
"""Kinds of processes by a part of their command lines; others are the browser."""
KINDS_OF_PROCESSES = ("python", *_PARTS, "browser")


class UrlsSpider(scrapy.Spider):
    """Loads every address once."""

    name = "urls"
    urls: list[str]
    meta: dict[str, Any]

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield scrapy.Request(url, meta=dict(self.meta), dont_filter=True)

    def parse(self, response: Response) -> None:
        """Nothing to do: the measured work happens around the spider."""


class CrawlSampler:
    """Samples the event loop's lag, memory and CPU time while the spider is open."""

    def __init__(self, crawler: Crawler) -> None:
        self.lags_ms: list[float] = []
        self.samples: list[dict[str, float]] = []
        self.cpu_s: dict[tuple[int, str], float] = {}
        """By process and its kind, also of those that have ended."""
        self.pages = 0
        self.items: list[dict[str, Any]] = []
        self.started = self.ended = 0.0
        self.tasks: list[asyncio.Task[None]] = []
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._received, signals.response_received)
        crawler.signals.connect(self._scraped, signals.item_scraped)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def _opened(self) -> None:
        self.started = time.monotonic()
        loop = asyncio.get_event_loop()
        self.tasks = [loop.create_task(self._tick()), loop.create_task(self._sample())]

    def _received(self) -> None:
        self.pages += 1
        self.ended = time.monotonic()

    def _scraped(self, item: Any) -> None:
        self.items.append({"url": item.url, "type": item.type, "body": item.body or "", "entries": len(getattr(item, "entries", ()))})

    def _closed(self) -> None:
        for task in self.tasks:
            task.cancel()

    async def _tick(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(TICK_S)
            self.lags_ms.append((time.monotonic() - before - TICK_S) * 1000)

    async def _sample(self) -> None:
        own = psutil.Process()
        while True:
            self.samples.append({"pages": self.pages, **_memory(own)})
            self.cpu_s |= _cpu(own)
            await asyncio.sleep(SAMPLE_S)

    def result(self) -> dict[str, Any]:
        """Pages, seconds, CPU seconds, lags in ms, all samples, and the items."""
        lags = sorted(self.lags_ms) or [0.0]
        seconds = max(0.001, self.ended - self.started)
        return {
            "pages": self.pages,
            "seconds": seconds,
            "pages_per_s": self.pages / seconds,
            "cpu_s": sum(self.cpu_s.values()),
            "cpu_s_by_kind": {kind: sum(value for (_, other), value in self.cpu_s.items() if other == kind) for kind in KINDS_OF_PROCESSES},
            "lag_p50_ms": lags[len(lags) // 2],
            "lag_p99_ms": lags[int(len(lags) * P99)],
            "lag_max_ms": lags[-1],
            "samples": self.samples,
            "items": self.items,
        }


def _memory(own: psutil.Process) -> dict[str, float]:
    """Memory in MB of this process and of its children, which are the browser's and its driver."""
    memory = 0.0
    for child in own.children(recursive=True):
        with suppress(psutil.Error):
            memory += child.memory_info().rss / 1e6
    return {"python_mb": own.memory_info().rss / 1e6, "browser_mb": memory}


def _cpu(own: psutil.Process) -> dict[tuple[int, str], float]:
    """CPU seconds by process and its kind."""
    found = {(own.pid, "python"): sum(own.cpu_times()[:2])}
    for child in own.children(recursive=True):
        with suppress(psutil.Error):
            words = " ".join(child.cmdline())
            kind = next((kind for kind, part in _PARTS.items() if part in words), "browser")
            found[child.pid, kind] = sum(child.cpu_times()[:2])
    return found


def settings_of(kind: str, browser: str) -> dict[str, Any]:
    """Scrapy's settings of one of the two crawls."""
    pages = PAGES_PER_CORE * (os.cpu_count() or 1)
    common = {
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": 2 * pages,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 2 * pages,
        "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": pages,
        "RETRY_ENABLED": False,
    }
    if kind != "bare":
        return common | {
            "ADDONS": {"webcontent.crawl.addon.Addon": 500},
            "WEBCONTENT_AUTO": True,
            "WEBCONTENT_RENDER": True,
            "WEBCONTENT_BROWSER": browser,
            **({"WEBCONTENT_BUDGET_MS": 0} if kind == "unprepared" else {}),
        }
    handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    return common | {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "PLAYWRIGHT_LAUNCH_OPTIONS": {key: value for key, value in launch_options(browser).items() if key != "args"},
        "PLAYWRIGHT_CONTEXTS": {"default": {"viewport": {"width": 1366, "height": 900}}},
    }


def main(words: list[str] | None = None) -> None:
    """Crawl and print the measurements."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crawl_process", description=__doc__)
    parser.add_argument("kind", choices=("ours", "unprepared", "bare"))
    parser.add_argument("urls", type=Path)
    parser.add_argument("browser")
    arguments = parser.parse_args(words)
    process = CrawlerProcess(settings_of(arguments.kind, arguments.browser))
    crawler = process.create_crawler(UrlsSpider)
    sampler = CrawlSampler(crawler)
    meta = {"playwright": True} if arguments.kind == "bare" else {}
    process.crawl(crawler, urls=json.loads(arguments.urls.read_text(encoding="utf-8")), meta=meta)
    process.start()
    stats = {key: value for key, value in (crawler.stats.get_stats() if crawler.stats else {}).items() if key.startswith("webcontent/")}
    print(json.dumps({"kind": arguments.kind, "browser": arguments.browser, **sampler.result(), "stats": stats}, default=str))


if __name__ == "__main__":
    main()
