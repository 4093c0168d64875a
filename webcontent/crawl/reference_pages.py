"""Companions of pages: for extractors that compare a page with others of its site.

Of each site (registered domain and type of page) the last few visual trees of each design are kept. The first page of a design waits
for the second; every later page finds its companions at once. When the positions of the noise have stayed the same for some pages,
they are kept for good, and no more trees.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from scrapy import signals

from webcontent.crawl.discovery.urls import site_of
from webcontent.document.positions import TWIN, align, pruned
from webcontent.extractors.ngfv import MAX_REFERENCE_PAGES, noise_positions, useful_alignments

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool
    from webcontent.document.parsing import Document
    from webcontent.document.positions import Alignment, VisualTree

MAX_TREES = 300
"""Trees that are remembered in all; the site that was not seen for longest goes first. A tree takes 40 to 300 KB, at most 600."""
DESIGNS = 4
"""Designs of a site that are remembered, the first one goes first."""
MAX_HELD = 20
"""Pages that wait; one more sends the first one on."""
MAX_WAIT_S = 120.0
INTERVAL_S = 0.2
"""How often the pages that wait are looked at."""
QUIET = 2
"""Looks in a row at which nothing else is under way, until nobody comes any more."""
SETTLED = 5
"""Pages in a row that confirm where a site's noise is, until it is taken for certain."""
CONFIRMED, REFUTED = 0.9, 0.5
"""A page confirms the noise when it has this share of it in the same positions, and starts anew what was certain below that share."""


@dataclass(eq=False)
class Design:
    """What is remembered of pages that have one design."""

    trees: deque[VisualTree]
    noise: VisualTree | None = None
    """The positions of the noise and what stands around them, on the latest page that showed them elsewhere."""
    confirmations: int = 0

    @classmethod
    def of(cls, tree: VisualTree) -> Design:
        return cls(deque([tree], maxlen=MAX_REFERENCE_PAGES))

    @property
    def known(self) -> tuple[VisualTree, ...]:
        return (self.noise,) if self.noise is not None and self.confirmations >= SETTLED else tuple(self.trees)

    def learn(self, tree: VisualTree, alignments: list[Alignment]) -> None:
        """Remembers a page of the design, or only that the noise is where it was."""
        share = _noise_share(tree, self.noise) if self.noise is not None else 0.0
        if self.confirmations >= SETTLED and share >= REFUTED:
            self.trees.clear()
            return
        self.trees.append(tree)
        if share >= CONFIRMED:
            self.confirmations += 1
        else:
            self.noise, self.confirmations = pruned(tree, noise_positions(alignments)), 0


class SitePages:
    """What is remembered of the pages of one type of a site, by design. Safe to use from several threads."""

    def __init__(self) -> None:
        self.designs: deque[Design] = deque(maxlen=DESIGNS)
        self._lock = Lock()

    @property
    def size(self) -> int:
        """Trees that are kept."""
        return sum(len(design.trees) + (design.noise is not None) for design in self.designs)

    def meet(self, tree: VisualTree) -> tuple[VisualTree, ...]:
        """The companions of a page, which is remembered; none where no page before it is another one of the same design."""
        with self._lock:
            for design in self.designs:
                if alignments := useful_alignments(tree, design.known):
                    design.learn(tree, alignments)
                    return tuple(alignment.other for alignment in alignments)
            if not any(align(tree, other).same_share >= TWIN for design in self.designs for other in design.known):
                self.designs.append(Design.of(tree))
            return ()

    def companions(self, tree: VisualTree) -> tuple[VisualTree, ...]:
        """The companions of a page that was met before."""
        with self._lock:
            found = (useful_alignments(tree, design.known) for design in self.designs)
            return tuple(alignment.other for alignments in found for alignment in alignments)


def _noise_share(tree: VisualTree, noise: VisualTree) -> float:
    """Share of the noise that a page has in the same positions."""
    leaves = np.array([not parts for parts in noise.children])
    found = align(noise, tree).is_same & leaves
    weight = np.maximum(noise.text, 1.0)
    return float(weight[found].sum() / max(1.0, weight[leaves].sum()))


