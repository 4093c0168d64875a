"""A queue of requests in Redis that several processes share, and that a killed process takes nothing from.

A request that is taken is lent: it has a lease, which its taker renews while it works and ends when all is done. A lease that
nobody renews runs out, and the request is there again. Each change is one script, so that Redis makes it whole or not at all:
no command of its own moves a member of a sorted set, which priorities need, together with its lease.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import redis

from webcontent.crawl.discovery.urls import without_password
from webcontent.crawl.distributed.shared_history import site_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis.asyncio import Redis

REQUEST, SEED = b"r", b"s"
"""What a payload begins with: a request as the spider gave it, or a line of the list of start addresses."""

# KEYS: queue, data, leases, owners, number, and by script: dupefilter, seeds, items. A request's place in the queue is its score (low
# first), then its number; its data is score, blank, payload. Times are Redis's own, so that clocks of machines don't matter.
_PUSH = """
if ARGV[1] ~= '' and redis.call('SADD', KEYS[6], ARGV[1]) == 0 and ARGV[4] == '0' then return 0 end
local id = string.format('%016d', redis.call('INCR', KEYS[5]))
redis.call('HSET', KEYS[2], id, ARGV[2] .. ' ' .. ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], id)
return 1
"""
_TAKE = """
local function give_back(id)
    local data = redis.call('HGET', KEYS[2], id)
    redis.call('ZREM', KEYS[3], id)
    redis.call('HDEL', KEYS[4], id)
    if data then redis.call('ZADD', KEYS[1], string.sub(data, 1, string.find(data, ' ', 1, true) - 1), id) end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local late = redis.call('ZRANGEBYSCORE', KEYS[3], 0, now, 'LIMIT', 0, 1000)
for _, id in ipairs(late) do give_back(id) end
local count = tonumber(ARGV[1])
if KEYS[6] ~= '' then
    local kind = redis.call('TYPE', KEYS[6]).ok
    local command = kind == 'list' and 'LPOP' or kind == 'set' and 'SPOP' or nil
    for _ = 1, command and count or 0 do
        local seed = redis.call(command, KEYS[6])
        if not seed then break end
        local id = string.format('%016d', redis.call('INCR', KEYS[5]))
        redis.call('HSET', KEYS[2], id, '0 s' .. seed)
        redis.call('ZADD', KEYS[1], 0, id)
    end
end
local found = {#late}
local popped = count > 0 and redis.call('ZPOPMIN', KEYS[1], count) or {}
for place = 1, #popped, 2 do
    local id = popped[place]
    local data = redis.call('HGET', KEYS[2], id)
    if data then
        redis.call('ZADD', KEYS[3], now + ARGV[2], id)
        redis.call('HSET', KEYS[4], id, ARGV[3])
        table.insert(found, id)
        table.insert(found, string.sub(data, string.find(data, ' ', 1, true) + 1))
    end
end
return found
"""
_RENEW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lost = {}
for place = 3, #ARGV do
    if redis.call('HGET', KEYS[4], ARGV[place]) == ARGV[2] then
        redis.call('ZADD', KEYS[3], now + ARGV[1], ARGV[place])
    else
        table.insert(lost, ARGV[place])
    end
end
return lost
"""
_FINISH = """
if redis.call('HGET', KEYS[4], ARGV[2]) ~= ARGV[1] then return 0 end
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[2])
redis.call('HDEL', KEYS[2], ARGV[2])
for place = 3, #ARGV do redis.call('RPUSH', KEYS[6], ARGV[place]) end
return 1
"""
_RELEASE = """
for place = 2, #ARGV do
    local id = ARGV[place]
    if redis.call('HGET', KEYS[4], id) == ARGV[1] then
        local data = redis.call('HGET', KEYS[2], id)
        redis.call('ZREM', KEYS[3], id)
        redis.call('HDEL', KEYS[4], id)
        redis.call('ZADD', KEYS[1], string.sub(data, 1, string.find(data, ' ', 1, true) - 1), id)
    end
end
"""


def check_server(url: str) -> None:
    """Asks for a sign of life. Raises ValueError or ConnectionError, with a sentence, where no Redis is at the address."""
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=10, socket_timeout=10) as server:
            server.ping()
    except ValueError as error:
        raise ValueError(f"WEBCONTENT_REDIS is {without_password(url)!r}: {error}.") from None
    except (redis.RedisError, OSError) as error:
        raise ConnectionError(no_answer(without_password(url), error)) from None


