"""Calls to the browser, which must not be cancelled: with a time limit, beside the crawl, and in a world of a page."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

    from playwright.async_api import BrowserContext, CDPSession, Page

CLOSE_S = 3.0
DATA_S = 3.0
"""The longest wait for data that scripts have requested."""
PATIENCE_S = 1.5
"""The longest wait for one request of a page that has text: some pages keep a request open for ever."""
PAUSE_S = 0.2
STEP_SHARE = 1 / 3
"""Share of a page's deadline that each wait may take: load, preparation, reading, screenshot. So much of the budget is for scrolling."""
WORLD = "webcontent"
MAX_MESSAGE = 300
"""Characters of a script's exception that an error message quotes."""
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


async def close(opened: Page | BrowserContext) -> None:
    """Closes a page or what holds pages. What does not close within CLOSE_S is left to the closing of what holds it."""
    with suppress(PlaywrightError, TimeoutError):
        await within(CLOSE_S, opened.close())


@dataclass(frozen=True, slots=True)
class World:
    """Where scripts run in a frame: the session of its process, and the id of an isolated world; None: the page's own scripts."""

    session: CDPSession
    id: int | None

    async def evaluate(self, expression: str, longest_s: float) -> Any:
        """The value of an expression, a promise's in the end. Raises Playwright's errors, and TimeoutError after `longest_s`."""
        parameters = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        if self.id is not None:
            parameters["contextId"] = self.id
        answer = await within(longest_s, self.session.send("Runtime.evaluate", parameters))
        if "exceptionDetails" in answer:
            raise PlaywrightError(str(answer["exceptionDetails"])[:MAX_MESSAGE])
        return answer["result"].get("value")


async def isolated_world(session: CDPSession, frame_id: str) -> World:
    """The isolated world of a frame that preparation and capture share. Raises Playwright's errors."""
    answer = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD})
    return World(session, answer["executionContextId"])
