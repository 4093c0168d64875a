"""Feed files on the local disk. JSON lines and CSV files hold whole records at any moment.

A line is written whole or not at all. `read_tail` finds what a killed run wrote last.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
from contextlib import ExitStack, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.extensions.feedexport import FileFeedStorage
from w3lib.url import file_uri_to_path

from webcontent.crawl.setup_errors import WrongValueError
from webcontent.formats.outputs import JSON_LINES, feed_format
from webcontent.formats.table import MAX_CELL, rows_of_csv
from webcontent.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from _typeshed import ReadableBuffer
    from scrapy import Spider

logger = logging.getLogger(__name__)

fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None
"""None on Windows, which locks bytes and not files."""


def lock(file: int) -> bool:
    """Locks an open file until it is closed or its process ends. False if another process has locked it."""
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


class LineFile(io.FileIO):
    """A file to which each `write` is added whole or, when the disk is full, not at all. It is locked while it is open."""

    def __init__(self, path: str, mode: str) -> None:
        super().__init__(path, mode)
        self.path = str(Path(path).absolute())
        if not lock(self.fileno()):
            logger.warning("Another crawl writes to %s too. Its lines stay whole, but pages that both crawl come twice.", self.path)
        self.seek(0, os.SEEK_END)

    def write(self, data: ReadableBuffer, /) -> int:
        view = memoryview(data).cast("B")
        begin, written = self.tell(), 0
        try:
            while written < len(view):
                written += os.write(self.fileno(), view[written:])
        except OSError:
            with suppress(OSError):
                self.truncate(begin)
                self.seek(begin)
            raise
        return written

    def sync(self) -> None:
        """Returns when everything written is on the disk."""
        if not self.closed:
            os.fsync(self.fileno())

    def close(self) -> None:
        with suppress(OSError):
            self.sync()
        super().close()


class FileStorage(FileFeedStorage):
    """Scrapy's storage of local files: `LineFile` for the formats that grow by lines; others are whole or not there."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        options = feed_options or {}
        self.format = feed_format(options.get("format", ""))
        self.is_by_line = self.format is not None and self.format.is_by_line and "postprocessing" not in options
        self._at_end = ExitStack()

    def open(self, spider: Spider) -> Any:
        path = Path(self.path)
        if not self.is_by_line:
            is_added = path.is_file() and "a" in self.write_mode
            return super().open(spider) if is_added else self._at_end.enter_context(whole_file(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.format is JSON_LINES and "a" in self.write_mode:
            cut_half_line(path)
        return LineFile(self.path, self.write_mode[0])

    def store(self, file: IO[bytes]) -> None:
        with self._at_end:
            if file.closed and not self.is_by_line:
                raise OSError("it is not whole")
            file.close()


def check_feeds(feeds: Mapping[Any, Mapping[str, Any]]) -> None:
    """Raises ValueError, with the reason, for a local feed that can't be written. Folders are created, as Scrapy does later."""
    for uri, options in ((str(uri), options) for uri, options in feeds.items()):
        if urlsplit(uri).scheme not in ("", "file"):
            continue
        path = Path(file_uri_to_path(uri) if uri.startswith("file:") else uri)
        output = feed_format(options.get("format") or path.suffix.removeprefix("."))
        if output is not None and (missing := output.missing_package()):
            raise WrongValueError(f"The feed {uri} needs {missing}.")
        try:
            if "%(" not in str(path):  # else Scrapy fills in the rest
                path.parent.mkdir(parents=True, exist_ok=True)
                is_new = not path.exists()
                path.open("ab").close()
                if is_new:
                    path.resolve().unlink()  # of a link, what it leads to
        except OSError as error:
            raise WrongValueError(f"The feed {uri} can't be written: {error.strerror or error}.") from None
        if output is not None and output.is_closed and not options.get("overwrite") and path.is_file() and path.stat().st_size:
            raise WrongValueError(f"The feed {uri} exists, and nothing can be added to a file of this format; -O overwrites it.")


def read_tail(path: Path, offset: int, feed_format: str) -> tuple[list[dict[str, Any]], int]:
    """The records of a feed file after a byte, and the byte after the last whole record.

    `feed_format`: "csv" or "jsonlines".
    """
    with path.open("rb") as file:
        header = file.readline(MAX_CELL) if feed_format == "csv" else b""
        begin = min(max(offset, len(header)), file.seek(0, os.SEEK_END))
        file.seek(begin)
        data = file.read()
    end = _end_of_rows(data) if feed_format == "csv" else data.rfind(b"\n") + 1
    text = data[:end].decode("utf-8", "replace")
    if feed_format == "csv":
        names = next(csv.reader([header.decode("utf-8-sig", "replace")]), [])
        return list(rows_of_csv(io.StringIO(text, newline=""), names)), begin + end
    return list(_objects(text.split("\n"))), begin + end


def cut_half_line(path: Path) -> None:
    """Removes the incomplete line that a killed run may have left at the end of a file of JSON lines."""
    if not path.is_file():
        return
    with path.open("rb+") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - MAX_CELL))
        line = file.read().rpartition(b"\n")[2]
        if list(_objects([line.decode("utf-8", "replace")])):  # a whole record without line break, by another program
            file.write(b"\n")
        else:
            file.truncate(end - len(line))


def is_locked(path: Path) -> bool:
    """Whether a running crawl writes to the file."""
    with path.open("rb") as file:
        return not lock(file.fileno())


def _objects(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def _end_of_rows(data: bytes) -> int:
    """The byte after the last line break that is not inside a quoted cell. Each quote is counted once."""
    end, begin, is_quoted = 0, 0, False
    while (line_end := data.find(b"\n", begin) + 1) > 0:
        is_quoted ^= data.count(b'"', begin, line_end) % 2 == 1
        end, begin = end if is_quoted else line_end, line_end
    return end
