"""A crawl that gives only what is new: what earlier runs gave is not asked for again, and nothing is lost or given twice.

The order of writing makes it so, whenever the process is killed:

1. the links of a page are in the store before its item leaves the spider;
2. the item's line is in the feed file, on the disk;
3. only then the store says that the page is done.

Killed before 2, the page is still an open lead and is asked for again. Killed between 2 and 3, the next run finds the line at
the end of the feed file and says so to the store. A half line is cut off.
Feeds that are whole only when they are closed (JSON, XML, Parquet, remote storages) count as written at the end of the crawl.
"""

from __future__ import annotations

import asyncio
import logging
import platform
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import DropItem, IgnoreRequest, NotConfigured
from scrapy.extensions.feedexport import FeedExporter, StdoutFeedStorage
from scrapy.http import Request, Response

from webcontent.crawl.config import Config
from webcontent.crawl.discovery.urls import address_key
from webcontent.crawl.incremental.store import ALIAS, ARTICLE, GONE, LIST, SOURCE, CrawlStateError, Record, digest_of, key_of, open_store
from webcontent.crawl.meta import RENDER_WISHES
from webcontent.crawl.output.files import FileStorage, LineFile, cut, is_locked, read_tail, stop
from webcontent.crawl.workers import WorkerPool
from webcontent.items import Article, Page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping
    from typing import Self

    from scrapy.crawler import Crawler

    from webcontent.crawl.incremental.store import FrontierEntry
    from webcontent.items import Listing

logger = logging.getLogger(__name__)

FLUSH_S = 1.0
"""How often what has been written is committed; a killed run repeats no page for it, it only reads back a longer end of its feed."""
GONE_DAYS = 7
"""After so long an address that led to no page is tried again."""
FRESH = 0.1
"""Share of the time since its last change for which a list counts as fresh (RFC 9111, 4.2.2): unchanged for ten days, it is left
alone for one. Seeds, feeds and sitemaps are always asked."""
ASKED_IF = "webcontent_asked_if"
"""Key of `request.meta` on a request that carries the validators of an earlier answer."""
IS_NEXT = "webcontent_is_next"
"""Key of `request.meta` on a request for a next page."""
MAY_BE_GONE = "webcontent_may_be_gone"
"""Key of `request.meta` on a request that is not sent to an address that lately led nowhere."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Unchanged(IgnoreRequest):
    """The server says that a page is what it was in an earlier run, which wrote `record`."""

    def __init__(self, message: str, record: Record) -> None:
        super().__init__(message)
        self.record = record


@dataclass(slots=True)
class PendingRecord:
    """What is to be written of a page once its item has passed the feeds."""

    keys: list[str]
    """Of the page's address, then of the others that led to it."""
    etag: str | None = None
    last_modified: str | None = None
    before: Record | None = None
    """What an earlier run wrote."""
    after: Record | None = None
    feeds: str = ""
    is_open: bool = False
    """The item is not whole: the page stays a lead."""


