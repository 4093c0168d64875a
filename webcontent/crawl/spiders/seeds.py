"""`scrapy crawl seeds -a urls=URL[,URL|FILE]`: from front pages, feeds and sitemaps to every article of their sites."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from math import log2
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError

from webcontent.crawl.config import Config
from webcontent.crawl.discovery.feeds_and_sitemaps import FEED_PLACES, SITEMAP_PLACES, feeds_of_page, read_source, sitemaps_of_robots
from webcontent.crawl.discovery.multipage import MultipageAssembler
from webcontent.crawl.discovery.seedlist import DEPTH, SEED, SITE, Scope, Seed, iter_seeds, number, scope_of
from webcontent.crawl.discovery.urls import address_key, clean_url, is_private, site_of
from webcontent.crawl.incremental.store import ALIAS, GONE, LIST, FrontierEntry
from webcontent.crawl.incremental.tracker import IS_NEXT, MAY_BE_GONE, IncrementalTracker, Unchanged
from webcontent.crawl.meta import PAGE
from webcontent.crawl.pipelines.classify import read_document
from webcontent.crawl.workers import WorkerPool
from webcontent.hashing import digest
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from webcontent.crawl.discovery.feeds_and_sitemaps import Source
    from webcontent.document.parsing import Document

DEFAULTS = {
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 1.0,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 2.0,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "WEBCONTENT_CRAWL_STATE": "sqlite:///seen.db",
    "WEBCONTENT_JOIN_PAGES": 20,
}
"""What the spider sets where the project says nothing."""

FEEDS = "feeds"
"""Key of `Page.meta` of a seed: the feeds that it names. When it is unchanged in a later run, they are asked all the same."""
PLACES = "seeds_places"
"""Key of `request.meta` of a feed or sitemap: addresses to try next, where this one is none, or after it, where it is of an index."""

NEXT_PAGE, HEADLINE, OTHER = 20, 10, 0
"""Priorities: pagination leads to the most articles, then texts long enough for a headline."""
DATED = 30
"""Of an entry of a feed or sitemap of this very hour; each doubling of its age costs one, down to HEADLINE."""
SOURCES = 40
"""Feeds and sitemaps come first: they say what is new."""
MAX_SOURCES = 200
"""Feeds and sitemaps of a seed."""
MIN_HEADLINE_WORDS = 4
MIN_CHARACTERS = 200
"""Of text, by which a page is known under another address."""
MAX_LINKS = 5000
"""Links that are read from one page."""
REFUSALS = frozenset({400, 401, 402, 403, 404, 405, 406, 410, 414, 451})
"""Status codes by which a server says that there is nothing for us."""
_PAGE_ADDRESS = re.compile(r"[/?&_=-](?:page|paged|p|pg|index|list)[/=_-]?\d+", re.IGNORECASE)
_NUMBER = re.compile(r"\D{0,2}(\d{1,5})\D{0,2}")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


class SeedsSpider(Spider):
    """Reads the feeds and sitemaps of each seed's site, follows its links, lists and next pages first, and yields each page once.

    Arguments: `urls` (addresses and files of addresses, parted by commas; in a file a line each, with options behind the
    address: see `iter_seeds`), `pages` (of all seeds together; default: 10,000; 0: no limit), `sources` (0: no feeds and no
    sitemaps), and for all seeds whose line does not say otherwise: `allow`, `deny` (regular expressions), `depth` (links from
    the seed, next pages not counted; default: no limit), `days` (how old dated entries of feeds and sitemaps may be).
    With WEBCONTENT_CRAWL_STATE (default here: sqlite:///seen.db) it gives what earlier runs did not give.
    """

    name = "seeds"
    asks_seen = True
    """The spider asks the store itself, before it makes a request."""

    def __init__(
        self,
        urls: str = "",
        depth: str | int | None = None,
        pages: str | int = 10_000,
        days: str | int = 0,
        allow: str = "",
        deny: str = "",
        sources: str | int = 1,
        **arguments: Any,
    ) -> None:
        super().__init__(**arguments)
        options = {"allow": [allow], "deny": [deny], "days": [str(days)]} | ({} if depth is None else {"depth": [str(depth)]})
        self.seeds = list(iter_seeds(urls, scope_of(options, Scope())))
        if not self.seeds:
            raise ValueError("The spider needs addresses to begin with: -a urls=URL[,URL|FILE].")
        self.max_pages = number("pages", pages)
        self.reads_sources = number("sources", sources) > 0
        self.pages = 0
        self._pages_of = [0] * len(self.seeds)
        self._sources_of = [0] * len(self.seeds)
        self.state: dict[str, Any] = {}  # kept by Scrapy between the runs of a JOBDIR

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Polite, breadth first, each text once and only what is new, unless the project says otherwise."""
        super().update_settings(settings)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", SameSiteMiddleware, 60)
        for name, value in DEFAULTS.items():
            settings.set(name, value, priority="addon")

    async def start(self) -> AsyncIterator[Any]:
        for place, seed in enumerate(self.seeds):
            meta = {SITE: site_of(seed.url), DEPTH: 0, SEED: place}
            yield self._request(seed.url, SOURCES, meta)
            if self.reads_sources and self._is_first_of_site(place):
                yield self._source(urljoin(seed.url, "/robots.txt"), meta, self.parse_robots)
        async for request in self._open_leads():
            yield request

    async def _open_leads(self) -> AsyncIterator[Request]:
        """What earlier runs found and did not get to, and the lists that they found, where these are due."""
        monitor = IncrementalTracker.of(self.crawler)
        for site in dict.fromkeys(site_of(seed.url) or "" for seed in self.seeds if monitor is not None):
            assert monitor is not None
            leads = await monitor.leads(site)
            known = await monitor.known([lead.url for lead in leads])
            for lead in (lead for lead in leads if monitor.is_wanted(known.get(lead.url))):
                for place, seed in enumerate(self.seeds):
                    if site_of(seed.url) == site and self._is_in_scope(lead.url, lead.depth, seed) and self._is_new(lead.url):
                        yield self._request(lead.url, lead.priority, {SITE: site, DEPTH: lead.depth, SEED: place})
                        break

    # Pages

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """The response's page, and requests for the links of its site."""
        assert response.request is not None
        monitor, place = IncrementalTracker.of(self.crawler), response.meta[SEED]
        addresses = [response.url, response.request.url, *response.meta.get("redirect_urls", ())]
        if not isinstance(response, HtmlResponse) or has_left_site(response.url, response.meta):
            self.crawler.stats.inc_value("seeds/skipped")
            if monitor is not None:
                monitor.mark(addresses[1:], GONE)
            return
        if self.is_full(place) or self._was_seen(address_key(response.url)):
            if monitor is not None and not self.is_full(place):
                own = address_key(response.url)
                monitor.mark([url for url in addresses if address_key(url) != own], ALIAS)
            return
        page = Page.from_response(response)
        found = await self._read(page)
        is_new = not self.is_full(place) and not self._was_seen(*found.keys)  # others were read meanwhile
        is_given = is_new and not found.is_continuation and self.seeds[place].scope.allows(response.url)
        if is_given:
            self.pages += 1
            self._pages_of[place] += 1
        site = site_of(response.url) or response.meta[SITE]  # a seed may have moved house
        meta = {SITE: site, DEPTH: response.meta[DEPTH], SEED: place}
        requests = [request async for request in self._follow(found.links, meta)]
        if is_given:
            page.meta[FEEDS] = found.feeds if response.meta[DEPTH] == 0 else []
            yield page
        elif monitor is not None and not self.is_full(place):
            monitor.mark(addresses, LIST if is_new and not found.is_continuation else ALIAS)
        if 0 < self.max_pages <= self.pages:
            raise CloseSpider("seeds_pages")
        for request in requests:
            yield request
        if response.meta[DEPTH] == 0 and self.reads_sources:
            for request in self._feeds(response.url, found.feeds, meta):
                yield request

    async def _read(self, page: Page) -> Found:
        """What the page is known by, its links, and its feeds."""
        config = Config.from_settings(self.settings)
        threads = WorkerPool.of(self.crawler, config.threads)
        document = await read_document(page, threads, config.options())
        if document is None:
            return Found()
        pager = await MultipageAssembler.of(self.crawler).pager(document)
        is_continuation = pager is not None and pager.number > 1
        # The further pages of an article are fetched where it is joined; from one of them only the way to the first is taken.
        parts = {address_key(url) for place, url in pager.links.items() if place > 1} if pager is not None else set()

        def read() -> Found:
            links = [link for link in find_links(document) if address_key(link.url) not in parts]
            return Found(content_keys(document), links, feeds_of_page(document), is_continuation)

        return await threads.run("links", read)

    async def _follow(self, links: Iterable[Link], meta: Mapping[str, Any]) -> AsyncIterator[Request]:
        """Requests for those links that the seed's scope and the store let through; what is new is remembered by the store first."""
        site, seed = meta[SITE], self.seeds[meta[SEED]]
        wanted = []
        for link in links:
            depth = meta[DEPTH] + (link.priority != NEXT_PAGE)
            if site_of(link.url) == site and self._is_in_scope(link.url, depth, seed) and self._is_new(link.url):
                wanted.append(FrontierEntry(link.url, site, link.priority, depth))
        if (monitor := IncrementalTracker.of(self.crawler)) is not None and wanted:
            wanted = await self._unseen(monitor, wanted)
        for lead in wanted:
            yield self._request(lead.url, lead.priority, {SITE: site, DEPTH: lead.depth, SEED: meta[SEED]})

    async def _unseen(self, monitor: IncrementalTracker, leads: list[FrontierEntry]) -> list[FrontierEntry]:
        """What no earlier run gave, and lists that are due. A page without a new link needs no next pages: they were read before."""
        known = await monitor.known([lead.url for lead in leads])
        has_news = monitor.config.changed or any(lead.url not in known and lead.priority != NEXT_PAGE for lead in leads)
        wanted = [
            lead
            for lead in leads
            if monitor.is_wanted(known.get(lead.url)) and (has_news or lead.url not in known or lead.priority != NEXT_PAGE)
        ]
        self.crawler.stats.inc_value("webcontent/seen/skipped", len(leads) - len(wanted))
        await monitor.add_leads([lead for lead in wanted if lead.url not in known])
        return wanted

    # Feeds and sitemaps

    async def parse_robots(self, response: Response) -> AsyncIterator[Any]:
        """Requests for the sitemaps that robots.txt names, else for the usual places."""
        named = sitemaps_of_robots(response.body, response.url) if response.status == 200 else []
        for request in self._sitemaps(named, response):
            yield request

    def _sitemaps(self, named: list[str], response: Response) -> Iterator[Request]:
        meta = _own_meta(response)
        if named:
            for url in named[:MAX_SOURCES]:
                yield from self._sources([url], [], meta)
        else:
            first, *others = (urljoin(response.url, place) for place in SITEMAP_PLACES)
            yield from self._sources([first], others, meta)

    def _feeds(self, url: str, named: list[str], meta: Mapping[str, Any]) -> Iterator[Request]:
        """Requests for the feeds that a seed's page names, else for the usual places."""
        if named:
            for feed in named:
                yield from self._sources([feed], [], meta)
        elif self._is_first_of_site(meta[SEED]):
            first, *others = (urljoin(url, place) for place in FEED_PLACES)
            yield from self._sources([first], others, meta)

    def _sources(self, urls: list[str], places: list[str], meta: Mapping[str, Any]) -> Iterator[Request]:
        """A request for the first of the addresses that may be asked."""
        for place, url in enumerate(urls):
            if site_of(url) == meta[SITE] and self._sources_of[meta[SEED]] < MAX_SOURCES and self._is_new(url):
                self._sources_of[meta[SEED]] += 1
                yield self._source(url, {**meta, PLACES: [*urls[place + 1 :], *places]}, self.parse_source)
                return
        if places:
            yield from self._sources(places, [], meta)

    async def parse_source(self, response: Response) -> AsyncIterator[Any]:
        """Requests for what a feed or a sitemap names. Where it is none, the next usual place is tried."""
        assert response.request is not None
        config = Config.from_settings(self.settings)
        source: Source | None = None
        if response.status == 200 and not has_left_site(response.url, response.meta):
            threads = WorkerPool.of(self.crawler, config.threads)
            try:
                source = await threads.run("links", read_source, response.body, response.url, config.max_bytes)
            except Exception as error:  # the border where a source may not stop a crawl
                threads.failed("links", response.url, error)
        meta, places = _own_meta(response), response.meta.get(PLACES, [])
        if source is None:
            if (monitor := IncrementalTracker.of(self.crawler)) is not None and response.status in {200, *REFUSALS}:
                monitor.mark([response.url, response.request.url], GONE)
            for request in self._sources(places, [], meta):
                yield request
            return
        self.crawler.stats.inc_value(f"seeds/{source.kind}")
        if source.kind == "index":
            scope = self.seeds[meta[SEED]].scope
            for entry in source.entries:
                if scope.is_recent(entry.time):
                    for request in self._sources([entry.url], [], meta):
                        yield request
            return
        async for request in self._follow(self._entries(source, meta), {**meta, DEPTH: 0}):
            yield request
        if source.next_url:
            for request in self._sources([source.next_url], [], meta):
                yield request
        if (monitor := IncrementalTracker.of(self.crawler)) is not None:
            monitor.mark_source(response)

    def _entries(self, source: Source, meta: Mapping[str, Any]) -> Iterator[Link]:
        """The pages of a source, newest first, and no more than are wanted of the site."""
        scope = self.seeds[meta[SEED]].scope
        limit = min(filter(None, (scope.pages, self.max_pages)), default=None)
        recent = ((clean_url(entry.url), entry.time) for entry in source.entries if scope.is_recent(entry.time))
        for url, time in islice(((url, time) for url, time in recent if url and scope.allows(url)), limit):
            yield Link(url, _dated_priority(time))

    # Requests

    def _request(self, url: str, priority: int, meta: Mapping[str, Any]) -> Request:
        return Request(url, priority=priority, meta={PAGE: {}, IS_NEXT: priority == NEXT_PAGE, **meta}, errback=self.failed)

    def _source(self, url: str, meta: Mapping[str, Any], callback: Any) -> Request:
        return Request(
            url,
            priority=SOURCES,
            meta={PAGE: {"render": False}, MAY_BE_GONE: True, "handle_httpstatus_all": True, **meta},
            callback=callback,
            errback=self.source_failed,
        )

    def failed(self, failure: Failure) -> Any:
        """Tells the store of addresses that lead nowhere; what may come back stays open. Scrapy logs what it is given back."""
        request: Request = failure.request  # type: ignore[attr-defined]
        error, monitor = failure.value, IncrementalTracker.of(self.crawler)
        is_refused = isinstance(error, HttpError) and error.response.status in REFUSALS
        if monitor is not None and (is_refused or type(error) is IgnoreRequest):  # robots.txt, or led out of the site
            monitor.mark([request.url, *request.meta.get("redirect_urls", ())], GONE)
        elif monitor is not None and not isinstance(error, (Unchanged, Full)):
            monitor.count_failure(request.url)
        if isinstance(error, Unchanged) and request.meta[DEPTH] == 0 and self.reads_sources:
            return self._feeds(request.url, error.record.feeds.split(), _own_meta(request))
        return failure

    def source_failed(self, failure: Failure) -> Iterator[Request]:
        """A place that gives no answer is none; one that is unchanged is one."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if request.callback == self.parse_robots:
            first, *others = (urljoin(request.url, place) for place in SITEMAP_PLACES)
            yield from self._sources([first], others, _own_meta(request))
        elif not isinstance(failure.value, Unchanged):
            yield from self._sources(request.meta.get(PLACES, []), [], _own_meta(request))

    # What is known

    def _is_in_scope(self, url: str, depth: int, seed: Seed) -> bool:
        return seed.scope.allows(url) and (seed.scope.depth is None or depth <= seed.scope.depth)

    def _is_first_of_site(self, place: int) -> bool:
        """Whether no seed before it is of the same host."""
        return all(urlsplit(seed.url).netloc != urlsplit(self.seeds[place].url).netloc for seed in self.seeds[:place])

    def _is_new(self, url: str) -> bool:
        """Whether no link to this address was followed in this run."""
        links = self.state.setdefault("links", set())
        key = digest(url)
        is_new = key not in links
        links.add(key)
        return is_new

    def _was_seen(self, *keys: str) -> bool:
        """Whether one of the keys came before; all are remembered."""
        seen = self.state.setdefault("seen", set())
        digests = {digest(key) for key in keys}
        found = not seen.isdisjoint(digests)
        seen |= digests
        return found

    def is_full(self, place: int) -> bool:
        """Whether a seed, by its number, has given as many pages as it may."""
        return 0 < self.max_pages <= self.pages or 0 < self.seeds[place].scope.pages <= self._pages_of[place]


@dataclass(frozen=True, slots=True)
class Found:
    """What is read from a page."""

    keys: list[str] = field(default_factory=list)
    """By these it is known under another address."""
    links: list[Link] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    is_continuation: bool = False
    """It is the second or a later page of an article, which is joined from its first."""


def _own_meta(message: Any) -> dict[str, Any]:
    return {name: message.meta[name] for name in (SITE, DEPTH, SEED)}


def _dated_priority(time: datetime | None) -> int:
    """The newer the higher; what has no time comes like a headline of a page."""
    if time is None:
        return HEADLINE
    hours = max(0.0, (datetime.now(UTC) - time).total_seconds() / 3600)
    return max(HEADLINE, DATED - int(log2(1 + hours)))


class Full(IgnoreRequest):
    """The seed has as many pages as it may have."""


class SameSiteMiddleware:
    """Stops requests that a redirect has led out of their site, and those of seeds that have all their pages, before they leave."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        spider = self.crawler.spider
        if SEED in request.meta and isinstance(spider, SeedsSpider) and spider.is_full(request.meta[SEED]):
            raise Full(f"{request.url} is left to the next run")
        if has_left_site(request.url, request.meta):
            self.stats.inc_value("seeds/offsite")
            raise IgnoreRequest(f"{request.url} is outside of the site {request.meta[SITE]}")


def has_left_site(url: str, meta: Mapping[str, Any]) -> bool:
    """Whether a redirect has led to another site. A seed may move to another one, but not from the internet into the own network."""
    if SITE not in meta or (site := site_of(url)) == meta[SITE]:
        return False
    return meta[DEPTH] > 0 or site is None or is_private(url) and not is_private(f"http://{meta[SITE]}/")


def content_keys(document: Document) -> list[str]:
    """By these a page is known under another address: its markup; its text with its path, whatever the query says; its canonical address.

    The canonical address counts together with the title, since some sites name their front page as that of every page. Markup
    and text count only where there is enough of it: the empty shells of pages that scripts fill are all alike.
    """
    keys = []
    if int(document.blocks.chars.sum()) >= MIN_CHARACTERS:
        path = address_key(document.url or "").partition("?")[0]
        keys += [f"html {document.text}", f"text {path} {document.blocks.texts}"]
    if document.title and (canonical := find_canonical(document)):
        keys.append(f"canonical {address_key(canonical)} {document.title}")
    return keys


def find_canonical(document: Document) -> str | None:
    """The address that a page names as its own, if it lies on the same site."""
    for node in document.root.iter("link"):
        if "canonical" in (node.get("rel") or "").lower().split():
            url = document.absolute(node.get("href"))
            return url if url and document.url and site_of(url) == site_of(document.url) else None
    return None


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    priority: int


def find_links(document: Document) -> list[Link]:
    """The links of a page that may lead to other pages, highest priority first; each address once, at the best place it has on the page."""
    found: dict[str, int] = {}
    ids = frozenset(document.root.xpath("//@id"))
    for node in islice(document.root.iter("a", "area", "link"), MAX_LINKS):
        rel = (node.get("rel") or "").lower().split()
        if "nofollow" in rel or (node.tag == "link" and not {"next", "prev"} & set(rel)):
            continue
        address = document.absolute(node.get("href"))
        if address and (url := clean_url(address)) and not _points_into(url, document.url, ids):
            found[url] = max(found.get(url, OTHER), _priority(url, "".join(node.itertext()), rel))
    return sorted((Link(url, priority) for url, priority in found.items()), key=lambda link: -link.priority)


def _points_into(url: str, page_url: str | None, ids: frozenset[str]) -> bool:
    """Whether an address is a place on the page itself, named in the query as single-page applications do: /guide?id=install."""
    path, _, query = url.partition("?")
    is_same_page = bool(query) and page_url is not None and page_url.partition("?")[0] == path
    return is_same_page and any(value in ids for _, value in parse_qsl(query))


def _priority(url: str, text: str, rel: list[str]) -> int:
    """Pagination shows in every language alike: by rel, by an address with a page number, by a number that the address repeats."""
    number = _NUMBER.fullmatch(text.strip())
    if "next" in rel or _PAGE_ADDRESS.search(url) or number and number[1] in re.findall(r"\d+", url):
        return NEXT_PAGE
    words = len(_CJK.sub("", text).split()) + len(_CJK.findall(text)) / 2
    return HEADLINE if words >= MIN_HEADLINE_WORDS else OTHER
