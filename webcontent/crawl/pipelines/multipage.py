"""Articles that continue on further pages: the pages are fetched one after the other and merged into one item.

A further page is an article with the title of the first page and another text. The first page that is not ends the article.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from itertools import takewhile
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import HtmlResponse

from webcontent.addresses import site_of
from webcontent.crawl.discovery.same_site import has_left_site
from webcontent.crawl.discovery.urls import address_key, is_private
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.meta import DEPTH, EXTRACTOR, PAGE, RENDER, SCREENSHOT, SITE
from webcontent.crawl.pipelines.duplicates import is_near
from webcontent.crawl.pipelines.pager import find_pager
from webcontent.crawl.scope import CrawlPart
from webcontent.crawl.stopping import PostponedItem, is_closing
from webcontent.crawl.workers import WorkerPool
from webcontent.hashing import simhash
from webcontent.items import ARTICLE, Article, Page
from webcontent.pipeline import classify

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from scrapy.crawler import Crawler

    from webcontent.crawl.pipelines.classify import PageReading
    from webcontent.crawl.pipelines.pager import Pager
    from webcontent.document.parsing import Document
    from webcontent.items import Listing, PageType

    MakeItem = Callable[[Page], Awaitable[tuple[object, Article | Listing, Pager | None]]]
    """The reading of a page, its item, and its pager."""

KINDS = frozenset({"article", "documentation"})
"""Kinds of articles that are assembled. The pages of a forum thread are separate posts, and there may be hundreds."""
STAGE = "multipage"
_PASSED_ON = (RENDER, EXTRACTOR, SCREENSHOT)
"""Options of the first page that also hold for its further pages."""
_PAGE_NUMBER = re.compile(r"第\s*\d+\s*[页頁]|\bpage\b|\d+")
_NOTE = re.compile(r'(?P<begin> (?:href="#|id=")fn-)(?P<number>\d{1,5})">(?P<text>(?P=number)(?=</a>))?')
"""A footnote, or a reference to one with its number, as `document.rich_text` writes them."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


