"""The last step of an item: which items leave the pipeline, with what, the counters, and what is kept of pages beside their items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from webcontent.crawl.config import Config
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.screenshots import open_store
from webcontent.crawl.pipelines.duplicates import SYNDICATED, Duplicates
from webcontent.crawl.workers import WorkerPool
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.items import Article, Listing, Page

MAX_SAVED = 1000
"""Pages that a crawl saves at most."""


class ItemDelivery:
    """Drops items that the settings leave out, flags duplicates, removes evidence and counts what is delivered.

    Keeps screenshots (WEBCONTENT_SCREENSHOT_STORE) and pages (WEBCONTENT_SAVE). A full disk costs what is kept, not the item.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, self.stats = crawler, crawler.stats
        self.config = config = Config.from_settings(crawler.settings)
        self.workers = WorkerPool.of(crawler, config.threads)
        self.duplicates = None if config.duplicates == "keep" else Duplicates()
        self.store = open_store(config.screenshot_store, crawler) if config.screenshot_store else None
        self.archive = PageArchive(config.save, MAX_SAVED) if config.save else None

    def deliver(self, item: Article | Listing) -> Article | Listing:
        """The item, updated inline. Raises DropItem for one that does not leave the pipeline."""
        if (tracker := IncrementalTracker.of(self.crawler)) is not None:
            tracker.check_item(item)
        if item.type not in self.config.emit:
            raise DropItem(f"{item.url} is of type {item.type!r}, which WEBCONTENT_EMIT leaves out", log_level="DEBUG")
        self._check_duplicate(item)
        if not self.config.evidence:
            item.evidence = {}
        for name in (f"items/{type(item).__name__}", f"extractor/{item.extractor}", *(f"flags/{flag}" for flag in item.flags)):
            self.stats.inc_value(f"webcontent/{name}")
        return item

    def _check_duplicate(self, item: Article | Listing) -> None:
        """Flags or drops a duplicate. A text of another site is flagged only, so that no site can suppress the items of another."""
        if self.duplicates is None or not (reason := self.duplicates.add(item)):
            return
        self.stats.inc_value("webcontent/duplicates")
        self.stats.inc_value(f"webcontent/duplicates/{reason}")
        if self.config.duplicates == "drop" and reason != SYNDICATED:
            raise DropItem(f"{item.url} is a duplicate of an earlier item ({reason})", log_level="DEBUG")
        item.flags = sorted({*item.flags, SYNDICATED if reason == SYNDICATED else "duplicate"})

    async def store_screenshot(self, page: Page, item: Article | Listing) -> None:
        """Stores the page's screenshot; `item` is updated inline."""
        if self.store is not None and page.screenshot:
            with self.workers.guard("store", page.url):
                item.screenshot = await self.store.save(page.screenshot, self.workers)

    async def item_to_save(self, item: Article | Listing) -> dict[str, Any] | None:
        """The item as it is now, for `save`; None if no page is saved."""
        return None if self.archive is None or self.archive.is_full else await self.workers.run("save", as_json, item)

    async def save(self, page: Page, item: dict[str, Any] | None) -> None:
        """Saves the page with the result of `item_to_save`."""
        if self.archive is not None and item is not None:
            with self.workers.guard("save", page.url):
                if await self.workers.run("save", self.archive.save, page, item):
                    self.stats.inc_value("webcontent/saved")
