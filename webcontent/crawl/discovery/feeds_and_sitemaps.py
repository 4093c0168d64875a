"""Where a site lists its own pages: RSS and Atom feeds, JSON feeds, sitemaps, robots.txt. Bytes -> addresses with their times."""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urljoin

import lxml.etree
from scrapy.utils.gz import gunzip
from scrapy.utils.sitemap import sitemap_urls_from_robots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.document.parsing import Document

FEED_PLACES = ("/feed", "/rss.xml", "/atom.xml", "/feed.xml", "/rss", "/index.xml")
"""Where feeds lie by the habit of the common programs; tried in this order where a page names none, until one is found."""
SITEMAP_PLACES = ("/sitemap.xml", "/sitemap_index.xml", "/sitemap.xml.gz")
"""The same for sitemaps, where robots.txt names none."""
MAX_ENTRIES = 50_000
"""As many as the sitemap protocol allows in a file (sitemaps.org)."""
MAX_SITEMAPS = 500
"""Sitemaps of an index that are remembered, newest first."""
MAX_FEEDS = 20
"""Feeds of one page."""
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
_GZIP = b"\x1f\x8b\x08"
_FEED_NEXT = re.compile(rb"""<(?:\w{1,10}:)?link\b[^<>]{0,300}rel=["']next["'][^<>]{0,300}""")
_FEED_HREF = re.compile(rb"""href=["']([^"'<>]{1,2000})""")
_TIMES = ("{*}lastmod", "{*}news/{*}publication_date", "{*}pubDate", "{*}published", "{http://purl.org/dc/elements/1.1/}date", "{*}updated")


@dataclass(frozen=True, slots=True)
class Entry:
    url: str
    """Absolute."""
    time: datetime | None = None
    """When it was published or last changed, UTC."""


@dataclass(slots=True)
class Source:
    """What a feed or a sitemap says."""

    kind: Literal["feed", "sitemap", "index"]
    entries: list[Entry] = field(default_factory=list)
    """Pages; of an index: further sitemaps. Newest first, those without a time last."""
    next_url: str | None = None
    """The feed's next page (RFC 5005)."""


def read_source(body: bytes, url: str, max_bytes: int) -> Source | None:
    """What a feed or a sitemap names; None for what is neither. What is broken behind a readable beginning is left out.

    `max_bytes`: what of it is read, after unpacking.
    """
    if body.startswith(_GZIP):
        body = _unpack(body, max_bytes)
    body = body[:max_bytes].lstrip(b"\xef\xbb\xbf \t\r\n")
    if body.startswith(b"{"):
        return _json_feed(body, url)
    match _root_tag(body):
        case "urlset" | "sitemapindex" as tag:
            return _sitemap(body, url, "index" if tag == "sitemapindex" else "sitemap")
        case "rss" | "feed" | "RDF":
            return _feed(body, url)
        case None:
            return _text_sitemap(body)
    return None


def sitemaps_of_robots(body: bytes, url: str) -> list[str]:
    """The sitemaps that a robots.txt names."""
    return list(dict.fromkeys(islice(sitemap_urls_from_robots(body, base_url=url), MAX_SITEMAPS)))


def feeds_of_page(document: Document) -> list[str]:
    """The feeds that a page names for readers (autodiscovery), in page order."""
    found = (
        document.absolute(node.get("href"))
        for node in document.root.iter("link", "a")
        if (node.get("type") or "").partition(";")[0].strip().lower() in _FEED_TYPES
        and (node.tag == "a" or "alternate" in (node.get("rel") or "").lower().split())
    )
    return list(dict.fromkeys(islice((url for url in found if url), MAX_FEEDS)))


