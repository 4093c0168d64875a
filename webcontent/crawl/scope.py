"""What belongs to one crawl: the objects that its components share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from webcontent.crawl.config import Config

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Self

    from scrapy.crawler import Crawler

T = TypeVar("T")
_NAME = "_webcontent_scope"


class FromCrawler:
    """A component of Scrapy that is made of the crawler alone."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler, self.stats = crawler, crawler.stats
        self.config = Config.from_settings(crawler.settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


class CrawlPart(FromCrawler):
    """What a crawl has one of."""

    @classmethod
    def of(cls, crawler: Crawler) -> Self:
        return CrawlScope.of(crawler).part(cls, lambda: cls(crawler))


class CrawlScope:
    """One object per crawl. It hangs on the crawler and is freed with it, although most of what it holds refers to the crawler."""

    def __init__(self) -> None:
        self._parts: dict[type, Any] = {}
        self.is_stopping = False
        """Whether a failure has ended the crawl before its time."""
        self.closing: asyncio.Task[None] | None = None
        """What then closes the spider; asyncio itself keeps only weak references to tasks."""

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlScope:
        return cast("CrawlScope", vars(crawler).get(_NAME) or vars(crawler).setdefault(_NAME, cls()))

    def part(self, kind: type[T], make: Callable[[], T]) -> T:
        """The crawl's only object of a class, made on first use."""
        if kind not in self._parts:
            self._parts[kind] = make()
        return cast("T", self._parts[kind])

    def find(self, kind: type[T]) -> T | None:
        return self._parts.get(kind)

    def forget(self, kind: type) -> None:
        self._parts.pop(kind, None)
