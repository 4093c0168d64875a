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

    def __str__(self) -> str:
        return f"the proxy {self.host}:{self.port}"

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
        reader, transport = asyncio.StreamReader(MAX_ANSWER), None
        try:
            async with asyncio.timeout(CONNECT_S):
                context, loop = _tls() if self.scheme == "https" else None, asyncio.get_running_loop()
                transport, _ = await loop.create_connection(lambda: _Dialogue(reader), self.host, self.port, ssl=context)
                if not self.is_http:
                    await self._greet_socks(transport, reader, host, port)
                elif is_tunnel:
                    await self._open_tunnel(transport, reader, host, port)
        except BaseException as error:
            if transport is not None:
                transport.abort()
            if isinstance(error, (EOFError, OSError, asyncio.LimitOverrunError)):
                reason = "timeout" if transport is not None and isinstance(error, TimeoutError) else "failed"
                raise ReachError(reason, f"{self} opened no connection to {host}:{port}: {type(error).__name__}") from error
            raise
        protocol = factory()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        reader.feed_eof()  # what has come beyond the last answer belongs to the server
        if rest := await reader.read():
            protocol.data_received(rest)
        if transport.is_closing():
            protocol.connection_lost(None)
        return transport

    async def _open_tunnel(self, transport: asyncio.Transport, reader: asyncio.StreamReader, host: str, port: int) -> None:
        target = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        transport.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n".encode() + self.authorization + b"\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        status = head.split(b" ", 2)[1:2]
        if status != [_STATUS_OK]:
            line = head.partition(b"\r\n")[0][:100].decode("latin-1")
            raise ReachError("failed", f"{self} opened no connection to {target}: {line}")

    async def _greet_socks(self, transport: asyncio.Transport, reader: asyncio.StreamReader, host: str, port: int) -> None:
        """RFC 1928, and RFC 1929 for the password. The proxy looks the name up."""
        transport.write(bytes([_SOCKS, 1, _PASSWORD if self.user else _NO_PASSWORD]))
        method = (await reader.readexactly(2))[1]
        if method == _PASSWORD and self.user:
            user, password = (text.encode()[:_MAX_SOCKS_TEXT] for text in (self.user, self.password))
            transport.write(bytes([1, len(user)]) + user + bytes([len(password)]) + password)
            method = (await reader.readexactly(2))[1]
        if method != _NO_PASSWORD:
            raise ReachError("failed", f"{self} refused user and password")
        transport.write(bytes([_SOCKS, _CONNECT, 0]) + _socks_address(host) + port.to_bytes(2))
        _, reply, _, kind = await reader.readexactly(4)
        if reply:
            reason = _SOCKS_REASONS.get(reply, "failed")
            raise ReachError(reason, f"{self} opened no connection to {host}:{port} (SOCKS reply {reply})")
        await reader.readexactly(_SOCKS_ADDRESSES.get(kind) or (await reader.readexactly(1))[0])
        await reader.readexactly(2)


class _Dialogue(asyncio.StreamReaderProtocol):
    """Questions and answers at the beginning of a connection. It closes with the other side, so that the next protocol hears of it."""

    def eof_received(self) -> bool:
        super().eof_received()
        return False


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
