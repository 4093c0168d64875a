"""The incremental crawl between spider and downloader: what is not requested again, and conditional requests (RFC 9110, 13)."""

from __future__ import annotations

from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Request, Response

from webcontent.addresses import REDIRECTS
from webcontent.crawl.incremental.nights import HostNights
from webcontent.crawl.incremental.store import ALIAS, ARTICLE, BROKEN, LIST, SOURCE, CrawlRecord
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.meta import RENDER_WISHES, SKIP_IF_GONE, VALIDATORS
from webcontent.crawl.scope import FromCrawler

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler


_CONDITIONS = ("If-None-Match", "If-Modified-Since")


class PageUnchanged(IgnoreRequest):
    """The server answered 304: the page is as an earlier run recorded it in `record`."""

    def __init__(self, message: str, record: CrawlRecord) -> None:
        super().__init__(message)
        self.record = record


class IncrementalMiddleware(FromCrawler):
    """Spider middleware that drops requests for what earlier runs delivered and reports each page to the tracker; downloader middleware
    that requests listings and feeds with If-None-Match and If-Modified-Since. It belongs next to the spider and next to the downloader.

    Requests with `dont_filter` and start requests are never dropped. A spider with the attribute `checks_crawl_state` looks up its
    requests itself.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.config.crawl_state:
            raise NotConfigured("WEBCONTENT_CRAWL_STATE names no store")

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        tracker = IncrementalTracker.of(self.crawler)
        async for output in result:
            if tracker is not None and not isinstance(output, Request) and output is not None:
                await tracker.add_item(output, response)
            if tracker is None or not isinstance(output, Request) or await self._is_wanted(tracker, output):
                yield output

    async def _is_wanted(self, tracker: IncrementalTracker, request: Request) -> bool:
        if request.dont_filter or request.method != "GET" or getattr(self.crawler.spider, "checks_crawl_state", False):
            return True
        record = (await tracker.records_of([request.url])).get(request.url)
        if record is None or record.kind not in (ARTICLE, ALIAS, BROKEN) or tracker.is_due(record):
            return True
        self.stats.inc_value("webcontent/crawl_state/skipped")
        return False

    async def process_request(self, request: Request) -> None:
        request.meta.pop(VALIDATORS, None)  # of a copied meta
        tracker = IncrementalTracker.of(self.crawler)
        if tracker is None or request.method != "GET" or RENDER_WISHES in request.meta or request.meta.get("dont_cache"):
            return
        record = (await tracker.records_of([request.url])).get(request.url)
        if request.meta.get(SKIP_IF_GONE) and record is not None and not tracker.is_due(record):
            raise IgnoreRequest(f"{request.url} recently had no page")
        # Where changed articles are wanted, listings are read for their links.
        if record is None or record.kind not in ((ARTICLE,) if tracker.config.changed else (ARTICLE, LIST, SOURCE)):
            return
        for name, value in zip(_CONDITIONS, (record.etag, record.last_modified), strict=True):
            if value and name not in request.headers:
                request.headers[name] = value
                request.meta[VALIDATORS] = list(record)

    async def process_response(self, request: Request, response: Response) -> Response:
        values, tracker = request.meta.pop(VALIDATORS, None), IncrementalTracker.of(self.crawler)
        if response.status in REDIRECTS and (target := response.headers.get("Location")):
            for name in _CONDITIONS if values else ():  # they say nothing about the target, to which Scrapy copies the headers
                request.headers.pop(name, None)
            # A feed that now leads to a page may be a feed again tomorrow, so it does not become another URL of that page.
            if tracker is not None and not request.meta.get(SKIP_IF_GONE):
                with suppress(ValueError):
                    await tracker.record_redirect(request.url, urljoin(request.url, target.decode("utf-8", "replace")))
        if values and response.status == HTTPStatus.NOT_MODIFIED:
            record = CrawlRecord(*values)
            if tracker is not None:
                tracker.record_unchanged(request.url, record)
            self.stats.inc_value("webcontent/crawl_state/not_modified")
            HostNights.of(self.crawler).count(request.url, "asked")
            raise PageUnchanged(f"{request.url} has not changed", record)
        return response
