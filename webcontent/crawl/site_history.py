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
from webcontent.history.host import SiteHistory, host_of
from webcontent.history.prior import MODEL
from webcontent.items import ARTICLE
from webcontent.models import load_model

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.distributed.shared_history import SharedHistory
    from webcontent.document.parsing import Document

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
        load_model(MODEL)  # a missing model ends the crawl here, before page one
        crawler.signals.connect(self._close, signal=signals.spider_closed)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlHistory | None:
        """The crawl's memory, made on first use; None where the settings switch it off."""
        if crawler not in _made:
            _made[crawler] = cls(crawler) if Config.from_settings(crawler.settings).site_history else None
        return _made[crawler]

    async def attach(self, document: Document) -> None:
        """Gives a document what is known of its site; its first page may wait for what other processes know."""
        document.site = self.sites.find(document.url)
        if document.site is not None and self.shared is not None:
            await self.shared.ready(host_of(document.url), document.site)
        is_article = document.page_type is not None and document.page_type.type == ARTICLE
        if document.site is not None and document.site.count and is_article:
            self.stats.inc_value("webcontent/with_history")

    async def _close(self) -> None:
        self.stats.set_value("webcontent/sites", len(self.sites))
        if self.path is None:
            return
        try:
            await asyncio.to_thread(self.sites.save, self.path)
        except OSError as error:  # a full disk costs the memory, not the crawl
            logger.warning("What was learned of sites can't be written to %s: %s", self.path, error.strerror)


_made: WeakKeyDictionary[Crawler, CrawlHistory | None] = WeakKeyDictionary()
