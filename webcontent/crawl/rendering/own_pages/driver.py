"""Playwright's driver process, of which a crawl needs one, and the browser that renders our pages."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright
from scrapy_playwright.provider import PlaywrightBrowserProvider

from webcontent.crawl.rendering.browser import find_browser, launch_options
from webcontent.crawl.rendering.errors import NotRenderedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Browser, Playwright
    from scrapy.crawler import Crawler
    from scrapy_playwright.handler import Config as PlaywrightConfig

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.memory import MemoryWatch

logger = logging.getLogger(__name__)

MAX_LAUNCH_FAILURES = 3


class Driver:
    """The driver process of a crawl: it starts with its first user and ends with its last one."""

    _drivers: WeakKeyDictionary[Crawler, Driver] = WeakKeyDictionary()

    def __init__(self) -> None:
        self.manager: Any = None
        """Playwright's context manager."""
        self.owner: SharedProvider | None = None
        """The first provider that uses the driver."""
        self._playwright: Playwright | None = None
        self._users = 0
        self._lock = asyncio.Lock()

    @classmethod
    def of(cls, crawler: Crawler) -> Driver:
        """The crawl's driver, created on first use."""
        return cls._drivers.setdefault(crawler, cls())

    async def acquire(self) -> Playwright:
        async with self._lock:
            if self._playwright is None:
                self.manager = async_playwright()
                self._playwright = await self.manager.start()
            self._users += 1
            return self._playwright

    async def release(self) -> None:
        async with self._lock:
            self._users -= 1
            if not self._users:
                await self.manager.__aexit__()
                self.manager = self.owner = self._playwright = None


class SharedProvider(PlaywrightBrowserProvider):  # type: ignore[misc]
    """scrapy-playwright's provider of browsers, on the driver that all handlers of a crawl share.

    scrapy-playwright's memory extension adds up the drivers that it finds in the providers, so one provider only has it.
    """

    def __init__(self, driver: Driver, config: PlaywrightConfig) -> None:
        super().__init__(config)
        self.driver = driver
        self._is_started = False

    async def start(self) -> None:
        self.playwright = await self.driver.acquire()
        self._is_started = True
        if self.driver.owner is None:
            self.driver.owner = self
            self.playwright_context_manager = self.driver.manager
        self.browser_type = getattr(self.playwright, self.config.browser_type_name)

    async def close(self) -> None:
        if self._is_started:
            self._is_started = False
            await self.driver.release()


class OwnBrowser:
    """The Chromium of the pages that we open. It starts with the first of them, and again after it died.

    Pages of a user's own Playwright requests are in another one, which scrapy-playwright starts as the user has configured it.
    """

    def __init__(
        self, driver: Driver, config: Config, user_options: dict[str, Any], count: Callable[[str], None], memory: MemoryWatch
    ) -> None:
        """`user_options`: PLAYWRIGHT_LAUNCH_OPTIONS, which override ours. `memory` watches the browser."""
        self.failures = 0
        """Launches in a row that failed."""
        self._driver = driver
        self._config = config
        self._user_options = user_options
        self._count = count
        self._memory = memory
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._lock = asyncio.Lock()

    async def get(self) -> Browser:
        """The running browser. Raises NotRenderedError if it does not start, at once after MAX_LAUNCH_FAILURES."""
        async with self._lock:
            if self._browser is None or not self._browser.is_connected():
                if self.failures >= MAX_LAUNCH_FAILURES:  # of those who waited for the lock meanwhile
                    raise NotRenderedError("no-browser")
                self._browser = await self._launch()
            return self._browser

    async def _launch(self) -> Browser:
        browser = find_browser(self._config.browser)
        options = (launch_options(browser) if browser else {}) | self._user_options
        try:
            if self._playwright is None:
                self._playwright = await self._driver.acquire()
            launched = await self._playwright.chromium.launch(**options)
        except Exception as error:  # Playwright raises a bare one when its driver dies
            self.count_failure(error)
            raise NotRenderedError("no-browser") from error
        self.failures = 0
        self._count("webcontent/browsers")
        with suppress(PlaywrightError):
            await self._memory.attach(launched)
        return launched

    def count_failure(self, error: Exception) -> None:
        self.failures += 1
        if self.failures == MAX_LAUNCH_FAILURES:
            logger.error("The browser did not start %d times; the crawl goes on without rendering. %s", MAX_LAUNCH_FAILURES, error)

    async def close(self) -> None:
        if self._browser is not None:
            with suppress(PlaywrightError):
                await self._browser.close()
            self._browser = None
        if self._playwright is not None:
            self._playwright = None
            await self._driver.release()
