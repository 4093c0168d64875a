"""URLs of pages: their parts, and the site that they belong to."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import tldextract

if TYPE_CHECKING:
    from urllib.parse import SplitResult

CACHED_HOSTS = 10_000
"""Hosts whose registered domain is kept in memory."""
_DEFAULT_PORTS = {"http": 80, "https": 443}
_IPV4_PARTS, _OCTET_BITS = 4, 8

# The list of public suffixes that the package brings along: no request is made to renew it.
_suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def split_url(url: str) -> SplitResult | None:
    """The parts of an http(s) URL with a host and a valid port; None for other text."""
    try:
        parts = urlsplit(url)
        is_valid = parts.port is None or parts.port >= 0  # reading the port raises when it is no number
    except ValueError:
        return None
    return parts if is_valid and parts.scheme in _DEFAULT_PORTS and parts.hostname else None


def site_of(url: str) -> str | None:
    """The site of a URL: its registered domain, or host and port where it has none (an IP address, a private name).

    >>> site_of("https://news.example.co.uk/a")
    'example.co.uk'
    >>> site_of("http://127.0.0.1:8000/")
    '127.0.0.1:8000'
    >>> site_of("mailto:somebody@example.org")
    """
    parts = split_url(url)
    if parts is None:
        return None
    host = (parts.hostname or "").rstrip(".")
    return None if not host else _registered_domain(host) or f"{host}:{parts.port or _DEFAULT_PORTS[parts.scheme]}"


@lru_cache(maxsize=CACHED_HOSTS)
def _registered_domain(host: str) -> str | None:
    if ip_address(host) is not None:
        return None
    parts = _suffixes.extract_str(host)
    return f"{parts.domain}.{parts.suffix}".lower() if parts.domain and parts.suffix else None


def ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host is, also in the forms that only browsers accept: 2130706433, 0x7f.1, 127.1. None for a name."""
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    try:
        numbers = [_browser_number(part) for part in host.split(".")]
    except ValueError:
        return None
    if len(numbers) > _IPV4_PARTS or max(numbers[:-1], default=0) >= 2**_OCTET_BITS:
        return None
    # The last number fills all octets that are left.
    value = sum(number << _OCTET_BITS * (_IPV4_PARTS - 1 - place) for place, number in enumerate(numbers[:-1])) + numbers[-1]
    return ipaddress.IPv4Address(value) if 0 <= value < 2 ** (_IPV4_PARTS * _OCTET_BITS) else None


def _browser_number(text: str) -> int:
    """A part of an IPv4 address: hexadecimal after 0x, octal after 0, else decimal. Raises ValueError."""
    base = 16 if text.lower().startswith("0x") else 8 if text.startswith("0") else 10
    return int(text, base)
