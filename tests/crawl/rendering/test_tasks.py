"""Calls to the browser that must not be cancelled."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.tasks import World, within


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


def test_the_error_of_a_script_is_cut():
    """Its page has written it."""

    class Session:
        async def send(self, command: str, parameters: object) -> dict[str, str]:
            return {"exceptionDetails": "x" * 5000}

    with pytest.raises(PlaywrightError, match=f"^{'x' * 300}$"):
        asyncio.run(World(Session(), None).evaluate("throw 1", 5))
