"""The wait for reference pages: other pages of a site, for extractors that compare a page with them.

The first page of a design waits for the second; every later page finds its reference pages at once.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
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
QUIET_CHECKS = 2
"""Checks in a row at which the crawl has nothing else to do, after which all waits end."""


@dataclass(eq=False)
class WaitingPage:
    """A page that waits for another page of its site."""

    key: tuple[str, str]
    since: float
    arrival: asyncio.Future[bool]
    """True: another page of the site has arrived; False: none will."""


class ReferencePages:
    """Finds the reference pages of a crawl's pages. All methods run on the reactor's thread."""

    def __init__(self, crawler: Crawler, workers: WorkerPool) -> None:
        self.crawler = crawler
        self.workers = workers
        self.sites = Sites()
        self.waiting: list[WaitingPage] = []
        self._watcher: asyncio.Task[None] | None = None
        crawler.signals.connect(self.release_all, signal=signals.spider_closed)

    async def find(self, document: Document, page_type: str) -> tuple[VisualTree, ...]:
        """Visual trees of other pages of the site; may wait for them. None of a page without boxes, or when no other page arrives."""
        with self.workers.page():
            tree = await self.workers.run("reference_page", visual_tree, document)
            site = site_of(document.url or "")
            if tree is None or site is None:
                return ()
            pages = self.sites.find(*(key := (site, page_type)))
            references = await self.workers.run("reference_page", pages.add, tree)
        for page in [page for page in self.waiting if page.key == key]:
            self._end_wait(page, has_arrived=True)
        while not references and await self._wait(key):
            references = await self.workers.run("reference_page", pages.references, tree)
        return references

    def release_all(self) -> None:
        """Ends the wait of all pages."""
        for page in list(self.waiting):
            self._end_wait(page, has_arrived=False)

    async def _wait(self, key: tuple[str, str]) -> bool:
        """Waits for another page of the site; False when none will arrive."""
        loop = asyncio.get_running_loop()
        page = WaitingPage(key, loop.time(), loop.create_future())
        self.waiting.append(page)
        self.crawler.stats.inc_value("webcontent/reference_pages/waits")
        if len(self.waiting) > MAX_WAITING:
            self._end_wait(self.waiting[0], has_arrived=False)
        if self._watcher is None or self._watcher.done():
            self._watcher = loop.create_task(self._watch())
        return await page.arrival

    def _end_wait(self, page: WaitingPage, *, has_arrived: bool) -> None:
        self.waiting.remove(page)
        if not page.arrival.done():  # it is done when the page was cancelled
            page.arrival.set_result(has_arrived)

    async def _watch(self) -> None:
        """While pages wait: ends waits when the crawl ends, has nothing else to do, or has no capacity for further pages."""
        quiet = 0
        try:
            while self.waiting:
                await asyncio.sleep(INTERVAL_S)
                quiet = quiet + 1 if self._is_idle() else 0
                if quiet >= QUIET_CHECKS or self._is_closing():
                    self.release_all()
                elif self.waiting and (self._has_no_capacity() or self._waited_too_long(self.waiting[0])):
                    self._end_wait(self.waiting[0], has_arrived=False)
        finally:
            self.release_all()  # whatever error occurs here, no page waits for ever

    def _waited_too_long(self, page: WaitingPage) -> bool:
        return asyncio.get_running_loop().time() - page.since > MAX_WAIT_S

    def _is_closing(self) -> bool:
        """Whether the crawl ends. Scrapy's `spider_closed` comes only when all pages are done, those that wait here included."""
        return is_closing(self.crawler)

    def _is_idle(self) -> bool:
        """Whether the crawl has nothing to do but the waiting pages. Scrapy does not send `spider_idle` while they wait."""
        engine = engine_of(self.crawler)
        slot = engine.scraper.slot if engine else None
        crawl = slot_of(self.crawler)
        if engine is None or slot is None or crawl is None:
            return True
        is_busy = engine.downloader.active or engine._start is not None or crawl.scheduler.has_pending_requests()
        return not is_busy and not slot.queue and slot.itemproc_size <= len(self.waiting) and len(slot.active) <= len(self.waiting)

    def _has_no_capacity(self) -> bool:
        """Whether Scrapy downloads nothing more until pages are done that it counts as in progress."""
        engine = engine_of(self.crawler)
        slot = engine.scraper.slot if engine else None
        return slot is not None and slot.needs_backout()
