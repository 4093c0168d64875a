"""One crawl on several machines: Scrapy processes share queue, duplicates filter and items in Redis.

It differs from scrapy-redis: a crawl starts at once; nothing blocks the reactor's thread while Redis answers; requests are taken on
lease, so that those of a killed process return; items can be handed over in the same step that ends the lease.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections import deque
from contextlib import suppress
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from itemadapter import ItemAdapter
from redis import RedisError
from redis.asyncio import Redis
from scrapy import Request, signals
from scrapy.utils.defer import deferred_f_from_coro_f
from scrapy.utils.request import request_from_dict
from scrapy_redis import defaults, picklecompat
from scrapy_redis.scheduler import Scheduler as RedisScheduler

from webcontent.crawl.distributed.leases import LeaseQueue, QueuedRequest, QueueKeys
from webcontent.crawl.meta import LEASE
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.server_urls import CONNECT_S, TIMEOUT_S, no_answer, without_password
from webcontent.crawl.stopping import requests_in_progress, wake_engine

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

RENEWALS = 4
"""How often a lease is renewed within its time."""
INTERVAL_S, SLOW_S = 0.05, 0.5
"""Time between rounds while there is something to do, and while there is not, or no answer."""


class Scheduler(FromCrawler, RedisScheduler):  # type: ignore[misc]  # scrapy-redis has no types
    """Scrapy's scheduler with a shared queue. Set by WEBCONTENT_REDIS, or as SCHEDULER with scrapy-redis's settings.

    It reads scrapy-redis's settings SCHEDULER_QUEUE_KEY, SCHEDULER_DUPEFILTER_KEY, SCHEDULER_PERSIST, SCHEDULER_FLUSH_ON_START, REDIS_*.
    A crawl that finishes deletes its queue unless SCHEDULER_PERSIST is set; a crawl that was stopped keeps it.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        host, port = settings.get("REDIS_HOST", "localhost"), settings.getint("REDIS_PORT", 6379)
        url = self.config.redis or settings.get("REDIS_URL") or f"redis://{host}:{port}/{settings.getint('REDIS_DB', 0)}"
        self.server, self.address = Redis.from_url(url, socket_connect_timeout=CONNECT_S, socket_timeout=TIMEOUT_S), without_password(url)
        self.lease_s = self.config.lease
        self.batch = max(1, settings.getint("CONCURRENT_REQUESTS") // 2)
        self._local: deque[Request] = deque()
        """Requests that can't be serialised and stay in this process."""
        self._ready: deque[tuple[bytes, Request]] = deque()
        """On lease and not yet passed to the engine."""
        self._active: dict[bytes, tuple[Request, int]] = {}
        """On lease and passed to the engine, by id, with a number of their lease. A request that was lost and came back has another one."""
        self._numbers = count()
        self._items: dict[int, list[bytes]] = {}
        """Items of the active requests, by the numbers of their leases."""
        self._loose_items: list[bytes] = []
        self._unsent: deque[QueuedRequest] = deque()
        self._pending = 1  # until the number is read from Redis
        self._renewed = monotonic()
        self._is_down = self._is_closing = False
        self._task: asyncio.Task[None] | None = None

    @deferred_f_from_coro_f
    async def open(self, spider: Spider) -> None:
        self.spider = spider
        settings = self.crawler.settings
        names = {
            "SCHEDULER_QUEUE_KEY": defaults.SCHEDULER_QUEUE_KEY,
            "SCHEDULER_DUPEFILTER_KEY": defaults.SCHEDULER_DUPEFILTER_KEY,
            "REDIS_ITEMS_KEY": defaults.PIPELINE_KEY,
        }
        keys = QueueKeys(*(settings.get(name, default) % {"spider": spider.name} for name, default in names.items()))
        owner = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex}"
        self.queue = LeaseQueue(self.server, keys, owner, self.lease_s)
        if self.config.redis_items:
            self.crawler.signals.connect(self._item_scraped, signal=signals.item_scraped)
        try:
            if self.crawler.settings.getbool("SCHEDULER_FLUSH_ON_START"):
                await self.queue.clear()
            self._pending = await self.queue.count()
        except (RedisError, OSError) as error:
            raise ConnectionError(no_answer(self.address, error)) from None
        if self._pending:
            logger.info("Going on with %d requests of %s.", self._pending, self.queue.keys.queue)
        self._task = asyncio.get_running_loop().create_task(self._work())

    @deferred_f_from_coro_f
    async def close(self, reason: str) -> None:
        self._is_closing = True
        if self._task is not None:  # cancelling a round could lose requests that Redis has just leased to this process
            await asyncio.wait({self._task}, timeout=TIMEOUT_S)
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        try:
            async with asyncio.timeout(TIMEOUT_S):  # what Redis does not have by then returns when the leases expire
                await self._send()
                await self._finish()
                await self.queue.release([id_ for id_, _ in self._ready])
                is_kept = self.crawler.settings.getbool("SCHEDULER_PERSIST") or reason != "finished"
                if not is_kept and not await self.queue.count():
                    await self.queue.clear()
        except (RedisError, OSError, TimeoutError) as error:
            message = "Redis at %s does not answer at the end of the crawl: %s. Requests on lease return when their leases expire."
            logger.warning(message, self.address, error)
        await self.server.aclose()

    def __len__(self) -> int:
        return max(self._pending, len(self._local) + len(self._ready) + len(self._unsent))

    def has_pending_requests(self) -> bool:
        """Whether the crawl goes on. It does while other processes work, because their requests may return."""
        return bool(self._local or self._ready or self._unsent or self._active or self._loose_items or self._pending)

    def enqueue_request(self, request: Request) -> bool:
        """Prepares a request for the queue; True: Redis filters duplicates later, in the step that adds the request."""
        fingerprint = None if request.dont_filter else self.crawler.request_fingerprinter.fingerprint(request).hex()
        request.meta.pop(LEASE, None)
        try:
            payload = picklecompat.dumps(request.to_dict(spider=self.spider))
        except Exception as error:  # pickle raises errors of any class
            logger.warning("%s can't be shared and stays in this process: %s", request, error)
            self.stats.inc_value("scheduler/unserializable")
            self._local.append(request)
        else:
            self._unsent.append(QueuedRequest(payload, -request.priority, fingerprint))
        return True

    def next_request(self) -> Request | None:
        if self._local or not self._ready:
            return self._local.popleft() if self._local else None
        id_, request = self._ready.popleft()
        request.meta[LEASE] = number = next(self._numbers)
        self._active[id_] = request, number
        self.stats.inc_value("scheduler/dequeued/redis")
        return request

    def _item_scraped(self, item: Any, response: Any) -> None:
        line = json.dumps(ItemAdapter(item).asdict(), ensure_ascii=False, default=str).encode("utf-8", "replace")
        lease = response.request.meta.get(LEASE) if response is not None and response.request is not None else None
        if lease is None:
            self._loose_items.append(line)
        else:
            self._items.setdefault(lease, []).append(line)

    async def _work(self) -> None:
        """Exchanges requests with Redis during the whole crawl, on the event loop and without blocking it."""
        while not self._is_closing:
            try:
                was_busy = await self._exchange()
                if self._is_down:
                    self._is_down = False
                    logger.warning("Redis at %s answers again.", self.address)
            except (RedisError, OSError) as error:
                if not self._is_down:
                    self._is_down = True
                    logger.warning("Redis at %s does not answer: %s. Nothing is lost; the crawl waits for it.", self.address, error)
                await asyncio.sleep(SLOW_S)
                continue
            await asyncio.sleep(INTERVAL_S if was_busy else SLOW_S)

    async def _exchange(self) -> bool:
        """One round; whether there was something to do. The requests that a page led to are in the queue before its lease ends."""
        await self._send()
        await self._finish()
        if monotonic() - self._renewed > self.lease_s / RENEWALS:
            await self._renew()
        room = self.batch - len(self._ready)
        leased, returned = await self.queue.take(room if room > self.batch // 2 else 0)
        if returned:
            self.stats.inc_value("webcontent/leases/returned", returned)
        for id_, payload in leased:
            await self._accept(id_, payload)
        was_pending, self._pending = self._pending, await self.queue.count()
        if self._ready or self._local or bool(was_pending) != bool(self._pending):
            wake_engine(self.crawler)
        return bool(leased or self._active)

    async def _accept(self, id_: bytes, payload: bytes) -> None:
        try:
            self._ready.append((id_, request_from_dict(picklecompat.loads(payload), spider=self.spider)))
        except Exception as error:  # of another version of the spider
            logger.warning("A request in %s can't be read and is put aside: %s: %s", self.queue.keys.queue, type(error).__name__, error)
            self.stats.inc_value("webcontent/leases/unreadable")
            await self.queue.finish(id_, [payload], items_key=f"{self.queue.keys.queue}:unreadable")

    async def _send(self) -> None:
        while self._unsent:
            for is_new in await self.queue.push(list(self._unsent)):
                self._unsent.popleft()  # only now, when Redis has it
                self.stats.inc_value("scheduler/enqueued/redis" if is_new else "dupefilter/filtered")
        if self._loose_items:
            await self.server.rpush(self.queue.keys.items, *self._loose_items)
            self._loose_items.clear()

    async def _finish(self) -> None:
        """Ends the leases of requests that the engine is done with: page, callback, pipelines and feeds."""
        in_progress = requests_in_progress(self.crawler)
        for id_, number in [(id_, number) for id_, (request, number) in self._active.items() if request not in in_progress]:
            await self._send()  # the requests that the last page led to
            if not await self.queue.finish(id_, self._items.get(number, ())):
                self._lose(id_)
            self._active.pop(id_, None)
            self._items.pop(number, None)

    async def _renew(self) -> None:
        for id_ in await self.queue.renew([*self._active, *(id_ for id_, _ in self._ready)]):
            self._lose(id_)
            self._ready = deque(pair for pair in self._ready if pair[0] != id_)
        self._renewed = monotonic()

    def _lose(self, id_: bytes) -> None:
        """Drops a request whose lease has expired and which another process has now. Its items don't count."""
        if id_ in self._active:
            self.stats.inc_value("webcontent/leases/lost")
            request, number = self._active.pop(id_)
            logger.warning("%s was given to another process, since this one was silent for %g s.", request, self.lease_s)
            self._items.pop(number, None)
