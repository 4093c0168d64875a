"""The filtering proxy by itself: who may use it, what it connects to, and how it passes on."""

from __future__ import annotations

import asyncio
import socket
import threading
from base64 import b64encode
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from webcontent.addresses import PrivateHosts
from webcontent.crawl.rendering.filter import reach
from webcontent.crawl.rendering.filter.proxy import FilterProxy, read_head
from webcontent.crawl.rendering.filter.reach import Policy, ReachError, Resolver, Upstream

if TYPE_CHECKING:
    from typing import Self

SERVED = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nserved"


class Bench:
    """A proxy with a policy, a server on loopback that keeps what it receives, and the names that were refused."""

    def __init__(self, allowed: list[str], upstream: Upstream | None = None) -> None:
        self.refused: list[str] = []
        self.received: list[bytes] = []
        self.proxy = FilterProxy(self.refused.append)
        self.policy = Policy("test", PrivateHosts(allowed), upstream)
        self.port = self.proxy_port = 0

    async def __aenter__(self) -> Self:
        self.proxy_port = await self.proxy.serve(self.policy)
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self.proxy.close()
        await asyncio.sleep(0.02)  # the server's side is closed, too

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            self.received.append(data)
            writer.write(SERVED)
        writer.close()

    @property
    def login(self) -> bytes:
        return b"Proxy-Authorization: Basic " + b64encode(f"test:{self.policy.password}".encode()) + b"\r\n"

    async def ask(self, *requests: bytes) -> bytes:
        """What the proxy answers to these requests, one after the other on one connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.proxy_port)
        answers = b""
        for request in requests:
            writer.write(request)
            try:
                answers += await asyncio.wait_for(reader.read(65_536), 10)
            except ConnectionError:
                break
        writer.close()
        await writer.wait_closed()
        return answers

    def get(self, host: str, path: str = "/a", extra: bytes = b"") -> bytes:
        return f"GET http://{host}:{self.port}{path} HTTP/1.1\r\nHost: {host}\r\n".encode() + self.login + extra + b"\r\n"

    def tunnel(self, host: str, port: int | None = None) -> bytes:
        return f"CONNECT {host}:{port or self.port} HTTP/1.1\r\n".encode() + self.login + b"\r\n"


@pytest.mark.parametrize("login", [b"", b"Proxy-Authorization: Basic dGVzdDp3cm9uZw==\r\n", b"Proxy-Authorization: Bearer x\r\n"])
def test_nobody_without_the_secret_is_served(login):
    async def run() -> None:
        async with Bench(["127.0.0.1"]) as bench:
            for first in (f"CONNECT 127.0.0.1:{bench.port}", f"GET http://127.0.0.1:{bench.port}/"):
                assert (await bench.ask(f"{first} HTTP/1.1\r\n".encode() + login + b"\r\n")).startswith(b"HTTP/1.1 407 ")
            assert bench.received == []

    asyncio.run(run())


PRIVATE = ["127.0.0.1", "2130706433", "0x7f.1", "localhost", "localhost.", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"]


@pytest.mark.parametrize("host", PRIVATE)
def test_no_spelling_of_a_private_address_is_connected_to(host):
    async def run() -> None:
        async with Bench([]) as bench:
            assert await bench.ask(bench.get(host)) == b""
            assert (await bench.ask(bench.tunnel(host))).startswith(b"HTTP/1.1 502 ")
            assert bench.received == []
            assert len(bench.refused) == 2

    asyncio.run(run())


def test_a_name_is_judged_by_its_addresses_and_keeps_them(monkeypatch):
    """A name server that first gives a permitted address and then another one (DNS rebinding) is asked once."""
    answers = iter(["127.0.0.1", "127.0.0.9", "127.0.0.9"])
    asked = []

    def look_up(host: str, *_: object, **__: object) -> list[tuple]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), 0))]

    async def run() -> None:
        async with Bench(["127.0.0.1"]) as bench:
            monkeypatch.setattr(socket, "getaddrinfo", look_up)
            assert await bench.ask(bench.get("rebind.example")) == SERVED
            assert await bench.ask(bench.get("rebind.example")) == SERVED
            assert await bench.ask(bench.get("other.example")) == b""
            assert bench.refused == ["other.example"]
            assert asked == ["rebind.example", "other.example"]

    asyncio.run(run())


def test_of_several_addresses_only_the_permitted_ones_are_tried(monkeypatch):
    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in ("127.0.0.9", "127.0.0.1")]

    async def run() -> None:
        async with Bench(["127.0.0.1"]) as bench:
            monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
            assert await bench.ask(bench.get("two.example")) == SERVED

    asyncio.run(run())


def test_a_request_reaches_the_server_without_what_is_for_the_proxy():
    """Also a second one on the same connection, and a body that looks like a request."""

    async def run() -> None:
        async with Bench(["127.0.0.1"]) as bench:
            body = b"GET http://127.0.0.2/ HTTP/1.1\r\n\r\n"
            post = bench.get("127.0.0.1", "/b?c", b"Cookie: d=e\r\nContent-Length: %d\r\n" % len(body)).replace(b"GET", b"POST", 1) + body
            assert await bench.ask(bench.get("127.0.0.1"), post) == SERVED * 2
            assert bench.received[0] == b"GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            sent = b"".join(bench.received[1:])
            assert sent == b"POST /b?c HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: d=e\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    asyncio.run(run())


def test_a_connection_leads_to_one_server_only():
    """A server could else answer for another one."""

    async def run() -> None:
        async with Bench(["127.0.0.0/8"]) as bench:
            assert await bench.ask(bench.get("127.0.0.1"), bench.get("127.0.0.2")) == SERVED

    asyncio.run(run())


def test_a_tunnel_passes_everything_on():
    async def run() -> None:
        async with Bench(["127.0.0.1"]) as bench:
            answer = await bench.ask(bench.tunnel("127.0.0.1"), b"\0" * 100_000)
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert answer.endswith(b"served")
            assert bench.received[0][:1] == b"\0"

    asyncio.run(run())


@pytest.mark.parametrize(
    "raw",
    [
        *(b"GET / HTTP/1.1\r\n\r\n", b"GET https://a.example/ HTTP/1.1\r\n\r\n", b"GET ftp://a.example/ HTTP/1.1\r\n\r\n"),
        *(b"GET http://u:p@a.example/ HTTP/1.1\r\n\r\n", b"CONNECT a.example HTTP/2\r\n\r\n", b"CONNECT a.example:99999 HTTP/1.1\r\n\r\n"),
        *(b"POST http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"POST http://a/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        *(b"\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET http:// HTTP/1.1\r\n\r\n", b"GET http://\xff/ HTTP/1.1\r\n\r\n"),
    ],
)
def test_what_no_browser_sends_is_refused(raw):
    with pytest.raises(ValueError):
        read_head(raw)


def test_failures_are_kept_with_their_reason():
    async def run() -> None:
        async with Bench(["127.0.0.1"]) as bench:
            with socket.socket() as closed:
                closed.bind(("127.0.0.1", 0))
                port = closed.getsockname()[1]
            await bench.ask(bench.tunnel("127.0.0.1", port), bench.tunnel("127.0.0.1", port))
            await bench.ask(bench.tunnel("nowhere.invalid", 443))
            await bench.ask(bench.tunnel("10.0.0.1", 443))
            reasons = {host: error.reason for (host, _), (_, error) in bench.policy.failures.items()}
            assert reasons == {"127.0.0.1": "refused", "nowhere.invalid": "name", "10.0.0.1": "private"}

    asyncio.run(run())


def test_five_thousand_failures_are_kept():
    policy = Policy("test", PrivateHosts([]))
    counts = []
    for number in range(5001):
        policy.note_failure(f"host{number}", 80, ReachError.private("host"))
        counts.append(len(policy.failures))
    assert counts[-2:] == [5000, 1]


class UserProxy:
    """A proxy of the user's: wants user and password, and serves every host itself."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []

    async def http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        if b"Proxy-Authorization: Basic " + b64encode("user:pässword".encode()) not in head:
            writer.write(b"HTTP/1.1 407 No\r\n\r\n")
        elif head.startswith(b"CONNECT"):
            writer.write(b"HTTP/1.1 200 Yes\r\n\r\nfirst words")
        else:
            writer.write(SERVED)
        await _end(reader, writer)


