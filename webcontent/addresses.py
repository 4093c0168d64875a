"""URLs of pages: their parts, the site that they belong to, and how they are written so that they are safe to show."""

from __future__ import annotations

import ipaddress
import re
import socket
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import tldextract

if TYPE_CHECKING:
    from urllib.parse import SplitResult

MAX_ADDRESS_CHARACTERS = 2000
"""Longer addresses of pages are not accepted. Browsers, servers and keys of databases handle about so many characters safely."""
UNSAFE = "\\x00-\\x20\"'<>`\\x7f-\\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
"""Characters that addresses contain only percent-encoded, as the inside of a character class: those that end an attribute of HTML or a
word of a text, control characters, and invisible ones. Browsers encode all but ' and the invisible ones, which they show."""
_UNSAFE = re.compile(f"[{UNSAFE}]")
_NO_HOST = re.compile(rf"[{UNSAFE}\\^{{|}}%]")
"""Characters that no host contains (URL Standard, forbidden domain code points). Browsers decode %31 in a host, other programs do not."""
DEFAULT_PORTS = {"http": 80, "https": 443}
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_MAPPED_IPV4 = tuple(ipaddress.ip_network(net) for net in ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96"))
"""IPv6 networks whose last 32 bits are an IPv4 address: compatible, mapped, translated, NAT64."""
_PROVIDERS_OWN = (ipaddress.ip_network("168.63.129.16/32"), ipaddress.ip_network("192.0.0.0/24"))
"""Networks that count as public, and hold the addresses at which cloud providers serve the configuration of the own machine."""

# The list of public suffixes that the package brings along: no request is made to renew it.
suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def split_url(url: str) -> SplitResult | None:
    """The parts of an http(s) URL with a host and a valid port; None for other text."""
    try:
        parts = urlsplit(url)
        is_valid = parts.port is None or parts.port >= 0  # reading the port raises when it is no number
    except ValueError:
        return None
    return parts if is_valid and parts.scheme in DEFAULT_PORTS and parts.hostname and not _NO_HOST.search(parts.hostname) else None


def encode_unsafe(url: str) -> str:
    """A URL with its unsafe characters percent-encoded; characters of other scripts stay as they are.

    >>> encode_unsafe("https://example.com/a b?c='<新>'")
    'https://example.com/a%20b?c=%27%3C新%3E%27'
    """
    return _UNSAFE.sub(lambda match: quote(match[0]), url) if _UNSAFE.search(url) else url


def page_address(url: str | None, *, others: tuple[str, ...] = ()) -> str | None:
    """A URL that came with a page, as items show it; None unless it is an http(s) URL of at most MAX_ADDRESS_CHARACTERS.

    `others`: schemes that are accepted too.

    >>> page_address(" https://example.com/a b"), page_address("javascript:alert(1)")
    ('https://example.com/a%20b', None)
    """
    url = (url or "").strip()
    if len(url) > MAX_ADDRESS_CHARACTERS:
        return None
    address = encode_unsafe(url.encode("utf-8", "replace").decode())  # as it will be read: urlsplit drops line breaks
    is_accepted = split_url(address) is not None or address.lower().startswith(others)
    return address if is_accepted and len(address) <= MAX_ADDRESS_CHARACTERS else None


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
    return None if not host else _registered_domain(host) or f"{host}:{parts.port or DEFAULT_PORTS[parts.scheme]}"


@lru_cache
def _registered_domain(host: str) -> str | None:
    if ip_address(host) is not None:
        return None
    parts = suffixes.extract_str(host)
    return f"{parts.domain}.{parts.suffix}".lower() if parts.domain and parts.suffix else None


def ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host is, also in the forms that only browsers accept: 2130706433, 0x7f.1, 127.1. None for a name."""
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    with suppress(OSError, ValueError):
        return ipaddress.IPv4Address(socket.inet_aton(host))
    return None


class PrivateHosts:
    """Hosts of the local network that every page may reach: names, IP addresses, and networks.

    Raises ValueError for an entry that is none of them.

    >>> allowed = PrivateHosts(["wiki.example.com", "10.1.0.0/16"])
    >>> allowed.allows("wiki.example.com"), allowed.has_address("10.1.2.3"), allowed.has_address("10.2.2.3")
    (True, True, False)
    """

    def __init__(self, entries: tuple[str, ...] | list[str]) -> None:
        self.names: set[str] = set()
        self.networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in entries:
            bare = plain_host(entry)
            if "/" in bare or ip_address(bare) is not None:
                self.networks.append(ipaddress.ip_network(ip_address(bare) or bare, strict=False))
            elif not bare or ":" in bare:
                raise ValueError(f"{entry!r} is no host name, IP address or network")
            else:
                self.names.add(bare)

    def has_address(self, address: str) -> bool:
        return any(ipaddress.ip_address(address) in network for network in self.networks)

    def allows(self, host: str) -> bool:
        """Whether a host, as it stands in a URL, is one of these by name or as an address."""
        host = plain_host(host)
        literal = ip_address(host)
        return host in self.names or literal is not None and self.has_address(str(literal))


def plain_host(host: str) -> str:
    """A host in the form in which hosts are compared: lower case, without brackets and the dot at the end."""
    return host.strip().strip("[]").rstrip(".").lower()


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an IP address belongs to one host of the internet.

    Loopback, private, shared (CGNAT), link-local, multicast and reserved addresses do not, nor does an IPv6 address that stands for
    such an IPv4 address.

    >>> [is_public(ipaddress.ip_address(text)) for text in ("8.8.8.8", "100.64.0.1", "64:ff9b::7f00:1", "224.0.0.1")]
    [True, False, False, False]
    """
    if isinstance(address, ipaddress.IPv6Address):
        is_mapped = any(address in net for net in _MAPPED_IPV4)
        inner = ipaddress.IPv4Address(address.packed[-4:]) if is_mapped else address.sixtofour
        return is_public(inner) if inner else address in _GLOBAL_UNICAST and address.is_global
    if address.is_multicast or address.is_reserved or any(address in net for net in _PROVIDERS_OWN):
        return False
    return address.is_global
