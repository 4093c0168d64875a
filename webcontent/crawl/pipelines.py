"""Page items in, Article and Listing items out. Items of other classes pass through untouched."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from webcontent.crawl.config import Config
from webcontent.crawl.discovery.multipage import MultipageAssembler
from webcontent.crawl.incremental.duplicates import Duplicates
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.screenshots import open_store
from webcontent.crawl.reference_pages import Companions
from webcontent.crawl.site_history import CrawlHistory
from webcontent.crawl.workers import WorkerPool
from webcontent.extraction import PageContext
from webcontent.items import Article, Listing, Page, PageType
from webcontent.pagetype import load_models
from webcontent.pipeline import UNKNOWN, Failure, check_options, choose_extractor, classify, failed_item, make_item, read
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from webcontent.crawl.discovery.multipage import Pager
    from webcontent.document.parsing import Document
    from webcontent.document.positions import VisualTree
    from webcontent.pipeline import Options

DOCUMENT, PAGE_TYPE = "document", "page_type"
"""Keys of `Page.meta` under which one stage leaves its work for the next; pages are not serialised between pipelines."""


class PageTypePipeline:
    """Says of each Page whether it is an article or a list. The answer waits in the page's meta for ExtractionPipeline."""

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        self.options = self.config.options()
        self.stats = crawler.stats
        self.threads = WorkerPool.of(crawler, self.config.threads)
        load_models(self.options.page_type_model, models=self.options.models)  # a missing model ends the crawl here, before page one

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page):
            return item
        with self.threads.page():
            item.meta[PAGE_TYPE] = await self._classify(item)
        return item

    async def _classify(self, page: Page) -> PageType:
        self.stats.inc_value("webcontent/pages")
        page_type = UNKNOWN
        if document := await read_document(page, self.threads, self.options):
            try:
                page_type = await self.threads.run("pagetype", classify, document, self.options)
            except Exception as error:  # the same border
                self.threads.failed("pagetype", page.url, error)
        self.stats.inc_value(f"webcontent/type/{page_type.type}")
        self.stats.inc_value(f"webcontent/kind/{page_type.kind}")
        return page_type


