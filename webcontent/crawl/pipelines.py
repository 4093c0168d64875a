"""Page items in, Article and Listing items out. Items of other classes pass through untouched."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from webcontent.crawl.config import Config
from webcontent.crawl.discovery.multipage import MultipageAssembler
from webcontent.crawl.incremental.duplicates import Duplicates
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.output.screenshots import open_store
from webcontent.crawl.reference_pages import ReferencePages
from webcontent.crawl.site_history import CrawlHistory
from webcontent.crawl.workers import WorkerPool
from webcontent.document.parsing import Document
from webcontent.extractors import DEFAULT, Extraction, load_extractor
from webcontent.fields.assembly import assemble
from webcontent.history.prior import learn
from webcontent.items import LIST, TYPES, Article, Listing, Page, PageType
from webcontent.models import use_folder
from webcontent.pagetype import classify_document, load_models
from webcontent.saved_pages.archive import PageArchive, as_json

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from webcontent.crawl.discovery.pager import Pager
    from webcontent.extractors import Extractor

DOCUMENT, PAGE_TYPE = "document", "page_type"
"""Keys of `Page.meta` under which one stage leaves its work for the next; pages are not serialised between pipelines."""
UNKNOWN = PageType(type="article", kind="article", score=0.0)
"""The type of a page whose classification failed."""
_TRIAL = "<title>Trial</title><p>A page to try the models on.</p>"


class PageTypePipeline:
    """Says of each Page whether it is an article or a list. The answer waits in the page's meta for ExtractionPipeline."""

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        self.stats = crawler.stats
        self.threads = WorkerPool.of(crawler, self.config.threads)
        use_folder(self.config.models)
        load_models(self.config.page_type_model)  # a missing model ends the crawl here, before page one

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
        if document := await read_document(page, self.threads, self.config.max_bytes):
            try:
                page_type = await self.threads.run("pagetype", self._page_type, document)
            except Exception as error:  # the same border
                self.threads.failed("pagetype", page.url, error)
        self.stats.inc_value(f"webcontent/type/{page_type.type}")
        self.stats.inc_value(f"webcontent/kind/{page_type.kind}")
        return page_type

    def _page_type(self, document: Document) -> PageType:
        document.page_type = classify_document(document, model=self.config.page_type_model)
        return document.page_type


