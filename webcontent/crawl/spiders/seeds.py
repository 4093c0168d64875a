"""`scrapy crawl seeds -a urls=URL[,URL|FILE]`: from front pages to every article of their sites."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import HtmlResponse
from w3lib.url import canonicalize_url

from webcontent.crawl.addresses import clean_url, is_private, site_of
from webcontent.crawl.config import Config
from webcontent.crawl.middlewares import PAGE
from webcontent.crawl.pipelines import read_document
from webcontent.crawl.threads import Threads
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from webcontent.document.parsing import Document

DEFAULTS = {
    "ROBOTSTXT_OBEY": True,
    "AUTOTHROTTLE_ENABLED": True,
    "AUTOTHROTTLE_START_DELAY": 1.0,
    "AUTOTHROTTLE_TARGET_CONCURRENCY": 2.0,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}
"""What the spider sets where the project says nothing."""

SITE, DEPTH = "seeds_site", "seeds_depth"
"""Keys of `request.meta`: the site that a request may not leave, and the links followed from its seed (next pages not counted)."""

NEXT_PAGE, HEADLINE, OTHER = 20, 10, 0
"""Priorities: pagination leads to the most articles, then texts long enough for a headline."""
MIN_HEADLINE_WORDS = 4
MIN_CHARACTERS = 200
"""Of text, by which a page is known under another address."""
MAX_LINKS = 5000
"""Links that are read from one page."""
_HOST = re.compile(r"[^\s/?#=&]+\.[^\s/?#=&]+|localhost(?::\d+)?|[^\s/?#=&]+:\d+")
"""What a seed without a scheme begins with."""
_PAGE_ADDRESS = re.compile(r"[/?&_=-](?:page|paged|p|pg|index|list)[/=_-]?\d+", re.IGNORECASE)
_NUMBER = re.compile(r"\D{0,2}(\d{1,5})\D{0,2}")
_INDEX = re.compile(r"/index\.(?:html?|php)$", re.IGNORECASE)
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


class SeedsSpider(Spider):
    """Follows the links of each seed's site, lists and next pages first, and yields each page once.

    Arguments: `urls` (addresses and files of addresses, a line each, parted by commas), `depth` (links from the seed, next
    pages not counted; default: no limit), `pages` (of all seeds together; default: 10,000; 0: no limit).
    """

    name = "seeds"

    def __init__(self, urls: str = "", depth: str | int | None = None, pages: str | int = 10_000, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.seeds = list(iter_seeds(urls))
        if not self.seeds:
            raise ValueError("The spider needs addresses to begin with: -a urls=URL[,URL|FILE].")
        self.max_depth = None if depth is None else _number("depth", depth)
        self.max_pages = _number("pages", pages)
        self.pages = 0
        self.state: dict[str, Any] = {}  # kept by Scrapy between the runs of a JOBDIR

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Polite, breadth first and each text once, unless the project says otherwise."""
        super().update_settings(settings)
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", SameSiteMiddleware, 60)
        for name, value in DEFAULTS.items():
            settings.set(name, value, priority="addon")

    async def start(self) -> AsyncIterator[Any]:
        for url in self.seeds:
            yield Request(url, meta={PAGE: {}, SITE: site_of(url), DEPTH: 0})

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """The response's page, and requests for the links of its site."""
        assert response.request is not None
        if not isinstance(response, HtmlResponse) or has_left_site(response.url, response.meta):
            self.crawler.stats.inc_value("seeds/skipped")
            return
        if self._is_full() or self._was_seen(address_key(response.url)):
            return
        page = Page.from_response(response)
        keys, links = await self._read(page)
        if not self._is_full() and not self._was_seen(*keys):  # others were read meanwhile
            self.pages += 1
            yield page
        if self._is_full():
            raise CloseSpider("seeds_pages")
        site, depth = site_of(response.url), response.meta[DEPTH]  # a seed may have moved house
        for link in links:
            steps = depth + (link.priority != NEXT_PAGE)
            if site_of(link.url) == site and (self.max_depth is None or steps <= self.max_depth):
                yield Request(link.url, priority=link.priority, meta={PAGE: {}, SITE: site, DEPTH: steps})

    async def _read(self, page: Page) -> tuple[list[str], list[Link]]:
        """What the page is known by, and its links."""
        config = Config.from_settings(self.settings)
        threads = Threads.of(self.crawler, config.threads)
        document = await read_document(page, threads, config.max_bytes)
        if document is None:
            return [], []
        return await threads.run("links", lambda: (content_keys(document), find_links(document)))

    def _was_seen(self, *keys: str) -> bool:
        """Whether one of the keys came before; all are remembered."""
        seen = self.state.setdefault("seen", set())
        digests = {blake2b(key.encode("utf-8", "replace"), digest_size=8).digest() for key in keys}
        found = not seen.isdisjoint(digests)
        seen |= digests
        return found

    def _is_full(self) -> bool:
        return 0 < self.max_pages <= self.pages


class SameSiteMiddleware:
    """Stops requests that a redirect has led out of their site, before they leave."""

    def __init__(self, crawler: Crawler) -> None:
        self.stats = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        if has_left_site(request.url, request.meta):
            self.stats.inc_value("seeds/offsite")
            raise IgnoreRequest(f"{request.url} is outside of the site {request.meta[SITE]}")