class IncrementalTracker:
    """The crawl's side of the store of WEBCONTENT_CRAWL_STATE. All methods run on the reactor's thread, the store's in threads."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.config = Config.from_settings(crawler.settings)
        if not self.config.enabled or not self.config.crawl_state:
            raise NotConfigured("WEBCONTENT_CRAWL_STATE names no store")
        self.stats = crawler.stats
        self.threads = WorkerPool.of(crawler, self.config.threads)
        self.store = open_store(self.config.crawl_state)  # one that can't be used ends the crawl here, before page one
        self._notes: dict[str, PendingRecord] = {}
        self._ready: dict[str, Record] = {}
        self._sizes: dict[str, int] = {}
        self._in_vain: set[str] = set()
        self._next_pages: set[str] = set()
        """Keys of lists that are asked again only where their first page has something new."""
        self._redirects: dict[str, list[str]] = {}
        """Keys of addresses by the key of the one that they led to."""
        self._task: asyncio.Task[None] | None = None
        self._failed = self._is_closed = False
        self._reconcile()
        _made[crawler] = self

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        monitor = cls(crawler)
        connect = crawler.signals.connect
        connect(monitor.open, signal=signals.spider_opened)
        connect(monitor.item_scraped, signal=signals.item_scraped)
        connect(monitor.item_dropped, signal=signals.item_dropped)
        connect(monitor.item_failed, signal=signals.item_error)
        connect(monitor.feeds_closed, signal=signals.feed_exporter_closed)
        connect(monitor.spider_closed, signal=signals.spider_closed)
        return monitor

    @classmethod
    def of(cls, crawler: Crawler) -> IncrementalTracker | None:
        """The crawl's monitor; None where there is no store."""
        return _made.get(crawler)

    # What is known

    async def known(self, urls: Iterable[str]) -> dict[str, Record]:
        """The records of those addresses that have one."""
        keys = {url: key_of(address_key(url)) for url in urls}
        records = {key: record for key in keys.values() if (record := self._ready.get(key)) is not None}
        missing = [key for key in dict.fromkeys(keys.values()) if key not in records]
        records |= await self._ask(lambda: self.store.get(missing)) or {}
        return {url: records[key] for url, key in keys.items() if key in records}

    def is_wanted(self, record: Record | None) -> bool:
        """Whether an address with this record is asked for in this run."""
        if record is None:
            return True
        now = time.time()
        if record.kind == GONE:
            return now - record.checked >= GONE_DAYS * 86_400
        if record.kind == LIST or record.kind == ARTICLE and self.config.changed:
            return now - record.checked >= FRESH * (record.checked - record.changed)
        return record.kind == SOURCE

    async def add_leads(self, leads: Iterable[FrontierEntry]) -> None:
        """Remembers links; when this returns they are on the disk."""
        by_key = {key_of(address_key(lead.url)): lead for lead in leads}
        if by_key:
            await self._ask(lambda: self.store.add_leads(by_key))

    async def leads(self, site: str) -> list[FrontierEntry]:
        """What earlier runs found on a site and did not get to."""
        return await self._ask(lambda: self.store.leads(site)) or []

    def count_failure(self, url: str) -> None:
        """A lead was asked for in vain."""
        self._in_vain.add(key_of(address_key(url)))

    # What is done

    async def note(self, page: Page, response: Response) -> None:
        """Remembers what is to be written when the page's item has passed the feeds."""
        assert response.request is not None
        others = [response.request.url, *response.request.meta.get("redirect_urls", ())]
        keys = list(dict.fromkeys(key_of(address_key(url)) for url in (response.url, *others)))
        before = await self.known([response.url])
        if response.request.meta.get(IS_NEXT):
            self._next_pages.update(keys)
        self._notes[page.url or ""] = PendingRecord(
            keys, *validators(response), before=before.get(response.url), feeds=" ".join(page.meta.get("feeds", ()))
        )

    def mark(self, urls: Iterable[str], kind: str) -> None:
        """Addresses that need no item: other addresses of a page, no pages, feeds."""
        now = time.time()
        for key in {key_of(address_key(url)) for url in urls}:
            self._ready.setdefault(key, Record(kind, checked=now, changed=now))
            self._finish_redirects(key, Record(kind, checked=now, changed=now))

    async def redirected(self, url: str, target: str) -> None:
        """An address that leads to another one is done when that one is."""
        key, of_target = key_of(address_key(url)), key_of(address_key(target))
        if key == of_target:
            return
        record = (await self.known([target])).get(target)
        self._redirects.setdefault(of_target, []).append(key)
        if record is not None and record.kind != LIST:
            self._finish_redirects(of_target, Record(ALIAS, checked=record.checked, changed=record.changed))

    def mark_source(self, response: Response) -> None:
        """A feed or sitemap that has been read, with what the server needs to say that it is unchanged."""
        etag, last_modified = validators(response)
        self._ready[key_of(address_key(response.url))] = Record(SOURCE, None, etag, last_modified, time.time())

    def still(self, url: str, record: Record) -> None:
        """A page that the server says is unchanged."""
        self._ready.setdefault(key_of(address_key(url)), replace(record, checked=time.time()))

    def look_at(self, item: Article | Listing) -> None:
        """Raises DropItem for an item that an earlier run gave; a changed one that is wanted again gets a time of change."""
        note = self._notes.get(item.url or "")
        if note is None:
            return
        if self._failed:  # nobody knows whether it was given
            note.is_open = True
            raise DropItem(f"{item.url} is left to the next run", log_level="DEBUG")
        now, digest, before = time.time(), digest_of(item), note.before
        is_changed = before is None or before.digest != digest
        changed = now if is_changed or before is None else before.changed
        # What leads on to others is asked again, whatever was made of it.
        kind = LIST if item.type == LIST or item.kind == "service" else ARTICLE
        note.after = Record(kind, digest, note.etag, note.last_modified, now, changed, note.feeds)
        if before is None or before.kind not in (ARTICLE, LIST):
            return
        if is_changed:
            self.stats.inc_value("webcontent/seen/changed")
        else:
            self.stats.inc_value("webcontent/seen/unchanged")
        if not is_changed or not self.config.changed:
            raise DropItem(f"{item.url} was given by an earlier run", log_level="DEBUG")
        if isinstance(item, Article) and not item.modified:
            item.modified = _iso(note.last_modified) or item.fetched_at

    def keep_open(self, url: str | None) -> None:
        """The page's item is not whole and is not given: the next run asks for it again."""
        if (note := self._notes.get(url or "")) is not None:
            note.is_open = True

    def add_keys(self, url: str | None, urls: Iterable[str]) -> None:
        """Further addresses that are done when the page at `url` is: the parts of a joined article."""
        if (note := self._notes.get(url or "")) is not None:
            note.keys += [key_of(address_key(other)) for other in urls]

    def item_scraped(self, item: Any) -> None:
        """Called when all feeds have the item."""
        note = self._take(item)
        if any(getattr(slot.exporter, "failed", None) for slot in self._slots()):
            return
        self._sizes = {file.path: file.tell() for file in self._files()}
        if note is not None:
            self._finish(note)

    def item_dropped(self, item: Any) -> None:
        """Somebody did not want it: it will not be wanted next time either."""
        note = self._take(item)
        if note is not None and not note.is_open:
            self._finish(note)

    def item_failed(self, item: Any) -> None:
        """A pipeline raised: the page stays a lead."""
        self._take(item)

    def _take(self, item: Any) -> PendingRecord | None:
        url = ItemAdapter(item).get("url") if ItemAdapter.is_item(item) else None
        return self._notes.pop(url or "", None)

    def _finish(self, note: PendingRecord) -> None:
        record = note.after or Record(ARTICLE, None, note.etag, note.last_modified, time.time(), time.time())
        other = Record(LIST if record.kind == LIST else ALIAS, checked=record.checked, changed=record.checked)
        self._ready |= dict.fromkeys(note.keys[1:], other) | {note.keys[0]: record}
        for key in note.keys:
            self._finish_redirects(key, other)

    def _finish_redirects(self, key: str, record: Record) -> None:
        for other in self._redirects.pop(key, ()):
            self._ready.setdefault(other, record)

    # Writing

    def open(self) -> None:
        """Names the feed files to the store before their first line is written."""
        paths = (Path(slot.storage.path).absolute() for slot in self._slots() if _grows(slot.storage))
        self._sizes = {str(path): path.stat().st_size if path.is_file() else 0 for path in paths}
        if self._sizes:
            self.store.put({}, {_feed_key(path): size for path, size in self._sizes.items()})
        self._task = asyncio.get_running_loop().create_task(self._flush_always())

    async def _flush_always(self) -> None:
        before: dict[str, int] = {}
        while True:
            await asyncio.sleep(FLUSH_S)
            if not self._is_by_line() or not self._ready:
                continue
            # The sizes are those of the last round, so that no line that is not in the batch lies before them.
            before, sizes = dict(self._sizes), before
            records, files = dict(self._ready), self._files()
            await self._ask(partial(self._write, records, sizes, files))
            if not self._failed:
                self._ready = {key: record for key, record in self._ready.items() if records.get(key) is not record}

    def _write(self, records: Mapping[str, Record], sizes: Mapping[str, int], files: Iterable[LineFile]) -> None:
        for file in files:
            file.sync()
        self.store.put(records, {_feed_key(path): size for path, size in sizes.items()}, self._standing(records))

    def _standing(self, records: Mapping[str, Record]) -> list[str]:
        return [key for key, record in records.items() if record.kind == LIST and key not in self._next_pages]

    def feeds_closed(self) -> None:
        failed = [name for name in self.stats.get_stats() if name.startswith("feedexport/failed_count/")]
        if failed and not self._is_by_line():
            logger.critical("The feed was not stored (see above); the next run asks for its %d pages again.", len(self._ready))
            self._ready.clear()
        self._close()

    def spider_closed(self) -> None:
        if self._task is not None:
            self._task.cancel()
        if not self._slots():  # else the feeds say when they are closed
            self._close()

    def _close(self) -> None:
        if self._is_closed:
            return
        _made.pop(self.crawler, None)
        self._is_closed = True
        if self._task is not None:
            self._task.cancel()
        try:
            if self._ready:
                self.store.put(dict(self._ready), standing=self._standing(self._ready))
            if self._in_vain:
                self.store.count_failures(self._in_vain)
            self.store.forget_feeds([_feed_key(path) for path in self._sizes])
        except CrawlStateError as error:
            if not self._failed:
                logger.critical("%s What the feeds hold is read back by the next run.", error)
        self.store.close()

    async def _ask(self, job: Callable[[], Any]) -> Any:
        """What the store answers; None when it fails, and then the crawl ends."""
        try:
            return await self.threads.run("seen", job)
        except (CrawlStateError, OSError) as error:
            if not self._failed and not self._is_closed:
                self._failed = True
                stop(self.crawler, "seen_failed", f"{error} The crawl stops; the next run goes on from here.")
            return None

    # The feed files

    def _slots(self) -> list[Any]:
        exporter = self.crawler.get_extension(FeedExporter)
        return exporter.slots if exporter else []

    def _files(self) -> list[LineFile]:
        return [slot.file for slot in self._slots() if isinstance(slot.file, LineFile) and not slot.file.closed]

    def _is_by_line(self) -> bool:
        """Whether what has been given to the feeds is on its way to the disk at once."""
        return all(_grows(slot.storage) or isinstance(slot.storage, StdoutFeedStorage) for slot in self._slots())

    def _reconcile(self) -> None:
        """Reads what a killed run wrote behind what it committed."""
        done = []
        for key, size in self.store.feeds().items():
            host, feed_format, path = _feed_of_key(key)
            if host != platform.node() or path.is_file() and is_locked(path):
                continue
            done.append(key)
            with suppress(OSError):
                self._read_back(path, size, feed_format)
        self.store.forget_feeds(done)

    def _read_back(self, path: Path, size: int, feed_format: str) -> None:
        items, end = read_tail(path, size, feed_format)
        now = time.time()
        records = {
            key_of(address_key(str(item["url"]))): Record(item.get("type") or ARTICLE, digest_of(item), checked=now, changed=now)
            for item in items
            if item.get("url")
        }
        known = self.store.get(list(records))
        missing = {key: record for key, record in records.items() if key not in known or known[key].digest != record.digest}
        if missing:
            logger.info("%s holds %d items of a run that was killed; they are not asked for again.", path, len(missing))
        self.store.put(missing)
        cut(path, end)


