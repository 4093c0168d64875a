"""Articles that continue on further pages: found by their pager, fetched, and joined into one item.

A pager of an article leads to the article's own address with a page number: `/a/12.html` to `/a/12_2.html`, `/story` to
`/story?page=2`, `/post/` to `/post/2/`. A list's pagination has the same form; what tells them apart is the type of the page, and
that the next page has the title of the first and another text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse

from webcontent.crawl.config import Config
from webcontent.crawl.discovery.seedlist import DEPTH, SITE
from webcontent.crawl.discovery.urls import address_key, is_private, site_of
from webcontent.crawl.incremental.duplicates import MAX_DISTANCE
from webcontent.crawl.incremental.tracker import IncrementalTracker
from webcontent.crawl.meta import PAGE
from webcontent.crawl.workers import WorkerPool
from webcontent.hashing import simhash
from webcontent.items import ARTICLE, Article, Page
from webcontent.pipeline import classify

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from scrapy.crawler import Crawler

    from webcontent.document.parsing import Document
    from webcontent.items import Listing, PageType

    Make = Callable[[Page], Awaitable[tuple[Article | Listing, "Pager | None"]]]

KINDS = frozenset({"article", "documentation"})
"""Kinds of articles that are joined: the pages of a forum's thread are posts of their own, and there may be hundreds."""
MAX_LINKS = 5000
MAX_NUMBER = 500
"""A higher one is no page of an article but the number of another one."""
MIN_COMMON_WORDS = 0.5
"""Share of the words of two pages' titles that they have in common, where they are pages of one article."""

_PARAMETERS = frozenset("page p pg pn paged pagenum pageno pageindex currentpage page_no part seite pagina".split())
_QUERY_NUMBER = re.compile(r"(?:^|&)([a-z_]{1,12})=(\d{1,3})(?=&|$)", re.IGNORECASE)
_PATH_NUMBER = re.compile(r"(?:[_-](?:p|page|part)?|/(?:page|p|part|seite|pagina)[/_-]?|/)(\d{1,3})(?=(?:\.[a-z]{3,5})?/?$)", re.IGNORECASE)
_NUMBER = re.compile(r"\W{0,2}(?:第\s*)?(\d{1,3})(?:\s*[页頁])?\W{0,2}")
_NEXT = re.compile(
    r"[\s\W]*(?:下一?[页頁]|后一页|次(?:の)?ページ|次へ|다음(?: 페이지)?|next(?: page)?|continue(?: reading)?|page suivante|suivant|"
    r"nächste(?: seite)?|weiter|"
    r"siguiente|página siguiente|próxima(?: página)?|avanti|volgende(?: pagina)?|далее|следующая(?: страница)?)[\s\W]*",
    re.IGNORECASE,
)
_COMMENTS = re.compile(r"comment|cpage|repl(?:y|ies)|discuss|pinglun", re.IGNORECASE)


@dataclass(slots=True)
class Pager:
    """What a page says of the pages of its article."""

    number: int
    """The page's own, from 1."""
    links: dict[int, str] = field(default_factory=dict)
    """Addresses of the others, by number."""


def find_pager(document: Document) -> Pager | None:
    """The pager of a page whose links lead to its own address with other page numbers; None where there is none."""
    own = document.url or ""
    if not urlsplit(own).path.strip("/"):
        return None
    numbered: dict[int, str] = {}
    following: str | None = None
    for url, text, is_next in _pager_links(document):
        if _COMMENTS.search(url) or not _is_page_of(url, own):
            continue
        if (match := _NUMBER.fullmatch(text)) and 0 < int(match[1]) <= MAX_NUMBER:
            numbered.setdefault(int(match[1]), url)
        elif is_next or _NEXT.fullmatch(text):
            following = following or url
    number = _own_number(own, numbered, following)
    if number is None:
        return None
    if following is not None:
        numbered.setdefault(number + 1, following)
    links = {place: url for place, url in numbered.items() if place != number}
    return Pager(number, links) if links else None


def _pager_links(document: Document) -> Iterator[tuple[str, str, bool]]:
    """Address, text, and whether rel says "next", of the links that may be of a pager."""
    for node in islice(document.root.iter("a", "link"), MAX_LINKS):
        is_next = "next" in (node.get("rel") or "").lower().split()
        text = "" if node.tag == "link" else " ".join("".join(node.itertext()).split())
        is_of_pager = len(text) <= 30 and (is_next or _NUMBER.fullmatch(text) or _NEXT.fullmatch(text))
        if is_of_pager and (url := document.absolute(node.get("href"))):
            yield url.partition("#")[0], text, is_next


