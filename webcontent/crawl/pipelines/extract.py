"""From a classified Page to its item: reference pages, site history, the page pipeline, further pages of an article."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from webcontent.crawl.pipelines.multipage import MultipageAssembler
from webcontent.crawl.reference_pages import ReferencePages
from webcontent.crawl.site_history import CrawlHistory
from webcontent.extraction import PageContext
from webcontent.items import Article
from webcontent.pipeline import Failure, check_options, choose_extractor, make_item

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.pipelines.classify import PageTypePipeline
    from webcontent.crawl.pipelines.pager import Pager
    from webcontent.crawl.pipelines.reading import PageReading
    from webcontent.document.parsing import Document
    from webcontent.items import Listing, Page
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

    async def reference_pages(self, reading: PageReading) -> tuple[Any, ...]:
        """Visual trees of other pages of the page's site, if its extractor needs them. May wait for such pages."""
        document, page_type = reading.document, reading.known_type
        try:
            extractor = choose_extractor(reading.page, PageContext(page_type=page_type), self.options)
            needs: frozenset[str] = getattr(extractor, "needs", frozenset())
            if document is not None and "reference_page" in needs:
                return await self.references.find(document, page_type.type)
        except Exception as error:  # the border where a page may not stop a crawl
            self.workers.failed("reference_page", reading.page.url, error)
        return ()

    async def extract(self, reading: PageReading, reference_pages: tuple[Any, ...] = ()) -> ExtractedPage:
        """The item of one page and its pager. The reading has no document afterwards."""
        pager = await self.assembler.pager(reading.document, reading.known_type) if reading.document is not None else None
        return ExtractedPage(await self.make_item(reading, reference_pages), pager)

    async def make_item(self, reading: PageReading, reference_pages: tuple[Any, ...] = ()) -> Article | Listing:
        """The item of one page, whatever fails on the way. The reading has no document afterwards."""
        document, reading.document = reading.document, None  # parsed pages are large, and further pages may have to be waited for
        item = None
        if document is not None:
            item = await self._make_item(document, reading, reference_pages)
        return reading.flagged(item or reading.failed_item())

    async def _make_item(self, document: Document, reading: PageReading, reference_pages: tuple[Any, ...]) -> Article | Listing | None:
        """The item of a page; None if it could not be made."""
        failures: list[Failure] = []
        page_type = reading.known_type
        try:
            host = await self.history.profile_for(document.url, page_type.type) if self.history is not None else None
            context = PageContext(page_type=page_type, host=host, reference_pages=reference_pages, models=self.options.models)
            return await self.workers.run("extraction", make_item, failures, document, context, self.options)
        except Exception as error:  # the border where a page may not stop a crawl
            failures.append(Failure("extraction", error))
            reading.note(error)
            return None
        finally:
            for failure in failures:
                self.workers.failed(failure.stage, reading.page.url, failure.error)

    async def join(self, reading: PageReading, part: ExtractedPage) -> Article | Listing:
        """The item with the text of all pages of its article. Raises DropItem if the crawl ends before all have arrived."""
        if part.pager is None or part.pager.number != 1 or not isinstance(part.item, Article):
            return part.item
        return await self.assembler.assemble(part.pager, reading.page, part.item, self._extract_further_page)

    async def _extract_further_page(self, page: Page) -> ExtractedPage:
        reading = await self.classifier.classify(page)
        reference_pages = await self.reference_pages(reading)
        with self.workers.page():
            return await self.extract(reading, reference_pages)
