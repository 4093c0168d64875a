"""An incremental crawl delivers only what is new. It requests nothing that earlier runs have dealt with, and loses or repeats nothing.

The order of writing guarantees this, whenever the process is killed: the links of a page are in the store before its item leaves the
spider; the item's line is in the feed file, on the disk; then the store records that the page is done. docs/incremental.md says what
follows from it ("No item is lost or repeated").
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, finalize

from scrapy import signals
from scrapy.exceptions import DropItem, NotConfigured

from webcontent.crawl.discovery.feeds_and_sitemaps import parse_feed_time
from webcontent.crawl.incremental.feed_files import FeedFiles, feed_key, recover_feeds
from webcontent.crawl.incremental.store import (
    ALIAS,
    ARTICLE,
    BROKEN,
    GONE,
    LIST,
    SOURCE,
    CrawlRecord,
    CrawlStateError,
    broken_flags,
    digest_of,
    key_of,
    open_store,
)
from webcontent.crawl.meta import IS_NEXT_PAGE
from webcontent.crawl.scope import CrawlScope, FromCrawler
from webcontent.crawl.stopping import PostponedItem, stop_crawl
from webcontent.crawl.workers import WorkerPool
from webcontent.items import Article, Listing, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webcontent.crawl.incremental.store import FrontierEntry
    from webcontent.crawl.output.files import LineFile

logger = logging.getLogger(__name__)

FLUSH_S = 1.0
"""How often finished pages are recorded. A killed run repeats no page because of it; the next run reads back a longer end of the feed."""
GONE_S = 7 * 86_400
"""Seconds after which a URL that led to no page is requested again: a week."""
FRESH_SHARE = 0.1
"""Share of the time since its last change for which a listing counts as fresh (RFC 9111, 4.2.2). A listing that has not changed for
ten days is left alone for one. Seeds, feeds and sitemaps are always requested."""
LONGEST_S = 90 * 86_400
"""The longest time for which anything counts as fresh: a clock that stood at 1970 would make it years."""
BROKEN_S = 6 * 3600
"""Seconds after which a page that came without its content is requested again; then after half of the time since it first came so, at the
latest after GONE_S."""
_TRACKED = (Page, Article, Listing)
_NEW = CrawlRecord(ARTICLE)
_UNFINISHED = "%d pages are not recorded, because a spider middleware kept what the spider yielded. The next run requests them again."


class BrokenPage(DropItem):
    """The page came without its content again, and its item is not delivered a second time. `flags`: those that say so."""

    def __init__(self, message: str, flags: frozenset[str]) -> None:
        super().__init__(message, log_level="DEBUG")
        self.flags = flags


@dataclass(slots=True)
class PendingRecord:
    """What is recorded of a response as soon as all feeds have its items."""

    keys: list[str] = field(default_factory=list)
    """Of the page's URL, then of the other URLs that led to it. Empty while the response has given no page and no item of ours."""
    items: int = 0
    is_lost: bool = False
    """Whether one of them was not delivered, so that the next run requests the page again."""
    before: CrawlRecord | None = None
    after: CrawlRecord = _NEW