def _own_number(own: str, numbered: dict[int, str], following: str | None) -> int | None:
    """1 for an address without a number. One with a number is believed where the pager leads back to page 1."""
    others = list(numbered.values()) + ([following] if following else [])
    stems = {stem for url in others for stem, _ in _readings(url)}
    readings = {number for stem, number in _readings(own) if stem in stems}
    if 1 in readings and _leads_on(own, numbered.get(2) or following):
        return 1
    higher = {number for number in readings if number > 1}
    if 1 in numbered and higher:
        # Drupal counts from 0: ?page=1 is the second page, and its pager has no link to 2.
        return next((number + shift for number in sorted(higher) for shift in (0, 1) if number + shift not in numbered), None)
    return None


def _leads_on(own: str, url: str | None) -> bool:
    """Whether the address is the own one with a page number added: /n/2.html is a neighbour of /n/1.html, not its second page."""
    if url is None:
        return False
    bare = {_whole(own), *(stem for stem, number in _query_readings(own) if number == 1)}
    return any(stem in bare for stem, _ in _readings(url) if stem != _whole(url))


def _is_page_of(url: str, own: str) -> bool:
    """Whether two addresses differ in a page number only."""
    if address_key(url) == address_key(own):
        return False
    return not {stem for stem, _ in _readings(url)}.isdisjoint(stem for stem, _ in _readings(own))


def _readings(url: str) -> set[tuple[str, int]]:
    """What an address may be a page of, and which: the address itself as page 1, and each reading without a page number.

    >>> sorted(_readings("http://a.example/n/7_2.html"))
    [('a.example/n/7.html?', 2), ('a.example/n/7_2.html?', 1)]
    """
    readings = {(_whole(url), 1), *_query_readings(url), *_path_readings(url)}
    return {(stem, number) for stem, number in readings if "/" in stem or not stem.endswith("?")}  # a front page is no article


def _whole(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc.removeprefix('www.')}{_bare(parts.path)}?{parts.query}"


def _query_readings(url: str) -> Iterator[tuple[str, int]]:
    parts = urlsplit(url)
    for match in _QUERY_NUMBER.finditer(parts.query):
        if match[1].lower() in _PARAMETERS:
            rest = (parts.query[: match.start()] + parts.query[match.end() :]).strip("&")
            yield _whole(parts._replace(query=rest).geturl()), int(match[2])


def _path_readings(url: str) -> Iterator[tuple[str, int]]:
    parts = urlsplit(url)
    if match := _PATH_NUMBER.search(parts.path):
        path = parts.path[: match.start()] + parts.path[match.end() :]
        yield _whole(parts._replace(path=path).geturl()), int(match[1])
        if match[0].startswith("/"):  # /story/2.html may be the second page of /story
            yield _whole(parts._replace(path=parts.path[: match.start()]).geturl()), int(match[1])


def _bare(path: str) -> str:
    return re.sub(r"/index\.(?:s?html?|php)$", "/", path).rstrip("/")