class ExtractionPipeline:
    """Makes an Article or a Listing of each Page, by the extractor that the route of its type names.

    A Page that did not pass PageTypePipeline is classified here.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.config = Config.from_settings(crawler.settings)
        self.stats = crawler.stats
        self.threads = WorkerPool.of(crawler, self.config.threads)
        self.assembler = MultipageAssembler.of(crawler)
        self.page_type = PageTypePipeline(crawler)
        self.memory = CrawlHistory.of(crawler)
        self.companions = ReferencePages(crawler, self.threads)
        self.duplicates = None if self.config.duplicates == "keep" else Duplicates()
        self.store = open_store(self.config.screenshot_store, crawler) if self.config.screenshot_store else None
        self.recorder = PageArchive(self.config.save, self.config.save_limit) if self.config.save else None
        for name in {self._route(page_type) for page_type in TYPES}:  # as above: before page one
            self._extract(Document.from_page(Page(html=_TRIAL)), UNKNOWN, name)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        if not isinstance(item, Page):
            return item
        if PAGE_TYPE not in item.meta:
            await self.page_type.process_item(item)
        await self._find_companions(item)  # it may wait for another page, so it is not among the pages in flight
        with self.threads.page():
            made, pager = await self._make_part(item)
            # The item as the page itself gives it, before others are joined to it: what can be checked later.
            alone = await self.threads.run("save", as_json, made) if self._records else None
            await self._store_screenshot(item, made)
        if pager is not None and isinstance(made, Article) and pager.number == 1:
            # Not among the pages in flight: its further pages may have to wait for room themselves.
            made = await self.assembler.assemble(pager, item, made, self._fetch_part)
        with self.threads.page():
            if (tracker := IncrementalTracker.of(self.crawler)) is not None:
                tracker.check_item(made)
            made = self._finish(made)
            if alone is not None:
                await self._record(item, alone)
        return made

    async def _make_part(self, page: Page) -> tuple[Article | Listing, Pager | None]:
        """The item of a page, and the pager of an article that may continue on further pages."""
        document: Document | None = page.meta.get(DOCUMENT)
        pager = await self.assembler.pager(document, page.meta[PAGE_TYPE]) if document is not None else None
        return await self._make(page), pager

    async def _fetch_part(self, page: Page) -> tuple[Article | Listing, Pager | None]:
        """The same for a further page of an article."""
        await self.page_type.process_item(page)
        await self._find_companions(page)
        with self.threads.page():
            return await self._make_part(page)

    async def _find_companions(self, page: Page) -> None:
        """Gives the page's document other pages of its site, where its extractor asks for them."""
        document: Document | None = page.meta.get(DOCUMENT)
        page_type: PageType = page.meta[PAGE_TYPE]
        try:
            if document is not None and "companion" in self._extractor(self._name_for(page)).needs:
                document.companion = await self.companions.find(document, page_type.type) or None
        except Exception as error:  # the border where a page may not stop a crawl
            self.threads.failed("reference_page", page.url, error)

    async def _make(self, page: Page) -> Article | Listing:
        """The item of a page, whatever happens on the way."""
        page_type: PageType = page.meta[PAGE_TYPE]
        document: Document | None = page.meta.pop(DOCUMENT, None)
        if document is None:
            return _bare_item(page, page_type)
        name = self._name_for(page)
        try:
            if self.memory is not None:
                document.site = await self.memory.profile_for(document.url, page_type.type)
            return await self.threads.run("extraction", self._extract, document, page_type, name)
        except Exception as error:  # the border where a page may not stop a crawl
            self.threads.failed("extraction", page.url, error)
        try:
            return await self.threads.run("extraction", assemble, document, page_type, Extraction(), name)
        except Exception as error:  # the same border
            self.threads.failed("assembly", page.url, error)
        return _bare_item(page, page_type)

    def _name_for(self, page: Page) -> str:
        """Name of the page's extractor."""
        page_type: PageType = page.meta[PAGE_TYPE]
        return page.meta.get("extractor") or self._route(page_type.type)

    def _route(self, page_type: str) -> str:
        return self.config.routes.get(page_type, DEFAULT)

    def _extractor(self, name: str) -> Extractor:
        return load_extractor(name, dict(self.config.extractors))

    def _extract(self, document: Document, page_type: PageType, name: str) -> Article | Listing:
        extraction = self._extractor(name)(document)
        item = assemble(document, page_type, extraction, name)
        learn(document, extraction, item)
        return item

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


async def read_document(page: Page, threads: WorkerPool, max_bytes: int) -> Document | None:
    """The page, decoded and parsed once a crawl; None when that failed. `page` is cut to `max_bytes` and keeps the document."""
    page.fetched_at = page.fetched_at or datetime.now(UTC).isoformat(timespec="seconds")
    if len(page.html) > max_bytes:
        page.html = page.html[:max_bytes]
        page.flags.append("truncated")
    if DOCUMENT not in page.meta:
        try:
            page.meta[DOCUMENT] = await threads.run("reading", Document.from_page, page)
        except Exception as error:  # the border where a page may not stop a crawl
            threads.failed("reading", page.url, error)
            page.meta[DOCUMENT] = None
    document: Document | None = page.meta[DOCUMENT]
    return document


def _bare_item(page: Page, page_type: PageType) -> Article | Listing:
    """What is left when a page could not be understood at all: its address and flags."""
    made = Listing if page_type.type == LIST else Article
    return made(
        url=page.url,
        kind=page_type.kind,
        flags=sorted({*page.flags, *page_type.flags, "empty"}),
        page_type_score=page_type.score,
        fetched_at=page.fetched_at,
    )
