"""Stores screenshots in a folder or at a URI of Scrapy's file stores: s3://, gs://, ftp://."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.defer import ensure_awaitable
from w3lib.url import file_uri_to_path

from webcontent.crawl.server_urls import without_password
from webcontent.crawl.setup_errors import WrongValueError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool

DIGEST_CHARACTERS, FOLDER_CHARACTERS = 32, 2
_SIGNATURES = ((b"\x89PNG", "png"), (b"\xff\xd8", "jpg"), (b"RIFF", "webp"))


class ScreenshotStore(Protocol):
    async def save(self, screenshot: bytes, workers: WorkerPool) -> str:
        """Stores a screenshot; its path or URI."""
        ...


def open_store(uri: str, crawler: Crawler) -> ScreenshotStore:
    """The store at a folder or URI. Raises ValueError for schemes that Scrapy has no file store for."""
    scheme = uri.partition("://")[0] if "://" in uri else ""
    if scheme in ("", "file"):
        return Folder(Path(file_uri_to_path(uri) if scheme else uri))
    if scheme not in FilesPipeline.STORE_SCHEMES:
        known = ", ".join(sorted(f"{name}://" for name in FilesPipeline.STORE_SCHEMES if name))
        raise WrongValueError(f"WEBCONTENT_SCREENSHOT_STORE is {without_password(uri)!r}; it takes a folder or one of {known}")
    return Remote(uri, crawler)


class Folder:
    """A folder of this machine. The paths in items are absolute."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    async def save(self, screenshot: bytes, workers: WorkerPool) -> str:
        path = self.folder / file_name(screenshot)
        await workers.run("store", self._write, path, screenshot)
        return str(path)

    def _write(self, path: Path, screenshot: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(screenshot)


class Remote:
    """A store of Scrapy's FilesPipeline, with the project's credentials. It has its own threads."""

    def __init__(self, uri: str, crawler: Crawler) -> None:
        self.uri = uri if uri.endswith("/") else uri + "/"
        FilesPipeline._update_stores(crawler.settings)  # the only way to pass the credentials
        self.store: Any = FilesPipeline(self.uri, crawler=crawler).store

    async def save(self, screenshot: bytes, workers: WorkerPool) -> str:
        name = file_name(screenshot)
        await ensure_awaitable(self.store.persist_file(name, BytesIO(screenshot), None))
        return self.uri + name


def file_name(screenshot: bytes) -> str:
    """The first letters of the image's hash as a folder, the hash, and the extension of the image's format."""
    digest = sha256(screenshot).hexdigest()[:DIGEST_CHARACTERS]
    extension = next((name for signature, name in _SIGNATURES if screenshot.startswith(signature)), "bin")
    return f"{digest[:FOLDER_CHARACTERS]}/{digest}.{extension}"
