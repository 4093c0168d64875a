"""Where a site lists its own pages: RSS and Atom feeds, JSON feeds, sitemaps, robots.txt. Bytes -> URLs with their times."""

from __future__ import annotations

import json
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urljoin

import lxml.etree
from scrapy.utils.sitemap import sitemap_urls_from_robots

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webcontent.document.parsing import Document

FEED_PATHS = ("/feed", "/rss.xml", "/atom.xml", "/feed.xml", "/rss", "/index.xml")
"""Paths where the common programs put feeds. Where a page names no feed, they are tried in this order until one is found."""
SITEMAP_PATHS = ("/sitemap.xml", "/sitemap_index.xml", "/sitemap.xml.gz")
"""The same for sitemaps, where robots.txt names none."""
MAX_ENTRIES = 50_000
"""As many as the sitemap protocol allows in one file (sitemaps.org)."""
MAX_SOURCE_BYTES = 52_428_800
"""Bytes of a feed or sitemap that are read, after unpacking: as many as the sitemap protocol allows."""
MAX_ENTRY_BYTES = 1_000_000
"""Bytes at the end of a file in which the end of its last whole entry is looked for."""
MAX_SITEMAPS = 500
"""Sitemaps of an index that are kept, newest first."""
MAX_FEEDS = 20
"""Feeds that one page may name."""
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_GZIP = b"\x1f\x8b\x08"
_GZIP_FORMAT = 16
"""Added to zlib's window size: the data has the header of a gzip file."""
_ENTRY_END = re.compile(rb"</(?:[\w-]{1,20}:)?(?:url|sitemap|item|entry)\s*>")
_FEED_NEXT = re.compile(rb"""<(?:\w{1,10}:)?link\b[^<>]{0,300}rel=["']next["'][^<>]{0,300}""")
_FEED_HREF = re.compile(rb"""href=["']([^"'<>]{1,2000})""")
_TIMES = ("{*}lastmod", "{*}news/{*}publication_date", "{*}pubDate", "{*}published", "{http://purl.org/dc/elements/1.1/}date", "{*}updated")


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A page that a feed or a sitemap lists; in a sitemap index: a further sitemap."""

    url: str
    """Absolute."""
    time: datetime | None = None
    """When the page was published or last changed, UTC."""


@dataclass(slots=True)
class UrlSource:
    """The contents of a feed or a sitemap."""

    kind: Literal["feed", "sitemap", "index"]
    """index: a sitemap of sitemaps."""
    entries: list[SourceEntry] = field(default_factory=list)
    """Newest first, those without a time last."""
    next_url: str | None = None
    """The feed's next page (RFC 5005)."""


def read_source(body: bytes, url: str, max_bytes: int) -> UrlSource | None:
    """The contents of a feed or a sitemap; None for anything else. A file that breaks off gives the entries before the break.

    `max_bytes`: how much of it is read, after unpacking.
    """
    if body.startswith(_GZIP):
        body = _unpack(body, max_bytes + 1)
    is_cut = len(body) > max_bytes
    body = body[:max_bytes].lstrip(b"\xef\xbb\xbf \t\r\n")
    if body.startswith(b"{"):
        return _json_feed(body, url)
    match _root_tag(body):
        case "urlset" | "sitemapindex" as tag:
            return _sitemap(body, url, "index" if tag == "sitemapindex" else "sitemap")
        case "rss" | "feed" | "RDF":
            return _feed(body, url)
        case None:
            return _text_sitemap(body[: body.rfind(b"\n") + 1] if is_cut else body)
    return None


def sitemaps_of_robots(body: bytes, url: str) -> list[str]:
    """The URLs of the sitemaps that a robots.txt names."""
    return list(dict.fromkeys(islice(sitemap_urls_from_robots(body, base_url=url), MAX_SITEMAPS)))


def feeds_of_page(document: Document) -> list[str]:
    """The URLs of the feeds that a page names for feed readers (autodiscovery), in page order."""
    urls = (
        document.absolute(node.get("href"))
        for node in document.root.iter("link", "a")
        if (node.get("type") or "").partition(";")[0].strip().lower() in _FEED_TYPES
        and (node.tag == "a" or "alternate" in (node.get("rel") or "").lower().split())
    )
    return list(dict.fromkeys(islice((url for url in urls if url), MAX_FEEDS)))


def parse_feed_time(text: str | None) -> datetime | None:
    """A time of a sitemap or of Atom (ISO 8601) or of RSS (RFC 822), as UTC. A date without a time is the beginning of that day.

    >>> parse_feed_time("2024-03-05T14:22+08:00") == parse_feed_time("Tue, 05 Mar 2024 06:22:00 GMT")
    True
    >>> parse_feed_time("yesterday")
    """
    text = (text or "").strip()
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            time = parse(text)
            return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
        except (ValueError, OverflowError, IndexError, TypeError):
            continue
    return None


