"""The limits of a crawl: it stays on the sites of its seeds, and requests nothing more of a seed that has all its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest

from webcontent.addresses import site_of
from webcontent.crawl.discovery.seedlist import PageBudget
from webcontent.crawl.discovery.urls import is_private
from webcontent.crawl.meta import DEPTH, SEED, SITE, SKIP_IF_GONE
from webcontent.crawl.scope import FromCrawler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request


class SeedIsFull(IgnoreRequest):
    """The seed has as many pages as it may have."""


class SameSiteMiddleware(FromCrawler):
    """Stops requests that a redirect has led to another site, and requests of seeds that have all their pages.

    Requests without the meta keys of the seeds spider pass. A spider with limits has a PageBudget in its attribute `budget`.
    """

    def process_request(self, request: Request) -> None:
        budget = getattr(self.crawler.spider, "budget", None)
        if SEED in request.meta and isinstance(budget, PageBudget):
            seed = request.meta[SEED]
            if budget.is_full(seed) or request.meta.get(SKIP_IF_GONE) and budget.has_read_enough(seed):
                raise SeedIsFull(f"{request.url} is left to the next run")
        if has_left_site(request.url, request.meta):
            self.stats.inc_value("seeds/offsite")
            raise IgnoreRequest(f"{request.url} is outside of the site {request.meta[SITE]}")


def has_left_site(url: str, meta: Mapping[str, Any]) -> bool:
    """Whether a redirect has led to another site. A seed may move to another site, but not from the internet into the local network.

    `meta`: of the request.
    """
    if SITE not in meta or (site := site_of(url)) == meta[SITE]:
        return False
    return meta[DEPTH] > 0 or site is None or is_private(url) and not is_private(f"http://{meta[SITE]}/")
