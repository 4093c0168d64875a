"""The limits of a crawl: it stays on the sites of its seeds, and requests no more pages of them than it may have."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from scrapy.exceptions import IgnoreRequest

from webcontent.addresses import site_of
from webcontent.crawl.discovery.seedlist import PageBudget
from webcontent.crawl.discovery.urls import is_private
from webcontent.crawl.meta import DEPTH, SEED, SITE, SKIP_IF_GONE
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.stopping import is_closing, requests_in_progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler

MAX_WAIT_S = 10.0
"""A request waits no longer for the pages that are under way: one page that hangs must not hold up a crawl."""
INTERVAL_S = 0.1


class SeedIsFull(IgnoreRequest):
    """The seed has as many pages as it may have."""


class SameSiteMiddleware(FromCrawler):
    """Stops requests that a redirect has led to another site, and requests of seeds that have all their pages.

    A request waits while the pages that are under way suffice for its seed, because those that give no item have to be replaced.
    Requests without the meta keys of the seeds spider pass. A spider with limits has a PageBudget in its attribute `budget`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._under_way: WeakSet[Request] = WeakSet()

    async def process_request(self, request: Request) -> None:
        budget = getattr(self.crawler.spider, "budget", None)
        if SEED in request.meta and isinstance(budget, PageBudget):
            seed = request.meta[SEED]
            if not request.meta.get(SKIP_IF_GONE):
                await self._wait_while_enough(budget, seed)
                self._under_way.add(request)
            if budget.is_full(seed) or request.meta.get(SKIP_IF_GONE) and budget.has_read_enough(seed):
                raise SeedIsFull(f"{request.url} is left to the next run")
        if has_left_site(request.url, request.meta):
            self.stats.inc_value("seeds/offsite")
            raise IgnoreRequest(f"{request.url} is outside of the site {request.meta[SITE]}")

    async def _wait_while_enough(self, budget: PageBudget, seed: int) -> None:
        end = time.monotonic() + MAX_WAIT_S
        while not budget.is_full(seed) and time.monotonic() < end:
            # Those that were redirected, or are tried again, wait for their turn again.
            under_way = [request.meta[SEED] for request in self._under_way & requests_in_progress(self.crawler)]
            if not budget.suffices(under_way, seed):
                return
            if is_closing(self.crawler):
                raise SeedIsFull("The crawl ends")
            await asyncio.sleep(INTERVAL_S)


def has_left_site(url: str, meta: Mapping[str, Any]) -> bool:
    """Whether a redirect has led to another site. A seed may move to another site, but not from the internet into the local network.

    `meta`: of the request.
    """
    if SITE not in meta or (site := site_of(url)) == meta[SITE]:
        return False
    return meta[DEPTH] > 0 or site is None or is_private(url) and not is_private(f"http://{meta[SITE]}/")
