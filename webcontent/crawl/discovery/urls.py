"""What a crawl needs to know about a URL before it requests it: its site, whether it is private, whether it can be a page."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlunsplit

from scrapy.linkextractors import IGNORED_EXTENSIONS
from w3lib.url import canonicalize_url, url_query_cleaner

from webcontent.addresses import MAX_ADDRESS_CHARACTERS, ip_address, is_public, plain_host, split_url

MAX_REPEATS = 3
"""A path segment that occurs more often than this comes from a loop of relative links: /news/news/news/news."""

_NOT_PAGES = frozenset(
    (*IGNORED_EXTENSIONS, "gz", "tgz", "bz2", "xml", "atom", "json", "csv", "txt", "epub", "mobi", "ics", "vcf", "torrent", "ipa", "flac",
     "opus", "mkv", "avif", "jfif", "heic", "woff", "woff2", "ttf", "eot", "otf", "map", "mjs", "wasm", "deb", "rpm", "tex", "rtf")
)  # fmt: skip
_INDEX = re.compile(r"/index\.(?:html?|php)$", re.IGNORECASE)
_EXTENSION = re.compile(r"\.([a-z0-9]{1,6})$", re.IGNORECASE)
_PRIVATE_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")


def clean_url(url: str) -> str | None:
    """The URL to request, without fragment and tracking parameters; None when it can't be the URL of a page.

    >>> clean_url("https://example.com/a?utm_source=x&id=3#top")
    'https://example.com/a?id=3'
    >>> clean_url("javascript:alert(1)")
    """
    parts = split_url(url)
    names = [name for name in parts.path.split("/") if name] if parts is not None else []
    has_loop = len(names) > MAX_REPEATS and max(map(names.count, names)) > MAX_REPEATS
    if parts is None or len(url) > MAX_ADDRESS_CHARACTERS or has_loop or is_file(parts.path):
        return None
    bare = urlunsplit(parts._replace(fragment=""))
    return url_query_cleaner(bare, tracking_in(parts.query), remove=True, unique=False) if parts.query else bare


def address_key(url: str) -> str:
    """A key that ignores http or https, www, index.html, tracking parameters and the order of the query.

    >>> address_key("https://www.example.com/news/index.html?b=1&a=2") == address_key("http://example.com/news/index.html?a=2&b=1")
    True
    """
    url = clean_url(url) or url
    with suppress(ValueError):  # a canonical link may hold any text
        url = canonicalize_url(url)
    return _INDEX.sub("/", url.partition("://")[2].removeprefix("www."))


def tracking_in(query: str) -> list[str]:
    """The parameters of a query that record where a reader came from and do not change the page.

    They are those that AdGuard's list of tracking parameters names for all sites, as the package url-cleaner contains it.
    """
    names = (part.partition("=")[0] for part in query.split("&"))
    exact, patterns = _tracking()
    return [name for name in names if name in exact or any(pattern.search(name) for pattern in patterns)]


@lru_cache(maxsize=1)
def _tracking() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Names and patterns. Only the file is read, because importing the package would configure the root logger."""
    package = find_spec("url_cleaner")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("url-cleaner is not installed, and its list of tracking parameters is needed: pip install url-cleaner")
    rules = json.loads((Path(package.submodule_search_locations[0]) / "rules.json").read_text(encoding="utf-8"))["GENERAL"]
    patterns = [rule for rule in rules if len(rule) > len("//") and rule.startswith("/") and rule.endswith("/")]
    return frozenset(rules) - frozenset(patterns), tuple(re.compile(rule[1:-1]) for rule in patterns)


def is_private(url: str) -> bool:
    """Whether a URL leads into the local network: loopback, private and link-local ranges, names without a public suffix."""
    return is_private_host((parts := split_url(url)) and parts.hostname or "")


def is_private_host(host: str) -> bool:
    """Whether a host name or IP address leads into the local network, as far as it can be told without asking a name server.

    >>> [is_private_host(host) for host in ("intranet", "printer.local", "127.1", "[::1]", "example.com")]
    [True, True, True, True, False]
    """
    host = plain_host(host)
    address = ip_address(host)
    return ("." not in host or host.endswith(_PRIVATE_SUFFIXES)) if address is None else not is_public(address)


def is_file(path: str) -> bool:
    """Whether a path names a file that is not a page: an image, an archive, a document, a script, data.

    >>> is_file("/a/report.PDF"), is_file("/a/story.html"), is_file("/v1.2")
    (True, False, False)
    """
    match = _EXTENSION.search(path)
    return match is not None and match[1].lower() in _NOT_PAGES
