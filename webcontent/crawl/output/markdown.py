"""Markdown feeds: all items in one file, or a file for each item in a folder."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from scrapy.exporters import BaseItemExporter

from webcontent.crawl.output.failing import StopsAtFullDisk
from webcontent.crawl.scope import FromCrawler
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from io import BytesIO

    from scrapy.crawler import Crawler

FOLDER_SETTING = "MARKDOWN_FOLDER"
"""Where `scrapy extract --format md -o FOLDER/` tells MarkdownFolder its folder. No setting of users."""
MAX_NAME = 120
"""Characters of a file's name."""
_UNSAFE = re.compile(r"[^\w.-]+")


class MarkdownExporter(StopsAtFullDisk, BaseItemExporter):
    """Articles and listings, one after the other, each with front matter, so that its beginning is seen; other items are left out."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self.file = file
        self._gap = ""

    def export_item(self, item: Any) -> None:
        if isinstance(item, (Article, Listing)):
            self.attempt(self.file.write, (self._gap + item.to_markdown(front_matter=True)).encode("utf-8", "replace"))
            self._gap = "\n"


class MarkdownFolder(FromCrawler):
    """Pipeline that writes a file for each item, named after its address; further ones of a name are numbered."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.folder = Path(crawler.settings[FOLDER_SETTING])
        self.names: Counter[str] = Counter()

    def process_item(self, item: Any) -> Any:
        if isinstance(item, (Article, Listing)):
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{self._new_name(file_name(item.url))}.md").write_text(item.to_markdown(front_matter=True), encoding="utf-8")
        return item

    def _new_name(self, stem: str) -> str:
        """A name that no earlier item of the run has."""
        name = stem
        while self.names[name]:
            self.names[stem] += 1
            name = f"{stem}-{self.names[stem]}"
        self.names[name] += 1
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
