"""Which hosts a page may reach, judged by the address that is connected to, and the connections to them.

Playwright would take the user's proxy itself, but a browser context has one proxy only: requests would then pass by the filter. What
would be left is the judgement by name of the requests that DevTools shows for a page, without those of its workers, WebSockets and
popups; and the browser would know the password.
"""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
import ssl
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from webcontent.addresses import DEFAULT_PORTS, PrivateHosts, ip_address, is_public, plain_host
from webcontent.crawl.discovery.urls import is_private_host
from webcontent.crawl.server_urls import CONNECT_S

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
"""The two directions of a connection."""
KEEP_S = 60.0
"""How long the addresses of a name are kept, or that it has none."""
MAX_LOOKUPS = 64
"""At once. A name whose server does not answer takes a thread for many seconds, and a page may ask for dozens of them."""
MAX_NAMES = 5000
"""Whose addresses, and whose failures, are kept."""


class ReachError(Exception):
    """A host can't be reached. `reason`: private, name, refused, timeout, or failed."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    @classmethod
    def private(cls, host: str) -> ReachError:
        return cls("private", f"{host} is in the local network; WEBCONTENT_PRIVATE_HOSTS names the hosts there that pages may load from")

    @classmethod
    def unknown(cls, host: str) -> ReachError:
        return cls("name", f"the name {host} was not found")


def is_inside(request: Request, allowed: PrivateHosts, response: Response | None = None) -> bool:
    """Whether a request leads into the local network.

    It is judged by the IP address that answered; without a response, or behind a proxy, by the host's name alone.
    """
    host = urlsplit(request.url).hostname or ""
    address = None if response is None or request.meta.get("proxy") else response.ip_address
    if allowed.allows(host):
        return False
    return is_private_host(host) if address is None else not is_public(address) and not allowed.has_address(str(address))


@dataclass(frozen=True, slots=True)
class Upstream:
    """A proxy of the user's. `scheme`: http or https."""

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def from_url(cls, url: str, user: str = "", password: str = "") -> Upstream:
        """From a URL, which may hold user and password itself. Raises ValueError, without the URL, if it is none of a proxy."""
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            default = DEFAULT_PORTS[parts.scheme]
            host, port = parts.hostname, parts.port or default
        except (ValueError, KeyError):
            host, port = None, 0
        if not host:
            raise ValueError(f"A proxy is no URL with one of the schemes {', '.join(DEFAULT_PORTS)}.")
        if parts.username and not user:
            user, password = unquote(parts.username), unquote(parts.password or "")
        return cls(parts.scheme, host, port, user, password)

    def log_in(self, head: bytes) -> bytes:
        """The head of a request, with the user's name and password after its first line."""
        login = b"\r\nProxy-Authorization: Basic " + b64encode(f"{self.user}:{self.password}".encode()) if self.user else b""
        return head.replace(b"\r\n", login + b"\r\n", 1)


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

    def check_name(self, host: str) -> None:
        """Raises ReachError for a host that is private by its name alone."""
        if is_private_host(host) and host not in self.hosts and not self.allowed.allows(host):
            raise ReachError.private(host)

    def permitted(self, host: str, addresses: tuple[str, ...]) -> list[str]:
        """Those of the addresses of a host that may be connected to. Raises ReachError if there are none."""
        if host in self.hosts or host in self.allowed.names:
            return list(addresses)
        permitted = [address for address in addresses if is_public(ipaddress.ip_address(address)) or self.allowed.has_address(address)]
        if not permitted:
            raise ReachError.private(host)
        return permitted

    def note_failure(self, host: str, port: int, error: ReachError) -> None:
        """Keeps a copy of the error: it itself holds the frames, and so the connections, that it was raised in."""
        if len(self.failures) >= MAX_NAMES:
            self.failures.clear()
        self.failures[host, port] = (monotonic(), ReachError(error.reason, str(error)))

    def failure_since(self, begin: float, url: str) -> ReachError | None:
        """Why the host of a URL could not be reached, if that was after `begin` (as time.monotonic)."""
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
        when, error = self.failures.get((plain_host(parts.hostname or ""), port), (0.0, None))
        return error if when >= begin else None


class Resolver:
    """Looks names up beside the event loop, and keeps the answers for KEEP_S."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, asyncio.Future[tuple[str, ...]]]] = {}
        self._executor = ThreadPoolExecutor(MAX_LOOKUPS, thread_name_prefix="names")

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The IP addresses of a host, in the system's order of preference. Raises ReachError if there are none."""
        literal = ip_address(host)
        if literal is not None:
            return (str(literal),)
        known_until, lookup = self._known.get(host, (0.0, None))
        if lookup is None or known_until < monotonic() or lookup.done() and lookup.exception():
            lookup = asyncio.ensure_future(self._look_up(host))
            lookup.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # each reader gets the error itself
            if len(self._known) >= MAX_NAMES:
                self._known.clear()
            self._known[host] = (monotonic() + KEEP_S, lookup)
        found = await asyncio.shield(lookup)
        if not found:  # an error of its own for each: a kept one would hold the connections that it was raised in
            raise ReachError.unknown(host)
        return found

    async def _look_up(self, host: str) -> tuple[str, ...]:
        """The addresses; none where there is no such name. Raises ReachError if it is not known whether there is one."""
        ask = partial(socket.getaddrinfo, host, None, type=socket.SOCK_STREAM)
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._executor, ask)
        except (OSError, UnicodeError) as error:
            if isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME:
                return ()
            raise ReachError.unknown(host) from error
        return tuple(dict.fromkeys(str(address[0]) for *_, address in found))

    def close(self) -> None:
        """Gives up the lookups that have not begun."""
        self._executor.shutdown(wait=False, cancel_futures=True)


async def connect(addresses: list[str], port: int, *, is_secure: bool = False) -> Streams:
    """Connects to the first of the addresses that accepts it. Raises ReachError with the last one's reason."""
    failure = ReachError("failed", f"port {port} can't be reached")
    for address in addresses:
        try:
            async with asyncio.timeout(CONNECT_S):
                return await asyncio.open_connection(address, port, ssl=_tls() if is_secure else None)
        except ConnectionRefusedError:
            failure = ReachError("refused", f"{address} refused the connection to port {port}")
        except TimeoutError:
            failure = ReachError("timeout", f"{address} did not answer on port {port}")
        except (OSError, OverflowError) as error:
            failure = ReachError("failed", f"{address}: {error}")
    raise failure


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
