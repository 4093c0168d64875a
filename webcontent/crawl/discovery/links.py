"""The links of a page that lead on: which they are, in which order they are requested, and which of them a crawl follows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from math import log2
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from webcontent.addresses import site_of
from webcontent.crawl.discovery.feeds_and_sitemaps import feeds_of_page
from webcontent.crawl.discovery.urls import address_key, clean_url
from webcontent.crawl.incremental.duplicates import content_keys
from webcontent.crawl.incremental.store import FrontierEntry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from scrapy.statscollectors import StatsCollector

    from webcontent.crawl.discovery.feeds_and_sitemaps import SourceEntry
    from webcontent.crawl.discovery.pager import Pager
    from webcontent.crawl.discovery.seedlist import Seed
    from webcontent.crawl.incremental.tracker import IncrementalTracker
    from webcontent.document.parsing import Document

NEXT_PAGE, HEADLINE, OTHER = 20, 10, 0
"""Priorities of requests: next pages lead to the most articles, then links whose text is as long as a headline."""
DATED = 30
"""Priority of an entry of a feed or sitemap that is less than an hour old. Each doubling of its age costs 1, down to HEADLINE."""
SOURCES = 40
"""Priority of feeds and sitemaps, which show what is new."""
MIN_HEADLINE_WORDS = 4
CHARACTERS_PER_WORD = 2
"""Chinese, Japanese and Korean characters that count as one word."""
MAX_LINKS = 5000
"""Links of a page that are read."""
HOUR_S = 3600
_PAGE_ADDRESS = re.compile(r"[/?&_=-](?:page|paged|p|pg|index|list)[/=_-]?\d+", re.IGNORECASE)
_NUMBER = re.compile(r"\D{0,2}(\d{1,5})\D{0,2}")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class PrioritizedLink:
    """A URL to request. Higher priorities are requested first."""

    url: str
    priority: int


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where a page leads, and how it is recognised."""

    keys: list[str] = field(default_factory=list)
    """Keys that the page has under any of its URLs, see `content_keys`."""
    links: list[PrioritizedLink] = field(default_factory=list)
    feeds: list[str] = field(default_factory=list)
    is_continuation: bool = False
    """Whether it is the second or a later page of an article that is assembled from its first page."""


def links_of_page(document: Document, pager: Pager | None) -> PageLinks:
    """The keys, links and feeds of a page. `pager`: of an article whose pages are assembled.

    The further pages of such an article are fetched when it is assembled, so of its pager only the link to page 1 is given.
    """
    parts = {address_key(url) for number, url in pager.links.items() if number > 1} if pager is not None else set()
    links = [link for link in find_links(document) if address_key(link.url) not in parts]
    return PageLinks(content_keys(document), links, feeds_of_page(document), pager is not None and pager.number > 1)


def find_links(document: Document) -> list[PrioritizedLink]:
    """The links of a page that may lead to other pages, highest priority first. Each URL comes once, with its highest priority."""
    priorities: dict[str, int] = {}
    ids = frozenset(document.root.xpath("//@id"))
    for node in islice(document.root.iter("a", "area", "link"), MAX_LINKS):
        rel = (node.get("rel") or "").lower().split()
        if "nofollow" in rel or (node.tag == "link" and not {"next", "prev"} & set(rel)):
            continue
        href = document.absolute(node.get("href"))
        if href and (url := clean_url(href)) and not _points_into(url, document.url, ids):
            priorities[url] = max(priorities.get(url, OTHER), _priority(url, "".join(node.itertext()), rel))
    return sorted((PrioritizedLink(url, priority) for url, priority in priorities.items()), key=lambda link: -link.priority)


def links_of_entries(entries: Iterable[SourceEntry], seed: Seed, max_pages: int) -> list[PrioritizedLink]:
    """The pages of a feed or sitemap that are in the seed's scope, in its order, at most as many as the limits allow.

    `max_pages`: of the whole crawl; 0: no limit.
    """
    limit = min(filter(None, (seed.scope.pages, max_pages)), default=None)
    recent = ((clean_url(entry.url), entry.time) for entry in entries if seed.scope.is_recent(entry.time))
    in_scope = ((url, time) for url, time in recent if url and seed.scope.allows(url))
    return [PrioritizedLink(url, _dated_priority(time)) for url, time in islice(in_scope, limit)]


