"""The shared queue, against a real Redis."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("redis", reason="redis is not installed: pip install 'webcontent[redis]'")

from redis.asyncio import Redis

from tests.crawl.servers import needs_redis, redis_server
from webcontent.crawl.distributed.leases import LeaseQueue, Names, Waiting

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

pytestmark = needs_redis

NAMES = Names("test:requests", "test:dupefilter", "test:items", "test:start_urls")
SHORT_S, LONG_S = 0.001, 600.0


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture
def run(address: str) -> Callable[..., Any]:
    """Runs what a test says about two processes' queues, in an empty Redis."""

    def run(test: Callable[..., Awaitable[Any]], lease_s: float = LONG_S) -> Any:
        async def inner() -> Any:
            async with Redis.from_url(address) as server:
                await server.flushdb()
                return await test(LeaseQueue(server, NAMES, "a", lease_s), LeaseQueue(server, NAMES, "b", LONG_S))

        return asyncio.run(inner())

    return run


async def fill(queue: LeaseQueue, **scores: int) -> None:
    await queue.push([Waiting(name.encode(), score, name) for name, score in scores.items()])


async def payloads(queue: LeaseQueue, count: int = 9) -> list[bytes]:
    return [payload for _, payload in (await queue.take(count)).requests]


def test_the_best_come_first_and_equals_in_their_order(run):
    async def test(a, b):
        await fill(a, late=5, first=0, best=-10, second=0)
        assert await payloads(b, 3) == [b"best", b"first", b"second"]
        assert await payloads(a, 3) == [b"late"]

    run(test)


def test_a_fingerprint_is_added_once(run):
    """By whichever process; a request without one as often as it comes."""

    async def test(a, b):
        assert await a.push([Waiting(b"x", 0, "f"), Waiting(b"y", 0, "f")]) == [True, False]
        assert await b.push([Waiting(b"z", 0, "f"), Waiting(b"w", 0, None), Waiting(b"w", 0, None)]) == [False, True, True]
        assert await payloads(a) == [b"x", b"w", b"w"]

    run(test)


def test_what_is_lent_is_nobody_elses(run):
    async def test(a, b):
        await fill(a, x=0, y=0)
        assert await payloads(a, 1) == [b"x"]
        assert await payloads(b) == [b"y"]
        assert await b.count() == 2

    run(test)


def test_a_lease_that_runs_out_is_given_back(run):
    """In its old place, and once."""

    async def test(a, b):
        await fill(a, x=-1, y=0)
        ((lost, _),) = (await a.take(1)).requests
        await asyncio.sleep(0.05)
        taken = await b.take(2)
        assert taken.returned == 1
        assert [payload for _, payload in taken.requests] == [b"x", b"y"]
        assert not await a.finish(lost, [b"too late"])
        assert await a.renew([lost]) == [lost]
        assert await b.finish(lost, [b"in time"])
        assert await b.server.lrange(NAMES.items, 0, -1) == [b"in time"]

    run(test, lease_s=SHORT_S)


def test_a_lease_that_is_renewed_stays(run):
    async def test(a, b):
        await fill(a, x=0)
        ((held, _),) = (await a.take(1)).requests
        a.lease_ms = 600_000
        assert await a.renew([held]) == []
        await asyncio.sleep(0.3)
        assert (await b.take(1)).requests == []

    run(test, lease_s=0.2)


def test_what_is_finished_is_gone_and_its_items_are_there(run):
    async def test(a, b):
        await fill(a, x=0)
        ((held, _),) = (await a.take(1)).requests
        assert await a.finish(held, [b"1", b"2"])
        assert not await a.finish(held, [b"3"])
        assert await a.count() == 0
        assert await a.server.lrange(NAMES.items, 0, -1) == [b"1", b"2"]
        assert await b.server.hlen("test:requests:data") == 0

    run(test)


def test_what_was_not_begun_is_given_back(run):
    async def test(a, b):
        await fill(a, x=-5, y=0)
        taken = await a.take(1)
        await a.release([id_ for id_, _ in taken.requests])
        assert await payloads(b) == [b"x", b"y"]

    run(test)


@pytest.mark.parametrize("kind", ["list", "set"])
def test_seeds_become_requests_on_lease(kind, run):
    """From a list or a set that others fill."""

    async def test(a, b):
        await (a.server.rpush if kind == "list" else a.server.sadd)(NAMES.seeds, b"one", b"two")
        assert await b.count() == 2
        assert sorted(await payloads(a)) == [b"sone", b"stwo"]
        assert await b.count() == 2  # lent

    run(test)


def test_clearing_leaves_seeds_and_items(run):
    async def test(a, b):
        await fill(a, x=0, y=0)
        await a.take(1)
        await a.server.rpush(NAMES.items, b"item")
        await a.server.rpush(NAMES.seeds, b"seed")
        await b.clear()
        assert sorted(await a.server.keys()) == [b"test:items", b"test:start_urls"]

    run(test)
