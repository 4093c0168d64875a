"""Calls to the browser that must not be cancelled."""

from __future__ import annotations

import asyncio

import pytest

from webcontent.crawl.rendering.tasks import within


def test_what_takes_too_long_is_given_up_but_not_cancelled():
    """The call ends later, and its error has a reader."""
    ended = []

    async def slow() -> None:
        await asyncio.sleep(0.05)
        ended.append(True)
        raise RuntimeError("nobody waits for this")

    async def main() -> None:
        with pytest.raises(TimeoutError):
            await within(0.01, slow())
        await asyncio.sleep(0.1)

    asyncio.run(main())
    assert ended == [True]
