"""The second pipeline: makes an item of each Page, joins further pages, keeps what the settings say, and delivers the item."""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from itemadapter.adapter import DataclassAdapter
from scrapy import signals
from scrapy.exceptions import DropItem

from webcontent.addresses import site_of
from webcontent.crawl.incremental.store import broken_flags
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.screenshots import ScreenshotStore
from webcontent.crawl.pipelines.classify import PageReadings
from webcontent.crawl.pipelines.duplicates import SYNDICATED, Duplicates
from webcontent.crawl.pipelines.multipage import MultipageAssembler
from webcontent.crawl.scope import CrawlPart, FromCrawler
from webcontent.extraction import PageContext
from webcontent.extractors.ngfv.positions import visual_tree
from webcontent.extractors.ngfv.reference_pages import Sites
from webcontent.history.host import SiteHistory
from webcontent.history.prior import MODEL
from webcontent.items import ARTICLE, Article, Listing, Page
from webcontent.pipeline import Failure, check_options, choose_extractor, make_item
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.pipelines.classify import PageReading
    from webcontent.crawl.pipelines.pager import Pager
    from webcontent.extractors.ngfv.positions import VisualTree
    from webcontent.history.host import HostProfile
    from webcontent.pipeline import Options


logger = logging.getLogger(__name__)

MAX_SAVED = 1000


class OurItemAdapter(DataclassAdapter):
    """itemadapter's for dataclasses, but that a field that an item of ours lacks costs a sentence in the log and not the item."""

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        return issubclass(item_class, (Article, Listing))

    def __setitem__(self, field_name: str, value: Any) -> None:
        if field_name in self.field_names():
            super().__setitem__(field_name, value)
        else:
            _say_unknown(type(self.item).__name__, field_name)


@cache
def _say_unknown(name: str, field_name: str) -> None:
    logger.error("%s has no field %r. What is set there is left out; a subclass of %s with this field keeps it.", name, field_name, name)


class CrawlHistory(CrawlPart):
    """The site history of a crawl, where WEBCONTENT_SITE_HISTORY wants one."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.history = SiteHistory()
        if self.config.site_history:
            self.config.options().models.load(MODEL)  # a missing model ends the crawl before its first page
            crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_closed(self) -> None:
        self.stats.set_value("webcontent/site_history/hosts", len(self.history))

    def profile_for(self, url: str | None, page_type: str) -> HostProfile | None:
        """The profile of a page's host, to read and to learn from; None for a page without URL, and where no history is wanted."""
        profile = self.history.find(url) if self.config.site_history else None
        if profile is not None and profile.count and page_type == ARTICLE:
            self.stats.inc_value("webcontent/site_history/pages")
        return profile


class PageExtractor:
    """Makes the items of pages. Raises ModelError or ValueError before the first page if models or extractors are missing."""

    def __init__(self, crawler: Crawler, options: Options) -> None:
        self.options = options
        self.readings = PageReadings.of(crawler)
        self.workers = self.readings.workers
        self.assembler = MultipageAssembler.of(crawler)
        self.history = CrawlHistory.of(crawler)
        self.sites = Sites()
        check_options(options)

    async def extract(self, page: Page) -> tuple[PageReading, Article | Listing, Pager | None]:
        """What is known of a page, its item without further pages, and the pager of an article that may have some.

        The reading has no document afterwards.
        """
        reading = await self.readings.classify(page)
        with self.workers.page():
            reference_pages = await self._reference_pages(reading)
            pager = await self.assembler.pager(reading)
            return reading, await self.make_item(reading, reference_pages), pager

    async def _reference_pages(self, reading: PageReading) -> tuple[VisualTree, ...]:
        """Trees of earlier pages of the site; none of a page without boxes, and of the first page of a design."""
        with self.workers.guard("reference_page", reading.page.url):
            extractor = choose_extractor(reading.page, PageContext(page_type=reading.known_type), self.options)
            if reading.document is not None and "reference_page" in getattr(extractor, "needs", ()):
                site, tree = site_of(reading.page.url or ""), await self.workers.run("reference_page", visual_tree, reading.document)
                if site is not None and tree is not None:
                    return await self.workers.run("reference_page", self.sites.find(site, reading.known_type.type).add, tree)
        return ()

    async def make_item(self, reading: PageReading, reference_pages: tuple[VisualTree, ...] = ()) -> Article | Listing:
        """The item of one page, whatever fails on the way. The reading has no document afterwards."""
        document, reading.document = reading.document, None  # parsed pages are large, and further pages may have to be waited for
        if document is None:
            return reading.finished(None)
        failures: list[Failure] = []
        item, page_type = None, reading.known_type
        with reading.guard(self.workers, "extraction"):
            host = self.history.profile_for(document.url, page_type.type)
            context = PageContext(page_type=page_type, host=host, reference_pages=reference_pages, models=self.options.models)
            item = await self.workers.run("extraction", make_item, failures, document, context, self.options)
        for failure in failures:
            self.workers.failed(failure.stage, reading.page.url, failure.error)
        return reading.finished(item)


