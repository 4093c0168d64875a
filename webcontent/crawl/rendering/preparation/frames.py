"""The frames of a page, which may live in processes of their own."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

WORLD = "webcontent"
"""The isolated world that preparation and capture share."""


@dataclass(frozen=True, slots=True)
class PageFrame:
    """A frame: the id of its element in the isolated world of its page, its own id, and the session of its process."""

    element: str
    id: str
    session: CDPSession


async def find_frame(devtools: CDPSession, page: Page, world: int, expression: str) -> PageFrame:
    """The frame that an expression of the world `world` gives. Raises Playwright's errors, and ValueError if the frame is gone."""
    answer = await devtools.send("Runtime.evaluate", {"expression": expression, "contextId": world})
    element = answer["result"].get("objectId")
    if element is None:
        raise ValueError(expression)
    frame_id = (await devtools.send("DOM.describeNode", {"objectId": element}))["node"]["frameId"]
    return PageFrame(element, frame_id, await _session_of(devtools, page, frame_id))


async def _session_of(devtools: CDPSession, page: Page, frame_id: str) -> CDPSession:
    with suppress(PlaywrightError):
        await devtools.send("Page.createIsolatedWorld", {"frameId": frame_id, "worldName": WORLD})
        return devtools
    for frame in page.frames[1:]:
        with suppress(PlaywrightError):  # of a frame in the page's own process
            session = await page.context.new_cdp_session(frame)
            if (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"] == frame_id:
                return session
    raise ValueError(frame_id)
