"""Exporters that end the crawl, with one sentence, when their file can't be written. Otherwise item after item would be lost."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exporters import BaseItemExporter, JsonLinesItemExporter

from webcontent.crawl.stopping import stop_crawl

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BytesIO
    from typing import Self

    from scrapy.crawler import Crawler


class StopsAtFullDisk:
    """Mixin for exporters of formats that grow record by record. After the failure nothing more is exported."""

    crawler: Crawler | None = None
    failed: OSError | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        exporter = cls(*args, **kwargs)
        exporter.crawler = crawler
        return exporter

    def export_item(self, item: Any) -> None:
        if self.failed is not None:
            return
        try:
            super().export_item(item)  # type: ignore[misc]  # of the exporter beside it
        except OSError as error:
            if self.crawler is None:
                raise
            self.failed = error
            name = getattr(getattr(self, "file", None), "path", None) or "The feed"
            message = f"{name} can't be written: {error.strerror or error}. The crawl stops; what came before is whole."
            stop_crawl(self.crawler, "feed_failed", message)


class JsonLinesExporter(StopsAtFullDisk, JsonLinesItemExporter):
    """Scrapy's JSON lines."""


class WholeFileExporter(BaseItemExporter):
    """An exporter whose file is of no use before it is finished. If the file can't be written, it is emptied and the crawl ends."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.crawler: Crawler | None = None
        self.has_failed = False
        self._file = file

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        exporter = cls(*args, **kwargs)
        exporter.crawler = crawler
        return exporter

    def _try(self, write: Callable[..., None], *arguments: Any) -> None:
        """Calls `write`; nothing after the first failure."""
        if self.has_failed:
            return
        try:
            write(*arguments)
        except OSError as error:
            if self.crawler is None:
                raise
            self.has_failed = True
            self._abandon()
            path = getattr(self._file, "name", None) or "The feed"
            with suppress(OSError):  # of what waits to be written
                self._file.close()
            with suppress(OSError):
                os.truncate(path, 0)
            self.crawler.stats.inc_value("feedexport/failed_count/FileStorage")  # Scrapy's own stat, which IncrementalTracker reads
            message = f"{path} can't be written: {error.strerror or error}. The crawl stops; the feed is empty."
            stop_crawl(self.crawler, "feed_failed", message)

    def _abandon(self) -> None:
        """Called after a failure. Makes sure that nothing more is written."""
