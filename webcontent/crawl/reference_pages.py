"""Reference pages: other pages of a site, for extractors that compare a page with them.

For each site (registered domain and type of page) the last few visual trees of each design are kept. The first page of a design waits
for the second; every later page finds its reference pages at once. When the positions of the noise have stayed the same for some
pages, only these positions are kept, and no more trees.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from scrapy import signals

from webcontent.addresses import site_of
from webcontent.crawl.stopping import engine_of, is_closing
from webcontent.document.positions import TWIN, align, pruned
from webcontent.extractors.ngfv import MAX_REFERENCE_PAGES, noise_positions, useful_alignments

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool
    from webcontent.document.parsing import Document
    from webcontent.document.positions import Alignment, VisualTree

MAX_TREES = 300
"""Trees that are kept in all; the site that was not seen for longest is dropped first. A tree takes 40 to 300 KB, at most 600."""
MAX_DESIGNS = 4
"""Designs of a site that are kept; the first one is dropped first."""
MAX_WAITING = 20
"""Pages that wait at a time; one more ends the wait of the first one."""
MAX_WAIT_S = 120.0
INTERVAL_S = 0.2
"""Time between checks of the waiting pages."""
QUIET_CHECKS = 2
"""Checks in a row at which the crawl has nothing else to do, after which all waits end."""
SETTLED_PAGES = 5
"""Pages in a row that confirm the positions of a design's noise, after which the positions are final."""
CONFIRMED, REFUTED = 0.9, 0.5
"""A page confirms the noise when it has at least this share of it in the same positions. Final positions are learned anew when a page
has less than the second share."""


@dataclass(eq=False)
class Design:
    """What is kept of pages that have the same design."""

    trees: deque[VisualTree]
    noise: VisualTree | None = None
    """The positions of the noise with those around them, of the latest page whose noise was elsewhere."""
    confirmations: int = 0

    @classmethod
    def of(cls, tree: VisualTree) -> Design:
        return cls(deque([tree], maxlen=MAX_REFERENCE_PAGES))

    @property
    def references(self) -> tuple[VisualTree, ...]:
        """The trees that a page of this design is compared with."""
        return (self.noise,) if self.noise is not None and self.confirmations >= SETTLED_PAGES else tuple(self.trees)

    def learn(self, tree: VisualTree, alignments: list[Alignment]) -> None:
        """Adds a page of the design. Of a page that confirms final positions nothing is kept."""
        share = _noise_share(tree, self.noise) if self.noise is not None else 0.0
        if self.confirmations >= SETTLED_PAGES and share >= REFUTED:
            self.trees.clear()
            return
        self.trees.append(tree)
        if share >= CONFIRMED:
            self.confirmations += 1
        else:
            self.noise, self.confirmations = pruned(tree, noise_positions(alignments)), 0


class SitePages:
    """What is kept of the pages of one type of a site, by design. Safe to use from several threads."""

    def __init__(self) -> None:
        self.designs: deque[Design] = deque(maxlen=MAX_DESIGNS)
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Number of trees."""
        return sum(len(design.trees) + (design.noise is not None) for design in self.designs)

    def add(self, tree: VisualTree) -> tuple[VisualTree, ...]:
        """Adds a page; its reference pages, none when no earlier page is another page of its design."""
        with self._lock:
            for design in self.designs:
                if alignments := useful_alignments(tree, design.references):
                    design.learn(tree, alignments)
                    return tuple(alignment.other for alignment in alignments)
            if not any(align(tree, other).same_share >= TWIN for design in self.designs for other in design.references):
                self.designs.append(Design.of(tree))
            return ()

    def references(self, tree: VisualTree) -> tuple[VisualTree, ...]:
        """The reference pages of a page that was added before."""
        with self._lock:
            by_design = (useful_alignments(tree, design.references) for design in self.designs)
            return tuple(alignment.other for alignments in by_design for alignment in alignments)


def _noise_share(tree: VisualTree, noise: VisualTree) -> float:
    """Share of the noise's text that a page has in the same positions."""
    leaves = np.array([not parts for parts in noise.children])
    is_same = align(noise, tree).is_same & leaves
    weight = np.maximum(noise.text, 1.0)
    return float(weight[is_same].sum() / max(1.0, weight[leaves].sum()))


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
        self.sites: OrderedDict[tuple[str, str], SitePages] = OrderedDict()
        """By site and type of page; the one that was used last is at the end."""
        self.waiting: list[WaitingPage] = []
        self._watcher: asyncio.Task[None] | None = None
        crawler.signals.connect(self.release_all, signal=signals.spider_closed)

    async def find(self, document: Document, page_type: str) -> tuple[VisualTree, ...]:
        """Visual trees of other pages of the site; may wait for them. None of a page without boxes, or when no other page arrives."""
        with self.workers.page():
            tree = await self.workers.run("reference_page", lambda: document.visual_tree)
            site = site_of(document.url or "")
            if tree is None or site is None:
                return ()
            pages = self._pages(key := (site, page_type))
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

    def _pages(self, key: tuple[str, str]) -> SitePages:
        pages = self.sites.pop(key, None) or SitePages()
        self.sites[key] = pages
        while len(self.sites) > 1 and sum(other.size for other in self.sites.values()) >= MAX_TREES:
            self.sites.popitem(last=False)
        return pages

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
        if engine is None or slot is None or engine._slot is None:
            return True
        is_busy = engine.downloader.active or engine._start is not None or engine._slot.scheduler.has_pending_requests()
        return not is_busy and not slot.queue and slot.itemproc_size <= len(self.waiting) and len(slot.active) <= len(self.waiting)

    def _has_no_capacity(self) -> bool:
        """Whether Scrapy downloads nothing more until pages are done that it counts as in progress."""
        engine = engine_of(self.crawler)
        slot = engine.scraper.slot if engine else None
        return slot is not None and slot.needs_backout()
