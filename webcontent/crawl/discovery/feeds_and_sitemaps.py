"""Where a site lists its own pages: RSS and Atom feeds, sitemaps, robots.txt. Bytes -> URLs with their times."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urljoin

import lxml.etree

from webcontent.document.encoding import unpacked

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

Kind = Literal["feed", "sitemap", "index"]
MAX_ENTRIES = 50_000
"""As many as the sitemap protocol allows in one file (sitemaps.org)."""
MAX_SOURCE_BYTES = 52_428_800
"""Bytes of a feed or sitemap that are read, after unpacking: as many as the sitemap protocol allows."""
MAX_SITEMAPS = 500
"""Sitemaps of an index that are kept, newest first."""
MAX_FEEDS = 20
_FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")
_KINDS: dict[str, Kind] = {"rss": "feed", "feed": "feed", "RDF": "feed", "urlset": "sitemap", "sitemapindex": "index"}
"""What a file is, by its root element."""
_ENTRIES = ("url", "sitemap", "item", "entry")
_ENTRY_END = re.compile(rb"</(?:[\w-]{1,20}:)?(?:url|sitemap|item|entry)\s*>")
_TIMES = ("{*}lastmod", "{*}news/{*}publication_date", "{*}pubDate", "{*}published", "{http://purl.org/dc/elements/1.1/}date", "{*}updated")


class SourceEntry(NamedTuple):
    """A page that a feed or a sitemap lists; in a sitemap index: a further sitemap."""

    url: str
    time: datetime | None = None
    """When the page was published or last changed, UTC."""


class UrlSource(NamedTuple):
    kind: Kind
    """index: a sitemap of sitemaps."""
    entries: list[SourceEntry]
    """Newest first, those without a time last."""


def read_source(body: bytes, url: str, max_bytes: int = MAX_SOURCE_BYTES) -> tuple[UrlSource | None, int]:
    """The contents of a feed or a sitemap, None for anything else; and its bytes. One that breaks off gives the entries before the break.

    `max_bytes`: how much of it is read, after unpacking.
    """
    body = unpacked(body, max_bytes + 1)
    size, body = len(body), body[:max_bytes].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not body.startswith(b"<"):
        return _text_sitemap(body[: body.rfind(b"\n") + 1] if size > max_bytes else body), size
    return _read_xml(body, url), size


def sitemaps_of_robots(body: bytes, url: str) -> list[str]:
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines() if line.lstrip().lower().startswith("sitemap:"))
    return list(dict.fromkeys(islice(filter(None, (_absolute(line[len("sitemap:") :], url) for line in lines)), MAX_SITEMAPS)))


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


def _read_xml(body: bytes, base_url: str) -> UrlSource | None:
    """A sitemap, RSS 0.9 to 2.0, or Atom. feedparser is not used: it took 12 s for a broken feed of 300 KB."""
    whole = len(_ENTRY_END.findall(body))  # the parser would also give the half URL of a file that breaks off
    kind, entries = None, list[SourceEntry]()
    tags = [f"{{*}}{name}" for name in (*_KINDS, *_ENTRIES)]
    options: Any = {"recover": True, "resolve_entities": False, "no_network": True, "remove_comments": True, "remove_pis": True}
    nodes = lxml.etree.iterparse(BytesIO(body), ("start", "end"), tag=tags, **options)
    with suppress(lxml.etree.LxmlError, ValueError):  # the entries before the break are kept
        for event, node in nodes:
            name = lxml.etree.QName(node).localname
            if kind is None:
                if node.getparent() is not None or (kind := _KINDS.get(name)) is None:
                    return None
            elif event == "end" and name in _ENTRIES:
                if whole == 0 or len(entries) >= MAX_ENTRIES:
                    break
                whole -= 1
                if entry_url := _absolute(_entry_url(node), base_url):
                    times = filter(None, (parse_feed_time(node.findtext(path)) for path in _TIMES))
                    entries.append(SourceEntry(entry_url, next(times, None)))
                node.clear()
                parent = node.getparent()
                while parent is not None and node.getprevious() is not None:  # otherwise a file of 50 MB stays in memory
                    del parent[0]
    once = {entry.url: entry for entry in entries}.values()
    newest = sorted(once, key=lambda entry: entry.time.timestamp() if entry.time else 0.0, reverse=True)
    return kind and UrlSource(kind, newest[: MAX_SITEMAPS if kind == "index" else None])


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


def _absolute(url: str, base_url: str) -> str | None:
    try:
        return urljoin(base_url, url.strip()) if url.strip() else None
    except ValueError:
        return None
