"""What a crawl learns of its sites: one memory a crawl, kept over a stop and restart with JOBDIR."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.utils.job import job_dir

from webcontent.crawl.config import Config
from webcontent.history.host import host_of
from webcontent.history.prior import MODEL
from webcontent.history.store import SiteHistory
from webcontent.items import ARTICLE

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.distributed.shared_history import SharedHistory
    from webcontent.history.host import HostProfile

logger = logging.getLogger(__name__)

FILE = "webcontent-sites.npz"
"""In the JOBDIR."""


class CrawlHistory:
    """The memory of a crawl. All methods run on the reactor's thread, but the file is written beside it."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats
        folder = job_dir(crawler.settings)
        self.path = Path(folder) / FILE if folder else None
        self.sites = SiteHistory.load(self.path) if self.path else SiteHistory()
        self.shared: SharedHistory | None = None
        """Set where several processes share the crawl."""
        Config.from_settings(crawler.settings).options().models.load(MODEL)  # a missing model ends the crawl here, before page one
        crawler.signals.connect(self._close, signal=signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlHistory | None:
        """The crawl's memory, made on first use; None where the settings switch it off."""
        if crawler not in _made:
            _made[crawler] = cls(crawler) if Config.from_settings(crawler.settings).site_history else None
        return _made[crawler]

    async def find(self, url: str | None, page_type: str) -> HostProfile | None:
        """What is known of a page's host; its first page may wait for what other processes know."""
        host = self.sites.find(url)
        if host is not None and self.shared is not None:
            await self.shared.ready(host_of(url), host)
        if host is not None and host.count and page_type == ARTICLE:
            self.stats.inc_value("webcontent/with_history")
        return host

    async def _close(self) -> None:
        self.stats.set_value("webcontent/sites", len(self.sites))
        if self.path is None:
            return
        try:
            await asyncio.to_thread(self.sites.save, self.path)
        except OSError as error:  # a full disk costs the memory, not the crawl
            logger.warning("What was learned of sites can't be written to %s: %s", self.path, error.strerror)


_made: WeakKeyDictionary[Crawler, CrawlHistory | None] = WeakKeyDictionary()
