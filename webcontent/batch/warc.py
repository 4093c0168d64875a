"""Web archives: the HTML pages of WARC files (ISO 28500), compressed or not, damaged or whole."""

from __future__ import annotations

import logging
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastwarc.warc import ArchiveIterator, WarcRecordType

from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import BinaryIO

logger = logging.getLogger(__name__)

PAGE_TYPES = (WarcRecordType.response, WarcRecordType.resource)
"""Records that hold pages; requests, revisits, metadata and plain texts do not."""

_HTML_STARTS = (b"<!doctype html", b"<html")
_GZIP = b"\x1f\x8b\x08"
"""A compressed record is a gzip member of its own (ISO 28500, annex D)."""
_PLAIN = b"\nWARC/1."
_NEIGHBOUR = b"\r\n\r\nWARC/1."
"""Stands between two records, so never inside one whose length is right, but for a page that speaks of archives."""
_WINDOW = 1 << 20
"""Bytes that are searched at once for the next record."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of an archive that may hold a page."""

    page: Page | None
    """None: no HTML (a picture, a redirect), or damaged."""
    offset: int
    """Bytes from the file's start to the record, or to the last one before the damage."""
    is_damaged: bool = False


def iter_pages(path: str | Path, *, max_bytes: int = 10_000_000) -> Iterator[Page]:
    """The HTML pages of an archive, in its order; what is damaged is left out, with a line in the log. OSError where it can't be opened."""
    with Path(path).open("rb") as file:
        for record in iter_records(file, max_bytes=max_bytes):
            if record.page is not None:
                yield record.page


def iter_records(file: BinaryIO, *, max_bytes: int = 10_000_000) -> Iterator[Record]:
    """The records of an open archive that may hold pages, and where it is damaged; each run gives the same.

    Of a page at most `max_bytes` + 1 bytes are read. Bytes that are no record, that do not unpack or whose length is wrong cost
    themselves only: reading goes on at the next record.
    """
    offset: int | None = 0
    while offset is not None:
        part = _Part(file, offset, max_bytes)
        yield from part
        offset = part.end


class _Part:
    """The records from `start` to the first damage; `end` is then the offset of the next record, None at the file's end."""

    def __init__(self, file: BinaryIO, start: int, max_bytes: int) -> None:
        self.file, self.start, self.max_bytes = file, start, max_bytes
        self.end: int | None = None

    def __iter__(self) -> Generator[Record]:
        offset, is_read = self.start, False
        self.file.seek(self.start)
        try:
            for found in ArchiveIterator(self.file, parse_http=True, auto_decode="all"):
                offset, is_read = found.stream_pos, False
                if found.record_type in PAGE_TYPES:
                    body = found.reader.read(self.max_bytes + 1)
                    own, neighbour, _ = body.partition(_NEIGHBOUR)
                    yield Record(_find_page(found, own), offset)
                    if neighbour:  # its length was wrong, and it has swallowed what follows
                        self.end = _find_next(self.file, offset + 1)
                        return
                is_read = True
        except OSError as error:
            record = None if is_read else self._read_raw(offset)
            if record is not None:
                yield record
            elif is_read or offset > self.start or offset == 0:  # else the part before has told of it
                logger.warning("The archive is damaged at or behind byte %d: %s. Reading goes on at the next record.", offset, error)
                yield Record(None, offset, is_damaged=True)
            self.end = _find_next(self.file, offset + 1)

    def _read_raw(self, offset: int) -> Record | None:
        """A record whose body is not encoded as its headers say; None where it is damaged."""
        self.file.seek(offset)
        try:
            found = next(iter(ArchiveIterator(self.file, parse_http=True, auto_decode="none")))
            body = _unpacked(found.reader.read(self.max_bytes + 1), self.max_bytes)
        except (OSError, StopIteration):
            return None
        return Record(_find_page(found, body), offset)


def _find_page(record: Any, body: bytes) -> Page | None:
    """The page of a record, if it is HTML that a server sent as a page's content."""
    if record.record_type not in PAGE_TYPES:
        return None
    http = record.http_headers if record.is_http else None
    status = (http.status_code if http is not None else None) or 200
    headers = {} if http is None else {name.lower(): value for name, value in http.astuples()}
    content_type = headers.get("content-type") or ("" if http is not None else record.headers.get("Content-Type") or "")
    is_html = "html" in content_type.lower() if content_type else body[:512].lstrip().lower().startswith(_HTML_STARTS)
    if not is_html or not body or status < 200 or 300 <= status < 400:
        return None
    return Page(
        url=(record.headers.get("WARC-Target-URI") or "").strip("<> ") or None,  # old writers put it into brackets
        html=body,
        headers={name: headers[name] for name in ("content-type", "last-modified") if name in headers},
        status=status,
        fetched_at=record.headers.get("WARC-Date"),
    )


def _unpacked(body: bytes, max_bytes: int) -> bytes:
    """What of a gzipped body can be unpacked; another body as it is.

    >>> _unpacked(zlib.compress(b"<p>a page", wbits=31)[:-4], 100), _unpacked(b"<p>a page", 100)
    (b'<p>a page', b'<p>a page')
    """
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(wbits=31).decompress(body, max_bytes + 1)
    except zlib.error:
        return b""


def _find_next(file: BinaryIO, start: int) -> int | None:
    """The offset of the first record that begins at `start` or behind it; None where there is none."""
    file.seek(0)
    mark = _GZIP if file.read(3) == _GZIP else _PLAIN
    base, window = start, b""
    while True:
        file.seek(base)
        window = file.read(_WINDOW)
        place = window.find(mark)
        while place >= 0:
            if mark is _PLAIN:
                return base + place + 1
            if _is_record(file, base + place):
                return base + place
            place = window.find(mark, place + 1)
        if len(window) < _WINDOW:
            return None
        base += _WINDOW - len(mark) + 1


def _is_record(file: BinaryIO, offset: int) -> bool:
    """Whether a gzip member that begins here is a record: three bytes alone also stand in packed data by chance."""
    file.seek(offset)
    try:
        return zlib.decompressobj(wbits=31).decompress(file.read(256), 5) == b"WARC/"
    except zlib.error:
        return False
