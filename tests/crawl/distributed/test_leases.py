"""The shared queue, with a real Redis."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed: pip install 'webcontent[redis]'")

from redis.asyncio import Redis
from scrapy import Request
from scrapy.http import TextResponse
from scrapy.utils.test import get_crawler

from tests.crawl.servers import needs_redis, redis_server
from webcontent.crawl.distributed.leases import LeaseQueue, QueuedRequest, QueueKeys
from webcontent.crawl.distributed.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

pytestmark = [needs_redis, pytest.mark.process]

KEYS = QueueKeys("test:requests", "test:dupefilter", "test:items")
SHORT_S, LONG_S = 0.001, 600.0


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_server(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture
def run(address: str) -> Callable[..., Any]:
    """Runs a test with the queues of two processes and an empty Redis."""

    def run(test: Callable[..., Awaitable[Any]], lease_s: float = LONG_S) -> Any:
        async def inner() -> Any:
            async with Redis.from_url(address) as server:
                await server.flushdb()
                return await test(LeaseQueue(server, KEYS, "a", lease_s), LeaseQueue(server, KEYS, "b", LONG_S))

        return asyncio.run(inner())

    return run


async def fill(queue: LeaseQueue, **scores: int) -> None:
    await queue.push([QueuedRequest(name.encode(), score, name) for name, score in scores.items()])


async def payloads(queue: LeaseQueue, count: int = 9) -> list[bytes]:
    return [payload for _, payload in (await queue.take(count))[0]]


def test_low_scores_come_first_and_equal_ones_in_their_order(run):
    async def test(a, b):
        await fill(a, late=5, first=0, best=-10, second=0)
        assert await payloads(b, 3) == [b"best", b"first", b"second"]
        assert await payloads(a, 3) == [b"late"]

    run(test)


def test_a_fingerprint_is_added_once(run):
    """In whichever process. A request without a fingerprint is added as often as it comes."""

    async def test(a, b):
        assert await a.push([QueuedRequest(b"x", 0, "f"), QueuedRequest(b"y", 0, "f")]) == [True, False]
        assert await b.push([QueuedRequest(b"z", 0, "f"), QueuedRequest(b"w", 0, None), QueuedRequest(b"w", 0, None)]) == [
            False,
            True,
            True,
        ]
        assert await payloads(a) == [b"x", b"w", b"w"]

    run(test)


def test_a_request_on_lease_is_given_to_nobody_else(run):
    async def test(a, b):
        await fill(a, x=0, y=0)
        assert await payloads(a, 1) == [b"x"]
        assert await payloads(b) == [b"y"]
        assert await b.count() == 2

    run(test)


def test_a_request_returns_when_its_lease_expires(run):
    """To its old place, and once."""

    async def test(a, b):
        await fill(a, x=-1, y=0)
        ((lost, _),) = (await a.take(1))[0]
        await asyncio.sleep(0.05)
        taken, returned = await b.take(2)
        assert returned == 1
        assert [payload for _, payload in taken] == [b"x", b"y"]
        assert not await a.finish(lost, [b"too late"])
        assert await a.renew([lost]) == [lost]
        assert await b.finish(lost, [b"in time"])
        assert await b.server.lrange(KEYS.items, 0, -1) == [b"in time"]

    run(test, lease_s=SHORT_S)


def test_a_renewed_lease_does_not_expire(run):
    async def test(a, b):
        await fill(a, x=0)
        ((held, _),) = (await a.take(1))[0]
        a.lease_ms = 600_000
        assert await a.renew([held]) == []
        await asyncio.sleep(0.3)
        assert (await b.take(1))[0] == []

    run(test, lease_s=0.2)


def test_a_finished_request_is_removed_and_its_items_are_added(run):
    async def test(a, b):
        await fill(a, x=0)
        ((held, _),) = (await a.take(1))[0]
        assert await a.finish(held, [b"1", b"2"])
        assert not await a.finish(held, [b"3"])
        assert await a.count() == 0
        assert await a.server.lrange(KEYS.items, 0, -1) == [b"1", b"2"]
        assert await b.server.hlen("test:requests:data") == 0

    run(test)


def test_a_request_that_was_not_begun_can_be_returned(run):
    async def test(a, b):
        await fill(a, x=-5, y=0)
        taken, _ = await a.take(1)
        await a.release([id_ for id_, _ in taken])
        assert await payloads(b) == [b"x", b"y"]

    run(test)


def test_clearing_keeps_items(run):
    async def test(a, b):
        await fill(a, x=0, y=0)
        await a.take(1)
        await a.server.rpush(KEYS.items, b"item")
        await b.clear()
        assert sorted(await a.server.keys()) == [b"test:items"]

    run(test)


def test_items_of_a_lost_request_are_not_added_when_it_comes_back(address: str):
    """The engine may still work on a request that another process was given; what comes of it belongs to no later lease of it."""
    crawler = get_crawler(settings_dict={"WEBCONTENT_REDIS": address})
    crawler.spider = crawler._create_spider("test")
    scheduler = Scheduler.from_crawler(crawler)
    responses = []
    for body in (b"lost", b"kept"):
        scheduler._ready.append((b"1", Request("http://a.example/")))
        responses.append(TextResponse("http://a.example/", body=body, request=scheduler.next_request()))
        if body == b"lost":
            scheduler._lose(b"1")
    for response in responses:
        scheduler._item_scraped({"text": response.text}, response)
    _, number = scheduler._active[b"1"]
    assert scheduler._items[number] == [b'{"text": "kept"}']