async def _end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Waits until the other side closes the connection."""
    with suppress(ConnectionError):
        await reader.read()
    writer.close()


@pytest.mark.parametrize("password", ["pässword", "wrong"])
def test_a_proxy_of_the_user_is_used_with_its_password(password):
    """It looks names up itself; private ones are refused before it is asked."""

    async def run() -> None:
        user = UserProxy()
        server = await asyncio.start_server(user.http, "127.0.0.1", 0)
        upstream = Upstream("http", "127.0.0.1", server.sockets[0].getsockname()[1], "user", password)
        async with Bench([], upstream) as bench:
            answer = await bench.ask(bench.get("only-there.invalid"))
            assert (SERVED in answer) is (password != "wrong")
            if password != "wrong":
                assert (await bench.ask(bench.tunnel("only-there.invalid"))).endswith(b"first words")
            seen = len(user.heads)
            assert await bench.ask(bench.get("127.0.0.1")) == b""
            assert len(user.heads) == seen
        server.close()
        await asyncio.sleep(0.02)  # the connections are closed

    asyncio.run(run())


@pytest.mark.parametrize("url", ["ftp://user:secret@host:1", "socks4://secret@host", "http://", "http://user:secret@host:port"])
def test_the_message_about_a_wrong_proxy_holds_no_password(url):
    with pytest.raises(ValueError) as caught:
        Upstream.from_url(url)
    assert "secret" not in str(caught.value)


def test_a_proxy_shows_no_password():
    assert "secret" not in repr(Upstream.from_url("http://user:secret@host:3128"))


def answer(*addresses: str) -> list[tuple[Any, ...]]:
    """What `socket.getaddrinfo` gives."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in addresses]


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (None, [1000.0, 1061.0]),
        (socket.gaierror(socket.EAI_NONAME, "no such name"), [1000.0, 1061.0]),
        (socket.gaierror(socket.EAI_AGAIN, "the server is busy"), [1000.0, 1059.0, 1061.0]),
    ],
)
def test_the_answer_about_a_name_is_kept_for_a_minute(error, seconds, monkeypatch: pytest.MonkeyPatch):
    clock, looked_up = [1000.0], []

    def look_up(*_: object, **__: object) -> list[tuple[Any, ...]]:
        looked_up.append(clock[-1])
        if error is not None:
            raise error
        return answer("192.0.2.1")

    async def ask() -> None:
        resolver = Resolver()
        for second in (1000.0, 1059.0, 1061.0):
            clock.append(second)
            with pytest.raises(ReachError) if error else nullcontext():
                assert await resolver.addresses("site.example") == ("192.0.2.1",)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(reach, "monotonic", lambda: clock[-1])
    asyncio.run(ask())
    assert looked_up == seconds