class MultipageAssembler(CrawlPart):
    """Fetches the further pages of articles and merges them. WEBCONTENT_JOIN_PAGES is the largest number of pages; 0 and 1: none."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.options = self.config.options()
        self.workers = WorkerPool.of(crawler)

    async def pager(self, reading: PageReading) -> Pager | None:
        """The pager of an article; None when no pages are to be assembled."""
        if self.config.join_pages > 1 and reading.document is not None and not reading.pagers:
            reading.pagers.append(None)
            with self.workers.guard(STAGE, reading.page.url):
                reading.pagers = [await self.workers.run(STAGE, self._pager, reading.document, reading.page_type)]
        return reading.pagers[0] if reading.pagers else None

    def _pager(self, document: Document, page_type: PageType | None) -> Pager | None:
        pager = find_pager(document)
        page_type = page_type or (classify(document, self.options) if pager else None)
        return pager if page_type is not None and page_type.type == ARTICLE and page_type.kind in KINDS else None

    async def assemble(self, pager: Pager, page: Page, item: Article, make_item: MakeItem) -> Article:
        """The item with the text of all pages; `item` is updated inline. A missing page leaves the flag `truncated`.

        `pager`, `page`, `item`: of the first page. Raises PostponedItem when the crawl ends before all pages have arrived and the
        next run fetches them again.
        """
        parts, urls, is_whole = await self._fetch_parts(pager, page, item, make_item)
        tracker = IncrementalTracker.of(self.crawler)
        if tracker is not None:
            if not is_whole and is_closing(self.crawler):
                raise PostponedItem(f"{page.url} has further pages, which the next run requests")
            tracker.add_urls(page.url, urls)
        if not is_whole:
            item.flags = sorted({*item.flags, "truncated"})
        if len(parts) > 1:
            self.stats.inc_value("webcontent/multipage/articles")
            self.stats.inc_value("webcontent/multipage/pages", len(parts))
            merge(parts)
        return item

    async def _fetch_parts(self, pager: Pager, page: Page, item: Article, make_item: MakeItem) -> tuple[list[Article], list[str], bool]:
        """The pages of an article in order, up to the limit, the first gap, or the first page that is none of the article.

        Also the URLs of the further pages, and whether no page is missing.
        """
        parts, urls, links = [item], list[str](), dict(pager.links)
        keys = {address_key(page.url or "")}
        while (url := links.get(len(parts) + 1)) and len(parts) < self.config.join_pages and (key := address_key(url)) not in keys:
            keys.add(key)
            fetched = await self._fetch_part(url, page, make_item)
            if fetched is None:
                return parts, urls, False
            _, part, part_pager = fetched
            if not isinstance(part, Article) or not _continues(part, parts):
                return parts, urls, True
            parts.append(part)
            urls.append(url)
            links = (part_pager.links if part_pager else {}) | links
        return parts, urls, url is None or len(parts) < self.config.join_pages

    async def _fetch_part(self, url: str, first: Page, make_item: MakeItem) -> tuple[object, Article | Listing, Pager | None] | None:
        if site_of(url) != site_of(first.url or "") or is_private(url) != is_private(first.url or ""):
            return None
        route = {name: value for name, value in first.meta.items() if name in _PASSED_ON}
        request = Request(url, meta={PAGE: route, SITE: site_of(url), DEPTH: 1}, headers={"Referer": first.url})
        response = None
        with self.workers.guard(STAGE, url):  # download handlers raise errors of many classes
            assert self.crawler.engine is not None
            response = await self.crawler.engine.download_async(request)
        if not isinstance(response, HtmlResponse) or response.status != HTTPStatus.OK or has_left_site(response.url, request.meta):
            return None
        return await make_item(Page.from_response(response))


def merge(parts: list[Article]) -> None:
    """Puts texts, media, entries, related links and flags of all parts into the first one, in order. The first is updated inline.

    Lines at the beginning of every page (title, editor) are taken from the first page, lines at the end of every page from the last.
    The score is the mean of the parts' scores, weighted by the lengths of their texts.
    """
    first = parts[0]
    bodies = [part.body.split("\n") for part in parts]
    head, tail = _common_lines(bodies), _common_lines([lines[::-1] for lines in bodies])
    last = len(bodies) - 1
    cut = [lines[head if place else 0 : len(lines) - (tail if place < last else 0)] for place, lines in enumerate(bodies)]
    first.score = sum(part.score * len(part.body) for part in parts) / max(1, sum(len(part.body) for part in parts))
    first.body = "\n".join(line for lines in cut for line in lines)
    first.body_html = "\n".join(_numbered_on([part.body_html for part in parts if part.body_html]))
    for name in ("entries", "images", "videos", "audios", "related"):
        setattr(first, name, list({row.url: row for part in parts for row in getattr(part, name)}.values()))
    first.fingerprint = simhash(first.body)
    if first.markdown is not None:
        first.markdown = first.to_markdown()
    first.flags = sorted({flag for part in parts for flag in part.flags})


def _numbered_on(pages: list[str]) -> Iterator[str]:
    """The HTML of pages whose footnotes all begin at 1, with numbers that go on from page to page. References lead to their own notes."""
    last = 0

    def renumbered(match: re.Match[str]) -> str:
        number = last + int(match["number"])
        return f'{match["begin"]}{number}">{number if match["text"] else ""}'

    for html in pages:
        yield _NOTE.sub(renumbered, html)
        last += max((int(match["number"]) for match in _NOTE.finditer(html)), default=0)


def _common_lines(bodies: list[list[str]]) -> int:
    """Number of lines with which all texts begin; each text keeps at least one line of its own."""
    shared = sum(1 for _ in takewhile(lambda lines: len(set(lines)) == 1, zip(*bodies, strict=False)))
    return min(shared, *(len(lines) - 1 for lines in bodies))


def _continues(part: Article, parts: list[Article]) -> bool:
    """Whether a page is a further page of the article: half of the words of the title, and another text."""
    if not part.body.strip() or any(part.body == other.body or is_near(part.fingerprint, other.fingerprint) for other in parts):
        return False
    words, others = (set(_WORD.findall(_PAGE_NUMBER.sub(" ", (title or "").lower()))) for title in (part.title, parts[0].title))
    return not words or not others or 2 * len(words & others) >= min(len(words), len(others))
