"""How long the shared scheduler waits between rounds, for leases and at the end: times on both sides of each wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, Mock

import pytest

pytest.importorskip("scrapy_redis", reason="scrapy-redis is not installed: pip install 'webcontent[redis]'")

from tests.crawl.clock import at_once
from webcontent.crawl.distributed import scheduler
from webcontent.crawl.distributed.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Callable


async def goes_on(seconds: float, *, was_busy: bool) -> bool:
    """Whether the next round begins within so many seconds."""
    own = Mock(_is_closing=False, _is_down=False, _exchange=AsyncMock(return_value=was_busy))
    task = asyncio.ensure_future(Scheduler._work(own))
    await asyncio.sleep(seconds)
    task.cancel()
    return own._exchange.call_count > 1


async def renews(seconds: float) -> bool:
    """Whether leases of 40 s are renewed after so many."""
    own = AsyncMock(lease_s=40, _renewed=0.0, batch=1, _ready=[], _local=[], _active={}, _pending=0, stats=Mock())
    own.queue.take.return_value, own.queue.count.return_value = ([], 0), 0
    await asyncio.sleep(seconds)
    await Scheduler._exchange(own)
    return bool(own._renew.called)


async def ends(seconds: float) -> bool:
    """Whether a round that takes so long is waited for at the end of a crawl."""
    own = AsyncMock(_task=asyncio.ensure_future(asyncio.sleep(seconds)), _ready=[], queue=AsyncMock(), crawler=Mock())
    await Scheduler.close.__wrapped__(own, "shutdown")
    return not own._task.cancelled()


WAITS: dict[str, tuple[Callable[[float], Any], float, float]] = {
    "rounds with requests": (lambda s: goes_on(s, was_busy=True), 0.06, 0.04),
    "rounds without requests": (lambda s: goes_on(s, was_busy=False), 0.51, 0.49),
    "end of a crawl": (ends, 29, 31),
    "leases": (renews, 10.1, 9.9),
}
"""What -> whether it is so, a time with which it is, and one with which it is not."""


@pytest.mark.parametrize("name", WAITS)
def test_the_scheduler_waits_so_long(name: str):
    holds, seconds, beyond = WAITS[name]
    assert (at_once(holds(seconds), scheduler), at_once(holds(beyond), scheduler)) == (True, False)
