"""A filtering HTTP proxy on loopback, through which the browser loads pages: it connects only to what a Policy permits.

It looks names up itself and connects to the address that it has judged, so that a name can't lead to another address afterwards.
Only a browser context that holds a secret of this crawl may use it. What passes is not read, except for the heads of plain HTTP
requests. A client's connection leads to one server only, so that no server can answer for another one.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.addresses import DEFAULT_PORTS
from webcontent.crawl.private_hosts import plain_host
from webcontent.crawl.rendering.filter.reach import Policy, ReachError, Resolver, connect

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_HEAD = 262_144
"""Bytes of a request's head, cookies included."""
_HEAD_END = b"\r\n\r\n"
_UNAUTHORIZED = b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="webcontent"\r\nContent-Length: 0\r\n\r\n'
_NO_TUNNEL = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"
_TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"
_STATUS, _STATUS_BYTES = re.compile(rb"HTTP/1\.[01] (\d{3})"), len(b"HTTP/1.1 200")
"""The beginning of a response."""
_ASKS_FOR_LOGIN, _FORBIDDEN = b"407", b"403"


class FilterProxy:
    """The proxy. `refused` is called with the host of each connection into the local network that it refuses."""

    def __init__(self, refused: Callable[[str], None]) -> None:
        self.refused = refused
        self.resolver = Resolver()
        self.clients: set[Client] = set()
        self._policies: dict[bytes, Policy] = {}
        """By the value of the header Proxy-Authorization."""
        self._server: asyncio.Server | None = None

    async def serve(self, policy: Policy) -> int:
        """The port on which clients that log in with name and password of the policy are served from now on."""
        if self._server is None:
            self._server = await asyncio.get_running_loop().create_server(lambda: Client(self), "127.0.0.1", 0)
        self._policies[b64encode(f"{policy.name}:{policy.password}".encode())] = policy
        return int(self._server.sockets[0].getsockname()[1])

    def policy_of(self, credentials: bytes) -> Policy | None:
        scheme, _, value = credentials.partition(b" ")
        return self._policies.get(value.strip()) if scheme.lower() == b"basic" else None

    async def connect(self, policy: Policy, head: Head, factory: Callable[[], asyncio.Protocol]) -> None:
        """Connects to a server that the policy permits, or to the user's proxy. Raises ReachError; the reason is noted in the policy."""
        host, port = head.host, head.port
        try:
            policy.check_name(host)
            if (upstream := policy.upstream) is not None:  # that proxy looks the names up
                await connect([upstream.host], upstream.port, factory, is_secure=upstream.scheme == "https")
            else:
                await connect(policy.permitted(host, await self.resolver.addresses(host)), port, factory)
        except ReachError as error:
            policy.note_failure(host, port, error)
            if error.reason == "private":
                self.refused(host)
            raise

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        while self.clients:  # the event loop closes later what is aborted now
            for client in tuple(self.clients):
                client.abort()
            await asyncio.sleep(0)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a request to a proxy."""

    is_tunnel: bool
    host: str
    port: int
    credentials: bytes
    body_length: int
    whole: bytes
    """The head for another proxy: the request line with the whole URL, the headers without those for a proxy."""
    short: bytes
    """The head for the server: the request line with the path."""


def read_head(raw: bytes) -> Head:
    """The head of a request as a browser sends it to a proxy. Raises ValueError for anything else."""
    first, *lines = raw.split(b"\r\n")
    method, target, version = first.split(b" ")
    is_tunnel = method == b"CONNECT"
    scheme, _, rest = (b"http", b"", target) if is_tunnel else target.partition(b"://")
    if scheme.lower() != b"http" or not version.startswith(b"HTTP/1."):
        raise ValueError("no request for a proxy")
    authority = re.split(rb"[/?#]", rest, maxsplit=1)[0]
    parts = urlsplit(f"//{authority.decode('ascii')}")
    if not parts.hostname or parts.username is not None:
        raise ValueError("a browser names a host, and sends no password in a URL")
    credentials, length, kept = b"", 0, []
    for line in lines:
        name, _, value = line.partition(b":")
        name = name.strip().lower()
        if name == b"proxy-authorization":
            credentials = value.strip()
        elif name == b"transfer-encoding":
            raise ValueError("no browser sends a plain request in chunks")
        elif not name.startswith(b"proxy-"):
            kept.append(line)
        if name == b"content-length":
            length = int(value)
    if length < 0:
        raise ValueError("the length is negative")
    headers = b"\r\n".join(kept)
    path = b"/" + rest[len(authority) :].removeprefix(b"/")
    whole, short = (b" ".join((method, part, version)) + b"\r\n" + headers for part in (target, path))
    return Head(is_tunnel, plain_host(parts.hostname), parts.port or DEFAULT_PORTS["http"], credentials, length, whole, short)


class Side(asyncio.Protocol):
    """One of the two connections between which the proxy passes data on."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.other: Side | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def pause_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None and self.other.transport is not None:
            self.other.transport.resume_reading()

    def write(self, data: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def close(self) -> None:
        if self.transport is not None:
            with suppress(RuntimeError):
                self.transport.close()


class Client(Side):
    """A connection from the browser."""

    def __init__(self, proxy: FilterProxy) -> None:
        super().__init__()
        self.proxy = proxy
        self.target: tuple[Policy, str, int] | None = None
        self.is_tunnel = False
        self._buffer = bytearray()
        self._body_left = 0
        """Bytes of the current request's body that are still to come."""
        self._connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.proxy.clients.add(self)

    def data_received(self, data: bytes) -> None:
        if self.is_tunnel and self.other is not None:
            self.other.write(data)
            return
        self._buffer += data
        self._advance()

    def connection_lost(self, exc: Exception | None) -> None:
        self.proxy.clients.discard(self)
        if self.other is not None:
            self.other.close()

    def abort(self) -> None:
        """Ends the connection, and that to the server, at once."""
        if self._connecting is not None:
            self._connecting.cancel()
        for side in (self, self.other):
            if side is not None and side.transport is not None:
                side.transport.abort()

    def _advance(self) -> None:
        """Passes on what has come of requests and their bodies."""
        while self._buffer and self._connecting is None and not self.is_tunnel:
            if self._body_left:
                part = bytes(self._buffer[: self._body_left])
                del self._buffer[: len(part)]
                self._body_left -= len(part)
                if self.other is not None:  # else it is the body of a request that was refused
                    self.other.write(part)
                continue
            end = self._buffer.find(_HEAD_END)
            if end < 0:
                if len(self._buffer) > MAX_HEAD:
                    self.abort()
                return
            raw = bytes(self._buffer[: end + len(_HEAD_END)])
            del self._buffer[: len(raw)]
            try:
                head = read_head(raw)
            except ValueError:
                self.abort()
                return
            self._request(head)

    def _request(self, head: Head) -> None:
        policy = self.proxy.policy_of(head.credentials)
        if policy is None:
            self._body_left = head.body_length
            self.write(_UNAUTHORIZED)
            return
        target = (policy, head.host, head.port)
        if self.other is not None and (head.is_tunnel or target != self.target):
            self.abort()  # the browser repeats the request on a new connection
        elif self.other is not None:
            self._forward(head, policy)
        else:
            assert self.transport is not None
            self.target = target
            self.transport.pause_reading()
            self._connecting = asyncio.get_running_loop().create_task(self._connect(head, policy))

    async def _connect(self, head: Head, policy: Policy) -> None:
        assert self.transport is not None
        server = Server(self)
        try:
            await self.proxy.connect(policy, head, lambda: server)
        except ReachError:
            if head.is_tunnel:
                self.write(_NO_TUNNEL)
            self.close()
            return
        finally:
            self._connecting = None
        if self.transport.is_closing():
            server.close()
            return
        self.other = server
        self.is_tunnel = head.is_tunnel
        if head.is_tunnel and policy.upstream is None:
            self.write(_TUNNEL)
        else:
            self._forward(head, policy)
        if head.is_tunnel:
            server.write(bytes(self._buffer))
            self._buffer.clear()
        server.start()
        self.transport.resume_reading()
        self._advance()

    def _forward(self, head: Head, policy: Policy) -> None:
        assert isinstance(self.other, Server)
        self._body_left = head.body_length
        self.other.awaits_head = True
        if policy.upstream is None:
            self.other.write(head.short)
        else:
            self.other.write(head.whole.replace(b"\r\n", b"\r\n" + policy.upstream.authorization, 1))


class Server(Side):
    """The connection to a server, for a client. What comes before `start` is held back."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self.client = self.other = client
        self.awaits_head = False
        """Whether the next bytes are the head of a response."""
        self._held = bytearray()
        self._is_started = False

    def start(self) -> None:
        self._is_started = True
        self._pass_on()

    def data_received(self, data: bytes) -> None:
        if self._is_started and not self.awaits_head:
            self.client.write(data)
            return
        self._held += data
        if self._is_started:
            self._pass_on()

    def _pass_on(self) -> None:
        while self.awaits_head and len(self._held) >= _STATUS_BYTES:
            status = _STATUS.match(self._held)
            end = self._held.find(_HEAD_END)
            if status is None or (end < 0 and len(self._held) > MAX_HEAD):
                self.client.abort()
                return
            if not status[1].startswith(b"1"):
                self.awaits_head = False
                if status[1] == _ASKS_FOR_LOGIN:  # the browser would take it for ours, and forget how to log in here
                    self._held[status.start(1) : status.end(1)] = _FORBIDDEN
            elif end < 0:
                return
            else:  # an interim response
                self.client.write(bytes(self._held[: end + len(_HEAD_END)]))
                del self._held[: end + len(_HEAD_END)]
        if not self.awaits_head:
            self.client.write(bytes(self._held))
            self._held.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is None:
            self.client.close()
        else:
            self.client.abort()