class ExtractionPipeline(FromCrawler):
    """Makes an Article or a Listing of each Page, by the extractor that the route of its type names.

    A Page that did not pass PageTypePipeline, or that another pipeline has put in its place, is classified here. Drops items that the
    settings leave out, flags duplicates, and counts what is delivered. Keeps screenshots (WEBCONTENT_SCREENSHOT_STORE) and pages
    (WEBCONTENT_SAVE). A full disk costs what is kept, not the item.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if OurItemAdapter not in ItemAdapter.ADAPTER_CLASSES:  # as itemadapter's documentation extends it
            ItemAdapter.ADAPTER_CLASSES = deque((OurItemAdapter, *ItemAdapter.ADAPTER_CLASSES))
        config = self.config
        self.extractor = PageExtractor(crawler, replace(config.options(), evidence=True))  # saved pages keep the evidence
        self.workers = self.extractor.workers
        self.duplicates = None if config.duplicates == "keep" else Duplicates()
        self.store = ScreenshotStore(config.screenshot_store, crawler) if config.screenshot_store else None
        self.archive = PageArchive(config.save) if config.save else None
        self.saved = 0

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page):
            if isinstance(item, (Article, Listing)):  # made by the spider itself
                self._check(item)
            return item
        reading, made, pager = await self.extractor.extract(item)
        with self.workers.page():
            # Before other pages are joined: a check sees this page alone.
            saved = await self.workers.run("save", as_json, made) if self.archive and self.saved < MAX_SAVED else None
            if self.store is not None and item.screenshot:
                with self.workers.guard("store", item.url):
                    made.screenshot = await self.store.save(item.screenshot, self.workers)
        if pager is not None and pager.number == 1 and isinstance(made, Article):
            # Not in flight, since its further pages may have to wait for capacity.
            made = await self.extractor.assembler.assemble(pager, reading.page, made, self.extractor.extract)
        with self.workers.page():
            self._deliver(made, item)
            if self.archive is not None and saved is not None and self.saved < MAX_SAVED:
                self.saved += 1
                folder = None
                with self.workers.guard("save", item.url):
                    folder = await self.workers.run("save", self.archive.save, reading.page, saved)
                if folder is None:
                    self.saved -= 1
                else:
                    self.stats.inc_value("webcontent/saved")
        return made

    def _check(self, item: Article | Listing, page: Page | None = None) -> None:
        """Raises DropItem for an item that an earlier run delivered. `page`: from which the item was made."""
        if broken_flags(item):
            self.stats.inc_value("webcontent/broken")
        if (tracker := IncrementalTracker.of(self.crawler)) is not None:
            tracker.check_item(item, page)

    def _deliver(self, item: Article | Listing, page: Page) -> None:
        """Updates the item inline. Raises DropItem for one that does not leave the pipeline."""
        self._check(item, page)
        if item.type not in self.config.emit:
            raise DropItem(f"{item.url} is of type {item.type!r}, which WEBCONTENT_EMIT leaves out", log_level="DEBUG")
        self._check_duplicate(item)
        if not self.config.evidence:
            item.evidence = {}
        self.stats.inc_value(f"webcontent/items/{type(item).__name__}")
        self.stats.inc_value(f"webcontent/extractor/{item.extractor}")
        for flag in item.flags:
            self.stats.inc_value(f"webcontent/flags/{flag}")

    def _check_duplicate(self, item: Article | Listing) -> None:
        """Flags or drops a duplicate. A text of another site is flagged only, so that no site can suppress the items of another."""
        if self.duplicates is None or not (reason := self.duplicates.add(item)):
            return
        self.stats.inc_value("webcontent/duplicates")
        self.stats.inc_value(f"webcontent/duplicates/{reason}")
        if self.config.duplicates == "drop" and reason != SYNDICATED:
            raise DropItem(f"{item.url} is a duplicate of an earlier item ({reason})", log_level="DEBUG")
        item.flags = sorted({*item.flags, SYNDICATED if reason == SYNDICATED else "duplicate"})