def test_a_kept_failure_is_a_new_error_each_time(monkeypatch: pytest.MonkeyPatch):
    """The same one again would hold the frames, and so the connections, of all that it was raised in."""

    async def failures() -> list[ReachError]:
        resolver, errors = Resolver(), []
        for _ in range(3):
            with pytest.raises(ReachError, match=r"the name site\.example was not found") as caught:
                await resolver.addresses("site.example")
            errors.append(caught.value)
        return errors

    monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=socket.gaierror(socket.EAI_NONAME, "no such name")))
    first, *later = asyncio.run(failures())
    assert first not in later
    assert socket.getaddrinfo.call_count == 1


def test_a_noted_failure_holds_no_connection():
    policy = Policy("test", PrivateHosts([]))
    with pytest.raises(ReachError) as caught:
        raise ReachError("refused", "no answer")
    policy.note_failure("site.example", 80, caught.value)
    noted = policy.failure_since(0, "http://site.example/")
    assert (noted.reason, str(noted), noted.__traceback__) == ("refused", "no answer", None)


def test_names_whose_server_does_not_answer_do_not_stop_others(monkeypatch: pytest.MonkeyPatch):
    """A page asks for forty of them."""
    gives_up = threading.Event()

    def look_up(host: str, *_: object, **__: object) -> list[tuple[Any, ...]]:
        if host.startswith("slow"):
            gives_up.wait(60)
        return answer("192.0.2.1")

    async def ask() -> tuple[str, ...]:
        resolver = Resolver()
        slow = [asyncio.ensure_future(resolver.addresses(f"slow{number}.example")) for number in range(40)]
        await asyncio.sleep(0)
        try:
            return await asyncio.wait_for(resolver.addresses("site.example"), 20)
        finally:
            gives_up.set()
            await asyncio.gather(*slow)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert asyncio.run(ask()) == ("192.0.2.1",)