def no_answer(place: str, error: Exception) -> str:
    return f"No Redis server answers at {place}: {str(error).rstrip('.')}. WEBCONTENT_REDIS says where it is."


@dataclass(frozen=True, slots=True)
class Names:
    """Keys in Redis."""

    queue: str
    dupefilter: str
    items: str
    seeds: str = ""
    """Where start addresses are put by others; empty: there is no such place."""

    @property
    def shared(self) -> list[str]:
        """What every script is given."""
        return [self.queue, *(f"{self.queue}:{part}" for part in ("data", "leases", "owners", "number"))]

    @property
    def own(self) -> list[str]:
        """What belongs to the crawl alone: not its seeds, not its items."""
        return [*self.shared, self.dupefilter, *site_keys(self.queue)]


@dataclass(frozen=True, slots=True)
class Taken:
    """What was lent."""

    requests: list[tuple[bytes, bytes]]
    """Id and payload."""
    returned: int
    """Requests whose leases had run out and that went back into the queue."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request on its way into the queue."""

    payload: bytes
    score: int
    """Lower ones are taken first."""
    fingerprint: str | None
    """None: whether it came before is neither asked nor remembered."""
    is_forced: bool = False
    """It is added even if it came before."""


class LeaseQueue:
    """The queue as one process sees it. Methods raise redis.RedisError."""

    def __init__(self, server: Redis, names: Names, owner: str, lease_s: float) -> None:
        self.server, self.names, self.owner = server, names, owner
        self.lease_ms = int(lease_s * 1000)
        self._push, self._take, self._renew, self._finish, self._release = (
            server.register_script(script) for script in (_PUSH, _TAKE, _RENEW, _FINISH, _RELEASE)
        )

    async def push(self, requests: Sequence[Waiting]) -> list[bool]:
        """Adds requests; False for each whose fingerprint was added before."""
        keys = [*self.names.shared, self.names.dupefilter]
        async with self.server.pipeline(transaction=True) as pipe:
            for one in requests:
                await self._push(keys=keys, args=[one.fingerprint or "", one.score, one.payload, int(one.is_forced)], client=pipe)
            return [bool(answer) for answer in await pipe.execute()]

    async def take(self, count: int) -> Taken:
        """Lends up to `count` requests, best first; `count` 0 only gives back what has run out."""
        keys = [*self.names.shared, self.names.seeds]
        returned, *found = await self._take(keys=keys, args=[count, self.lease_ms, self.owner])
        return Taken(list(zip(found[::2], found[1::2], strict=True)), returned)

    async def renew(self, ids: Sequence[bytes]) -> list[bytes]:
        """Prolongs leases; gives those that had run out and are others' now."""
        return list(await self._renew(keys=self.names.shared, args=[self.lease_ms, self.owner, *ids])) if ids else []

    async def finish(self, id_: bytes, items: Sequence[bytes] = (), *, items_key: str | None = None) -> bool:
        """Ends a lease for good and adds the items; False, and nothing is done, when the lease is another's."""
        keys = [*self.names.shared, items_key or self.names.items]
        return bool(await self._finish(keys=keys, args=[self.owner, id_, *items]))

    async def release(self, ids: Sequence[bytes]) -> None:
        """Gives requests back that were not begun."""
        if ids:
            await self._release(keys=self.names.shared, args=[self.owner, *ids])

    async def count(self) -> int:
        """Requests in the queue and on lease, all processes together, and seeds."""
        async with self.server.pipeline(transaction=True) as pipe:
            pipe.zcard(self.names.queue)
            pipe.zcard(f"{self.names.queue}:leases")
            pipe.type(self.names.seeds or f"{self.names.queue}:none")
            waiting, lent, kind = await pipe.execute()
        commands: dict[bytes, Any] = {b"list": self.server.llen, b"set": self.server.scard}
        seeds = await commands[kind](self.names.seeds) if kind in commands else 0
        return int(waiting) + int(lent) + int(seeds)

    async def clear(self) -> None:
        await self.server.delete(*self.names.own)
