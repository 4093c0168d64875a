"""Exporters that end the crawl, with one sentence, when their file can't be written. Otherwise item after item would be lost."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy.exporters import BaseItemExporter, JsonItemExporter, JsonLinesItemExporter, XmlItemExporter

from webcontent.crawl.output.files import LineFile
from webcontent.crawl.stopping import stop_crawl
from webcontent.printable import on_terminal
from webcontent.whole_files import PART

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from io import BytesIO
    from typing import Self

    from scrapy.crawler import Crawler


logger = logging.getLogger(__name__)


class StopsAtFullDisk:
    """Mixin for exporters. Subclasses override `begin`, `add` and `finish`. After the first failure nothing more is exported."""

    crawler: Crawler | None = None
    failed: OSError | None = None

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(file, **kwargs)  # type: ignore[call-arg]  # of the exporter beside it
        self.file = file
        self._left_out: set[tuple[str, str]] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        exporter = cls(*args, **kwargs)
        exporter.crawler = crawler
        return exporter

    def start_exporting(self) -> None:
        self._attempt(self.begin)

    def export_item(self, item: Any) -> None:
        self._attempt(self.add, item)

    def finish_exporting(self) -> None:
        self._attempt(self.finish)

    def begin(self) -> None:
        super().start_exporting()  # type: ignore[misc]

    def add(self, item: Any) -> None:
        super().export_item(item)  # type: ignore[misc]

    def finish(self) -> None:
        super().finish_exporting()  # type: ignore[misc]

    def _attempt(self, write: Callable[..., Any], *arguments: Any) -> None:
        if self.failed is not None:
            return
        try:
            write(*arguments)
        except OSError as error:
            if self.crawler is None:
                raise
            self.failed = error
            self.give_up()
            stop_crawl(self.crawler, "feed_failed", f"{self.path} can't be written: {error.strerror or error}. The crawl stops.")
        except Exception as error:  # an item that can't be written costs no other one
            if self.crawler is None:
                raise
            self.crawler.stats.inc_value("webcontent/items_lost")
            logger.critical("%s lacks an item: %s: %s", self.path, type(error).__name__, on_terminal(str(error)))

    def give_up(self) -> None:
        """Called after a failure. A file that is closed before its end is not stored; one that grows by lines keeps those that it has."""
        if not isinstance(self.file, LineFile):
            with suppress(OSError):  # of what waits to be written
                getattr(self.file, "file", self.file).close()  # of a file that is compressed, the one on the disk

    def leave_out(self, item: Any, names: Iterable[str] = ()) -> None:
        """Counts an item of which the file can't hold some fields, or none; says so once for each class and its fields."""
        fields, name = ", ".join(sorted(names)), type(item).__name__
        if self.crawler is not None:
            self.crawler.stats.inc_value(f"webcontent/left_out/{name}")
        if (name, fields) not in self._left_out:
            self._left_out.add((name, fields))
            what = f"these fields of {name}, because it has the columns of its first items: {fields}"
            logger.warning("%s can't hold %s.", self.path, what if fields else f"items of the class {name}")

    @property
    def path(self) -> str:
        return str(getattr(self.file, "path", None) or getattr(self.file, "name", None) or "The feed").removesuffix(PART)


class TakesFile(BaseItemExporter):
    """Scrapy's interface with a file, for the exporters of ours."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)


class JsonLinesExporter(StopsAtFullDisk, JsonLinesItemExporter):
    """Scrapy's JSON lines."""


class JsonExporter(StopsAtFullDisk, JsonItemExporter):
    """Scrapy's JSON."""


class XmlExporter(StopsAtFullDisk, XmlItemExporter):
    """Scrapy's XML."""