class IncrementalTracker(FromCrawler):
    """Keeps the crawl state. All methods run on the reactor's thread; the store is used in worker threads."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not self.config.crawl_state:
            raise NotConfigured("WEBCONTENT_CRAWL_STATE names no store")
        self.workers = WorkerPool.of(crawler)
        self.feeds = FeedFiles(crawler)
        self.store = open_store(self.config.crawl_state)  # a store that can't be used ends the crawl before its first page
        self._pending: WeakKeyDictionary[Response, PendingRecord] = WeakKeyDictionary()
        self._of_items: dict[int, PendingRecord] = {}
        """By the identity of the page or item that a spider yielded."""
        self._unfinished: set[str] = set()
        """First keys of the pending records whose items are on their way."""
        self._records: dict[str, CrawlRecord] = {}
        """Not written yet, by key."""
        self._sizes: dict[str, int] = {}
        """Bytes of the feed files that hold finished items, by `feed_key`."""
        self._broken_since: dict[str, float] = {}
        """When pages that came without their content came so first, by key."""
        self._failures: set[str] = set()
        self._next_pages: set[str] = set()
        """Keys of listings that are requested again only where their first page has something new."""
        self._feeds_of_seeds: dict[str | None, Iterable[str]] = {}
        """By the URL of the seed's page, until the page is added."""
        self._redirects: dict[str, list[str]] = {}
        """Keys of redirected URLs by the key of their target."""
        self._task: asyncio.Task[None] | None = None
        self._has_failed = self._is_closed = False
        recover_feeds(self.store)
        CrawlScope.of(crawler).part(IncrementalTracker, lambda: self)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        tracker = cls(crawler)
        for name in ("spider_opened", "item_scraped", "item_dropped", "item_error", "feed_exporter_closed", "spider_closed"):
            crawler.signals.connect(getattr(tracker, name), signal=getattr(signals, name))
        return tracker

    @classmethod
    def of(cls, crawler: Crawler) -> IncrementalTracker | None:
        """The crawl's tracker; None when the crawl is not incremental."""
        return CrawlScope.of(crawler).find(IncrementalTracker)

    # What is known

    async def records_of(self, urls: Iterable[str]) -> dict[str, CrawlRecord]:
        keys = {url: key_of(url) for url in urls}
        records = {key: self._records[key] for key in keys.values() if key in self._records}
        missing = [key for key in dict.fromkeys(keys.values()) if key not in records]
        records |= await self._run(lambda: self.store.get(missing)) or {}
        self._broken_since |= {key: record.changed for key, record in records.items() if record.kind == BROKEN}
        return {url: records[key] for url, key in keys.items() if key in records}

    def is_due(self, record: CrawlRecord | None) -> bool:
        """Whether a URL with this record is requested in this run."""
        if record is None:
            return True
        age = time.time() - record.checked
        revisited = (GONE, BROKEN, LIST, ARTICLE) if self.config.changed else (GONE, BROKEN, LIST)
        if record.kind not in revisited:
            return record.kind == SOURCE
        unchanged_s = record.checked - record.changed
        pauses = {GONE: GONE_S, BROKEN: min(GONE_S, max(BROKEN_S, unchanged_s / 2))}
        fresh_s = pauses.get(record.kind, min(LONGEST_S, FRESH_SHARE * unchanged_s))
        return age < 0 or age >= fresh_s  # a negative age: the clock was wrong, then or now

    async def add_entries(self, entries: Iterable[FrontierEntry]) -> None:
        """Adds links to the frontier; they are on the disk when this returns."""
        if by_key := {key_of(entry.url): entry for entry in entries}:
            await self._run(lambda: self.store.add_entries(by_key))

    async def frontier(self, site: str) -> list[FrontierEntry]:
        """Links that earlier runs found on a site and did not get to."""
        return await self._run(lambda: self.store.frontier(site)) or []

    # What is done

    def note_feeds(self, page: Page, feeds: Iterable[str]) -> None:
        """Notes the feeds that a seed's page names, before the page is added. Later runs request them even if it has not changed."""
        self._feeds_of_seeds[page.url] = feeds

    async def add_item(self, item: Any, response: Response) -> None:
        """Notes what a spider yields. The record of its response is written when all feeds have the items of the response."""
        pending = self._pending.setdefault(response, PendingRecord())
        pending.items += 1
        if not isinstance(item, _TRACKED):
            return
        self._of_items[id(item)] = pending
        finalize(item, self._of_items.pop, id(item), None).atexit = False
        if pending.keys:
            self._unfinished.add(pending.keys[0])
            return
        assert response.request is not None
        others = [response.request.url, *response.request.meta.get("redirect_urls", ())]
        pending.keys = list(dict.fromkeys(map(key_of, (response.url, *others))))
        now, feeds = time.time(), " ".join(self._feeds_of_seeds.pop(item.url, ()))
        pending.after = CrawlRecord(ARTICLE, None, *validators(response), now, now, feeds)
        self._unfinished.add(pending.keys[0])
        if response.request.meta.get(IS_NEXT_PAGE):
            self._next_pages.update(pending.keys)
        pending.before = (await self.records_of([response.url])).get(response.url)

    def add_urls(self, url: str | None, urls: Iterable[str]) -> None:
        """Further URLs that are done when the page at `url` is: those of the parts of a multipage article."""
        for response, pending in self._pending.items():
            if response.url == url:
                pending.keys += map(key_of, urls)

    def record(self, urls: Iterable[str], kind: str) -> None:
        """Records URLs that give no item: other URLs of a page, URLs without a page, feeds."""
        now = time.time()
        for key in map(key_of, urls):
            record = CrawlRecord(kind, checked=now, changed=self._broken_since.get(key, now) if kind == BROKEN else now)
            self._records.setdefault(key, record)
            self._record_redirects_to(key, record)

    async def record_redirect(self, url: str, target: str) -> None:
        """Records another URL of a page when the page is recorded."""
        key, target_key = key_of(url), key_of(target)
        if key != target_key:
            record = (await self.records_of([target])).get(target)
            self._redirects.setdefault(target_key, []).append(key)
            if record is not None and record.kind != LIST:
                self._record_redirects_to(target_key, alias_of(record))

    def record_source(self, response: Response) -> None:
        self._records[key_of(response.url)] = CrawlRecord(SOURCE, None, *validators(response), time.time())

    def record_unchanged(self, url: str, record: CrawlRecord) -> None:
        self._records.setdefault(key_of(url), record._replace(checked=time.time()))

    def count_failures(self, urls: Iterable[str]) -> None:
        self._failures.update(map(key_of, urls))

    def check_item(self, item: Article | Listing, page: Page | None = None) -> None:
        """Completes the record of the item's page. Raises DropItem for an item that an earlier run delivered.

        With WEBCONTENT_CHANGED an item whose text has changed passes; `modified` is set in it where it is missing. An item without the
        content of its page passes once, and never in place of a whole one. `page`: from which the item was made.
        """
        if (pending := self._pending_of(page or item)) is None:
            return
        if self._has_failed:  # it is unknown whether the item was delivered
            raise PostponedItem(f"{item.url} is left to the next run")
        before, digest = pending.before, digest_of(item)
        is_changed = before is None or before.digest != digest
        if flags := broken_flags(item):
            pending.after = _broken_record(pending, digest, flags)
            if before is not None and before.kind in (ARTICLE, LIST, BROKEN):
                raise BrokenPage(f"{item.url} came without its content again: {', '.join(sorted(flags))}", flags)
            return
        now = time.time()
        changed = before.changed if before is not None and not is_changed else now
        # A page that leads to others is requested again, even if its item is an article.
        kind = LIST if item.type == LIST or item.kind == "service" else ARTICLE
        pending.after = pending.after._replace(kind=kind, digest=digest, checked=now, changed=changed)
        if before is None or before.kind not in (ARTICLE, LIST):
            return
        self.stats.inc_value("webcontent/crawl_state/changed" if is_changed else "webcontent/crawl_state/unchanged")
        if not is_changed or not self.config.changed:
            raise DropItem(f"{item.url} was delivered by an earlier run", log_level="DEBUG")
        if isinstance(item, Article) and not item.modified:
            time_sent = parse_feed_time(pending.after.last_modified)
            item.modified = time_sent.isoformat(timespec="seconds") if time_sent else item.fetched_at

    def _pending_of(self, item: Page | Article | Listing) -> PendingRecord | None:
        """The record of what a spider yielded; by its URL, if a pipeline has put another object in its place."""
        by_url = (pending for response, pending in self._pending.items() if response.url == item.url)
        return self._of_items.get(id(item)) or next(by_url, None)

    def item_scraped(self, item: Any, response: Response | None) -> None:
        """Scrapy's signal when all feeds have an item of the response."""
        if not self.feeds.have_failed:
            self._sizes = {feed_key(file.path): file.tell() for file in self.feeds.open_files()}
        self._settle(response, is_lost=self.feeds.have_failed)

    def item_dropped(self, item: Any, response: Response | None, exception: BaseException) -> None:
        """Scrapy's signal when a pipeline drops an item. The page is done, unless its item is postponed."""
        self._settle(response, is_lost=isinstance(exception, PostponedItem))

    def item_error(self, item: Any, response: Response | None) -> None:
        """Scrapy's signal when a pipeline raises an error. The page stays in the frontier."""
        self._settle(response, is_lost=isinstance(item, _TRACKED))

    def _settle(self, response: Response | None, *, is_lost: bool) -> None:
        """Counts one item of the response as done. With the last one, the page is."""
        pending = self._pending.get(response) if response is not None else None
        if response is None or pending is None:
            return
        pending.items -= 1
        pending.is_lost |= is_lost
        if pending.items <= 0:
            self._unfinished.difference_update(pending.keys[:1])
            if pending.keys and not pending.is_lost:
                self._finish(pending)

    def _finish(self, pending: PendingRecord) -> None:
        alias = alias_of(pending.after)
        self._records |= dict.fromkeys(pending.keys[1:], alias) | {pending.keys[0]: pending.after}
        for key in pending.keys:
            self._record_redirects_to(key, alias)

    def _record_redirects_to(self, key: str, record: CrawlRecord) -> None:
        for other in self._redirects.pop(key, ()):
            self._records.setdefault(other, record)

    # Writing

    def spider_opened(self) -> None:
        """Names the feed files to the store before their first line is written."""
        self._sizes = self.feeds.initial_sizes()
        if self._sizes:
            self.store.put({}, self._sizes)
        self._task = asyncio.get_running_loop().create_task(self._flush_periodically())

    async def _flush_periodically(self) -> None:
        before: dict[str, int] = {}
        while True:
            await asyncio.sleep(FLUSH_S)
            if not self.feeds.are_by_line or not self._records:
                continue
            # The sizes are those of the last round, so that every line before them belongs to a record of this or an earlier batch.
            before, sizes = dict(self._sizes), before
            records = dict(self._records)
            await self._run(partial(self._write, records, sizes, self.feeds.open_files()))
            if not self._has_failed:
                self._records = {key: record for key, record in self._records.items() if records.get(key) is not record}

    def _write(self, records: Mapping[str, CrawlRecord], sizes: Mapping[str, int], files: Iterable[LineFile]) -> None:
        for file in files:
            file.sync()
        self.store.put(records, sizes, self._standing(records))

    def _standing(self, records: Mapping[str, CrawlRecord]) -> list[str]:
        return [key for key, record in records.items() if record.kind in (LIST, BROKEN) and key not in self._next_pages]

    def feed_exporter_closed(self) -> None:
        """Scrapy's signal when all feeds are closed."""
        failed = [name for name in self.stats.get_stats() if name.startswith("feedexport/failed_count/")]
        if failed and not self.feeds.are_by_line:
            logger.critical("The feed was not stored (see above); the next run requests its %d pages again.", len(self._records))
            self._records.clear()
        self._close()

    def spider_closed(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if not self.feeds.slots:  # otherwise `feed_exporter_closed` is called
            self._close()

    def _close(self) -> None:
        if self._is_closed:
            return
        CrawlScope.of(self.crawler).forget(IncrementalTracker)
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
        try:
            if self._records:
                self.store.put(dict(self._records), standing=self._standing(self._records))
            if self._failures:
                self.store.count_failures(self._failures)
            self.store.forget_feeds(self._sizes)
            if self._unfinished:
                logger.warning(_UNFINISHED, len(self._unfinished))
        except CrawlStateError as error:
            if not self._has_failed:
                logger.critical("%s The next run reads back what the feeds hold.", error)
        self.store.close()

    async def _run(self, job: Callable[[], Any]) -> Any:
        """The result of a store's method in a worker thread. A store that fails ends the crawl, and the result is None."""
        try:
            return await self.workers.run("crawl_state", job)
        except (CrawlStateError, OSError) as error:
            if not self._has_failed and not self._is_closed:
                self._has_failed = True
                stop_crawl(self.crawler, "crawl_state_failed", f"{error} The crawl stops; the next run goes on from here.")
            return None


def alias_of(record: CrawlRecord) -> CrawlRecord:
    """The record of another URL of a page. One that leads to a list or to a page without its content is requested again, too."""
    return CrawlRecord(record.kind if record.kind in (LIST, BROKEN) else ALIAS, checked=record.checked, changed=record.changed)


def _broken_record(pending: PendingRecord, digest: str, flags: frozenset[str]) -> CrawlRecord:
    """The record of a page that came without its content. That of a whole page stays, so that the page is not delivered again."""
    now, before = time.time(), pending.before
    if before is not None and before.kind in (ARTICLE, LIST):
        return before._replace(checked=now)
    first = before.changed if before is not None and before.kind == BROKEN else now
    kind = ARTICLE if flags == {"paywall"} and now - first > 2 * GONE_S else BROKEN  # then the teaser is the item
    return pending.after._replace(kind=kind, digest=digest, checked=now, changed=first)


def validators(response: Response) -> tuple[str | None, str | None]:
    etag, modified = (response.headers.get(name) for name in ("ETag", "Last-Modified"))
    return etag.decode("latin-1") if etag else None, modified.decode("latin-1") if modified else None
