"""From a classified Page to its item: reference pages, site history, the page pipeline, further pages of an article."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from webcontent.crawl.discovery.multipage import MultipageAssembler
from webcontent.crawl.meta import DOCUMENT
from webcontent.crawl.pipelines.classify import flag_deadline
from webcontent.crawl.reference_pages import ReferencePages
from webcontent.crawl.site_history import CrawlHistory
from webcontent.extraction import PageContext
from webcontent.items import Article
from webcontent.pipeline import Failure, check_options, choose_extractor, failed_item, make_item

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.discovery.pager import Pager
    from webcontent.crawl.pipelines.classify import PageTypePipeline
    from webcontent.document.parsing import Document
    from webcontent.document.positions import VisualTree
    from webcontent.items import Listing, Page, PageType
    from webcontent.pipeline import Options


class ExtractedPage(NamedTuple):
    """The item of one page."""

    item: Article | Listing
    pager: Pager | None
    """Of an article that may continue on further pages."""


class PageExtractor:
    """Makes the items of pages. Raises ModelError or ValueError before the first page if models or extractors are missing."""

    def __init__(self, crawler: Crawler, options: Options, classifier: PageTypePipeline) -> None:
        self.options = options
        self.classifier = classifier
        """Classifies the further pages of articles."""
        self.workers = classifier.workers
        self.assembler = MultipageAssembler.of(crawler)
        self.history = CrawlHistory.of(crawler)
        self.references = ReferencePages(crawler, self.workers)
        check_options(options)

    async def reference_pages(self, page: Page, page_type: PageType) -> tuple[VisualTree, ...]:
        """Visual trees of other pages of the page's site, if its extractor needs them. May wait for such pages."""
        document: Document | None = page.meta.get(DOCUMENT)
        try:
            extractor = choose_extractor(page, PageContext(page_type=page_type), self.options)
            needs: frozenset[str] = getattr(extractor, "needs", frozenset())
            if document is not None and "reference_page" in needs:
                return await self.references.find(document, page_type.type)
        except Exception as error:  # the border where a page may not stop a crawl
            self.workers.failed("reference_page", page.url, error)
        return ()

    async def extract(self, page: Page, page_type: PageType, reference_pages: tuple[VisualTree, ...] = ()) -> ExtractedPage:
        """The item of one page and its pager. The page's document is removed from its meta."""
        document: Document | None = page.meta.get(DOCUMENT)
        pager = await self.assembler.pager(document, page_type) if document is not None else None
        return ExtractedPage(await self.make_item(page, page_type, reference_pages), pager)

    async def make_item(self, page: Page, page_type: PageType, reference_pages: tuple[VisualTree, ...] = ()) -> Article | Listing:
        """The item of one page, whatever fails on the way. The page's document is removed from its meta."""
        document: Document | None = page.meta.pop(DOCUMENT, None)
        if document is None:
            return failed_item(page, page_type)
        failures: list[Failure] = []
        try:
            host = await self.history.profile_for(document.url, page_type.type) if self.history is not None else None
            context = PageContext(page_type=page_type, host=host, reference_pages=reference_pages, models=self.options.models)
            return await self.workers.run("extraction", make_item, failures, document, context, self.options)
        except Exception as error:  # the border where a page may not stop a crawl
            failures.append(Failure("extraction", error))
            flag_deadline(page, error)
            return failed_item(page, page_type)
        finally:
            for failure in failures:
                self.workers.failed(failure.stage, page.url, failure.error)

    async def join(self, page: Page, part: ExtractedPage) -> Article | Listing:
        """The item with the text of all pages of its article. Raises DropItem if the crawl ends before all have arrived."""
        if part.pager is None or part.pager.number != 1 or not isinstance(part.item, Article):
            return part.item
        return await self.assembler.assemble(part.pager, page, part.item, self._extract_further_page)

    async def _extract_further_page(self, page: Page) -> ExtractedPage:
        page_type = await self.classifier.classify(page)
        reference_pages = await self.reference_pages(page, page_type)
        with self.workers.page():
            return await self.extract(page, page_type, reference_pages)
