"""Whether what a user names is a page at all. A PDF file or a 404 answer gives a sentence instead of an item of rubbish."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse

from webcontent.document.encoding import decode

if TYPE_CHECKING:
    from scrapy.http import Response

SIGNATURES = {
    b"%PDF-": "a PDF file",
    b"\x89PNG": "an image",
    b"GIF8": "an image",
    b"\xff\xd8\xff": "an image",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x1f\x8b": "a gzip file",
    b"WARC/": "a web archive, which --warc reads",
    b"From: <Saved by": "an MHTML archive",
}
"""How files of other formats begin."""
SNIFFED_BYTES = 2000
"""The beginning of a page by which it is recognised; WHATWG's MIME sniffing reads 1,445 bytes."""
_BINARY = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Characters that no text has (WHATWG, MIME sniffing, 3)."""
_ROOT = re.compile(r"<(?:[\w-]{1,20}:)?([a-z][\w-]*)", re.IGNORECASE)
_FEEDS = frozenset({"rss", "feed", "rdf", "urlset", "sitemapindex"})
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)


def status_refusal(response: Response) -> str | None:
    """The sentence about an answer that is an error; None for a page."""
    if response.status < HTTPStatus.MULTIPLE_CHOICES and response.status != HTTPStatus.NO_CONTENT:
        return None
    return f"{response.url} was answered with status {response.status}."


def content_refusal(response: Response) -> str | None:
    """The sentence about an answer that is no HTML; None for a page, which may be empty."""
    if isinstance(response, HtmlResponse) or _HTML.search(_head(response.body)):
        return _sentence(response.url, _signature(response.body))
    mime = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
    return _sentence(response.url, _signature(response.body) or mime or other_content(response.body))


def file_refusal(name: str, body: bytes) -> str | None:
    """The sentence about a file that is no HTML; None for a page."""
    return _sentence(name, other_content(body)) if body.strip() else f"{name} is empty."


def other_content(body: bytes) -> str | None:
    """What bytes are that are no HTML; None for HTML, whole or in part.

    >>> other_content(b"%PDF-1.4 ..."), other_content(b"<p>A page")
    ('a PDF file', None)
    """
    if signature := _signature(body):
        return signature
    head = _head(body)
    if _BINARY.search(head):
        return "binary data"
    if head.lstrip().startswith(("{", "[")):
        with suppress(ValueError, RecursionError):
            json.loads(body)
            return "JSON"
    if (root := _ROOT.search(head)) and not _HTML.search(head):
        return "a feed or a sitemap" if root[1].lower() in _FEEDS else None
    return None if root or _ROOT.search(decode(body)[0]) else "plain text"


def _sentence(name: str, content: str | None) -> str | None:
    return content and f"{name} is {content} and not an HTML page."


def _signature(body: bytes) -> str | None:
    return next((name for begin, name in SIGNATURES.items() if body.startswith(begin)), None)


def _head(body: bytes) -> str:
    return decode(body[:SNIFFED_BYTES])[0]
