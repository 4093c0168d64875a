"""The frames of a page, which may live in processes of their own, and what its own tree lacks: closed shadow roots, texts of frames."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.capture import read_frame
from webcontent.crawl.rendering.network import is_blocked
from webcontent.crawl.rendering.shells import MIN_TEXT
from webcontent.crawl.rendering.tasks import isolated_world

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import CDPSession, Page

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.tasks import World

_KEEP_ROOT = "function (host) { (globalThis.webcontentClosed ||= new WeakMap()).set(host, this); }"
_GROW = """function (height) {
  if (height > this.getBoundingClientRect().height) this.style.setProperty("height", height + "px", "important");
}"""


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


async def find_parts(devtools: CDPSession, page: Page, main_frame: str, config: Config, report: dict[str, Any]) -> list[dict[str, Any]]:
    """The contents of the frames that the preparation's report counts; it has listed them in the isolated world.

    Also shows that world the closed shadow roots. Raises Playwright's errors if the page moves on.
    """
    if not report.get("frames") and not report.get("mayBeClosed"):
        return []
    world = await isolated_world(devtools, main_frame)
    if report["mayBeClosed"]:
        await _open_roots(world)
    found = []
    for index in range(report["frames"]):
        with suppress(PlaywrightError, ValueError):  # a frame that is gone, or that shows no HTML
            if part := await _part(world, page, index, config):
                found.append(part)
    return found


async def _open_roots(world: World) -> None:
    """Shows a world the closed shadow roots. The page's scripts see nothing of it."""
    send = world.session.send
    tree = await send("DOM.getDocument", {"depth": -1, "pierce": True})
    for host, root in _closed_roots(tree["root"]):
        objects = []
        for node in (root, host):
            found = await send("DOM.resolveNode", {"backendNodeId": node["backendNodeId"], "executionContextId": world.id})
            objects.append(found["object"]["objectId"])
        call = {"functionDeclaration": _KEEP_ROOT, "objectId": objects[0], "arguments": [{"objectId": objects[1]}]}
        await send("Runtime.callFunctionOn", call)
    await send("DOM.disable")


async def _part(world: World, page: Page, index: int, config: Config) -> dict[str, Any] | None:
    """The content of a frame, which then has the height of its content; None for advertising and frames with little text."""
    frame = await find_frame(world, page, f"webcontentFrames[{index}]")
    content = await read_frame(frame.session, frame.id, config)
    if content["text"] < MIN_TEXT or is_blocked(content["url"], "Document", config.block, on_private_page=True):
        return None
    height = min(content["height"], config.screenshot_size[1])
    call = {"functionDeclaration": _GROW, "objectId": frame.element, "arguments": [{"value": height}]}
    await world.session.send("Runtime.callFunctionOn", call)
    return {"index": index, **{name: content[name] for name in ("html", "boxes", "text", "url")}}


def _closed_roots(node: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each host of a closed shadow root, with the root. Frames are left out."""
    stack = [node]
    while stack:
        host = stack.pop()
        for root in host.get("shadowRoots", ()):
            if root.get("shadowRootType") == "closed":
                yield host, root
            stack.append(root)
        stack.extend(host.get("children", ()))