def parse_time(text: str | None) -> datetime | None:
    """A time of a sitemap or of Atom (ISO 8601) or of RSS (RFC 822), as UTC; a day stands for its beginning.

    >>> parse_time("2024-03-05T14:22+08:00") == parse_time("Tue, 05 Mar 2024 06:22:00 GMT")
    True
    >>> parse_time("yesterday")
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
    """The beginning of a gzip file; what is broken or too long ends it."""
    try:
        return gunzip(body, max_size=max_bytes)
    except (OSError, EOFError, ValueError, struct.error, zlib.error):  # ValueError: it is too long
        return b""


def _root_tag(body: bytes) -> str | None:
    """Local name of the root element; None where there is no markup."""
    if not body.startswith(b"<"):
        return None
    try:
        for _, node in lxml.etree.iterparse(BytesIO(body), events=("start",), recover=True, resolve_entities=False, no_network=True):
            return lxml.etree.QName(node).localname
    except (lxml.etree.LxmlError, ValueError):
        pass
    return ""


def _sitemap(body: bytes, url: str, kind: Literal["sitemap", "index"]) -> Source:
    found = _iter_entries(body, url, ["{*}sitemap" if kind == "index" else "{*}url"])
    return Source(kind, _newest_first(islice(found, MAX_ENTRIES))[: MAX_SITEMAPS if kind == "index" else MAX_ENTRIES])


def _feed(body: bytes, url: str) -> Source:
    """RSS 0.9 to 2.0 and Atom. Not by feedparser: on a broken feed of 300 KB it took 12 s."""
    entries = _newest_first(islice(_iter_entries(body, url, ["{*}item", "{*}entry"]), MAX_ENTRIES))
    following = _FEED_NEXT.search(body)  # stands before the entries or behind them, in an element of Atom
    href = _FEED_HREF.search(following[0]) if following else None
    return Source("feed", entries, _absolute(unescape(href[1].decode("utf-8", "replace")), url) if href else None)


def _iter_entries(body: bytes, base_url: str, tags: list[str]) -> Iterator[Entry]:
    nodes = lxml.etree.iterparse(
        BytesIO(body), tag=tags, recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        for _, node in nodes:
            if url := _absolute(_address(node), base_url):
                yield Entry(url, next(filter(None, (parse_time(node.findtext(path)) for path in _TIMES)), None))
            node.clear()
            parent = node.getparent()
            while parent is not None and node.getprevious() is not None:  # else a file of 50 MB stays in memory
                del parent[0]
    except (lxml.etree.LxmlError, ValueError):  # what came before the break is good
        return


def _address(node: Any) -> str:
    """A sitemap's <loc>, RSS's <link> or permanent <guid>, Atom's <link href>."""
    for path in ("{*}loc", "{http://rssnamespace.org/feedburner/ext/1.0}origLink"):
        if text := (node.findtext(path) or "").strip():
            return text
    for link in node.iterfind("{*}link"):
        if link.get("rel", "alternate") == "alternate" and (text := (link.get("href") or link.text or "").strip()):
            return str(text)
    guid = (node.findtext("{*}guid") or "").strip()
    return guid if guid.startswith(("http://", "https://")) else ""


def _text_sitemap(body: bytes) -> Source | None:
    """A line an address (sitemaps.org); None where the first line is none."""
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    entries = [Entry(line) for line in islice(lines, MAX_ENTRIES) if line.startswith(("http://", "https://"))]
    return Source("sitemap", entries) if entries and body.startswith(b"http") else None


def _json_feed(body: bytes, url: str) -> Source | None:
    try:
        feed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(feed, dict) or "jsonfeed.org" not in str(feed.get("version")) or not isinstance(feed.get("items"), list):
        return None
    found = [item for item in feed["items"][:MAX_ENTRIES] if isinstance(item, dict) and isinstance(item.get("url"), str)]
    entries = [
        Entry(address, parse_time(str(item.get("date_published") or item.get("date_modified"))))
        for item in found
        if (address := _absolute(item["url"], url))
    ]
    return Source("feed", _newest_first(entries), _absolute(str(feed.get("next_url") or ""), url))


def _newest_first(entries: Any) -> list[Entry]:
    """Each address once."""
    once = {entry.url: entry for entry in entries}
    return sorted(once.values(), key=lambda entry: entry.time.timestamp() if entry.time else 0.0, reverse=True)


def _absolute(url: str, base_url: str) -> str | None:
    try:
        return urljoin(base_url, url.strip()) if url.strip() else None
    except ValueError:
        return None
