"""Calls to the browser that must not be cancelled: with a time limit, or beside the crawl."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

    from playwright.async_api import Page

CLOSE_S = 3.0
"""The longest wait for a page to close."""
PATIENCE_S = 1.5
"""The longest wait for one request of a page that has text: some pages keep a request open for ever."""

_running: set[asyncio.Task[None]] = set()


async def within(seconds: float, work: Awaitable[Any]) -> Any:
    """The result of `work`. Raises TimeoutError if it takes longer.

    The work is not cancelled then: a cancelled call to the browser leaves its answer without a reader. The call ends with an
    error when the page is closed, and that error is read here.
    """
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    finished, _ = await asyncio.wait({task}, timeout=seconds)
    if not finished:
        raise TimeoutError
    return task.result()


def run_in_background(work: Coroutine[Any, Any, None]) -> None:
    """Starts `work` and does not wait for it. The task is kept from the garbage collector until it ends."""
    task = asyncio.get_running_loop().create_task(work)
    _running.add(task)
    task.add_done_callback(_running.discard)


async def close_page(page: Page) -> None:
    """Closes a page. A page that does not close within CLOSE_S is left to the closing of its context."""
    if not page.is_closed():
        with suppress(PlaywrightError, TimeoutError):
            await within(CLOSE_S, page.close())
