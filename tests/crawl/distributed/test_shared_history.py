"""The shared site history of several processes, with a real Redis."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("redis", reason="redis is not installed: pip install 'webcontent[redis]'")

from redis import RedisError
from redis.asyncio import Redis
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from tests.crawl.servers import free_port, needs_redis, redis_server
from webcontent.crawl.distributed import shared_history
from webcontent.crawl.distributed.shared_history import SharedHistory, history_keys
from webcontent.document.parsing import Document
from webcontent.history.host import HostProfile
from webcontent.history.store import SiteHistory, pack, unpack
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

pytestmark = needs_redis

QUEUE = "test:requests"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


class Process:
    """The site history of one process of a crawl."""

    def __init__(self, server: Redis, limit: int = 1000) -> None:
        self.history, self.stats = SiteHistory(), StatsCollector(get_crawler())
        self.shared = SharedHistory(self.history, server, QUEUE, self.stats, limit=limit)

    async def profile(self, host: str = "town.example") -> HostProfile:
        """The profile that a page of the host gets."""
        profile = self.history.find(f"http://{host}/")
        assert profile is not None
        await self.shared.ready(host, profile)
        return profile

    async def learn(self, *numbers: int, host: str = "town.example") -> None:
        for number in numbers:
            learn_page(await self.profile(host), host, number)


def learn_page(profile: HostProfile, host: str, number: int) -> None:
    """Learns a page with a menu that all pages have, and an article of words that no other page has."""
    letters = np.random.default_rng(number).integers(97, 123, (25, 6)).astype(np.uint8)
    story = " ".join(bytes(word).decode() for word in letters)
    html = f"<title>{story[:20]} - Town</title><nav><a href='/'>Home</a> <a href='/n'>News</a></nav><main><p>{story}</p></main>"
    document = Document.from_page(Page(url=f"http://{host}/{number}", html=html))
    words = document.blocks.words.astype(float)
    profile.learn(document, np.where(words > 8, 0.9, 0.1), words, {"time": f"time /p{number % 2}"})


def contents(profile: HostProfile) -> tuple[Any, ...]:
    """What the profile holds, independent of the order in which it was learned."""
    return (
        profile.count,
        profile.pages,
        sorted(profile.addresses.tolist()),
        sorted(profile.titles),
        profile.locations,
        profile.texts.keys.tolist(),
        profile.texts.values.tolist(),
        profile.paths.keys.tolist(),
        profile.paths.values[:, 0].tolist(),  # pages; whether a text had been seen before depends on the order
    )


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(address) as server:
        await server.flushdb()
        yield server


@pytest.fixture
def run(address: str) -> Callable[..., Any]:
    """Runs a test with two processes and an empty Redis."""

    def run(test: Callable[..., Awaitable[Any]]) -> Any:
        async def inner() -> Any:
            async with connected(address) as server:
                return await test(Process(server), Process(server))

        return asyncio.run(inner())

    return run


@pytest.mark.process
def test_the_first_page_of_a_process_has_what_others_have_learned(run):
    async def test(a, b):
        await a.learn(1, 2, 3)
        await a.shared.exchange()
        assert contents(await b.profile()) == contents(await a.profile())
        assert (await b.profile()).count == 3
        assert b.stats.get_value("webcontent/site_history/received") == 1

    run(test)


def test_a_profile_packed_and_adopted_is_the_same():
    """To the bit."""
    profile, other = HostProfile(), HostProfile()
    for number in range(130):  # counts were halved
        learn_page(profile, "town.example", number)
    other.adopt(unpack(pack(profile)[0]))
    assert (other.header(), [part.tobytes() for part in other.arrays()]) == (
        profile.header(),
        [part.tobytes() for part in profile.arrays()],
    )
    learn_page(other, "town.example", 130)  # it can be written to
    assert other.count == profile.count + 1


@pytest.mark.process
def test_both_processes_have_what_each_has_learned(run):
    """They learn in turns and exchange at the same time; every page counts once, as in one process."""

    async def test(a, b):
        for number in range(0, 20, 2):
            await a.learn(number)
            await b.learn(number + 1)
            await asyncio.gather(a.shared.exchange(), b.shared.exchange())
        for process in (a, b):
            await process.profile()
            await process.shared.exchange()
        alone = HostProfile()
        for number in range(20):
            learn_page(alone, "town.example", number)
        mine, theirs, one = (contents(profile) for profile in (await a.profile(), await b.profile(), alone))
        assert mine == theirs
        assert mine[:3] == one[:3]
        assert mine[5:] == one[5:]

    run(test)


@pytest.mark.process
def test_what_is_learned_during_a_round_is_sent_in_the_next(run, monkeypatch):
    async def test(a, b):
        await a.learn(1)
        write = a.shared._write

        async def slow(**arguments: Any) -> Any:
            await a.learn(2)
            return await write(**arguments)

        monkeypatch.setattr(a.shared, "_write", slow)
        await a.shared.exchange()
        monkeypatch.setattr(a.shared, "_write", write)
        assert len((await a.profile()).unsent) == 1
        await a.shared.exchange()
        assert (await b.profile()).count == 2

    run(test)


@pytest.mark.process
def test_a_page_that_two_processes_read_counts_once(run):
    """The lease of the first process expired, and another one read the page again."""

    async def test(a, b):
        await a.learn(1, 2)
        await b.learn(2, 3)
        for process in (a, b, a):
            await process.profile()
            await process.shared.exchange()
        assert [(await process.profile()).count for process in (a, b)] == [3, 3]

    run(test)


@pytest.mark.process
def test_a_lost_answer_counts_nothing_twice(run, monkeypatch):
    """Redis has written, and the process can't know it."""

    async def test(a, b):
        await a.learn(1, 2)
        write = a.shared._write

        async def cut(**arguments: Any) -> Any:
            await write(**arguments)
            raise RedisError("cut")

        monkeypatch.setattr(a.shared, "_write", cut)
        with pytest.raises(RedisError):
            await a.shared.exchange()
        monkeypatch.setattr(a.shared, "_write", write)
        await a.shared.exchange()
        assert (await a.profile()).count == (await b.profile()).count == 2
        assert not (await a.profile()).unsent

    run(test)


