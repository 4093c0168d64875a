"""The HTML pages of WARC files (ISO 28500), compressed or not. Damaged records are skipped."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from http import HTTPStatus
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastwarc.warc import ArchiveIterator, WarcRecordType

from webcontent.addresses import page_address
from webcontent.document.encoding import GZIP, unpacked
from webcontent.items import BAD_ADDRESS, Page
from webcontent.pipeline import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import BinaryIO

logger = logging.getLogger(__name__)

PAGE_TYPES = (WarcRecordType.response, WarcRecordType.resource)
"""Types of records that hold pages. Requests, revisits, metadata and conversions do not."""

_HTML_STARTS = (b"<!doctype html", b"<html")
_HEAD_BYTES = 512
"""The start of a body without content type, in which HTML is looked for; enough of a compressed record to read the first bytes of it."""
_PLAIN = b"\nWARC/1."
_NEXT_RECORD = b"\r\n\r\nWARC/1."
"""The border of two records. Inside a body it means that the length of the record is wrong, except in a page about WARC files."""
_VERSION = b"WARC/"
_VERSION_LINE = re.compile(rb"WARC/1\.[01]\r?\n[A-Za-z-]{1,60}:")
"""The begin of a record's header."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of an archive that may hold a page."""

    page: Page | None
    """None for a record without HTML (an image, a redirect) and for a damaged one."""
    offset: int
    """Bytes from the start of the file to the record, or to the last record before the damage."""
    is_damaged: bool = False


def iter_pages(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Iterator[Page]:
    """The HTML pages of an archive, in order. Damaged records are skipped and logged. Raises OSError if the file can't be opened.

    A body is read up to `max_bytes` + 1 bytes, so that a longer page can be recognized.
    """
    with Path(path).open("rb") as file:
        for record in iter_records(file, max_bytes=max_bytes):
            if record.page is not None:
                yield record.page


def iter_records(file: BinaryIO, *, max_bytes: int = MAX_BYTES) -> Iterator[Record]:
    """The records of an open archive that may hold pages, and its damaged places. The result is the same each time.

    A body is read up to `max_bytes` + 1 bytes. After bytes that are not a record, that can't be decompressed, or whose length is wrong,
    reading continues at the next record.
    """
    start: int | None = 0
    while start is not None:
        start = yield from _undamaged_records(file, start, max_bytes)


def _undamaged_records(file: BinaryIO, start: int, max_bytes: int) -> Generator[Record, None, int | None]:
    """The records from `start` to the first damage. Returns the offset of the next record; None at the end of the file."""
    offset, is_read = start, False
    file.seek(start)
    try:
        for record in ArchiveIterator(file, parse_http=True, auto_decode="all"):
            offset, is_read = record.stream_pos, False
            if record.record_type in PAGE_TYPES:
                own, border, _ = record.reader.read(max_bytes + 1).partition(_NEXT_RECORD)
                yield Record(_find_page(record, own), offset)
                if border:  # the length was too large, so that the body contains the following records
                    return _next_record(file, offset + 1)
            is_read = True
    except OSError as error:
        raw_record = None if is_read else _read_raw(file, offset, max_bytes)
        if raw_record is not None:
            yield raw_record
        elif is_read or offset > start or offset == 0:  # otherwise the damage before has reported it
            logger.warning("The archive is damaged at or after byte %d: %s. Reading continues at the next record.", offset, error)
            yield Record(None, offset, is_damaged=True)
        return _next_record(file, offset + 1)
    return None


def _read_raw(file: BinaryIO, offset: int, max_bytes: int) -> Record | None:
    """A record whose body is not encoded as its headers say; None if it is damaged."""
    file.seek(offset)
    try:
        record = next(iter(ArchiveIterator(file, parse_http=True, auto_decode="none")))
        body = unpacked(record.reader.read(max_bytes + 1), max_bytes + 1)
    except (OSError, StopIteration):
        return None
    return Record(_find_page(record, body), offset)


def _find_page(record: Any, body: bytes) -> Page | None:
    """The page of a record; None unless it is HTML with a status that has a page as its content."""
    if record.record_type not in PAGE_TYPES:
        return None
    http = record.http_headers if record.is_http else None
    status = (http.status_code if http is not None else None) or int(HTTPStatus.OK)
    headers = {name.lower(): value for name, value in (record.headers if http is None else http).astuples()}
    content_type = headers.get("content-type", "")
    is_html = "html" in content_type.lower() if content_type else body[:_HEAD_BYTES].lstrip().lower().startswith(_HTML_STARTS)
    has_page = HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES or status >= HTTPStatus.BAD_REQUEST  # error pages count
    if not is_html or not body or not has_page:
        return None
    target = (record.headers.get("WARC-Target-URI") or "").strip("<> ")  # old programs write it in angle brackets
    address = page_address(target)
    return Page(
        url=address,
        html=body,
        headers={name: headers[name] for name in ("content-type", "last-modified") if name in headers},
        status=status,
        fetched_at=record.headers.get("WARC-Date"),
        flags=[BAD_ADDRESS] if target and address is None else [],
    )


def _next_record(file: BinaryIO, start: int) -> int | None:
    """The offset of the first record at or after `start`; None if there is none."""
    with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        is_compressed = data[: len(GZIP)] == GZIP  # each record is a member of its own (ISO 28500, annex D)
        signature, skipped = (GZIP, 0) if is_compressed else (_PLAIN, 1)
        while (place := data.find(signature, start)) >= 0:
            head = data[place + skipped : place + skipped + _HEAD_BYTES]
            # Signatures also occur inside of other data.
            if unpacked(head, len(_VERSION)) == _VERSION if is_compressed else _VERSION_LINE.match(head):
                return place + skipped
            start = place + 1
    return None
