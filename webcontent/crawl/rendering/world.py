"""The worlds of a page in which scripts of ours run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.tasks import within

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

WORLD = "webcontent"
"""The isolated world that preparation and capture share."""
MAX_MESSAGE = 300
"""Characters of a script's exception that an error message quotes."""


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
