"""Redirects of a crawl: it stays on the sites of its seeds, and no feed or sitemap is lost on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest

from webcontent.addresses import site_of
from webcontent.crawl.discovery.seedlist import PageBudget
from webcontent.crawl.discovery.urls import is_private
from webcontent.crawl.meta import DEPTH, SEED, SITE, SKIP_IF_GONE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Status codes of redirects that Scrapy follows."""


class SeedIsFull(IgnoreRequest):
    """The seed has as many pages as it may have."""


class SameSiteMiddleware:
    """Stops requests that a redirect has led to another site, and requests of seeds that have all their pages.

    Requests without the meta keys of the seeds spider pass. A spider with limits has a PageBudget in its attribute `budget`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        budget = getattr(self.crawler.spider, "budget", None)
        if SEED in request.meta and isinstance(budget, PageBudget) and budget.is_full(request.meta[SEED]):
            raise SeedIsFull(f"{request.url} is left to the next run")
        if has_left_site(request.url, request.meta):
            self.stats.inc_value("seeds/offsite")
            raise IgnoreRequest(f"{request.url} is outside of the site {request.meta[SITE]}")


class SourceRedirectMiddleware:
    """Lets redirects of feeds, sitemaps and robots.txt pass the duplicates filter.

    The filter drops a request without a word, and the other URLs at which the site may have its feed would never be tried. The
    place of this middleware is nearer to the downloader than that of Scrapy's RedirectMiddleware, which copies `dont_filter`.
    """

    def process_response(self, request: Request, response: Response) -> Response:
        if request.meta.get(SKIP_IF_GONE) and response.status in REDIRECTS:
            request.dont_filter = True
        return response


def has_left_site(url: str, meta: Mapping[str, Any]) -> bool:
    """Whether a redirect has led to another site. A seed may move to another site, but not from the internet into the local network.

    `meta`: of the request.
    """
    if SITE not in meta or (site := site_of(url)) == meta[SITE]:
        return False
    return meta[DEPTH] > 0 or site is None or is_private(url) and not is_private(f"http://{meta[SITE]}/")