@pytest.mark.process
def test_only_the_profiles_that_were_written_last_are_kept(address):
    """A profile that Redis no longer has is written again, with all that the process has learned."""

    async def test():
        async with connected(address) as server:
            process = Process(server, limit=2)
            for number, host in enumerate(("one.example", "two.example", "three.example")):
                await process.learn(1, 2, host=host)
                await process.shared.exchange()
                await server.zadd(history_keys(QUEUE)[1], {host: number})  # their times differ by less than a second
            assert sorted(await server.hkeys(history_keys(QUEUE)[0])) == [b"three.example", b"two.example"]
            await process.learn(3, host="one.example")
            await process.shared.exchange()
            assert (await Process(server).profile("one.example")).count == 3

    asyncio.run(test())


@pytest.mark.process
def test_damaged_bytes_in_redis_are_replaced(run, caplog):
    async def test(a, b):
        await a.shared._write.registered_client.hset(history_keys(QUEUE)[0], "town.example", b"12345678{broken")
        await a.learn(1)
        await a.shared.exchange()
        assert (await b.profile()).count == 1

    run(test)
    assert "can't be read and is replaced" in caplog.text


@pytest.mark.process
@pytest.mark.parametrize("fault", ["refused", "silent"])
def test_without_redis_pages_are_still_read(fault, address, monkeypatch):
    """The process learns alone in the meantime and sends everything later."""
    monkeypatch.setattr(shared_history, "FIRST_S", 0.2)

    async def test():
        async with connected(address) as server, Redis(port=free_port()) as nobody:
            process = Process(server if fault == "silent" else nobody)
            if fault == "silent":
                await server.execute_command("CLIENT", "PAUSE", "1500")
            await process.learn(1, 2)
            assert (await process.profile()).count == 2
            process.shared = SharedHistory(process.history, server, QUEUE, process.stats)
            await process.profile()
            learn_page(await process.profile(), "town.example", 3)
            await process.shared.exchange()
            assert (await Process(server).profile()).count == 3

    asyncio.run(test())