@dataclass(eq=False)
class Held:
    """A page that waits."""

    key: tuple[str, str]
    since: float
    news: asyncio.Future[bool]
    """True: another page of the site has come; False: nobody will."""


class Companions:
    """The companions of a crawl's pages. All methods run on the reactor's thread."""

    def __init__(self, crawler: Crawler, threads: WorkerPool) -> None:
        self.crawler = crawler
        self.threads = threads
        self.sites: OrderedDict[tuple[str, str], SitePages] = OrderedDict()
        self.held: list[Held] = []
        self._watcher: asyncio.Task[None] | None = None
        crawler.signals.connect(self.release_all, signal=signals.spider_closed)

    async def find(self, document: Document, page_type: str) -> tuple[VisualTree, ...] | None:
        """Visual trees of other pages of the site; None where there are none and none will come. May wait for them."""
        with self.threads.page():
            tree = await self.threads.run("companion", lambda: document.visual_tree)
            site = site_of(document.url or "")
            if tree is None or site is None:
                return None
            pages = self._pages(key := (site, page_type))
            found = await self.threads.run("companion", pages.meet, tree)
        for held in [held for held in self.held if held.key == key]:
            self._tell(held, news=True)
        while not found and await self._hold(key):
            found = await self.threads.run("companion", pages.companions, tree)
        return found or None

    def release_all(self) -> None:
        """Sends on all pages that wait."""
        for held in list(self.held):
            self._tell(held, news=False)

    def _pages(self, key: tuple[str, str]) -> SitePages:
        pages = self.sites.pop(key, None) or SitePages()
        self.sites[key] = pages
        while len(self.sites) > 1 and sum(other.size for other in self.sites.values()) >= MAX_TREES:
            self.sites.popitem(last=False)
        return pages

    async def _hold(self, key: tuple[str, str]) -> bool:
        """Waits for another page of the site; False when none will come."""
        loop = asyncio.get_running_loop()
        held = Held(key, loop.time(), loop.create_future())
        self.held.append(held)
        self.crawler.stats.inc_value("webcontent/held")
        if len(self.held) > MAX_HELD:
            self._tell(self.held[0], news=False)
        if self._watcher is None or self._watcher.done():
            self._watcher = loop.create_task(self._watch())
        return await held.news

    def _tell(self, held: Held, *, news: bool) -> None:
        self.held.remove(held)
        if not held.news.done():  # a page may have been given up
            held.news.set_result(news)

    async def _watch(self) -> None:
        """While pages wait: sends them on when the crawl ends, has nothing else to do, or has no room for more."""
        quiet = 0
        try:
            while self.held:
                await asyncio.sleep(INTERVAL_S)
                quiet = quiet + 1 if self._is_idle() else 0
                if quiet >= QUIET or self._is_closing():
                    self.release_all()
                elif self.held and (self._has_no_room() or asyncio.get_running_loop().time() - self.held[0].since > MAX_WAIT_S):
                    self._tell(self.held[0], news=False)
        finally:
            self.release_all()  # whatever went wrong here, no page waits for ever

    def _is_closing(self) -> bool:
        """Whether the crawl ends: Ctrl-C, a limit, an error. Scrapy has no signal for its beginning, and waits for what is held here."""
        engine = self._engine()
        slot = engine._slot if engine else None
        return engine is None or not engine.running or slot is None or slot.closing is not None

    def _is_idle(self) -> bool:
        """Whether nothing is under way but the pages that wait; `spider_idle` never comes while they do."""
        engine = self._engine()
        slot = engine.scraper.slot if engine else None
        if engine is None or slot is None or engine._slot is None:
            return True
        is_busy = engine.downloader.active or engine._start is not None or engine._slot.scheduler.has_pending_requests()
        return not is_busy and not slot.queue and slot.itemproc_size <= len(self.held) and len(slot.active) <= len(self.held)

    def _has_no_room(self) -> bool:
        """Whether Scrapy downloads nothing more until pages that it counts as in progress are done."""
        engine = self._engine()
        slot = engine.scraper.slot if engine else None
        return slot is not None and slot.needs_backout()

    def _engine(self) -> ExecutionEngine | None:
        try:
            return self.crawler.engine
        except RuntimeError:  # pipelines without a crawl around them
            return None
