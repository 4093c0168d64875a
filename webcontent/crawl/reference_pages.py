"""The wait for reference pages: other pages of a site, for extractors that compare a page with them.

The first page of a design waits for the second; every later page finds its reference pages at once.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from webcontent.addresses import site_of
from webcontent.crawl.stopping import engine_of, is_closing, slot_of
from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.reference_pages import Sites

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool
    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.positions import VisualTree

MAX_WAIT_S = 120.0
INTERVAL_S = 0.2
"""Time between checks of a waiting page."""


class ReferencePages:
    """Finds the reference pages of a crawl's pages. All methods run on the reactor's thread."""

    def __init__(self, crawler: Crawler, workers: WorkerPool) -> None:
        self.crawler, self.workers = crawler, workers
        self.sites = Sites()
        self.waiting = 0
        """Number of pages that wait."""

    async def find(self, document: Document, page_type: str) -> tuple[VisualTree, ...]:
        """Visual trees of other pages of the site; may wait for them. None of a page without boxes, or when no other page arrives."""
        with self.workers.page():
            tree = await self.workers.run("reference_page", visual_tree, document)
            site = site_of(document.url or "")
            if tree is None or site is None:
                return ()
            pages = self.sites.find(site, page_type)
            count = pages.count + 1
            references = await self.workers.run("reference_page", pages.add, tree)
        if references:
            return references
        self.crawler.stats.inc_value("webcontent/reference_pages/waits")
        self.waiting += 1
        end, was_stuck, is_stuck = monotonic() + MAX_WAIT_S, False, False
        try:
            while not references and not (was_stuck and is_stuck) and monotonic() < end:
                await asyncio.sleep(INTERVAL_S)
                was_stuck, is_stuck = is_stuck, self._is_stuck()
                if count != pages.count:  # another page of the site has arrived
                    count = pages.count
                    references = await self.workers.run("reference_page", pages.references, tree)
        finally:
            self.waiting -= 1
        return references

    def _is_stuck(self) -> bool:
        """Whether the crawl ends, has nothing to do but the waiting pages, or downloads nothing before they are done.

        Scrapy does not send `spider_idle` while they wait.
        """
        engine, crawl = engine_of(self.crawler), slot_of(self.crawler)
        slot = engine.scraper.slot if engine else None
        if engine is None or slot is None or is_closing(self.crawler) or slot.needs_backout():
            return True
        is_busy = engine.downloader.active or engine._start is not None or crawl.scheduler.has_pending_requests()
        return not is_busy and not slot.queue and slot.itemproc_size <= self.waiting and len(slot.active) <= self.waiting