class MultipageAssembler:
    """Fetches and joins the further pages of articles. WEBCONTENT_JOIN_PAGES is the largest number of pages; 0 and 1: none."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.config = Config.from_settings(crawler.settings)
        self.stats = crawler.stats
        self.threads = WorkerPool.of(crawler, self.config.threads)

    @classmethod
    def of(cls, crawler: Crawler) -> MultipageAssembler:
        if crawler not in _made:
            _made[crawler] = cls(crawler)
        return _made[crawler]

    async def pager(self, document: Document, page_type: PageType | None = None) -> Pager | None:
        """The pager of an article; None where nothing is to be joined. A page without a type is classified."""
        if self.config.join_pages < 2:
            return None
        try:
            return await self.threads.run("joining", self._pager, document, page_type)
        except Exception as error:  # the border where a page may not stop a crawl
            self.threads.failed("joining", document.url, error)
            return None

    def _pager(self, document: Document, page_type: PageType | None) -> Pager | None:
        pager = find_pager(document)
        if pager is None:
            return None
        page_type = page_type or classify(document, self.config.options())
        return pager if page_type.type == ARTICLE and page_type.kind in KINDS else None

    async def join(self, pager: Pager, page: Page, item: Article, make: Make) -> Article:
        """The item with the text of all pages; `item` is updated inline. A page that does not come leaves the flag `truncated`.

        Raises DropItem where the crawl ends before all pages have come and the next run asks again.
        """
        parts, links, urls = [item], dict(pager.links), [page.url or ""]
        known = {address_key(page.url or "")}
        whole = True
        while url := links.get(len(parts) + 1):
            if len(parts) >= self.config.join_pages:
                whole = False
                break
            if address_key(url) in known:
                break
            known.add(address_key(url))
            found = await self._part(url, page, make)
            if found is None:
                whole = False
                break
            part, further = found
            if not _continues(part, parts):
                break
            assert isinstance(part, Article)
            parts.append(part)
            urls.append(url)
            links |= {place: address for place, address in (further.links if further else {}).items() if place not in links}
        monitor = IncrementalTracker.of(self.crawler)
        if not whole and monitor is not None and self._is_closing():
            monitor.keep_open(page.url)
            raise DropItem(f"{page.url} has further pages, which the next run asks for", log_level="DEBUG")
        if monitor is not None:
            monitor.add_keys(page.url, urls[1:])
        if not whole:
            item.flags = sorted({*item.flags, "truncated"})
        if len(parts) > 1:
            self.stats.inc_value("webcontent/joined")
            self.stats.inc_value("webcontent/joined_pages", len(parts))
            merge(parts)
        return item

    async def _part(self, url: str, first: Page, make: Make) -> tuple[Article | Listing, Pager | None] | None:
        """A further page's item and pager; None when it did not come."""
        if site_of(url) != site_of(first.url or "") or is_private(url) != is_private(first.url or ""):
            return None
        route = {name: value for name, value in first.meta.items() if name in ("render", "extractor", "screenshot")}
        request = Request(url, meta={PAGE: route, SITE: site_of(url), DEPTH: 1}, headers={"Referer": first.url})
        try:
            assert self.crawler.engine is not None
            response = await self.crawler.engine.download_async(request)
        except Exception as error:  # whatever a download may raise, of whichever handler
            self.threads.failed("joining", url, error)
            return None
        if not isinstance(response, HtmlResponse) or response.status != 200:
            return None
        return await make(Page.from_response(response))

    def _is_closing(self) -> bool:
        engine = self.crawler.engine
        return engine is None or engine.spider is None or engine._slot is None or engine._slot.closing is not None


_made: WeakKeyDictionary[Crawler, MultipageAssembler] = WeakKeyDictionary()


def merge(parts: list[Article]) -> None:
    """Puts the texts, pictures and related links of all parts into the first, in order. The first is updated inline."""
    first = parts[0]
    bodies = [part.body.split("\n") for part in parts]
    head, tail = _common(bodies), _common([lines[::-1] for lines in bodies])
    last = len(bodies) - 1
    # What stands at the head of every page (title, editor) is of the first, what stands at the end of every page of the last.
    cut = [lines[head if place else 0 : len(lines) - (tail if place < last else 0)] for place, lines in enumerate(bodies)]
    first.body = "\n".join(line for lines in cut for line in lines)
    first.body_html = "\n".join(part.body_html for part in parts if part.body_html)
    first.images = list({image.url: image for part in parts for image in part.images}.values())
    first.related = list({link.url: link for part in parts for link in part.related}.values())
    first.fingerprint = simhash(first.body)
    first.flags = sorted({flag for part in parts for flag in part.flags})


def _common(bodies: list[list[str]]) -> int:
    """How many lines all texts begin with; none where one of them would be left empty."""
    count = 0
    while all(len(lines) > count + 1 for lines in bodies) and len({lines[count] for lines in bodies}) == 1:
        count += 1
    return count


def _continues(part: Article | Listing, parts: list[Article]) -> bool:
    """Whether a page is a further one of the article: an article of the same title and another text."""
    if not isinstance(part, Article) or not part.body.strip():
        return False
    if any(part.body == other.body or _is_near(part, other) for other in parts):
        return False
    words, others = _words(part.title), _words(parts[0].title)
    return not words or not others or len(words & others) >= MIN_COMMON_WORDS * min(len(words), len(others))


def _is_near(part: Article, other: Article) -> bool:
    if not part.fingerprint or not other.fingerprint:
        return False
    return (int(part.fingerprint, 16) ^ int(other.fingerprint, 16)).bit_count() <= MAX_DISTANCE


def _words(title: str | None) -> set[str]:
    """Words of a title without page numbers; of Chinese and Japanese its characters."""
    text = re.sub(r"第\s*\d+\s*[页頁]|\bpage\b|\d+", " ", (title or "").lower())
    return set(re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", text))
