"""Which of the links that pages give a crawl follows, by the scopes of its seeds and by the crawl state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.addresses import site_of
from webcontent.crawl.discovery.links import NEXT_PAGE
from webcontent.crawl.incremental.store import FrontierEntry

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from scrapy.statscollectors import StatsCollector

    from webcontent.crawl.discovery.links import PrioritizedLink
    from webcontent.crawl.discovery.seedlist import Seed
    from webcontent.crawl.incremental.tracker import IncrementalTracker


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
        for number, seed in enumerate(self.seeds):
            if site_of(seed.url) == entry.site and seed.accepts(entry.url, entry.depth):
                return number
        return None
