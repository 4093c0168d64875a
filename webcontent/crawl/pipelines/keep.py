"""What is kept of pages beside their items: screenshots, and whole pages for tests and training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.crawl.config import Config
from webcontent.crawl.output.screenshots import ScreenshotStore
from webcontent.crawl.workers import WorkerPool
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.items import Article, Listing, Page

MAX_SAVED = 1000
"""Pages that a crawl saves at most."""


class PageKeeper:
    """Keeps screenshots (WEBCONTENT_SCREENSHOT_STORE) and pages (WEBCONTENT_SAVE)."""

    def __init__(self, crawler: Crawler) -> None:
        config = Config.from_settings(crawler.settings)
        self.stats = crawler.stats
        self.workers = WorkerPool.of(crawler, config.threads)
        self.store = ScreenshotStore(config.screenshot_store, crawler) if config.screenshot_store else None
        self.archive = PageArchive(config.save, MAX_SAVED) if config.save else None

    async def store_screenshot(self, page: Page, item: Article | Listing) -> None:
        """Stores the page's screenshot; `item` is updated inline."""
        if self.store is None or not page.screenshot:
            return
        try:
            item.screenshot = await self.store.save(page.screenshot, self.workers)
        except Exception as error:  # a full disk costs the screenshot, not the item
            self.workers.failed("store", page.url, error)

    async def item_to_save(self, item: Article | Listing) -> dict[str, Any] | None:
        """The item as it is now, for `save`; None if no page is saved."""
        if self.archive is None or self.archive.is_full:
            return None
        return await self.workers.run("save", as_json, item)

    async def save(self, page: Page, item: dict[str, Any] | None) -> None:
        """Saves the page with the result of `item_to_save`."""
        if self.archive is None or item is None:
            return
        try:
            if await self.workers.run("save", self.archive.save, page, item):
                self.stats.inc_value("webcontent/saved")
        except Exception as error:  # a full disk costs the saved page, not the item
            self.workers.failed("save", page.url, error)
