"""A filtering HTTP proxy on loopback, through which the browser loads pages: it connects only to what a Policy permits.

It looks names up itself and connects to the address that it has judged, so that a name can't lead to another address afterwards.
Only a browser context that holds a secret of this crawl may use it. What passes is not read, except for the heads of plain HTTP
requests. A client's connection leads to one server only, so that no server can answer for another one.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.addresses import DEFAULT_PORTS, plain_host
from webcontent.crawl.rendering.filter.reach import Policy, ReachError, Resolver, connect
from webcontent.crawl.rendering.tasks import run_in_background

if TYPE_CHECKING:
    from collections.abc import Callable

    from webcontent.crawl.rendering.filter.reach import Streams

MAX_HEAD = 262_144
"""Bytes of a request's head, cookies included; and of what is passed on at once."""
_HEAD_END = b"\r\n\r\n"
_UNAUTHORIZED = b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="webcontent"\r\nContent-Length: 0\r\n\r\n'
_NO_TUNNEL = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"
_TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
"""The beginning of a response."""
_ASKS_FOR_LOGIN, _FORBIDDEN = b"407", b"403"


class FilterProxy:
    """The proxy. `refused` is called with the host of each connection into the local network that it refuses."""

    def __init__(self, refused: Callable[[str], None]) -> None:
        self.refused = refused
        self.resolver = Resolver()
        self._clients: set[asyncio.Task[None]] = set()
        self._policies: dict[bytes, Policy] = {}
        """By the value of the header Proxy-Authorization."""
        self._server: asyncio.Server | None = None

    async def serve(self, policy: Policy) -> int:
        """The port on which clients that log in with name and password of the policy are served from now on."""
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD)
        self._policies[b64encode(f"{policy.name}:{policy.password}".encode())] = policy
        return int(self._server.sockets[0].getsockname()[1])

    def policy_of(self, credentials: bytes) -> Policy | None:
        scheme, _, value = credentials.partition(b" ")
        return self._policies.get(value.strip()) if scheme.lower() == b"basic" else None

    async def connect(self, policy: Policy, head: Head) -> Streams:
        """Connects to a server that the policy permits, or to the user's proxy. Raises ReachError; the reason is noted in the policy."""
        host, port = head.host, head.port
        try:
            policy.check_name(host)
            if (upstream := policy.upstream) is not None:  # that proxy looks the names up
                return await connect([upstream.host], upstream.port, is_secure=upstream.scheme == "https")
            return await connect(policy.permitted(host, await self.resolver.addresses(host)), port)
        except ReachError as error:
            policy.note_failure(host, port, error)
            if error.reason == "private":
                self.refused(host)
            raise

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(Client(self, reader, writer).serve())
        self._clients.add(task)
        task.add_done_callback(self._clients.discard)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        while self._clients:  # one may just have been accepted
            for task in self._clients:
                task.cancel()
            await asyncio.wait(self._clients)
        self.resolver.close()


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


@dataclass(slots=True, eq=False)
class Client:
    """A connection from the browser, and the connection to the one server that it leads to."""

    proxy: FilterProxy
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server: asyncio.StreamWriter | None = None
    target: tuple[Policy, str, int] | None = None
    awaits_head: bool = False
    """Whether the next bytes of the server are the head of a response."""

    async def serve(self) -> None:
        """Serves what the browser sends, until one side closes its connection."""
        try:
            while await self._request(read_head(await self.reader.readuntil(_HEAD_END))):
                pass
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError, asyncio.CancelledError):
            self.writer.transport.abort()
        self.writer.close()
        if self.server is not None:
            self.server.close()

    async def _request(self, head: Head) -> bool:
        """Whether another request may follow. Raises ValueError for one that belongs on a new connection, where the browser repeats it."""
        policy = self.proxy.policy_of(head.credentials)
        if policy is None:
            self.writer.write(_UNAUTHORIZED)
            await self._pass_body(head.body_length)
            return True
        if self.server is None:
            try:
                answers, self.server = await self.proxy.connect(policy, head)
            except ReachError:
                if head.is_tunnel:
                    self.writer.write(_NO_TUNNEL)
                return False
            self.target = (policy, head.host, head.port)
            run_in_background(self._pass_answers(answers))
        elif head.is_tunnel or self.target != (policy, head.host, head.port):
            raise ValueError("a connection leads to one server only")
        if head.is_tunnel and policy.upstream is None:
            self.writer.write(_TUNNEL)
        else:
            self.awaits_head = True
            self.server.write(head.short if policy.upstream is None else policy.upstream.log_in(head.whole))
        await self._pass_body(None if head.is_tunnel else head.body_length)
        return not head.is_tunnel

    async def _pass_body(self, length: int | None) -> None:
        """Passes so many bytes on to the server, None: all. Those of a request that was refused are dropped."""
        while length != 0 and (data := await self.reader.read(MAX_HEAD if length is None else min(MAX_HEAD, length))):
            length = None if length is None else length - len(data)
            if self.server is not None:
                self.server.write(data)
                await self.server.drain()

    async def _pass_answers(self, answers: asyncio.StreamReader) -> None:
        """Passes on what the server sends. A connection that it breaks off is broken off for the browser, too."""
        held = b""
        try:
            while data := await answers.read(MAX_HEAD):
                held += data
                while self.awaits_head and (end := held.find(_HEAD_END) + len(_HEAD_END)) >= len(_HEAD_END):
                    held = self._pass_head(held, end)
                if not self.awaits_head:
                    self.writer.write(held)
                    held = b""
                    await self.writer.drain()
                elif len(held) > MAX_HEAD:
                    break
        except (OSError, ValueError):
            self.writer.transport.abort()
        self.writer.close()

    def _pass_head(self, held: bytes, end: int) -> bytes:
        """What is left to pass on, of bytes that begin with a head. Raises ValueError for what is no head of a response."""
        status = _STATUS.match(held)
        if status is None:
            raise ValueError("no head of a response")
        if status[1].startswith(b"1"):  # an interim response
            self.writer.write(held[:end])
            return held[end:]
        self.awaits_head = False
        if status[1] == _ASKS_FOR_LOGIN:  # the browser would take it for ours, and forget how to log in here
            return held[: status.start(1)] + _FORBIDDEN + held[status.end(1) :]
        return held
