"""What a crawl learns of its sites, shared by its processes in Redis.

A site stands there whole, behind a mark that each change replaces. A process that has learned something takes over what stands there,
adds its own lessons and puts that back if the mark is still the one that it saw; else another was quicker, and it begins anew.
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
"""Between rounds: so late a process knows what another one has learned."""
FIRST_S = 2.0
"""How long a site's first page here waits for what others know of it."""
TRIES = 5
"""At one site in one round; others were quicker each time."""
MARK_BYTES = 8

# KEYS: sites, a hash of mark and packed site by name; used, their names by the time when they were last written. ARGV: name, the mark that
# is known (empty: none), and to write: mark and packed site, how many sites are kept.
_MARK = f"""
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local mark = stored and string.sub(stored, 1, {MARK_BYTES}) or ''
"""
_READ = f"""{_MARK}
if mark == ARGV[2] then return '' end
return stored
"""
_WRITE = f"""{_MARK}
if mark ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[2], redis.call('TIME')[1], ARGV[1])
local excess = redis.call('ZCARD', KEYS[2]) - ARGV[4]
local oldest = excess > 0 and redis.call('ZPOPMIN', KEYS[2], excess) or {{}}
for place = 1, #oldest, 2 do redis.call('HDEL', KEYS[1], oldest[place]) end
return 1
"""


def site_keys(queue: str) -> list[str]:
    """Keys in Redis of the memory that belongs to a queue; other versions of the memory have others."""
    return [f"{queue}:sites:{VERSION}", f"{queue}:sites:{VERSION}:used"]


class SharedHistory:
    """The memory of sites as one process sees it. All methods run on the reactor's thread, and none holds it up."""

    def __init__(self, sites: SiteHistory, server: Redis, queue: str, stats: StatsCollector, *, limit: int = MAX_HOSTS) -> None:
        self.sites, self.stats, self.keys, self.limit = sites, stats, site_keys(queue), limit
        self._read, self._write = server.register_script(_READ), server.register_script(_WRITE)
        self._marks: WeakKeyDictionary[HostProfile, bytes] = WeakKeyDictionary()
        """Of what was last seen in Redis."""
        self._first: WeakKeyDictionary[HostProfile, asyncio.Task[None]] = WeakKeyDictionary()
        """The first look of each site."""
        self._asked: dict[str, HostProfile] = {}
        """SiteHistory whose pages came since the last round."""
        self._is_closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._work())

    async def close(self) -> None:
        """Hands over what is left, in a last round."""
        self._is_closing.set()
        if self._task is not None:
            await self._task

    async def ready(self, name: str, site: HostProfile) -> None:
        """Waits at the first page of a site until what others know of it is there, or Redis has kept silent for FIRST_S."""
        self._asked[name] = site
        if site not in self._first:
            site.unsent = []
            self._first[site] = asyncio.get_running_loop().create_task(self._look(name, site))
        await asyncio.shield(self._first[site])  # others wait for it too

    async def exchange(self) -> None:
        """One round: brings what others have learned of the sites that are in use, and hands over what was learned here."""
        asked, self._asked = self._asked, {}
        for name, site in (asked | {name: site for name, site in self.sites.items() if site.unsent}).items():
            if self._first[site].done():  # else one round is under way
                await self._exchange(name, site)

    async def _work(self) -> None:
        while not self._is_closing.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._is_closing.wait(), INTERVAL_S)
            with suppress(RedisError, OSError):  # the scheduler tells of it; what is unsent waits
                await self.exchange()

    async def _look(self, name: str, site: HostProfile) -> None:
        with suppress(RedisError, OSError, TimeoutError):  # as above; the next round asks again
            async with asyncio.timeout(FIRST_S):
                await self._receive(name, site)

    async def _exchange(self, name: str, site: HostProfile) -> None:
        for _ in range(TRIES):
            await self._receive(name, site)
            if not site.unsent:
                return
            packed, count = await asyncio.to_thread(pack, site)
            mark = os.urandom(MARK_BYTES)
            if await self._write(keys=self.keys, args=[name, self._marks.get(site, b""), mark + packed, self.limit]):
                self._marks[site] = mark
                del site.unsent[:count]  # meanwhile more may have come behind these
                return

    async def _receive(self, name: str, site: HostProfile) -> None:
        """Takes over what stands in Redis, if another process has written it since."""
        stored: bytes | None = await self._read(keys=self.keys, args=[name, self._marks.get(site, b"")])
        if stored == b"":
            return
        if stored is None:  # it was among the oldest, or the queue was cleared
            self._marks.pop(site, None)
            return
        try:
            await asyncio.to_thread(site.adopt, await asyncio.to_thread(unpack, stored[MARK_BYTES:]))
        except ValueError as error:
            logger.warning("What Redis holds of the site %s can't be read and is replaced: %s", name, error)
        else:
            self.stats.inc_value("webcontent/sites_received")
        self._marks[site] = stored[:MARK_BYTES]
