"""What a crawl learns from the earlier pages of each site: the site history, and reference pages, which some extractors compare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.addresses import site_of
from webcontent.crawl.scope import CrawlPart, CrawlScope
from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.reference_pages import Sites
from webcontent.history.host import SiteHistory
from webcontent.history.prior import MODEL
from webcontent.items import ARTICLE

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool
    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.positions import VisualTree
    from webcontent.history.host import HostProfile


class CrawlHistory(CrawlPart):
    """The site history of a crawl, where WEBCONTENT_SITE_HISTORY wants one."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.history = SiteHistory()
        if self.config.site_history:
            self.config.options().models.load(MODEL)  # a missing model ends the crawl before its first page
            CrawlScope.of(crawler).at_end(lambda: self.stats.set_value("webcontent/site_history/hosts", len(self.history)))

    def profile_for(self, url: str | None, page_type: str) -> HostProfile | None:
        """The profile of a page's host, to read and to learn from; None for a page without URL, and where no history is wanted."""
        profile = self.history.find(url) if self.config.site_history else None
        if profile is not None and profile.count and page_type == ARTICLE:
            self.stats.inc_value("webcontent/site_history/pages")
        return profile


class ReferencePages:
    """Finds the reference pages of a crawl's pages."""

    def __init__(self, workers: WorkerPool) -> None:
        self.workers = workers
        self.sites = Sites()

    async def find(self, document: Document, page_type: str) -> tuple[VisualTree, ...]:
        """Visual trees of earlier pages of the site; none of a page without boxes, and of the first page of a design."""
        site, tree = site_of(document.url or ""), await self.workers.run("reference_page", visual_tree, document)
        if site is None or tree is None:
            return ()
        return await self.workers.run("reference_page", self.sites.find(site, page_type).add, tree)
