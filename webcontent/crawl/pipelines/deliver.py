"""The last step of an item: which items leave the pipeline, with what, and the counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from webcontent.crawl.config import Config
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.pipelines.duplicates import SYNDICATED, Duplicates

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.items import Article, Listing


class ItemDelivery:
    """Drops items that the settings leave out, flags duplicates, removes evidence and counts what is delivered."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.config = Config.from_settings(crawler.settings)
        self.stats = crawler.stats
        self.duplicates = None if self.config.duplicates == "keep" else Duplicates()

    def deliver(self, item: Article | Listing) -> Article | Listing:
        """The item, updated inline. Raises DropItem for one that does not leave the pipeline."""
        if (tracker := IncrementalTracker.of(self.crawler)) is not None:
            tracker.check_item(item)
        if item.type not in self.config.emit:
            raise DropItem(f"{item.url} is of type {item.type!r}, which WEBCONTENT_EMIT leaves out", log_level="DEBUG")
        self._check_duplicate(item)
        if not self.config.evidence:
            item.evidence = {}
        self._count(item)
        return item

    def _check_duplicate(self, item: Article | Listing) -> None:
        """Flags a duplicate, or drops it. A text of another site is flagged only, so that no site can suppress the items of another.

        `item` is updated inline.
        """
        if self.duplicates is None or not (reason := self.duplicates.add(item)):
            return
        self.stats.inc_value("webcontent/duplicates")
        self.stats.inc_value(f"webcontent/duplicates/{reason}")
        if self.config.duplicates == "drop" and reason != SYNDICATED:
            raise DropItem(f"{item.url} is a duplicate of an earlier item ({reason})", log_level="DEBUG")
        item.flags = sorted({*item.flags, SYNDICATED if reason == SYNDICATED else "duplicate"})

    def _count(self, item: Article | Listing) -> None:
        self.stats.inc_value(f"webcontent/items/{type(item).__name__}")
        self.stats.inc_value(f"webcontent/extractor/{item.extractor}")
        for flag in item.flags:
            self.stats.inc_value(f"webcontent/flags/{flag}")
