"""Markdown feeds: all items in one file, or a file for each item in a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from scrapy.exporters import BaseItemExporter

from webcontent.crawl.output.failing import StopsAtFullDisk
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from io import BytesIO
    from typing import Self

    from scrapy.crawler import Crawler

FOLDER_SETTING = "MARKDOWN_FOLDER"
"""Where `scrapy extract --format md -o FOLDER/` tells MarkdownFolder its folder. No setting of users."""
MAX_NAME = 120
"""Characters of a file's name."""
_UNSAFE = re.compile(r"[^\w.-]+")


class _Documents(BaseItemExporter):
    """Each item as a Markdown document with front matter, so that its beginning is seen."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self._is_first = True

    def export_item(self, item: Any) -> None:
        if not isinstance(item, (Article, Listing)):
            return
        document = item.to_markdown(front_matter=True)
        self.file.write(f"{'' if self._is_first else chr(10)}{document}".encode("utf-8", "replace"))
        self._is_first = False


class MarkdownExporter(StopsAtFullDisk, _Documents):
    """Articles and listings, one after the other; other items are left out."""


class MarkdownFolder:
    """Pipeline that writes a file for each item, named after its address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Path(crawler.settings[FOLDER_SETTING]))

    def process_item(self, item: Any) -> Any:
        if isinstance(item, (Article, Listing)):
            self.folder.mkdir(parents=True, exist_ok=True)
            name = self._new_name(item.url)
            (self.folder / f"{name}.md").write_text(item.to_markdown(front_matter=True), encoding="utf-8")
        return item

    def _new_name(self, url: str | None) -> str:
        """A name that no earlier item of the run has."""
        stem = file_name(url)
        name, number = stem, 1
        while name in self.names:
            number += 1
            name = f"{stem}-{number}"
        self.names.add(name)
        return name


def file_name(url: str | None) -> str:
    """The name of an address's file, without suffix.

    >>> file_name("https://example.org/news/2024/bridge.html"), file_name("https://example.org/"), file_name(None)
    ('bridge', 'example.org', 'page')
    """
    parts = urlsplit(url or "")
    last = unquote(parts.path.rstrip("/").rsplit("/", 1)[-1])
    stem = _UNSAFE.sub("-", last.rsplit(".", 1)[0] or parts.netloc).strip("-.")
    return stem[:MAX_NAME] or "page"
