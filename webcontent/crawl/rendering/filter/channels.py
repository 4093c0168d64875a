"""Connections to the servers of pages: direct ones, and through a proxy of the user's (http, https, socks5).

Playwright would take the user's proxy itself, but a browser context has one proxy only: requests would then pass by the filter. What
would be left is the judgement by name of the requests that DevTools shows for a page, without those of its workers, WebSockets and
popups; the browser would know the password; and Chromium logs in at no SOCKS proxy.
"""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from webcontent.crawl.rendering.filter.reach import ReachError

if TYPE_CHECKING:
    from collections.abc import Callable

CONNECT_S = 10.0
"""The longest wait for one address to accept a connection, or for a proxy to open one."""
MAX_ANSWER = 65_536
"""Bytes of a proxy's answer to CONNECT."""
_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_SOCKS, _NO_PASSWORD, _PASSWORD, _CONNECT, _NAME = 5, 0, 2, 1, 3
"""Numbers of RFC 1928."""
_SOCKS_ADDRESSES = {1: 4, 4: 16}
"""Bytes of an address by its type."""
_SOCKS_REASONS = {4: "name", 5: "refused", 6: "timeout"}
_MAX_SOCKS_TEXT = 255
_STATUS_OK = b"200"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A proxy of the user's. `scheme`: http, https or socks5."""

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
            default = _PORTS[parts.scheme]
            host, port = parts.hostname, parts.port or default
        except (ValueError, KeyError):
            host, port = None, 0
        if not host:
            raise ValueError(f"A proxy is no URL with one of the schemes {', '.join(_PORTS)}.")
        if parts.username and not user:
            user, password = unquote(parts.username), unquote(parts.password or "")
        return cls(parts.scheme.removesuffix("h"), host, port, user, password)

    def for_playwright(self) -> dict[str, str]:
        """The option `proxy` of a browser context that does not load through our own proxy."""
        login = {"username": self.user, "password": self.password} if self.user else {}
        return {"server": f"{self.scheme}://{self.host}:{self.port}", **login}

    @property
    def is_http(self) -> bool:
        return self.scheme in ("http", "https")

    @property
    def authorization(self) -> bytes:
        """The header line for the proxy, with its line end; empty without a user."""
        if not self.user:
            return b""
        return b"Proxy-Authorization: Basic " + b64encode(f"{self.user}:{self.password}".encode()) + b"\r\n"

    async def connect(self, host: str, port: int, factory: Callable[[], asyncio.Protocol], *, is_tunnel: bool) -> asyncio.Transport:
        """A connection on which the server of a page is spoken to, or the proxy itself for a plain HTTP request. Raises ReachError."""
        context = _tls() if self.scheme == "https" else None
        try:
            async with asyncio.timeout(CONNECT_S):
                loop = asyncio.get_running_loop()
                transport, dialogue = await loop.create_connection(Dialogue, self.host, self.port, ssl=context)
        except (OSError, TimeoutError) as error:
            raise ReachError("failed", f"the proxy {self.host}:{self.port} can't be reached: {type(error).__name__}") from error
        try:
            async with asyncio.timeout(CONNECT_S):
                if not self.is_http:
                    await self._greet_socks(dialogue, host, port)
                elif is_tunnel:
                    await self._open_tunnel(dialogue, host, port)
        except BaseException as error:
            transport.abort()
            if isinstance(error, TimeoutError):
                raise ReachError("timeout", f"the proxy {self.host}:{self.port} opened no connection to {host}:{port}") from error
            raise
        dialogue.hand_over(factory())
        return transport

    async def _open_tunnel(self, dialogue: Dialogue, host: str, port: int) -> None:
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        dialogue.send(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n".encode(), self.authorization, b"\r\n")
        head = await dialogue.read_until(b"\r\n\r\n")
        status = head.split(b" ", 2)[1:2]
        if status != [_STATUS_OK]:
            line = head.partition(b"\r\n")[0][:100].decode("latin-1")
            raise ReachError("failed", f"the proxy {self.host}:{self.port} opened no connection to {target}: {line}")

    async def _greet_socks(self, dialogue: Dialogue, host: str, port: int) -> None:
        """RFC 1928, and RFC 1929 for the password. The proxy looks the name up."""
        dialogue.send(bytes([_SOCKS, 1, _PASSWORD if self.user else _NO_PASSWORD]))
        method = (await dialogue.read(2))[1]
        if method == _PASSWORD and self.user:
            user, password = (text.encode()[:_MAX_SOCKS_TEXT] for text in (self.user, self.password))
            dialogue.send(bytes([1, len(user)]), user, bytes([len(password)]), password)
            method = (await dialogue.read(2))[1]
        if method != _NO_PASSWORD:
            raise ReachError("failed", f"the proxy {self.host}:{self.port} refused user and password")
        dialogue.send(bytes([_SOCKS, _CONNECT, 0]), _socks_address(host), port.to_bytes(2))
        _, reply, _, kind = await dialogue.read(4)
        if reply:
            reason = _SOCKS_REASONS.get(reply, "failed")
            raise ReachError(reason, f"the proxy {self.host}:{self.port} opened no connection to {host}:{port} (SOCKS reply {reply})")
        await dialogue.read(_SOCKS_ADDRESSES.get(kind) or (await dialogue.read(1))[0])
        await dialogue.read(2)


class Dialogue(asyncio.Protocol):
    """Questions and answers at the beginning of a connection, before it is handed over to another protocol."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._changed = asyncio.Event()
        self._is_closed = False
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._changed.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_closed = True
        self._changed.set()

    def send(self, *parts: bytes) -> None:
        assert self._transport is not None
        self._transport.write(b"".join(parts))

    async def read(self, size: int) -> bytes:
        """So many bytes. Raises ReachError if the connection ends before."""
        while len(self._buffer) < size:
            await self._wait()
        return self._taken(size)

    async def read_until(self, end: bytes) -> bytes:
        """All bytes including `end`. Raises ReachError if the connection ends before, or after too many bytes."""
        while (place := self._buffer.find(end)) < 0:
            if len(self._buffer) > MAX_ANSWER:
                raise ReachError("failed", "the proxy's answer is too long")
            await self._wait()
        return self._taken(place + len(end))

    def hand_over(self, protocol: asyncio.Protocol) -> None:
        """Gives the connection, and what was received beyond the last answer, to another protocol."""
        assert self._transport is not None
        self._transport.set_protocol(protocol)
        protocol.connection_made(self._transport)
        if self._buffer:
            protocol.data_received(bytes(self._buffer))
        if self._is_closed:
            protocol.connection_lost(None)

    async def _wait(self) -> None:
        if self._is_closed:
            raise ReachError("failed", "the proxy closed the connection")
        self._changed.clear()
        await self._changed.wait()

    def _taken(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken


async def connect_directly(addresses: list[str], port: int, factory: Callable[[], asyncio.Protocol]) -> asyncio.Transport:
    """A connection to the first of the IP addresses that accepts one. Raises ReachError with the last one's reason."""
    failure = ReachError("failed", f"port {port} can't be reached")
    for address in addresses:
        try:
            async with asyncio.timeout(CONNECT_S):
                transport, _ = await asyncio.get_running_loop().create_connection(factory, address, port)
        except ConnectionRefusedError:
            failure = ReachError("refused", f"{address} refused the connection to port {port}")
        except TimeoutError:
            failure = ReachError("timeout", f"{address} did not answer on port {port}")
        except (OSError, OverflowError) as error:
            failure = ReachError("failed", f"{address}: {error}")
        else:
            return transport
    raise failure


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _socks_address(host: str) -> bytes:
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        return bytes([1 if address.version == 4 else 4]) + address.packed
    name = host.encode()
    if len(name) > _MAX_SOCKS_TEXT:
        raise ReachError("name", "the host name is too long")
    return bytes([_NAME, len(name)]) + name
