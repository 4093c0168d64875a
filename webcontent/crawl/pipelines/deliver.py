"""The last step of an item: which items leave the pipeline, with what, the counters, and what is kept of pages beside their items."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from scrapy.exceptions import DropItem

from webcontent.addresses import site_of
from webcontent.crawl.discovery.feeds_and_sitemaps import parse_feed_time
from webcontent.crawl.discovery.links import MIN_CHARACTERS, own_canonical
from webcontent.crawl.discovery.urls import address_key
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.screenshots import open_store
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.workers import WorkerPool
from webcontent.hashing import digest
from webcontent.items import Article, Candidate
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.items import Listing, Page

T = TypeVar("T")

MAX_SAVED = 1000
"""Pages that a crawl saves at most."""
MAX_DISTANCE = 3
"""Bits in which the 64-bit simhashes of two versions of one text may differ (Manku 2007, section 3)."""
BANDS, BAND_BITS = 4, 16
"""A simhash is compared with those that agree with it in one of its bands."""
MAX_BUCKET = 256
"""Fingerprints with the same band that are compared one by one; the latest are kept. 100,000 random fingerprints put 1.5 into a
bucket; without the limit, pages that are made to collide would each cost a comparison with all."""
MAX_ITEMS = 5_000_000
"""Items that are remembered; the earliest are forgotten first."""
DIGEST_BYTES = 16

Reason = Literal["address", "text", "near", "syndicated"]
"""The same canonical URL and text; the same title and text; nearly the same text; the text of another site's item."""
SYNDICATED: Final = "syndicated"
"""The flag, and the reason, of an item whose text another site had before."""
_NEVER = datetime.max.replace(tzinfo=UTC)
COPY = "copy"
"""Origin of a time that another site's item with the same text has."""


class ItemDelivery(FromCrawler):
    """Drops items that the settings leave out, flags duplicates, removes evidence and counts what is delivered.

    Keeps screenshots (WEBCONTENT_SCREENSHOT_STORE) and pages (WEBCONTENT_SAVE). A full disk costs what is kept, not the item.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = self.config
        self.workers = WorkerPool.of(crawler, config.threads)
        self.duplicates = None if config.duplicates == "keep" else Duplicates()
        self.store = open_store(config.screenshot_store, crawler) if config.screenshot_store else None
        self.archive = PageArchive(config.save, MAX_SAVED) if config.save else None

    def deliver(self, item: Article | Listing) -> Article | Listing:
        """The item, updated inline. Raises DropItem for one that does not leave the pipeline."""
        if (tracker := IncrementalTracker.of(self.crawler)) is not None:
            tracker.check_item(item)
        if item.type not in self.config.emit:
            raise DropItem(f"{item.url} is of type {item.type!r}, which WEBCONTENT_EMIT leaves out", log_level="DEBUG")
        self._check_duplicate(item)
        if not self.config.evidence:
            item.evidence = {}
        self.stats.inc_value(f"webcontent/items/{type(item).__name__}")
        self.stats.inc_value(f"webcontent/extractor/{item.extractor}")
        for flag in item.flags:
            self.stats.inc_value(f"webcontent/flags/{flag}")
        return item

    def _check_duplicate(self, item: Article | Listing) -> None:
        """Flags or drops a duplicate. A text of another site is flagged only, so that no site can suppress the items of another."""
        if self.duplicates is None or not (reason := self.duplicates.add(item)):
            return
        self.stats.inc_value("webcontent/duplicates")
        self.stats.inc_value(f"webcontent/duplicates/{reason}")
        if self.config.duplicates == "drop" and reason != SYNDICATED:
            raise DropItem(f"{item.url} is a duplicate of an earlier item ({reason})", log_level="DEBUG")
        item.flags = sorted({*item.flags, SYNDICATED if reason == SYNDICATED else "duplicate"})

    async def store_screenshot(self, page: Page, item: Article | Listing) -> None:
        """Stores the page's screenshot; `item` is updated inline."""
        if self.store is not None and page.screenshot:
            with self.workers.guard("store", page.url):
                item.screenshot = await self.store.save(page.screenshot, self.workers)

    async def item_to_save(self, item: Article | Listing) -> dict[str, Any] | None:
        """The item as it is now, for `save`; None if no page is saved."""
        return None if self.archive is None or self.archive.is_full else await self.workers.run("save", as_json, item)

    async def save(self, page: Page, item: dict[str, Any] | None) -> None:
        """Saves the page with the result of `item_to_save`."""
        if self.archive is not None and item is not None:
            with self.workers.guard("save", page.url):
                if await self.workers.run("save", self.archive.save, page, item):
                    self.stats.inc_value("webcontent/saved")


