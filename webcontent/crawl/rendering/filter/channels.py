"""Connections to the servers of pages: direct ones, and through a proxy of the user's (http, https).

Playwright would take the user's proxy itself, but a browser context has one proxy only: requests would then pass by the filter. What
would be left is the judgement by name of the requests that DevTools shows for a page, without those of its workers, WebSockets and
popups; and the browser would know the password.
"""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from webcontent.addresses import DEFAULT_PORTS

if TYPE_CHECKING:
    from collections.abc import Callable

CONNECT_S = 10.0
"""The longest wait for one address to accept a connection."""


class ReachError(Exception):
    """A host can't be reached. `reason`: private, name, refused, timeout, or failed."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


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

    def for_playwright(self) -> dict[str, str]:
        """The option `proxy` of a browser context that does not load through our own proxy."""
        login = {"username": self.user, "password": self.password} if self.user else {}
        return {"server": f"{self.scheme}://{self.host}:{self.port}", **login}

    @property
    def authorization(self) -> bytes:
        """The header line for the proxy, with its line end; empty without a user."""
        if not self.user:
            return b""
        return b"Proxy-Authorization: Basic " + b64encode(f"{self.user}:{self.password}".encode()) + b"\r\n"


async def connect(addresses: list[str], port: int, factory: Callable[[], asyncio.Protocol], *, is_secure: bool = False) -> None:
    """Connects to the first of the addresses that accepts it. Raises ReachError with the last one's reason."""
    failure = ReachError("failed", f"port {port} can't be reached")
    for address in addresses:
        try:
            async with asyncio.timeout(CONNECT_S):
                await asyncio.get_running_loop().create_connection(factory, address, port, ssl=_tls() if is_secure else None)
        except ConnectionRefusedError:
            failure = ReachError("refused", f"{address} refused the connection to port {port}")
        except TimeoutError:
            failure = ReachError("timeout", f"{address} did not answer on port {port}")
        except (OSError, OverflowError) as error:
            failure = ReachError("failed", f"{address}: {error}")
        else:
            return
    raise failure


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
