"""The wait for reference pages: other pages of a site, for extractors that compare a page with them.

The first page of a design waits for the second; every later page finds its reference pages at once.
"""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals

from webcontent.addresses import site_of
from webcontent.crawl.stopping import engine_of, is_closing, slot_of
from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.reference_pages import Sites

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool
    from webcontent.document.parsing import Document
    from webcontent.extractors.ngfv.positions import VisualTree

MAX_WAITING = 20
"""Pages that wait at a time; one more ends the wait of the first one."""
MAX_WAIT_S = 120.0
INTERVAL_S = 0.2
"""Time between checks of the waiting pages."""


class ReferencePages:
    """Finds the reference pages of a crawl's pages. All methods run on the reactor's thread."""

    def __init__(self, crawler: Crawler, workers: WorkerPool) -> None:
        self.crawler, self.workers = crawler, workers
        self.sites = Sites()
        self.waiting: list[object] = []
        """One object for each page that waits. The first of them watches the crawl for all."""
        self._was_idle = False
        crawler.signals.connect(self.release_all, signal=signals.spider_closed)

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
        page, end = object(), monotonic() + MAX_WAIT_S
        self.waiting, self._was_idle = [*self.waiting, page][-MAX_WAITING:], False
        self.crawler.stats.inc_value("webcontent/reference_pages/waits")
        try:
            waits = True
            while waits and not references:
                await asyncio.sleep(INTERVAL_S)
                waits = page in self.waiting
                if count != pages.count:  # another page of the site has arrived
                    count = pages.count
                    references = await self.workers.run("reference_page", pages.references, tree)
                else:
                    self._watch(page, end)
        finally:
            self.waiting = [other for other in self.waiting if other is not page]
        return references

    def release_all(self) -> None:
        """Ends the wait of all pages."""
        self.waiting = []

    def _watch(self, page: object, end: float) -> None:
        """Ends the wait of all if the crawl ends or is idle twice in a row; of the first page at its end or if it is in the way."""
        if self.waiting[:1] != [page]:
            return
        was_idle, self._was_idle = self._was_idle, self._is_idle()
        if was_idle and self._was_idle or is_closing(self.crawler):
            self.release_all()
        elif self._has_no_capacity() or monotonic() > end:
            del self.waiting[0]

    def _is_idle(self) -> bool:
        """Whether the crawl has nothing to do but the waiting pages. Scrapy does not send `spider_idle` while they wait."""
        engine, crawl = engine_of(self.crawler), slot_of(self.crawler)
        slot = engine.scraper.slot if engine else None
        if engine is None or slot is None or crawl is None:
            return True
        is_busy = engine.downloader.active or engine._start is not None or crawl.scheduler.has_pending_requests()
        return not is_busy and not slot.queue and slot.itemproc_size <= len(self.waiting) and len(slot.active) <= len(self.waiting)

    def _has_no_capacity(self) -> bool:
        """Whether Scrapy downloads nothing more until pages are done that it counts as in progress."""
        engine = engine_of(self.crawler)
        slot = engine.scraper.slot if engine else None
        return slot is not None and slot.needs_backout()
