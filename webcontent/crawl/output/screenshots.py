"""Screenshots go to a folder or to a URI that Scrapy's file stores know: s3://, gs://, ftp://."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.defer import ensure_awaitable
from w3lib.url import file_uri_to_path

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webcontent.crawl.workers import WorkerPool

_SIGNATURES = ((b"\x89PNG", "png"), (b"\xff\xd8", "jpg"), (b"RIFF", "webp"))


class ScreenshotStore(Protocol):
    async def save(self, screenshot: bytes, threads: WorkerPool) -> str:
        """Stores a picture and gives its path or URI."""
        ...


def open_store(uri: str, crawler: Crawler) -> ScreenshotStore:
    """The store at a folder or URI. Raises ValueError for schemes that Scrapy has no file store for."""
    scheme = uri.partition("://")[0] if "://" in uri else ""
    if scheme in ("", "file"):
        return Folder(Path(file_uri_to_path(uri) if scheme else uri))
    if scheme not in FilesPipeline.STORE_SCHEMES:
        known = ", ".join(sorted(f"{name}://" for name in FilesPipeline.STORE_SCHEMES if name))
        raise ValueError(f"WEBCONTENT_SCREENSHOT_STORE is {uri!r}; it takes a folder or one of {known}")
    return Remote(uri, crawler)


class Folder:
    """A folder of this machine; the path that an item carries is absolute."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    async def save(self, screenshot: bytes, threads: WorkerPool) -> str:
        path = self.folder / file_name(screenshot)
        await threads.run("store", self._write, path, screenshot)
        return str(path)

    def _write(self, path: Path, screenshot: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(screenshot)


class Remote:
    """A store of Scrapy's FilesPipeline, with the project's credentials; it has threads of its own."""

    def __init__(self, uri: str, crawler: Crawler) -> None:
        self.uri = uri if uri.endswith("/") else uri + "/"
        FilesPipeline._update_stores(crawler.settings)  # the only way to hand over the credentials
        self.store = FilesPipeline(self.uri, crawler=crawler).store

    async def save(self, screenshot: bytes, threads: WorkerPool) -> str:
        name = file_name(screenshot)
        await ensure_awaitable(self.store.persist_file(name, BytesIO(screenshot), None))  # type: ignore[arg-type]
        return self.uri + name


def file_name(screenshot: bytes) -> str:
    """Two letters as a folder, the picture's digest, and the extension that its first bytes call for."""
    digest = sha256(screenshot).hexdigest()[:32]
    extension = next((name for signature, name in _SIGNATURES if screenshot.startswith(signature)), "bin")
    return f"{digest[:2]}/{digest}.{extension}"
