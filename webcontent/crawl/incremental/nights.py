"""What each host gave in this run: stats while it runs, a row of the crawl state at its end, and the curves that changed."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from scrapy import signals

from webcontent.crawl.incremental.store import broken_flags
from webcontent.crawl.incremental.tracker import BrokenPage, IncrementalTracker
from webcontent.crawl.meta import PAGE, SKIP_IF_GONE
from webcontent.crawl.scope import CrawlPart
from webcontent.history.host import MAX_HOSTS, host_of
from webcontent.inspect.items.nights import changes
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webcontent.inspect.items.nights import Change

OTHERS = "others"
"""The host of the stats of hosts beyond MAX_HOSTS."""
WHOLE_RUNS = ("finished", "seeds_pages")
"""Reasons for which a crawl ends when it has what was asked for. Other runs are no nights to compare with."""
_FIELDS = ("title", "time", "source", "body")


class HostNights(CrawlPart):
    """Extension, and downloader middleware next to the engine, where each page is seen once, after retries and redirects."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.hosts: dict[str, dict[str, float]] = {}
        self.changes: dict[str, list[Change]] = {}
        """By host, when the crawl has ended."""
        self.night = datetime.now(UTC).isoformat(timespec="seconds")
        for name in ("item_scraped", "item_dropped", "spider_closed"):
            crawler.signals.connect(getattr(self, name), signal=getattr(signals, name))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls.of(crawler)

    def process_request(self, request: Request) -> None:
        if _is_page(request):
            self._counter(request.url)  # of a host that gives nothing, too

    def process_response(self, request: Request, response: Response) -> Response:
        if _is_page(request):
            is_error, is_rendered = response.status >= HTTPStatus.BAD_REQUEST, "playwright" in response.flags
            self.count(request.url, "asked", *[f"failed/{response.status}", "failed"] * is_error, *["rendered"] * is_rendered)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        if _is_page(request):
            self.count(request.url, "asked", f"failed/{type(exception).__name__}", "failed")

    def count(self, url: str, *names: str) -> None:
        for name in names:
            self._add(url, name, 1)

    def count_broken(self, url: str, flags: Iterable[str]) -> None:
        self.count(url, "broken", *(f"flags/{flag}" for flag in flags))

    def item_scraped(self, item: Any, response: Response | None) -> None:
        if not isinstance(item, (Article, Listing)) or not (url := response.url if response is not None else item.url):
            return
        self.count(url, "new")
        if flags := broken_flags(item):
            self.count_broken(url, flags)
        elif isinstance(item, Article):
            self.count(url, "articles", *(name for name in _FIELDS if getattr(item, name)), *(f"flags/{flag}" for flag in item.flags))
            self._add(url, "score", item.score)
            self._add(url, "length", len(item.body))

    def item_dropped(self, response: Response | None, exception: BaseException) -> None:
        if isinstance(exception, BrokenPage) and response is not None:
            self.count_broken(response.url, exception.flags)

    def spider_closed(self, reason: str) -> None:
        """Adds the night to the crawl state, and finds what has changed. Its store is closed after this."""
        tracker = IncrementalTracker.of(self.crawler)
        if tracker is None or reason not in WHOLE_RUNS or self.config.redis:  # one of several processes has a part of the night
            return
        known = tracker.store.nights()
        nights: dict[str, dict[str, Mapping[str, float]]] = {
            host: {**known.get(host, {}), self.night: dict(counts)} for host, counts in self.hosts.items()
        }
        tracker.store.put_nights(nights)
        for host, counts in nights.items():
            if found := changes(list(counts.values())):
                self.changes[host] = found
                self.stats.set_value(f"webcontent/host/{host}/changed", ", ".join(map(str, found)))

    def _counter(self, url: str) -> tuple[str, dict[str, float]]:
        host = host_of(url) or OTHERS
        host = host if host in self.hosts or len(self.hosts) < MAX_HOSTS else OTHERS
        return host, self.hosts.setdefault(host, defaultdict(float))

    def _add(self, url: str, name: str, number: float) -> None:
        host, counter = self._counter(url)
        counter[name] += number
        self.stats.inc_value(f"webcontent/host/{host}/{name}", number)  # type: ignore[arg-type]  # scores are floats


def _is_page(request: Request) -> bool:
    return isinstance(request.meta.get(PAGE), dict) and not request.meta.get(SKIP_IF_GONE)
