"""The last step of an item: which items leave the pipeline, with what, the counters, and what is kept of pages beside their items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from scrapy.exceptions import DropItem

from webcontent.addresses import site_of
from webcontent.crawl.discovery.links import MIN_CHARACTERS
from webcontent.crawl.incremental.store import broken_flags
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.screenshots import ScreenshotStore
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.workers import WorkerPool
from webcontent.hashing import LONG, digest
from webcontent.items import Article
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.items import Listing, Page

MAX_SAVED = 1000
"""Pages that a crawl saves at most."""
MAX_DISTANCE = 3
"""Bits in which the 64-bit simhashes of two versions of one text may differ (Manku 2007, section 3)."""
BAND_DIGITS = 4
"""Of the 16 digits of a simhash, which is compared with those that have the same digits in one of its bands."""
MAX_BUCKET = 256
"""Fingerprints with the same band that are compared one by one; the latest are kept. 100,000 random fingerprints put 1.5 into a
bucket; without the limit, pages that are made to collide would each cost a comparison with all."""
MAX_ITEMS = 5_000_000
"""Items that are remembered; the earliest are forgotten first."""

Reason = Literal["text", "near", "syndicated"]
"""The same title and text; nearly the same text; the text of another site's item."""
SYNDICATED: Final = "syndicated"
"""The flag, and the reason, of an item whose text another site had before."""


class ItemDelivery(FromCrawler):
    """Drops items that the settings leave out, flags duplicates, removes evidence and counts what is delivered.

    Keeps screenshots (WEBCONTENT_SCREENSHOT_STORE) and pages (WEBCONTENT_SAVE). A full disk costs what is kept, not the item.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        config = self.config
        self.workers = WorkerPool.of(crawler, config.threads)
        self.duplicates = None if config.duplicates == "keep" else Duplicates()
        self.store = ScreenshotStore(config.screenshot_store, crawler) if config.screenshot_store else None
        self.archive = PageArchive(config.save, MAX_SAVED) if config.save else None

    def check(self, item: Article | Listing, page: Page | None = None) -> None:
        """Raises DropItem for an item that an earlier run delivered. `page`: from which the item was made."""
        if broken_flags(item):
            self.stats.inc_value("webcontent/broken")
        if (tracker := IncrementalTracker.of(self.crawler)) is not None:
            tracker.check_item(item, page)

    def deliver(self, item: Article | Listing, page: Page) -> Article | Listing:
        """The item, updated inline. Raises DropItem for one that does not leave the pipeline."""
        self.check(item, page)
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


class Duplicates:
    """Remembers the items of a crawl, about 1,000 bytes each.

    Within a site, an article is a duplicate when its body is nearly the same as an earlier one. A listing is a duplicate when title and
    body are equal, because the listings of a site share much of their text.

    An item whose text another site had before is `syndicated`. It is not known which of the two is the original.
    """

    def __init__(self) -> None:
        self._texts: dict[bytes, set[str | None]] = {}
        """Digest of a text -> the sites that had it."""
        self._bands: dict[tuple[int, str], list[tuple[str, str | None]]] = {}
        """Number and digits of a band -> fingerprints with it, and their sites."""

    def add(self, item: Article | Listing) -> Reason | None:
        """Why the item is a duplicate; None for a new item. It is remembered either way. An item without text is never a duplicate."""
        if not item.body:
            return None
        site = site_of(item.url or "")
        sites = self._texts.setdefault(digest("\x00".join((item.type, item.title or "", item.body)), LONG), set())
        has_fingerprint = isinstance(item, Article) and item.fingerprint and len(item.body) >= MIN_CHARACTERS
        near = self._add_fingerprint(item.fingerprint or "", site) if has_fingerprint else []
        reason: Reason | None = "text" if site in sites else "near" if site in near else SYNDICATED if sites or near else None
        sites.add(site)
        if len(self._texts) > MAX_ITEMS:
            del self._texts[next(iter(self._texts))]
        return reason

    def _add_fingerprint(self, fingerprint: str, site: str | None) -> list[str | None]:
        """The sites of articles with nearly the same text. It is remembered unless the site has one of them.

        Two values that differ in MAX_DISTANCE bits agree in at least one of their bands.
        """
        keys = [(place, fingerprint[place : place + BAND_DIGITS]) for place in range(0, len(fingerprint), BAND_DIGITS)]
        near = [other_site for key in keys for other, other_site in self._bands.get(key, ()) if is_near(fingerprint, other)]
        if site not in near:
            for key in keys:
                bucket = self._bands.setdefault(key, [])
                bucket.append((fingerprint, site))
                del bucket[:-MAX_BUCKET]
        return near


def is_near(one: str | None, other: str | None) -> bool:
    """Whether two texts are nearly the same, by their fingerprints."""
    return bool(one and other) and (int(one or "", 16) ^ int(other or "", 16)).bit_count() <= MAX_DISTANCE
