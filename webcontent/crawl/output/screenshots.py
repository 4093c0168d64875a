"""Stores screenshots in a folder or at a URI of Scrapy's file stores: s3://, gs://, ftp://."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.defer import ensure_awaitable
from w3lib.url import file_uri_to_path

from webcontent.crawl.server_urls import without_password
from webcontent.crawl.setup_errors import WrongValueError
from webcontent.saved_pages.archive import suffix_of
from webcontent.whole_files import write_whole

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool


class ScreenshotStore:
    """A folder of this machine, whose paths are absolute, or a store of Scrapy's FilesPipeline, with the project's credentials.

    Raises WrongValueError for schemes that Scrapy has no file store for.
    """

    def __init__(self, uri: str, crawler: Crawler) -> None:
        scheme = uri.partition("://")[0] if "://" in uri else ""
        self.folder = Path(file_uri_to_path(uri) if scheme else uri).absolute() if scheme in ("", "file") else None
        if self.folder is not None:
            return
        if scheme not in FilesPipeline.STORE_SCHEMES:
            known = ", ".join(sorted(f"{name}://" for name in FilesPipeline.STORE_SCHEMES if name))
            raise WrongValueError(f"WEBCONTENT_SCREENSHOT_STORE is {without_password(uri)!r}; it takes a folder or one of {known}")
        self.uri = uri if uri.endswith("/") else uri + "/"
        FilesPipeline._update_stores(crawler.settings)  # the only way to pass the credentials
        self.remote: Any = FilesPipeline(self.uri, crawler=crawler).store

    async def save(self, screenshot: bytes, workers: WorkerPool) -> str:
        digest = sha256(screenshot).hexdigest()
        name = f"{digest[:2]}/{digest}.{suffix_of(screenshot)}"
        if self.folder is None:
            await ensure_awaitable(self.remote.persist_file(name, BytesIO(screenshot), None))  # which has its own threads
            return self.uri + name
        await workers.run("store", write_whole, self.folder / name, screenshot)
        return str(self.folder / name)
