"""The frames of a page, which may live in processes of their own, and the worlds in which scripts run in them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.tasks import within

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

WORLD = "webcontent"
"""The isolated world that preparation and capture share."""


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
            raise PlaywrightError(str(answer["exceptionDetails"])[:300])
        return answer["result"].get("value")


async def isolated_world(session: CDPSession, frame_id: str) -> World:
    """The isolated world of a frame that preparation and capture share. Raises Playwright's errors."""
    answer = await session.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD})
    return World(session, answer["executionContextId"])


@cache
def joined_script(*parts: str) -> str:
    """A function of `options` from the JavaScript files of those names."""
    return "(options) => {\n" + "\n".join(Path(__file__).with_name(f"{part}.js").read_text(encoding="utf-8") for part in parts) + "\n}"


@dataclass(frozen=True, slots=True)
class PageFrame:
    """A frame: the id of its element in the isolated world of its page, its own id, and the session of its process."""

    element: str
    id: str
    session: CDPSession


async def find_frame(world: World, page: Page, expression: str) -> PageFrame:
    """The frame that an expression of a world of the page gives. Raises Playwright's errors, and ValueError if the frame is gone."""
    answer = await world.session.send("Runtime.evaluate", {"expression": expression, "contextId": world.id})
    element = answer["result"].get("objectId")
    if element is None:
        raise ValueError(expression)
    frame_id = (await world.session.send("DOM.describeNode", {"objectId": element}))["node"]["frameId"]
    return PageFrame(element, frame_id, await _session_of(world.session, page, frame_id))


async def _session_of(devtools: CDPSession, page: Page, frame_id: str) -> CDPSession:
    """The session of the process that a frame lives in. Raises ValueError if the frame is gone."""
    with suppress(PlaywrightError):
        await isolated_world(devtools, frame_id)
        return devtools
    for frame in page.frames[1:]:
        with suppress(PlaywrightError):  # of a frame in the page's own process
            session = await page.context.new_cdp_session(frame)
            if (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"] == frame_id:
                return session
    raise ValueError(frame_id)
