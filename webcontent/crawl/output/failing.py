"""Exporters that end the crawl, with one sentence, when their file can't be written. Otherwise item after item would be lost."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exporters import BaseItemExporter, JsonItemExporter, JsonLinesItemExporter, XmlItemExporter

from webcontent.crawl.stopping import stop_crawl
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from io import BytesIO
    from typing import Self

    from scrapy.crawler import Crawler


logger = logging.getLogger(__name__)

FAILED_FEEDS = "feedexport/failed_count/FileStorage"
"""Scrapy's own stat, which IncrementalTracker and the commands read."""
_FIELDS = "these fields of {}, because it has the columns of its first items: {}"


class StopsAtFullDisk:
    """Mixin for exporters of formats that grow record by record. After the failure nothing more is exported."""

    crawler: Crawler | None = None
    failed: OSError | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._left_out: set[tuple[str, str]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        exporter = cls(*args, **kwargs)
        exporter.crawler = crawler
        return exporter

    def export_item(self, item: Any) -> None:
        self.attempt(super().export_item, item)  # type: ignore[misc]  # of the exporter beside it

    def attempt(self, write: Callable[..., Any], *arguments: Any) -> None:
        """Calls `write`; nothing after the first failure."""
        if self.failed is not None:
            return
        try:
            write(*arguments)
        except OSError as error:
            if self.crawler is None:
                raise
            self.failed = error
            message = f"{self.path} can't be written: {error.strerror or error}. The crawl stops; {self.give_up()}."
            stop_crawl(self.crawler, "feed_failed", message)
        except Exception as error:  # an item that can't be written costs no other one
            if self.crawler is None:
                raise
            self.crawler.stats.inc_value("webcontent/items_lost")
            logger.critical("%s lacks an item: %s: %s", self.path, type(error).__name__, on_terminal(str(error)))

    def leave_out(self, item: Any, names: Iterable[str] = ()) -> None:
        """Counts an item of which the file can't hold some fields, or none; says so once for each class and its fields."""
        fields, name = ", ".join(sorted(names)), type(item).__name__
        if self.crawler is not None:
            self.crawler.stats.inc_value(f"webcontent/left_out/{name}")
        if (name, fields) not in self._left_out:
            self._left_out.add((name, fields))
            logger.warning("%s can't hold %s.", self.path, _FIELDS.format(name, fields) if fields else f"items of the class {name}")

    @property
    def path(self) -> str:
        file = getattr(self, "file", None)
        return str(getattr(file, "path", None) or getattr(file, "name", None) or "The feed")

    def give_up(self) -> str:
        """Called after a failure. What is left in the file, in words."""
        return "what came before is whole"


class JsonLinesExporter(StopsAtFullDisk, JsonLinesItemExporter):
    """Scrapy's JSON lines."""


class _BeginsAndEnds(StopsAtFullDisk):
    def start_exporting(self) -> None:
        self.attempt(super().start_exporting)  # type: ignore[misc]  # of the exporter beside it

    def finish_exporting(self) -> None:
        self.attempt(super().finish_exporting)  # type: ignore[misc]

    def give_up(self) -> str:
        assert self.crawler is not None
        self.crawler.stats.inc_value(FAILED_FEEDS)
        return "the feed lacks its end"


class JsonExporter(_BeginsAndEnds, JsonItemExporter):
    """Scrapy's JSON."""


class XmlExporter(_BeginsAndEnds, XmlItemExporter):
    """Scrapy's XML."""


class WholeFileExporter(StopsAtFullDisk, BaseItemExporter):
    """An exporter whose file is of no use before it is finished. If the file can't be written, it is emptied.

    Subclasses write the beginning, an item, and the end.
    """

    begin: Callable[[], None]
    add: Callable[[Any], None]
    finish: Callable[[], None]

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file

    def start_exporting(self) -> None:
        self.attempt(self.begin)

    def export_item(self, item: Any) -> None:
        self.attempt(self.add, item)

    def finish_exporting(self) -> None:
        self.attempt(self.finish)

    def give_up(self) -> str:
        assert self.crawler is not None
        path = self.path
        with suppress(OSError):  # of what waits to be written
            self.file.close()
        with suppress(OSError):
            os.truncate(path, 0)
        self.crawler.stats.inc_value(FAILED_FEEDS)
        return "the feed is empty"