@dataclass(slots=True)
class _Copies:
    """What is known of the items with one text."""

    site: str | None
    """Of the first item."""
    time: str | None
    """The earliest publishing time of the items."""


class Duplicates:
    """Remembers the items of a crawl, about 1,000 bytes each.

    Within a site, an article is a duplicate when its body is nearly the same as an earlier one. A listing is a duplicate when title and
    body are equal, because the listings of a site share much of their text. Either is a duplicate when it has the canonical URL and
    the body of an earlier item, whatever its title.

    An item whose text another site had before is `syndicated`. It is not known which of the two is the original.
    """

    def __init__(self) -> None:
        self._texts: dict[bytes, None] = {}
        self._addresses: dict[bytes, None] = {}
        self._copies: dict[bytes, _Copies] = {}
        self._bands: dict[tuple[int, int], list[tuple[str, _Copies]]] = {}

    def add(self, item: Article | Listing) -> Reason | None:
        """Why the item is a duplicate; None for a new item. It is remembered either way. An item without text is never a duplicate.

        A syndicated item gets the earliest publishing time of its copies as the last candidate of its time.
        """
        if not item.body:
            return None
        site, time = site_of(item.url or ""), getattr(item, "time", None)
        text = "\x00".join((item.type, item.title or "", item.body))
        address = address_key(own_canonical(item.url, item.canonical_url) or item.url or "")
        is_own_address = bool(item.url) and _is_known(self._addresses, f"{item.type} {address} {item.body}")
        is_own_text = _is_known(self._texts, f"{site} {text}")
        own = _Copies(site, time)
        copies = [_remember(self._copies, digest(text, DIGEST_BYTES), own)]
        is_near_own = False
        if isinstance(item, Article) and item.fingerprint and len(item.body) >= MIN_CHARACTERS:
            near = self._add_fingerprint(item.fingerprint, own)
            is_near_own = any(other.site == site for other in near)
            copies += near
        earlier = next((other for other in copies if other.site != site), None)
        if earlier is not None:
            if earlier.time is not None:
                item.evidence = {**item.evidence, "time": [*item.evidence.get("time", ()), Candidate(earlier.time, COPY)]}
            earlier.time = min(filter(None, (earlier.time, time)), key=lambda text: parse_feed_time(text) or _NEVER, default=None)
        reasons: dict[Reason, bool] = {"address": is_own_address, "text": is_own_text, "near": is_near_own, SYNDICATED: earlier is not None}
        return next((reason for reason, holds in reasons.items() if holds), None)

    def _add_fingerprint(self, fingerprint: str, own: _Copies) -> list[_Copies]:
        """What is known of the articles with nearly the same text. It is remembered unless the site has one of them.

        Two values that differ in MAX_DISTANCE bits agree in at least one of their bands.
        """
        number = int(fingerprint, 16)
        keys = [(band, number >> BAND_BITS * band & (1 << BAND_BITS) - 1) for band in range(BANDS)]
        near = [copies for key in keys for other, copies in self._bands.get(key, ()) if is_near(fingerprint, other)]
        if all(copies.site != own.site for copies in near):
            for key in keys:
                bucket = self._bands.setdefault(key, [])
                bucket.append((fingerprint, own))
                del bucket[:-MAX_BUCKET]
        return near


def _remember(known: dict[bytes, T], key: bytes, value: T) -> T:
    found = known.setdefault(key, value)
    if len(known) > MAX_ITEMS:
        del known[next(iter(known))]
    return found


def _is_known(known: dict[bytes, None], text: str) -> bool:
    """Whether a text was added before; it is added."""
    is_known = (key := digest(text, DIGEST_BYTES)) in known
    _remember(known, key, None)
    return is_known


def is_near(one: str | None, other: str | None) -> bool:
    """Whether two texts are nearly the same, by their fingerprints."""
    return bool(one and other) and (int(one or "", 16) ^ int(other or "", 16)).bit_count() <= MAX_DISTANCE
