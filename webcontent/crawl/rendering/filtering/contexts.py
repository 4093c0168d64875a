"""Which browser context loads the page of a request, through which proxy, and what the pages of that context may reach."""

from __future__ import annotations

import asyncio
import logging
import secrets
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import NotSupported

from webcontent.crawl.discovery.urls import is_private_host
from webcontent.crawl.private_hosts import PrivateHosts, plain_host
from webcontent.crawl.rendering.filtering.proxy import Channel, FilterProxy
from webcontent.crawl.rendering.filtering.reach import Policy, ReachError
from webcontent.crawl.rendering.filtering.upstream import Upstream
from webcontent.crawl.rendering.identity import NOBODY, Identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

logger = logging.getLogger(__name__)

CONTEXT = "webcontent"
"""Name of the browser context of public pages; the names of our other contexts begin with it."""
BYPASS = "<-loopback>"
"""Chromium's word for: no address is loaded without the proxy, not even one of the own machine."""
_PRIVATE = " private"
_MAX_LOGGED = 100
"""Hosts whose refusal is logged."""
_DEFAULT_PORTS = {"http": 80, "https": 443}
_DIGEST_BYTES = 6


@dataclass(frozen=True, slots=True)
class Place:
    """A browser context for a page."""

    name: str
    proxy: dict[str, str]
    """As Playwright takes it; empty for none."""
    login: tuple[str, str] | None = None
    """User and password for our own proxy; None without it."""
    policy: Policy | None = None
    identity: Identity = NOBODY
    is_ours: bool = True
    """Whether the context is none that the user has named."""

    def failure(self, url: str, begin: float) -> ReachError | None:
        """Why the host of a URL could not be reached since `begin` (as time.monotonic), where our proxy knows."""
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
        return self.policy.failure_since(begin, parts.hostname or "", port) if self.policy else None


class Contexts:
    """The places of a crawl. Our proxy starts with the first of them.

    `is_filtered`: whether the browser can reach a proxy on this machine's loopback. `upstream`: the proxy of requests that name none.
    """

    def __init__(self, allowed: PrivateHosts, count: Callable[[str], None], *, is_filtered: bool, upstream: Upstream | None = None) -> None:
        self.allowed = allowed
        self.is_filtered = is_filtered
        self.upstream = upstream
        self._count = count
        self._filter: FilterProxy | None = None
        self._starting = asyncio.Lock()
        self._places: dict[str, Place] = {}
        self._key = secrets.token_bytes(16)
        self._logged: set[str] = set()

    async def place_of(self, request: Request, identity: Identity = NOBODY) -> Place:
        """Pages of the local network have a context of their own. Raises NotSupported for a proxy of an unknown kind."""
        upstream = proxy_of(request) or self.upstream
        host = plain_host(urlsplit(request.url).hostname or "")
        is_private = is_private_host(host) and not self.allowed.allows(host)
        name = CONTEXT + (_PRIVATE if is_private and self.is_filtered else "") + self._label(upstream) + identity.label
        async with self._starting:
            if name not in self._places:
                self._places[name] = await self._new_place(name, upstream, identity)
        place = self._places[name]
        if is_private and place.policy is not None:
            place.policy.hosts.add(host)
        return place

    async def close(self) -> None:
        if self._filter is not None:
            await self._filter.close()

    async def _new_place(self, name: str, upstream: Upstream | None, identity: Identity) -> Place:
        if not self.is_filtered:
            return Place(name, _unfiltered(upstream), identity=identity)
        if self._filter is None:
            started = FilterProxy(self._refused)
            await started.start()
            self._filter = started
        policy = Policy(name, self.allowed)
        self._filter.open_channel(Channel(policy, upstream))
        server = {"server": f"http://127.0.0.1:{self._filter.port}", "bypass": BYPASS}
        return Place(name, server, (name, self._filter.password), policy, identity)

    def _label(self, upstream: Upstream | None) -> str:
        """Of a proxy and its user, without the password: two users have two contexts."""
        if upstream is None:
            return ""
        digest = blake2b(f"{upstream.user}:{upstream.password}".encode(), key=self._key, digest_size=_DIGEST_BYTES).hexdigest()
        return f" {upstream.scheme}//{upstream.host}/{upstream.port}" + (f" {digest}" if upstream.user else "")

    def _refused(self, host: str) -> None:
        self._count("webcontent/private_refused")
        if host not in self._logged and len(self._logged) < _MAX_LOGGED:
            self._logged.add(host)
            logger.info("A page asked for %s, which is in the local network, and was refused. See WEBCONTENT_PRIVATE_HOSTS.", host)


def proxy_of(request: Request) -> Upstream | None:
    """The proxy that Scrapy has chosen for a request. Raises NotSupported for one of an unknown kind."""
    server = request.meta.get("proxy")
    if not server:
        return None
    scheme, _, token = (request.headers.get("Proxy-Authorization") or b"").partition(b" ")
    user = password = ""
    try:
        if scheme.lower() == b"basic":
            user, _, password = b64decode(token).decode("latin-1").partition(":")
        return Upstream.from_url(str(server), user, password)
    except (ValueError, Base64Error) as error:
        raise NotSupported(f"{request.url}: the proxy can't be used. {error}") from None


def launch_proxy(options: dict[str, Any]) -> Upstream | None:
    """The proxy in the options with which the browser is launched. Raises ValueError for one of an unknown kind."""
    proxy = options.get("proxy") or {}
    return Upstream.from_url(proxy["server"], proxy.get("username", ""), proxy.get("password", "")) if proxy.get("server") else None


def _unfiltered(upstream: Upstream | None) -> dict[str, str]:
    if upstream is None:
        return {}
    server = {"server": f"{upstream.scheme}://{upstream.host}:{upstream.port}"}
    return server | ({"username": upstream.user, "password": upstream.password} if upstream.user else {})
