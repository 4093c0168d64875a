"""What several processes know of a site, against a real Redis."""

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
from webcontent.crawl.distributed import shared_history as sharing
from webcontent.crawl.distributed.shared_history import SharedHistory, site_keys
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
    """A process of the crawl, as far as it knows sites."""

    def __init__(self, server: Redis, limit: int = 1000) -> None:
        self.sites, self.stats = SiteHistory(), StatsCollector(get_crawler())
        self.shared = SharedHistory(self.sites, server, QUEUE, self.stats, limit=limit)

    async def site(self, name: str = "town.example") -> HostProfile:
        """As a page finds it."""
        site = self.sites.find(f"http://{name}/")
        assert site is not None
        await self.shared.ready(name, site)
        return site

    async def learn(self, *numbers: int, name: str = "town.example") -> None:
        for number in numbers:
            learn_page(await self.site(name), name, number)


def learn_page(site: HostProfile, name: str, number: int) -> None:
    """A menu that all pages have, and a story of words that no other page has."""
    letters = np.random.default_rng(number).integers(97, 123, (25, 6)).astype(np.uint8)
    story = " ".join(bytes(word).decode() for word in letters)
    html = f"<title>{story[:20]} - Town</title><nav><a href='/'>Home</a> <a href='/n'>News</a></nav><main><p>{story}</p></main>"
    document = Document.from_page(Page(url=f"http://{name}/{number}", html=html))
    words = document.blocks.words.astype(float)
    site.learn(document, np.where(words > 8, 0.9, 0.1), words, {"time": f"time /p{number % 2}"})


def known(site: HostProfile) -> tuple[Any, ...]:
    """What it knows, in whichever order it was learned."""
    return (
        site.count,
        site.pages,
        sorted(site.addresses.tolist()),
        sorted(site.titles),
        site.locations,
        site.texts.keys.tolist(),
        site.texts.values.tolist(),
        site.paths.keys.tolist(),
        site.paths.values[:, 0].tolist(),  # pages; whether a text had been seen before depends on the order
    )


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(address) as server:
        await server.flushdb()
        yield server


@pytest.fixture
def run(address: str) -> Callable[..., Any]:
    """Runs what a test says about two processes, in an empty Redis."""

    def run(test: Callable[..., Awaitable[Any]]) -> Any:
        async def inner() -> Any:
            async with connected(address) as server:
                return await test(Process(server), Process(server))

        return asyncio.run(inner())

    return run


def test_the_first_page_of_a_process_knows_what_others_have_learned(run):
    async def test(a, b):
        await a.learn(1, 2, 3)
        await a.shared.exchange()
        assert known(await b.site()) == known(await a.site())
        assert (await b.site()).count == 3
        assert b.stats.get_value("webcontent/sites_received") == 1

    run(test)


def test_a_site_packed_and_adopted_is_the_same():
    """To the bit."""
    site, other = HostProfile(), HostProfile()
    for number in range(130):  # counts were halved
        learn_page(site, "town.example", number)
    other.adopt(unpack(pack(site)[0]))
    assert (other.header(), [part.tobytes() for part in other.arrays()]) == (site.header(), [part.tobytes() for part in site.arrays()])
    learn_page(other, "town.example", 130)  # and can be written to
    assert other.count == site.count + 1


def test_what_both_learn_both_know(run):
    """Learned in turns, handed over at the same time: every page once, on both sides as in one process."""

    async def test(a, b):
        for number in range(0, 20, 2):
            await a.learn(number)
            await b.learn(number + 1)
            await asyncio.gather(a.shared.exchange(), b.shared.exchange())
        for process in (a, b):
            await process.site()
            await process.shared.exchange()
        alone = HostProfile()
        for number in range(20):
            learn_page(alone, "town.example", number)
        mine, theirs, one = (known(site) for site in (await a.site(), await b.site(), alone))
        assert mine == theirs
        assert mine[:3] == one[:3]
        assert mine[5:] == one[5:]

    run(test)


def test_what_is_learned_while_a_round_is_under_way_goes_with_the_next(run, monkeypatch):
    async def test(a, b):
        await a.learn(1)
        write = a.shared._write

        async def slow(**arguments: Any) -> Any:
            await a.learn(2)
            return await write(**arguments)

        monkeypatch.setattr(a.shared, "_write", slow)
        await a.shared.exchange()
        monkeypatch.setattr(a.shared, "_write", write)
        assert len((await a.site()).unsent) == 1
        await a.shared.exchange()
        assert (await b.site()).count == 2

    run(test)


def test_a_page_that_two_processes_read_counts_once(run):
    """Its lease ran out, and another had it again."""

    async def test(a, b):
        await a.learn(1, 2)
        await b.learn(2, 3)
        for process in (a, b, a):
            await process.site()
            await process.shared.exchange()
        assert [(await process.site()).count for process in (a, b)] == [3, 3]

    run(test)


def test_an_answer_that_was_lost_on_its_way_counts_nothing_twice(run, monkeypatch):
    """Redis wrote, and the process can't know."""

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
        assert (await a.site()).count == (await b.site()).count == 2
        assert not (await a.site()).unsent

    run(test)


def test_only_the_sites_that_were_written_last_are_kept(address):
    """A site that Redis no longer has is written anew, with all that the process knows of it."""

    async def test():
        async with connected(address) as server:
            process = Process(server, limit=2)
            for number, name in enumerate(("one.example", "two.example", "three.example")):
                await process.learn(1, 2, name=name)
                await process.shared.exchange()
                await server.zadd(site_keys(QUEUE)[1], {name: number})  # their times differ by less than a second
            assert sorted(await server.hkeys(site_keys(QUEUE)[0])) == [b"three.example", b"two.example"]
            await process.learn(3, name="one.example")
            await process.shared.exchange()
            assert (await Process(server).site("one.example")).count == 3

    asyncio.run(test())


def test_damaged_bytes_in_redis_are_replaced(run, caplog):
    async def test(a, b):
        await a.shared._write.registered_client.hset(site_keys(QUEUE)[0], "town.example", b"12345678{broken")
        await a.learn(1)
        await a.shared.exchange()
        assert (await b.site()).count == 1

    run(test)
    assert "can't be read and is replaced" in caplog.text


@pytest.mark.parametrize("fault", ["refused", "silent"])
def test_without_redis_pages_go_on(fault, address, monkeypatch):
    """The crawl learns alone meanwhile; later all of it is handed over."""
    monkeypatch.setattr(sharing, "FIRST_S", 0.2)

    async def test():
        async with connected(address) as server, Redis(port=free_port()) as nobody:
            process = Process(server if fault == "silent" else nobody)
            if fault == "silent":
                await server.execute_command("CLIENT", "PAUSE", "1500")
            await process.learn(1, 2)
            assert (await process.site()).count == 2
            process.shared = SharedHistory(process.sites, server, QUEUE, process.stats)
            await process.site()
            learn_page(await process.site(), "town.example", 3)
            await process.shared.exchange()
            assert (await Process(server).site()).count == 3

    asyncio.run(test())