class ExtractionPipeline:
    """Makes an Article or a Listing of each Page, by the extractor that the route of its type names.

    A Page that did not pass PageTypePipeline is classified here.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.config = Config.from_settings(crawler.settings)
        self.options = replace(self.config.options(), evidence=True)  # what is left out of feeds is taken off at the end
        self.stats = crawler.stats
        self.threads = WorkerPool.of(crawler, self.config.threads)
        self.assembler = MultipageAssembler.of(crawler)
        self.page_type = PageTypePipeline(crawler)
        self.history = CrawlHistory.of(crawler)
        self.companions = Companions(crawler, self.threads)
        self.duplicates = None if self.config.duplicates == "keep" else Duplicates()
        self.store = open_store(self.config.screenshot_store, crawler) if self.config.screenshot_store else None
        self.recorder = PageArchive(self.config.save, self.config.save_limit) if self.config.save else None
        check_options(self.options)  # as above: before page one

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page):
            return item
        if PAGE_TYPE not in item.meta:
            await self.page_type.process_item(item)
        trees = await self._reference_pages(item)  # it may wait for another page, so it is not among the pages in flight
        with self.threads.page():
            made, pager = await self._make_part(item, trees)
            # The item as the page itself gives it, before others are joined to it: what can be checked later.
            alone = await self.threads.run("save", as_json, made) if self._records else None
            await self._store_screenshot(item, made)
        if pager is not None and isinstance(made, Article) and pager.number == 1:
            # Not among the pages in flight: its further pages may have to wait for room themselves.
            made = await self.assembler.join(pager, item, made, self._fetch_part)
        with self.threads.page():
            if (monitor := IncrementalTracker.of(self.crawler)) is not None:
                monitor.look_at(made)
            made = self._finish(made)
            if alone is not None:
                await self._record(item, alone)
        return made

    async def _make_part(self, page: Page, trees: tuple[VisualTree, ...]) -> tuple[Article | Listing, Pager | None]:
        """The item of a page, and the pager of an article that may continue on further pages."""
        document: Document | None = page.meta.get(DOCUMENT)
        pager = await self.assembler.pager(document, page.meta[PAGE_TYPE]) if document is not None else None
        return await self.make(page, trees), pager

    async def _fetch_part(self, page: Page) -> tuple[Article | Listing, Pager | None]:
        """The same for a further page of an article."""
        await self.page_type.process_item(page)
        trees = await self._reference_pages(page)
        with self.threads.page():
            return await self._make_part(page, trees)

    async def _reference_pages(self, page: Page) -> tuple[VisualTree, ...]:
        """Visual trees of other pages of the page's site, where its extractor needs them."""
        document: Document | None = page.meta.get(DOCUMENT)
        context = PageContext(page_type=page.meta[PAGE_TYPE])
        try:
            needs: frozenset[str] = getattr(choose_extractor(page, context, self.options), "needs", frozenset())
            if document is not None and "reference_page" in needs:
                return await self.companions.find(document, page.meta[PAGE_TYPE].type) or ()
        except Exception as error:  # the border where a page may not stop a crawl
            self.threads.failed("reference_page", page.url, error)
        return ()

    async def make(self, page: Page, trees: tuple[VisualTree, ...] = ()) -> Article | Listing:
        """The item of a page that was classified, whatever happens on the way."""
        page_type: PageType = page.meta[PAGE_TYPE]
        document: Document | None = page.meta.pop(DOCUMENT, None)
        if document is None:
            return failed_item(page, page_type)
        failures: list[Failure] = []
        try:
            host = await self.history.find(document.url, page_type.type) if self.history is not None else None
            context = PageContext(page_type=page_type, host=host, reference_pages=trees, models=self.options.models)
            return await self.threads.run("extraction", make_item, failures, document, context, self.options)
        except Exception as error:  # the border where a page may not stop a crawl
            failures.append(Failure("extraction", error))
            return failed_item(page, page_type)
        finally:
            for failure in failures:
                self.threads.failed(failure.stage, page.url, failure.error)

    async def _store_screenshot(self, page: Page, item: Article | Listing) -> None:
        """Stores the page's picture; `item` is updated inline."""
        if self.store is None or not page.screenshot:
            return
        try:
            item.screenshot = await self.store.save(page.screenshot, self.threads)
        except Exception as error:  # a full disk costs the picture, not the item
            self.threads.failed("store", page.url, error)

    @property
    def _records(self) -> bool:
        return self.recorder is not None and not self.recorder.is_full

    async def _record(self, page: Page, saved: dict[str, Any]) -> None:
        """Keeps the page with its item."""
        assert self.recorder is not None
        try:
            if await self.threads.run("save", self.recorder.save, page, saved):
                self.stats.inc_value("webcontent/saved")
        except Exception as error:  # as above
            self.threads.failed("save", page.url, error)

    def _finish(self, item: Article | Listing) -> Article | Listing:
        """Counts the item, and drops it where the settings say so."""
        if item.type not in self.config.emit:
            raise DropItem(f"{item.url} is of type {item.type!r}, which WEBCONTENT_EMIT leaves out", log_level="DEBUG")
        if self.duplicates is not None and (reason := self.duplicates.add(item)):
            self.stats.inc_value("webcontent/duplicates")
            self.stats.inc_value(f"webcontent/duplicates/{reason}")
            if self.config.duplicates == "drop":
                raise DropItem(f"{item.url} has the text of an item that came before", log_level="DEBUG")
            item.flags = sorted({*item.flags, "duplicate"})
        if not self.config.evidence:
            item.evidence = {}
        self.stats.inc_value(f"webcontent/items/{type(item).__name__}")
        self.stats.inc_value(f"webcontent/extractor/{item.extractor}")
        for flag in item.flags:
            self.stats.inc_value(f"webcontent/flags/{flag}")
        return item


async def read_document(page: Page, threads: WorkerPool, options: Options) -> Document | None:
    """The page, decoded and parsed once a crawl; None when that failed. `page` keeps the document in its meta."""
    page.fetched_at = page.fetched_at or datetime.now(UTC).isoformat(timespec="seconds")
    if DOCUMENT not in page.meta:
        try:
            page.meta[DOCUMENT] = await threads.run("reading", read, page, options)
        except Exception as error:  # the border where a page may not stop a crawl
            threads.failed("reading", page.url, error)
            page.meta[DOCUMENT] = None
    document: Document | None = page.meta[DOCUMENT]
    return document
