"""Markdown feeds: all items in one file, or a file for each item in a folder."""

from __future__ import annotations

import logging
import re
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from webcontent.crawl.output.failing import StopsAtFullDisk, TakesFile
from webcontent.crawl.scope import FromCrawler
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

FOLDER_SETTING = "MARKDOWN_FOLDER"
"""Where `scrapy extract --format md -o FOLDER/` tells MarkdownFolder its folder. No setting of users."""
MAX_NAME_BYTES = 120
"""Of a file's name; file systems allow 255."""
_UNSAFE = re.compile(r"[^\w.-]+")
_KEPT_NAMES = frozenset(
    "agent agents authors bugs changelog changes claude cline code_of_conduct codeowners codex context contributing conventions copilot "
    "copying cursor cursorrules design funding gemini governance guidelines heartbeat history identity instructions issue_template license "
    "licence llms maintainers memory notice plan prompt prompts pull_request_template qwen readme roadmap rules security skill skills soul "
    "support system todo tools user warp windsurf _index _sidebar _footer".split()
)
"""Names that programs read as instructions or configuration, whatever folder they are in."""
_WINDOWS_DEVICE = re.compile(r"con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]")


class MarkdownExporter(StopsAtFullDisk, TakesFile):
    """Articles and listings, one after the other, each with front matter, so that its beginning is seen."""

    _gap = ""

    def add(self, item: Any) -> None:
        if isinstance(item, (Article, Listing)):
            self.file.write((self._gap + item.to_markdown(front_matter=True)).encode("utf-8", "replace"))
            self._gap = "\n"
        else:
            self.leave_out(item)


class MarkdownFolder(FromCrawler):
    """Pipeline that writes a file for each item, named after its address. Files that are there already stay: further ones are numbered."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.folder = Path(crawler.settings[FOLDER_SETTING])

    def process_item(self, item: Any) -> Any:
        if isinstance(item, (Article, Listing)):
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._write(file_name(item.url), item.to_markdown(front_matter=True).encode("utf-8", "replace"))
            except OSError as error:
                self.stats.inc_value("pages/failed")  # which makes an exit code of the command
                logger.critical("%s is not written: %s can't be used: %s.", item.url, self.folder, error.strerror or error)
        return item

    def _write(self, stem: str, text: bytes) -> None:
        """Writes a text to the first free name, unless a file of such a name holds it already."""
        for number in count(1):
            path = self.folder / (f"{stem}-{number}.md" if number > 1 else f"{stem}.md")
            try:
                with path.open("xb") as file:  # makes a file; never follows a link
                    file.write(text)
            except FileExistsError:
                if path.is_symlink() or not path.is_file() or path.read_bytes() != text:
                    continue
            except OSError:  # half a file is of no use
                with suppress(OSError):
                    path.unlink(missing_ok=True)
                raise
            return


def file_name(url: str | None) -> str:
    """The name of an address's file, without suffix.

    >>> file_name("https://example.org/news/2024/bridge.html"), file_name("https://example.org/"), file_name("https://example.org/README.html")
    ('bridge', 'example.org', 'page-README')
    """
    parts = urlsplit(url or "")
    last = unquote(parts.path.rstrip("/").rsplit("/", 1)[-1])
    stem = _UNSAFE.sub("-", last.rsplit(".", 1)[0] or parts.netloc).strip("-.")
    stem = stem.encode()[:MAX_NAME_BYTES].decode(errors="ignore") or "page"
    first = re.split(r"[.-]", stem.lower())[0]
    return f"page-{stem}" if _WINDOWS_DEVICE.fullmatch(first) or _KEPT_NAMES & {stem.lower(), first} else stem