_made: WeakKeyDictionary[Crawler, IncrementalTracker] = WeakKeyDictionary()


class IncrementalMiddleware:
    """Spider's side: drops requests for what earlier runs gave, and notes each page. Downloader's side: asks for lists and feeds
    with If-None-Match and If-Modified-Since. Its place is next to the spider, and next to the downloader.

    Requests with `dont_filter` and start requests are never dropped.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        if not Config.from_settings(crawler.settings).crawl_state:
            raise NotConfigured("WEBCONTENT_CRAWL_STATE names no store")
        self.stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        monitor = IncrementalTracker.of(self.crawler)
        async for output in result:
            if monitor is not None and isinstance(output, Page):
                await monitor.note(output, response)
            if monitor is None or not isinstance(output, Request) or await self._passes(monitor, output):
                yield output

    async def _passes(self, monitor: IncrementalTracker, request: Request) -> bool:
        if request.dont_filter or request.method != "GET" or getattr(self.crawler.spider, "asks_seen", False):
            return True
        record = (await monitor.known([request.url])).get(request.url)
        if record is None or record.kind not in (ARTICLE, ALIAS) or monitor.is_wanted(record):
            return True
        self.stats.inc_value("webcontent/seen/skipped")
        return False

    async def process_request(self, request: Request) -> None:
        request.meta.pop(ASKED_IF, None)  # of a copied meta
        monitor = IncrementalTracker.of(self.crawler)
        if monitor is None or request.method != "GET" or RENDER_WISHES in request.meta or request.meta.get("dont_cache"):
            return
        record = (await monitor.known([request.url])).get(request.url)
        if request.meta.get(MAY_BE_GONE) and record is not None and not monitor.is_wanted(record):
            raise IgnoreRequest(f"{request.url} was not there lately")
        if record is None or record.kind not in ((ARTICLE,) if monitor.config.changed else (ARTICLE, LIST, SOURCE)):
            return  # where changed articles are wanted, lists have to be read for their links
        for name, value in (("If-None-Match", record.etag), ("If-Modified-Since", record.last_modified)):
            if value and name not in request.headers:
                request.headers[name] = value
                request.meta[ASKED_IF] = list(asdict(record).values())

    async def process_response(self, request: Request, response: Response) -> Response:
        values, monitor = request.meta.pop(ASKED_IF, None), IncrementalTracker.of(self.crawler)
        if monitor is not None and response.status in REDIRECTS and (target := response.headers.get("Location")):
            with suppress(ValueError):
                await monitor.redirected(request.url, urljoin(request.url, target.decode("utf-8", "replace")))
        if values and response.status == 304:
            if monitor is not None:
                monitor.still(request.url, Record(*values))
            self.stats.inc_value("webcontent/seen/not_modified")
            raise Unchanged(f"{request.url} is what it was", Record(*values))
        return response


def _grows(storage: Any) -> bool:
    """Whether a feed is added to line by line. One that is overwritten (-O) is not: a killed run's file does not outlive the next run."""
    return isinstance(storage, FileStorage) and storage.is_by_line and storage.write_mode == "ab"


def validators(response: Response) -> tuple[str | None, str | None]:
    """ETag and Last-Modified of a response."""
    etag, modified = (response.headers.get(name) for name in ("ETag", "Last-Modified"))
    return etag.decode("latin-1") if etag else None, modified.decode("latin-1") if modified else None


def _iso(http_time: str | None) -> str | None:
    try:
        return parsedate_to_datetime(http_time or "").astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, TypeError, OverflowError):
        return None


def _feed_key(path: str) -> str:
    """How a feed file is named in a store that several machines share."""
    return f"{platform.node()}:{'csv' if path.endswith('.csv') else 'jsonlines'}:{path}"


def _feed_of_key(key: str) -> tuple[str, str, Path]:
    host, feed_format, path = key.split(":", 2)
    return host, feed_format, Path(path)