def _points_into(url: str, page_url: str | None, ids: frozenset[str]) -> bool:
    """Whether a URL names an element of the page itself in its query, as single-page applications do: /guide?id=install."""
    path, _, query = url.partition("?")
    is_same_page = bool(query) and page_url is not None and page_url.partition("?")[0] == path
    return is_same_page and any(value in ids for _, value in parse_qsl(query))


def _priority(url: str, text: str, rel: list[str]) -> int:
    """NEXT_PAGE in any language: by rel, by a URL with a page number, by a number as text that the URL repeats."""
    number = _NUMBER.fullmatch(text.strip())
    if "next" in rel or _PAGE_ADDRESS.search(url) or number and number[1] in re.findall(r"\d+", url):
        return NEXT_PAGE
    words = len(_CJK.sub("", text).split()) + len(_CJK.findall(text)) / CHARACTERS_PER_WORD
    return HEADLINE if words >= MIN_HEADLINE_WORDS else OTHER


def _dated_priority(time: datetime | None) -> int:
    """Higher for newer entries; HEADLINE for entries without a time."""
    if time is None:
        return HEADLINE
    hours = max(0.0, (datetime.now(UTC) - time).total_seconds() / HOUR_S)
    return max(HEADLINE, DATED - int(log2(1 + hours)))


class LinkFollower:
    """Chooses the links that a crawl follows: those in scope of their seed that it has not followed and does not know."""

    def __init__(self, seeds: Sequence[Seed], is_new: Callable[[str], bool], stats: StatsCollector) -> None:
        """`is_new`: whether no link to a URL was followed in this run; it remembers the URL."""
        self.seeds = seeds
        self._is_new = is_new
        self.stats = stats

    async def choose(
        self, links: Iterable[PrioritizedLink], seed: int, site: str, depth: int, tracker: IncrementalTracker | None
    ) -> list[FrontierEntry]:
        """The links of a page that are to be requested, in their order. New ones are in the crawl state when this returns.

        `seed`: number of the page's seed; `site`, `depth`: of the page; `tracker`: None where the crawl has no state.
        """
        entries = []
        for link in links:
            link_depth = depth + (link.priority != NEXT_PAGE)
            if site_of(link.url) == site and self.seeds[seed].accepts(link.url, link_depth) and self._is_new(link.url):
                entries.append(FrontierEntry(link.url, site, link.priority, link_depth))
        return await self._unknown(entries, tracker) if tracker is not None and entries else entries

    async def _unknown(self, entries: list[FrontierEntry], tracker: IncrementalTracker) -> list[FrontierEntry]:
        """Links that no earlier run has dealt with, and listings that are due.

        A page without a new link needs no next pages: earlier runs have read them.
        """
        records = await tracker.records_of([entry.url for entry in entries])
        has_news = tracker.config.changed or any(entry.url not in records and entry.priority != NEXT_PAGE for entry in entries)
        wanted = [
            entry
            for entry in entries
            if tracker.is_due(records.get(entry.url)) and (has_news or entry.url not in records or entry.priority != NEXT_PAGE)
        ]
        self.stats.inc_value("webcontent/crawl_state/skipped", len(entries) - len(wanted))
        await tracker.add_entries([entry for entry in wanted if entry.url not in records])
        return wanted

    async def open_entries(self, tracker: IncrementalTracker) -> AsyncIterator[tuple[int, FrontierEntry]]:
        """Links that earlier runs found and did not get to, and listings that are due, each with the number of its seed."""
        for site in dict.fromkeys(site_of(seed.url) or "" for seed in self.seeds):
            entries = await tracker.frontier(site)
            records = await tracker.records_of([entry.url for entry in entries])
            for entry in entries:
                if tracker.is_due(records.get(entry.url)) and (seed := self._seed_for(entry)) is not None and self._is_new(entry.url):
                    yield seed, entry

    def _seed_for(self, entry: FrontierEntry) -> int | None:
        """Number of the first seed whose site and scope have the entry; None when none does."""
        numbers = (
            number for number, seed in enumerate(self.seeds) if site_of(seed.url) == entry.site and seed.accepts(entry.url, entry.depth)
        )
        return next(numbers, None)
