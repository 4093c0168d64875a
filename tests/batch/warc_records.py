"""WARC records for tests."""

from __future__ import annotations

import gzip

TEXT = "The harbour was closed for two days after the storm, and the ferries to the islands did not run before Sunday evening. "


def page(number: int) -> bytes:
    """A small article with its number."""
    return (
        f"<html><head><title>Storm {number}</title></head><body><h1>Storm {number}</h1><p>{number}: {TEXT * 3}</p></body></html>".encode()
    )


def record(
    url: str,
    body: bytes,
    *,
    status: str = "200 OK",
    headers: str = "Content-Type: text/html; charset=utf-8\r\n",
    kind: str = "response",
    length: int | None = None,
) -> bytes:
    """A WARC record as a crawler writes it. `length`: a wrong length to declare; None for the right one."""
    block = f"HTTP/1.1 {status}\r\n{headers}\r\n".encode() + body if kind != "resource" else body
    content_type = "text/html" if kind == "resource" else f"application/http; msgtype={kind}"
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: {content_type}\r\nContent-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def numbered_record(number: int) -> bytes:
    return record(f"http://example.com/{number}.html", page(number))


def compressed(*records: bytes) -> bytes:
    """A compressed archive: each record is compressed separately, as the standard requires."""
    return b"".join(map(gzip.compress, records))