def _unpack(body: bytes, max_bytes: int) -> bytes:
    """The first `max_bytes` bytes of a gzip file; of a damaged one, what comes before the damage."""
    parts: list[bytes] = []
    room = max_bytes
    with suppress(zlib.error):
        while body and room > 0:  # a gzip file may have several members
            unpacker = zlib.decompressobj(zlib.MAX_WBITS + _GZIP_FORMAT)
            parts.append(unpacker.decompress(body, room))
            room -= len(parts[-1])
            body = unpacker.unused_data
    return b"".join(parts)


def _root_tag(body: bytes) -> str | None:
    """Local name of the root element, empty when it can't be parsed; None for text without markup."""
    if not body.startswith(b"<"):
        return None
    try:
        for _, node in lxml.etree.iterparse(BytesIO(body), events=("start",), recover=True, resolve_entities=False, no_network=True):
            return lxml.etree.QName(node).localname
    except (lxml.etree.LxmlError, ValueError):
        pass
    return ""


def _sitemap(body: bytes, url: str, kind: Literal["sitemap", "index"]) -> UrlSource:
    entries = _iter_entries(body, url, ["{*}sitemap" if kind == "index" else "{*}url"])
    return UrlSource(kind, _newest_first(islice(entries, MAX_ENTRIES))[: MAX_SITEMAPS if kind == "index" else MAX_ENTRIES])


def _feed(body: bytes, url: str) -> UrlSource:
    """RSS 0.9 to 2.0 and Atom. feedparser is not used: it took 12 s for a broken feed of 300 KB."""
    entries = _newest_first(islice(_iter_entries(body, url, ["{*}item", "{*}entry"]), MAX_ENTRIES))
    following = _FEED_NEXT.search(body)  # an Atom element, before or after the entries
    href = _FEED_HREF.search(following[0]) if following else None
    return UrlSource("feed", entries, _absolute(unescape(href[1].decode("utf-8", "replace")), url) if href else None)


def _iter_entries(body: bytes, base_url: str, tags: list[str]) -> Iterator[SourceEntry]:
    nodes = lxml.etree.iterparse(
        BytesIO(_whole_entries(body)),
        tag=tags,
        recover=True,
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        for _, node in nodes:
            if url := _absolute(_entry_url(node), base_url):
                yield SourceEntry(url, next(filter(None, (parse_feed_time(node.findtext(path)) for path in _TIMES)), None))
            node.clear()
            parent = node.getparent()
            while parent is not None and node.getprevious() is not None:  # otherwise a file of 50 MB stays in memory
                del parent[0]
    except (lxml.etree.LxmlError, ValueError):  # the entries before the break are kept
        return


def _whole_entries(body: bytes) -> bytes:
    """The body up to the end of its last entry: the parser would also give the half URL of a file that breaks off."""
    ends = [match.end() for match in _ENTRY_END.finditer(body, max(0, len(body) - MAX_ENTRY_BYTES))]
    return body[: ends[-1]] if ends else body


def _entry_url(node: Any) -> str:
    """A sitemap's <loc>, RSS's <link> or permanent <guid>, Atom's <link href>; empty when there is none."""
    for path in ("{*}loc", "{http://rssnamespace.org/feedburner/ext/1.0}origLink"):
        if text := (node.findtext(path) or "").strip():
            return text
    for link in node.iterfind("{*}link"):
        if link.get("rel", "alternate") == "alternate" and (text := (link.get("href") or link.text or "").strip()):
            return str(text)
    guid = (node.findtext("{*}guid") or "").strip()
    return guid if guid.startswith(("http://", "https://")) else ""


def _text_sitemap(body: bytes) -> UrlSource | None:
    """A sitemap of one URL per line (sitemaps.org); None when the text does not begin with a URL."""
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    entries = [SourceEntry(line) for line in islice(lines, MAX_ENTRIES) if line.startswith(("http://", "https://"))]
    return UrlSource("sitemap", entries) if entries and body.startswith(b"http") else None


def _json_feed(body: bytes, url: str) -> UrlSource | None:
    try:
        feed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(feed, dict) or "jsonfeed.org" not in str(feed.get("version")) or not isinstance(feed.get("items"), list):
        return None
    items = [item for item in feed["items"][:MAX_ENTRIES] if isinstance(item, dict) and isinstance(item.get("url"), str)]
    entries = [
        SourceEntry(item_url, parse_feed_time(str(item.get("date_published") or item.get("date_modified"))))
        for item in items
        if (item_url := _absolute(item["url"], url))
    ]
    return UrlSource("feed", _newest_first(entries), _absolute(str(feed.get("next_url") or ""), url))


def _newest_first(entries: Iterable[SourceEntry]) -> list[SourceEntry]:
    """Each URL once."""
    once = {entry.url: entry for entry in entries}
    return sorted(once.values(), key=lambda entry: entry.time.timestamp() if entry.time else 0.0, reverse=True)


def _absolute(url: str, base_url: str) -> str | None:
    try:
        return urljoin(base_url, url.strip()) if url.strip() else None
    except ValueError:
        return None
