"""A queue of requests in Redis that several processes share. The requests of a killed process return to it.

A process takes a request on lease. It renews the lease while it works and ends it when the request is done. When a lease expires, the
request returns to the queue. Each change is one script, so that it is atomic: no single command of Redis moves a member of a sorted
set, which priorities need, together with its lease.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis.asyncio import Redis

# KEYS: queue, data, leases, owners, number, and by script: dupefilter, items. Requests are ordered by score (low first), then by
# number. Their data is score, blank, payload. Times are those of Redis, so that the clocks of the machines don't matter.
_PUSH = """
if ARGV[1] ~= '' and redis.call('SADD', KEYS[6], ARGV[1]) == 0 then return 0 end
local id = string.format('%016d', redis.call('INCR', KEYS[5]))
redis.call('HSET', KEYS[2], id, ARGV[2] .. ' ' .. ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], id)
return 1
"""
_NOW = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""
_GIVE_BACK = """
local function give_back(id)
    local data = redis.call('HGET', KEYS[2], id)
    redis.call('ZREM', KEYS[3], id)
    redis.call('HDEL', KEYS[4], id)
    if data then redis.call('ZADD', KEYS[1], string.sub(data, 1, string.find(data, ' ', 1, true) - 1), id) end
end
"""
_TAKE = f"""{_GIVE_BACK}{_NOW}
local late = redis.call('ZRANGEBYSCORE', KEYS[3], 0, now, 'LIMIT', 0, 1000)
for _, id in ipairs(late) do give_back(id) end
local count = tonumber(ARGV[1])
local taken = {{#late}}
local popped = count > 0 and redis.call('ZPOPMIN', KEYS[1], count) or {{}}
for place = 1, #popped, 2 do
    local id = popped[place]
    local data = redis.call('HGET', KEYS[2], id)
    if data then
        redis.call('ZADD', KEYS[3], now + ARGV[2], id)
        redis.call('HSET', KEYS[4], id, ARGV[3])
        table.insert(taken, id)
        table.insert(taken, string.sub(data, string.find(data, ' ', 1, true) + 1))
    end
end
return taken
"""
_RENEW = f"""{_NOW}
local lost = {{}}
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
_RELEASE = f"""{_GIVE_BACK}
for place = 2, #ARGV do
    if redis.call('HGET', KEYS[4], ARGV[place]) == ARGV[1] then give_back(ARGV[place]) end
end
"""


class QueueKeys(NamedTuple):
    queue: str
    dupefilter: str
    items: str

    @property
    def shared(self) -> list[str]:
        return [self.queue, *(f"{self.queue}:{part}" for part in ("data", "leases", "owners", "number"))]


class QueuedRequest(NamedTuple):
    payload: bytes
    score: int
    """Lower scores are taken first."""
    fingerprint: str | None
    """For the duplicates filter; None: the request passes it and is not remembered."""


class LeaseQueue:
    """The queue as one process sees it. Methods raise redis.RedisError."""

    def __init__(self, server: Redis, keys: QueueKeys, owner: str, lease_s: float) -> None:
        self.server, self.keys, self.owner = server, keys, owner
        self.lease_ms = int(lease_s * 1000)
        self._push, self._take, self._renew, self._finish, self._release = (
            server.register_script(script) for script in (_PUSH, _TAKE, _RENEW, _FINISH, _RELEASE)
        )

    async def push(self, requests: Sequence[QueuedRequest]) -> list[bool]:
        """Adds requests; False for each whose fingerprint was added before."""
        keys = [*self.keys.shared, self.keys.dupefilter]
        async with self.server.pipeline(transaction=True) as pipe:
            for request in requests:
                await self._push(keys=keys, args=[request.fingerprint or "", request.score, request.payload], client=pipe)
            return [bool(is_new) for is_new in await pipe.execute()]

    async def take(self, count: int) -> tuple[list[tuple[bytes, bytes]], int]:
        """Takes up to `count` requests on lease, lowest scores first: the id and payload of each.

        Also gives the number of requests that returned to the queue because their leases had expired.
        """
        returned, *pairs = await self._take(keys=self.keys.shared, args=[count, self.lease_ms, self.owner])
        return list(zip(pairs[::2], pairs[1::2], strict=True)), returned

    async def renew(self, ids: Sequence[bytes]) -> list[bytes]:
        """Renews leases; the ids of those that had expired and belong to another process now."""
        return list(await self._renew(keys=self.keys.shared, args=[self.lease_ms, self.owner, *ids])) if ids else []

    async def finish(self, id_: bytes, items: Sequence[bytes] = (), *, items_key: str | None = None) -> bool:
        """Removes a request that is done and adds its items. False, and nothing is done, when the lease is another process's."""
        return bool(await self._finish(keys=[*self.keys.shared, items_key or self.keys.items], args=[self.owner, id_, *items]))

    async def release(self, ids: Sequence[bytes]) -> None:
        """Returns requests to the queue that were not begun."""
        if ids:
            await self._release(keys=self.keys.shared, args=[self.owner, *ids])

    async def count(self) -> int:
        async with self.server.pipeline(transaction=True) as pipe:
            pipe.zcard(self.keys.queue)
            pipe.zcard(f"{self.keys.queue}:leases")
            return sum(await pipe.execute())

    async def clear(self) -> None:
        """Deletes the queue and all that belongs to it alone: not its items."""
        await self.server.delete(*self.keys.shared, self.keys.dupefilter)
