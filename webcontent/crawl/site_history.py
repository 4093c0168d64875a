"""What a crawl learns from the earlier pages of each host. With JOBDIR it is kept when the crawl stops and restarts."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir

from webcontent.crawl.config import Config
from webcontent.crawl.scope import CrawlScope, FromCrawler
from webcontent.history.prior import MODEL
from webcontent.history.store import SiteHistory
from webcontent.items import ARTICLE

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.history.host import HostProfile

logger = logging.getLogger(__name__)

FILE = "webcontent-site-history.npz"
"""In the JOBDIR."""


class CrawlHistory(FromCrawler):
    """The site history of a crawl. All methods run on the reactor's thread; the file is written in another one."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        folder = job_dir(crawler.settings)
        self.path = Path(folder) / FILE if folder else None
        self.history = SiteHistory.load(self.path) if self.path else SiteHistory()
        self.config.options().models.load(MODEL)  # a missing model ends the crawl before its first page
        CrawlScope.of(crawler).at_end(self._close)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlHistory | None:
        """The crawl's history, made on first use; None when WEBCONTENT_SITE_HISTORY is False."""
        return CrawlScope.of(crawler).part(cls, lambda: cls(crawler)) if Config.from_settings(crawler.settings).site_history else None

    def profile_for(self, url: str | None, page_type: str) -> HostProfile | None:
        """The profile of a page's host, to read and to learn from; None for a page without URL.

        `page_type`: "article" or "list".
        """
        profile = self.history.find(url)
        if profile is not None and profile.count and page_type == ARTICLE:
            self.stats.inc_value("webcontent/site_history/pages")
        return profile

    async def _close(self) -> None:
        self.stats.set_value("webcontent/site_history/hosts", len(self.history))
        if self.path is None:
            return
        try:
            await asyncio.to_thread(self.history.save, self.path)
        except OSError as error:  # a full disk costs the history, not the crawl
            logger.warning("The site history can't be written to %s: %s", self.path, error.strerror)
