"""Which hosts a page may reach, judged by the address that is connected to."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.addresses import DEFAULT_PORTS, ip_address, is_public
from webcontent.crawl.discovery.urls import is_private_host
from webcontent.crawl.private_hosts import PrivateHosts, plain_host
from webcontent.crawl.rendering.filter.channels import ReachError

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from webcontent.crawl.rendering.filter.channels import Upstream

KEEP_S = 60.0
"""How long the addresses of a name are kept."""
MAX_NAMES = 5000
"""Whose addresses, and whose failures, are kept."""


def is_inside(request: Request, allowed: PrivateHosts, response: Response | None = None) -> bool:
    """Whether a request leads into the local network.

    It is judged by the IP address that answered; without a response, or behind a proxy, by the host's name alone.
    """
    host = urlsplit(request.url).hostname or ""
    address = None if response is None or request.meta.get("proxy") else response.ip_address
    if allowed.allows(host):
        return False
    return is_private_host(host) if address is None else not is_public(address) and not allowed.has_address(str(address))


@dataclass(eq=False)
class Policy:
    """Which hosts the pages of a browser context may reach, and through which proxy of the user's."""

    name: str
    allowed: PrivateHosts
    upstream: Upstream | None = None
    password: str = field(default_factory=secrets.token_urlsafe, repr=False)
    """With the name it is what the browser logs in with at our own proxy."""
    hosts: set[str] = field(default_factory=set)
    """Private hosts that the crawl itself has requested, which may answer from any address."""
    failures: dict[tuple[str, int], tuple[float, ReachError]] = field(default_factory=dict)
    """By host and port: when and why it could not be reached."""

    def trusts(self, host: str) -> bool:
        return host in self.hosts or self.allowed.has_name(host)

    def check_name(self, host: str) -> None:
        """Raises ReachError for a host that is private by its name alone."""
        literal = ip_address(host)
        if is_private_host(host) and not self.trusts(host) and not (literal is not None and self.allowed.has_address(str(literal))):
            raise _private(host)

    def permitted(self, host: str, addresses: tuple[str, ...]) -> list[str]:
        """Those of the addresses of a host that may be connected to. Raises ReachError if there are none."""
        if self.trusts(host):
            return list(addresses)
        permitted = [address for address in addresses if is_public(ipaddress.ip_address(address)) or self.allowed.has_address(address)]
        if not permitted:
            raise _private(host)
        return permitted

    def note_failure(self, host: str, port: int, error: ReachError) -> None:
        if len(self.failures) >= MAX_NAMES:
            self.failures.clear()
        self.failures[host, port] = (monotonic(), error)

    def failure_since(self, begin: float, url: str) -> ReachError | None:
        """Why the host of a URL could not be reached, if that was after `begin` (as time.monotonic)."""
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
        when, error = self.failures.get((plain_host(parts.hostname or ""), port), (0.0, None))
        return error if when >= begin else None


class Resolver:
    """Looks names up beside the event loop, and keeps the addresses for KEEP_S."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, asyncio.Future[tuple[str, ...]]]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The IP addresses of a host, in the system's order of preference. Raises ReachError if there are none."""
        literal = ip_address(host)
        if literal is not None:
            return (str(literal),)
        known_until, lookup = self._known.get(host, (0.0, None))
        if lookup is None or known_until < monotonic() or lookup.done() and lookup.exception():
            lookup = asyncio.ensure_future(_look_up(host))
            lookup.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # each reader gets the error itself
            if len(self._known) >= MAX_NAMES:
                self._known.clear()
            self._known[host] = (monotonic() + KEEP_S, lookup)
        return await asyncio.shield(lookup)


async def _look_up(host: str) -> tuple[str, ...]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise ReachError("name", f"the name {host} was not found") from error
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def _private(host: str) -> ReachError:
    return ReachError("private", f"{host} is in the local network; WEBCONTENT_PRIVATE_HOSTS names the hosts there that pages may load from")
