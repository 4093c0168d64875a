"""`scrapy crawl seeds -a urls=URL[,URL|FILE]`: from front pages, feeds and sitemaps to every article of their sites."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError

from webcontent.addresses import site_of
from webcontent.crawl.discovery.feeds_and_sitemaps import read_source, sitemaps_of_robots
from webcontent.crawl.discovery.links import NEXT_PAGE, SOURCES, PageLinks, PrioritizedLink, links_of_entries, links_of_page
from webcontent.crawl.discovery.same_site import SeedIsFull, has_left_site
from webcontent.crawl.discovery.seedlist import PageBudget, iter_seeds, parse_count, with_options
from webcontent.crawl.discovery.urls import address_key
from webcontent.crawl.incremental.middleware import PageUnchanged
from webcontent.crawl.incremental.nights import HostNights
from webcontent.crawl.incremental.store import ALIAS, BROKEN, GONE, LIST, FrontierEntry, broken_flags
from webcontent.crawl.incremental.tracker import BrokenPage, IncrementalTracker
from webcontent.crawl.meta import DEPTH, IS_NEXT_PAGE, PAGE, RENDER, SEED, SITE, SKIP_IF_GONE
from webcontent.crawl.pipelines.classify import PageReadings
from webcontent.crawl.pipelines.multipage import MultipageAssembler
from webcontent.crawl.setup_errors import WrongValueError
from webcontent.crawl.spiders.seed_rows import SeedRow
from webcontent.crawl.workers import WorkerPool
from webcontent.hashing import digest
from webcontent.items import BROKEN_FLAGS, Article, Listing, Page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from webcontent.crawl.discovery.feeds_and_sitemaps import UrlSource

logger = logging.getLogger(__name__)

DEFAULTS = {
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 1.0,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 2.0,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "WEBCONTENT_CRAWL_STATE": "sqlite:///crawl_state.db",
    "WEBCONTENT_JOIN_PAGES": 20,
}
"""Settings of the spider, unless the project sets them."""
SITEMAP_PATH = "/sitemap.xml"
"""The sitemap of a site whose robots.txt names none."""
MAX_PAGES = 10_000
REFUSALS = frozenset({400, 401, 402, 403, 404, 405, 406, 410, 414, 451})
"""Status codes by which a server says that there is no page for us."""
WALLS = frozenset({401, 402, 403, 405, 406, 451})
"""Those of them that it may give up again: robots are often answered so."""


class _FoundPage(NamedTuple):
    page: Page
    links: PageLinks
    is_own: bool
    """Whether it did not come before, under this or another URL, and continues no article that is assembled from its first page."""
    is_item: bool


class SeedsSpider(Spider):
    """Reads the feeds and sitemaps of each seed's site, follows its links, listings and next pages first, and yields each page once.

    Arguments: `urls` (URLs and files of URLs, separated by commas; for the options of a line see `iter_seeds`), `pages` (of all seeds
    together; default: 10,000; 0: no limit), `sources` (0: no feeds and no sitemaps), and, for seeds whose line does not set them:
    `pages_per_seed`, `allow`, `deny` (regular expressions), `depth` (links from the seed, next pages not counted; default: no limit),
    `days` (how old dated entries of feeds and sitemaps may be).

    The crawl is incremental with WEBCONTENT_CRAWL_STATE (default here: sqlite:///crawl_state.db): it delivers what earlier runs did not.
    """

    name = "seeds"
    checks_crawl_state = True
    """The spider looks up the crawl state itself, before it makes a request."""

    def __init__(
        self,
        urls: str | Sequence[str] = "",
        pages: str | int = MAX_PAGES,
        pages_per_seed: str | int = 0,
        sources: str | int = 1,
        **options: Any,
    ) -> None:
        """`options`: those of a seed; and what services add, whose names begin with an underscore."""
        own = {name: value for name, value in options.items() if not name.startswith("_")}
        super().__init__(**{name: value for name, value in options.items() if name not in own})
        given = {name: [str(value)] for name, value in {**own, "pages": pages_per_seed}.items() if value is not None}
        default = with_options(given)
        self.seeds = list({seed.url: seed for seed in iter_seeds(urls, default)}.values())
        if not self.seeds:
            raise WrongValueError("The spider needs addresses to begin with: -a urls=URL[,URL|FILE].")
        self.named_urls = [seed.url for seed in self.seeds]
        """The addresses that the user named himself: they may be in the local network."""
        self.rows = [SeedRow(seed.url) for seed in self.seeds]
        self.budget = PageBudget(self.seeds, parse_count("pages", pages))
        self.reads_sources = parse_count("sources", sources) > 0
        self.state: dict[str, Any] = {}  # kept by Scrapy between the runs of a JOBDIR

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Polite, breadth first, each page once and only what is new, unless the project says otherwise."""
        super().update_settings(settings)
        # A command merges the project's settings into these again. Components go into the add-on: their dicts have priority 0 and are lost.
        for name, value in DEFAULTS.items():
            settings.set(name, value, priority="addon")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *arguments: Any, **named: Any) -> Self:
        spider = super().from_crawler(crawler, *arguments, **named)
        for name in ("item_scraped", "item_dropped", "request_dropped"):
            crawler.signals.connect(getattr(spider, name), signal=getattr(signals, name))
        return spider

    async def start(self) -> AsyncIterator[Any]:
        hosts: set[str] = set()
        for number, seed in enumerate(self.seeds):
            site = site_of(seed.url) or ""
            meta = {SITE: site, DEPTH: 0, SEED: number}
            yield self._page_request(FrontierEntry(seed.url, site, SOURCES, 0), number)
            if self.reads_sources and (host := urlsplit(seed.url).netloc) not in hosts:
                hosts.add(host)
                yield self._source_request(urljoin(seed.url, "/robots.txt"), meta, self.parse_robots)
        if (tracker := self._tracker) is not None:
            async for number, entry in self._open_entries(tracker):
                yield self._page_request(entry, number)

    # Pages

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        found = await self._judge(response)
        if found is None:
            return
        seed = response.meta[SEED]
        # A seed may have been redirected to another site.
        meta = {SITE: site_of(response.url) or response.meta[SITE], DEPTH: response.meta[DEPTH], SEED: seed}
        if response.meta[DEPTH] == 0:
            row, allows = self.rows[seed], self.seeds[seed].allows
            row.leads_on = row.leads_on or any(site_of(link.url) == meta[SITE] and allows(link.url) for link in found.links.links)
        requests = await self._follow(found.links.links, meta)
        if found.is_item:
            if response.meta[DEPTH] == 0 and (tracker := self._tracker) is not None:
                tracker.note_feeds(found.page, found.links.feeds)
            yield found.page
        elif not self.budget.is_full(seed):
            kind = LIST if found.is_own else ALIAS
            self._record(_urls_of(response), BROKEN if kind == ALIAS and await self._is_broken(found.page, seed) else kind)
        if self.budget.is_spent:
            raise CloseSpider("seeds_pages")
        if response.meta[DEPTH] == 0 and self.reads_sources:
            requests += self._source_requests(found.links.feeds, meta)
        for request in requests:
            yield request

    async def _judge(self, response: Response) -> _FoundPage | None:
        """The page of a response, and whether it becomes an item; None where there is no page, or a known one."""
        seed = response.meta[SEED]
        if isinstance(response, HtmlResponse):
            self.rows[seed].counts["pages"] += 1
        else:
            self.rows[seed].failures["not an HTML page"] += 1  # but a PDF file, an image ...
        if not isinstance(response, HtmlResponse) or has_left_site(response.url, response.meta):
            self.crawler.stats.inc_value("seeds/skipped")
            self._count_failure(seed)
            self._record(_urls_of(response)[1:], GONE, response.meta[SITE])
            return None
        if self.budget.is_full(seed):
            return None
        if self._was_known("pages", address_key(response.url)):
            if (tracker := self._tracker) is not None:
                for url in _urls_of(response):
                    await tracker.record_redirect(url, response.url)
            return None
        page = Page.from_response(response)
        links, is_continuation = await self._read(page)
        is_full = self.budget.is_full(seed)  # other pages were read in the meantime
        is_own = not is_full and not self._was_known("pages", *links.keys) and not is_continuation
        is_item = is_own and self.seeds[seed].allows(response.url)
        if is_item:
            self.budget.count_page(seed)
        return _FoundPage(page, links, is_own, is_item)

    async def _read(self, page: Page) -> tuple[PageLinks, bool]:
        """The keys, links and feeds of a page, none of a page that can't be read; and whether it continues an article.

        The further pages of an article are fetched when it is assembled, so of its pager only the link to page 1 is followed.
        """
        readings = PageReadings.of(self.crawler)
        document = (reading := await readings.read(page)).document
        if document is None:
            return PageLinks([], [], []), False
        pager = await MultipageAssembler.of(self.crawler).pager(reading)
        further = [url for number, url in pager.links.items() if number > 1] if pager is not None else []
        return await readings.workers.run(
            "links", links_of_page, document, further, readings.options.site_file(page.url)
        ), pager is not None and pager.number > 1

    async def _is_broken(self, page: Page, seed: int) -> bool:
        """Whether a page that is like an earlier one lacks its content, as all robot checks of a site do. It is counted."""
        reading = await PageReadings.of(self.crawler).classify(page)
        if flags := BROKEN_FLAGS.intersection(reading.known_type.flags):
            self.crawler.stats.inc_value("webcontent/broken")
            HostNights.of(self.crawler).count_broken(page.url or "", flags)
            self.rows[seed].add_broken(page.url or "", flags)
        return bool(flags)

    async def _follow(self, links: Iterable[PrioritizedLink], meta: Mapping[str, Any]) -> list[Request]:
        """Requests for the links in scope that the crawl has not followed and does not know. New ones are then in the crawl state.

        `meta`: of the page.
        """
        seed, site, entries = meta[SEED], meta[SITE], []
        for link in links:
            depth = meta[DEPTH] + (link.priority != NEXT_PAGE)
            if site_of(link.url) == site and self.seeds[seed].accepts(link.url, depth) and self._is_new_link(link.url):
                entries.append(FrontierEntry(link.url, site, link.priority, depth))
        if (tracker := self._tracker) is not None and entries:
            entries = await self._unknown(entries, tracker)
        return [self._page_request(entry, seed) for entry in entries]

    async def _unknown(self, entries: list[FrontierEntry], tracker: IncrementalTracker) -> list[FrontierEntry]:
        """Links that no earlier run has dealt with, and listings that are due.

        A page without a new link needs no next pages: earlier runs have read them.
        """
        records = await tracker.records_of([entry.url for entry in entries])
        has_news = tracker.config.changed or any(entry.url not in records and entry.priority != NEXT_PAGE for entry in entries)
        due = [entry for entry in entries if tracker.is_due(records.get(entry.url))]
        wanted = [entry for entry in due if has_news or entry.url not in records or entry.priority != NEXT_PAGE]
        self.crawler.stats.inc_value("webcontent/crawl_state/skipped", len(entries) - len(wanted))
        await tracker.add_entries([entry for entry in wanted if entry.url not in records])
        return wanted

    async def _open_entries(self, tracker: IncrementalTracker) -> AsyncIterator[tuple[int, FrontierEntry]]:
        """Links that earlier runs found and did not get to, and listings that are due, each with the number of its first seed."""
        sites = [site_of(seed.url) or "" for seed in self.seeds]
        for site in dict.fromkeys(sites):
            entries = await tracker.frontier(site)
            records = await tracker.records_of([entry.url for entry in entries])
            for entry in entries:
                seeds = [number for number, seed in enumerate(self.seeds) if sites[number] == site and seed.accepts(entry.url, entry.depth)]
                if seeds and tracker.is_due(records.get(entry.url)) and self._is_new_link(entry.url):
                    yield seeds[0], entry

    # Feeds and sitemaps

    async def parse_robots(self, response: Response) -> AsyncIterator[Any]:
        sitemaps = sitemaps_of_robots(response.body, response.url) if response.status == HTTPStatus.OK else []
        meta = _own_meta(response)
        if urlsplit(response.url).path == "/robots.txt":  # the whole seed may have moved to another site
            meta[SITE] = site_of(response.url) or meta[SITE]
        for request in self._source_requests(sitemaps or [urljoin(response.url, SITEMAP_PATH)], meta):
            yield request

    async def parse_source(self, response: Response) -> AsyncIterator[Any]:
        source, meta = await self._read_source(response), _own_meta(response)
        if source is None:
            if response.status in {HTTPStatus.OK, *REFUSALS}:
                # Only the URL that was asked for: it may have been redirected to a page.
                self._record(response.meta.get("redirect_urls", [response.url])[:1], GONE, meta[SITE])
            return
        self.crawler.stats.inc_value(f"seeds/{source.kind}")
        for request in await self._requests_of(source, meta):
            yield request
        is_own = _own([response.url], meta[SITE])  # a feed of another site is also read for the items of that site
        if source.kind != "index" and is_own and (tracker := self._tracker) is not None:
            tracker.record_source(response)

    async def _read_source(self, response: Response) -> UrlSource | None:
        if response.status != HTTPStatus.OK or has_left_site(response.url, response.meta):
            return None
        workers, seed = WorkerPool.of(self.crawler), response.meta[SEED]
        source = None
        with workers.guard("links", response.url):
            source, size = await workers.run("links", read_source, response.body, response.url)
            had_enough = self.budget.has_read_enough(seed)
            self.budget.source_bytes[seed] += size
            if self.budget.has_read_enough(seed) and not had_enough:
                logger.warning("No further feed or sitemap of %s is read: those so far were too large.", self.seeds[seed].url)
        return source

    async def _requests_of(self, source: UrlSource, meta: Mapping[str, Any]) -> list[Request]:
        seed = self.seeds[meta[SEED]]
        if source.entries:
            self.rows[meta[SEED]].leads_on = True
        if source.kind == "index":
            return list(self._source_requests([entry.url for entry in source.entries if seed.is_recent(entry.time)], meta))
        return await self._follow(links_of_entries(source.entries, seed, self.budget.max_pages), {**meta, DEPTH: 0})

    def _source_requests(self, urls: Iterable[str], meta: Mapping[str, Any]) -> Iterator[Request]:
        """Requests for feeds and sitemaps of the seed's site, each once, as many as its budget allows."""
        for url in urls:
            if site_of(url) == meta[SITE] and self._is_new_link(url) and self.budget.takes_source(meta[SEED]):
                yield self._source_request(url, meta, self.parse_source)

    # Requests

    def _page_request(self, entry: FrontierEntry, seed: int) -> Request:
        meta = {PAGE: {}, IS_NEXT_PAGE: entry.priority == NEXT_PAGE, SITE: entry.site, DEPTH: entry.depth, SEED: seed}
        return Request(entry.url, priority=entry.priority, meta=meta, errback=self.failed)

    def _source_request(self, url: str, meta: Mapping[str, Any], callback: Any) -> Request:
        return Request(
            url,
            priority=SOURCES,
            meta={PAGE: {RENDER: False}, SKIP_IF_GONE: True, "handle_httpstatus_list": sorted(REFUSALS), **meta},
            callback=callback,
            errback=self.source_failed,
        )

    def failed(self, failure: Any) -> Any:
        """Records URLs that lead to no page; other failed requests are tried again in later runs. Scrapy adds the request, and logs."""
        request, error = failure.request, failure.value
        self.rows[request.meta[SEED]].add_error(error)
        urls = [request.url, *request.meta.get("redirect_urls", ())]
        status = error.response.status if isinstance(error, HttpError) else 0
        has_failed = not isinstance(error, (PageUnchanged, SeedIsFull))
        if status in REFUSALS or type(error) is IgnoreRequest:  # forbidden by robots.txt, or redirected to another site
            self._record(urls, BROKEN if status in WALLS else GONE, request.meta[SITE])
        elif has_failed and (tracker := self._tracker) is not None:
            tracker.count_failures(_own(urls, request.meta[SITE]))
        if has_failed and type(error) is not IgnoreRequest:
            self._count_failure(request.meta[SEED])
        if isinstance(error, PageUnchanged) and request.meta[DEPTH] == 0 and self.reads_sources:
            return self._source_requests(error.record.feeds.split(), _own_meta(request))
        return failure

    def source_failed(self, failure: Any) -> Iterator[Request]:
        """Requests the usual sitemap where robots.txt gave no answer."""
        if isinstance(failure.value, PageUnchanged):
            self.rows[failure.request.meta[SEED]].leads_on = True
        if failure.request.callback == self.parse_robots:
            yield from self._source_requests([urljoin(failure.request.url, SITEMAP_PATH)], _own_meta(failure.request))

    def _count_failure(self, seed: int) -> None:
        was_full = self.budget.is_full(seed)
        self.budget.failures[seed] += 1
        if self.budget.is_full(seed) and not was_full:
            logger.warning("Too many requests of %s gave no page: the rest is left to the next run.", self.seeds[seed].url)

    # What each seed gave

    def item_scraped(self, item: Any, response: Any) -> None:
        if isinstance(item, Article | Listing) and (row := self._row_of(response)):
            if flags := broken_flags(item):
                row.add_broken(response.url, flags)
            else:
                row.counts.update((item.type, "new"))

    def item_dropped(self, item: Any, response: Any, exception: BaseException) -> None:
        """`item`: the page as the spider yielded it."""
        if row := self._row_of(response):
            if isinstance(exception, BrokenPage):
                row.add_broken(response.url, exception.flags, is_again=True)
            reading = PageReadings.of(self.crawler).find(item) if isinstance(item, Page) else None
            if reading is not None and reading.page_type is not None:
                row.counts[reading.page_type.type] += 1

    def request_dropped(self, request: Request) -> None:
        """Notes what was redirected to a page that the crawl has, such as that of another seed: Scrapy asks for each address once."""
        first_url, row = request.meta.get("redirect_urls", [""])[0], self._row_of(request)
        if row is not None and first_url == row.url:
            row.same_as = request.url
        elif row is not None and first_url:
            row.redirects[request.url] += 1

    def _row_of(self, message: Request | Response | None) -> SeedRow | None:
        """The row of a seed; None for a request of a subclass that names none."""
        return self.rows[message.meta[SEED]] if message is not None and SEED in message.meta else None

    # What is known

    @property
    def _tracker(self) -> IncrementalTracker | None:
        return IncrementalTracker.of(self.crawler)

    def _record(self, urls: Iterable[str], kind: str, site: str | None = None) -> None:
        """Records URLs that give no item, where the crawl is incremental.

        `site`: record its URLs only. A site can redirect to any page of another site, and must not decide what becomes of that page.
        """
        if (tracker := self._tracker) is not None:
            tracker.record(urls if site is None else _own(urls, site), kind)

    def _is_new_link(self, url: str) -> bool:
        """Whether no link to this URL was followed in this run; it is remembered."""
        return not self._was_known("links", url)

    def _was_known(self, kind: str, *texts: str) -> bool:
        """Whether one of the texts, URLs of "links" or keys of "pages", came before; all are remembered."""
        known: set[bytes] = self.state.setdefault(kind, set())
        digests = set(map(digest, texts))
        is_known = not known.isdisjoint(digests)
        known |= digests
        return is_known


def _urls_of(response: Response) -> list[str]:
    """The URL of a response, then those that led to it."""
    assert response.request is not None
    return [response.url, response.request.url, *response.meta.get("redirect_urls", ())]


def _own(urls: Iterable[str], site: str) -> list[str]:
    return [url for url in urls if site_of(url) == site]


def _own_meta(message: Request | Response) -> dict[str, Any]:
    return {name: message.meta[name] for name in (SITE, DEPTH, SEED)}