def has_left_site(url: str, meta: Mapping[str, Any]) -> bool:
    """Whether a redirect has led to another site. A seed may move to another one, but not from the internet into the own network."""
    if SITE not in meta or (site := site_of(url)) == meta[SITE]:
        return False
    return meta[DEPTH] > 0 or site is None or is_private(url) and not is_private(f"http://{meta[SITE]}/")


def address_key(url: str) -> str:
    """The same for http and https, with and without www and index.html, whatever the order of the query.

    >>> address_key("https://www.example.com/news/index.html?b=1&a=2") == address_key("http://example.com/news/index.html?a=2&b=1")
    True
    """
    with suppress(ValueError):  # a canonical link may say anything
        url = canonicalize_url(url)
    return _INDEX.sub("/", url.partition("://")[2].removeprefix("www."))


def content_keys(document: Document) -> list[str]:
    """By these a page is known under another address: its markup; its text with its path, whatever the query says; its canonical address.

    The canonical address counts together with the title, since some sites name their front page as that of every page. Markup
    and text count only where there is enough of it: the empty shells of pages that scripts fill are all alike.
    """
    keys = []
    if int(document.blocks.chars.sum()) >= MIN_CHARACTERS:
        path = address_key(document.url or "").partition("?")[0]
        keys += [f"html {document.text}", f"text {path} {document.blocks.texts}"]
    if document.title and (canonical := find_canonical(document)):
        keys.append(f"canonical {address_key(canonical)} {document.title}")
    return keys


def find_canonical(document: Document) -> str | None:
    """The address that a page names as its own, if it lies on the same site."""
    for node in document.root.iter("link"):
        if "canonical" in (node.get("rel") or "").lower().split():
            url = document.absolute(node.get("href"))
            return url if url and document.url and site_of(url) == site_of(document.url) else None
    return None


@dataclass(frozen=True, slots=True)
class Link:
    url: str
    priority: int


def find_links(document: Document) -> list[Link]:
    """The links of a page that may lead to other pages, highest priority first; each address once, at the best place it has on the page."""
    found: dict[str, int] = {}
    ids = frozenset(document.root.xpath("//@id"))
    for node in islice(document.root.iter("a", "area", "link"), MAX_LINKS):
        rel = (node.get("rel") or "").lower().split()
        if "nofollow" in rel or (node.tag == "link" and not {"next", "prev"} & set(rel)):
            continue
        address = document.absolute(node.get("href"))
        if address and (url := clean_url(address)) and not _points_into(url, document.url, ids):
            found[url] = max(found.get(url, OTHER), _priority(url, "".join(node.itertext()), rel))
    return sorted((Link(url, priority) for url, priority in found.items()), key=lambda link: -link.priority)


def _points_into(url: str, page_url: str | None, ids: frozenset[str]) -> bool:
    """Whether an address is a place on the page itself, named in the query as single-page applications do: /guide?id=install."""
    path, _, query = url.partition("?")
    is_same_page = bool(query) and page_url is not None and page_url.partition("?")[0] == path
    return is_same_page and any(value in ids for _, value in parse_qsl(query))


def _priority(url: str, text: str, rel: list[str]) -> int:
    """Pagination shows in every language alike: by rel, by an address with a page number, by a number that the address repeats."""
    number = _NUMBER.fullmatch(text.strip())
    if "next" in rel or _PAGE_ADDRESS.search(url) or number and number[1] in re.findall(r"\d+", url):
        return NEXT_PAGE
    words = len(_CJK.sub("", text).split()) + len(_CJK.findall(text)) / 2
    return HEADLINE if words >= MIN_HEADLINE_WORDS else OTHER


def iter_seeds(urls: str) -> Iterator[str]:
    """Addresses of the spider argument: `https://a.example/,b.example,more.txt`; a comma inside an address is part of it.

    Raises ValueError for what is neither an address nor a file.
    """
    for part in _split_urls(urls):
        if "://" not in part and Path(part).is_file():
            lines = (line.strip() for line in Path(part).read_text(encoding="utf-8-sig").splitlines())
            yield from (_seed(line) for line in lines if line and not line.startswith("#"))
        else:
            yield _seed(part)


def _split_urls(urls: str) -> Iterator[str]:
    pending = ""
    for part in urls.split(","):
        starts_anew = "://" in part or Path(part.strip()).is_file() or _HOST.match(part.strip())
        if pending and starts_anew:
            yield pending
            pending = part.strip()
        else:
            pending = f"{pending},{part}" if pending else part.strip()
    if pending:
        yield pending


def _seed(url: str) -> str:
    whole = url if "://" in url else f"https://{url}"
    if site_of(whole) is None or "://" not in url and not _HOST.match(url):
        raise ValueError(f"{url!r} is neither an http(s) address nor a file; -a urls takes URL[,URL|FILE].")
    return whole if urlsplit(whole).path else urlsplit(whole)._replace(path="/").geturl()


def _number(name: str, value: str | int) -> int:
    try:
        number = int(value)
    except ValueError:
        number = -1
    if number < 0:
        raise ValueError(f"The argument {name} is {value!r}; it takes a number of 0 or more.")
    return number
