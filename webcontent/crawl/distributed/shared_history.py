"""The site history of a crawl, shared by its processes in Redis.

Redis holds the whole profile of each host behind a version token, which every write replaces. A process that has learned something
reads the profile, adds its own observations, and writes the result back if the token is still the one that it has read. Otherwise
another process has written in the meantime, and it starts again.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from redis import RedisError

from webcontent.history.store import MAX_HOSTS, VERSION, pack, unpack

if TYPE_CHECKING:
    from redis.asyncio import Redis
    from scrapy.statscollectors import StatsCollector

    from webcontent.history.host import HostProfile
    from webcontent.history.store import SiteHistory

logger = logging.getLogger(__name__)

INTERVAL_S = 1.0
"""Time between rounds; a process knows what another one has learned after at most this time."""
FIRST_S = 2.0
"""How long the first page of a host waits for the profile that other processes have written."""
TRIES = 5
"""Attempts to write one profile in one round."""
TOKEN_BYTES = 8

# KEYS: the profiles, a hash of version token and packed profile by host; the hosts, sorted by the time of their last write.
# ARGV: host, the known version token (empty: none), and to write: version token and packed profile, number of hosts to keep.
_TOKEN = f"""
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local token = stored and string.sub(stored, 1, {TOKEN_BYTES}) or ''
"""
_READ = f"""{_TOKEN}
if token == ARGV[2] then return '' end
return stored
"""
_WRITE = f"""{_TOKEN}
if token ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[2], redis.call('TIME')[1], ARGV[1])
local excess = redis.call('ZCARD', KEYS[2]) - ARGV[4]
local oldest = excess > 0 and redis.call('ZPOPMIN', KEYS[2], excess) or {{}}
for place = 1, #oldest, 2 do redis.call('HDEL', KEYS[1], oldest[place]) end
return 1
"""


def history_keys(queue: str) -> list[str]:
    """The keys in Redis of the site history that belongs to a queue. Other versions of the history have other keys."""
    return [f"{queue}:site_history:{VERSION}", f"{queue}:site_history:{VERSION}:used"]


class SharedHistory:
    """The shared site history as one process sees it. All methods run on the reactor's thread, and none blocks it."""

    def __init__(self, history: SiteHistory, server: Redis, queue: str, stats: StatsCollector, *, limit: int = MAX_HOSTS) -> None:
        self.history, self.stats, self.keys, self.limit = history, stats, history_keys(queue), limit
        self._read, self._write = server.register_script(_READ), server.register_script(_WRITE)
        self._tokens: WeakKeyDictionary[HostProfile, bytes] = WeakKeyDictionary()
        """Version tokens that were last read or written."""
        self._first_reads: WeakKeyDictionary[HostProfile, asyncio.Task[None]] = WeakKeyDictionary()
        self._active: dict[str, HostProfile] = {}
        """Profiles by host whose pages arrived since the last round."""
        self._is_closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._work())

    async def close(self) -> None:
        """Writes what is left in a last round."""
        self._is_closing.set()
        if self._task is not None:
            await self._task

    async def ready(self, host: str, profile: HostProfile) -> None:
        """Waits at the first page of a host until its profile is read from Redis, at most FIRST_S."""
        self._active[host] = profile
        if profile not in self._first_reads:
            profile.unsent = []
            self._first_reads[profile] = asyncio.get_running_loop().create_task(self._read_first(host, profile))
        await asyncio.shield(self._first_reads[profile])  # other pages wait for it too

    async def exchange(self) -> None:
        """One round: reads what others have learned of the hosts in use, and writes what was learned here."""
        active, self._active = self._active, {}
        for host, profile in (active | {host: profile for host, profile in self.history.items() if profile.unsent}).items():
            if self._first_reads[profile].done():
                await self._exchange(host, profile)

    async def _work(self) -> None:
        while not self._is_closing.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_closing.wait(), INTERVAL_S)
            with suppress(RedisError, OSError):  # the scheduler logs it; unsent observations wait
                await self.exchange()

    async def _read_first(self, host: str, profile: HostProfile) -> None:
        with suppress(RedisError, OSError, TimeoutError):  # as above; the next round reads again
            async with asyncio.timeout(FIRST_S):
                await self._receive(host, profile)

    async def _exchange(self, host: str, profile: HostProfile) -> None:
        for _ in range(TRIES):
            await self._receive(host, profile)
            if not profile.unsent:
                return
            packed, count = await asyncio.to_thread(pack, profile)
            token = os.urandom(TOKEN_BYTES)
            if await self._write(keys=self.keys, args=[host, self._tokens.get(profile, b""), token + packed, self.limit]):
                self._tokens[profile] = token
                del profile.unsent[:count]  # further observations may have come in the meantime
                return

    async def _receive(self, host: str, profile: HostProfile) -> None:
        """Takes over the profile in Redis if another process has written it since the last read."""
        stored: bytes | None = await self._read(keys=self.keys, args=[host, self._tokens.get(profile, b"")])
        if not stored:
            if stored is None:  # it was among the oldest, or the queue was cleared
                self._tokens.pop(profile, None)
            return
        try:
            await asyncio.to_thread(lambda: profile.adopt(unpack(stored[TOKEN_BYTES:])))
        except ValueError as error:
            logger.warning("The profile of %s in Redis can't be read and is replaced: %s", host, error)
        else:
            self.stats.inc_value("webcontent/site_history/received")
        self._tokens[profile] = stored[:TOKEN_BYTES]
