"""What a page's own tree lacks: closed shadow roots, and the contents of large frames."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.capture import read_frame
from webcontent.crawl.rendering.network import is_blocked
from webcontent.crawl.rendering.preparation.frames import World, find_frame, isolated_world
from webcontent.crawl.rendering.shells import MIN_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import CDPSession, Page

    from webcontent.crawl.config import Config

_KEEP_ROOT = "function (host) { (globalThis.webcontentClosed ||= new WeakMap()).set(host, this); }"
_GROW = """function (height) {
  if (height > this.getBoundingClientRect().height) this.style.setProperty("height", height + "px", "important");
}"""


class Parts:
    """The parts of one page. They are found in the isolated world of the preparation, which has listed the frames there."""

    def __init__(self, devtools: CDPSession, page: Page, main_frame: str, config: Config) -> None:
        self.devtools = devtools
        self.page = page
        self.main_frame = main_frame
        self.config = config

    async def find(self, report: dict[str, Any]) -> list[dict[str, Any]]:
        """The contents of the frames that the preparation's report counts. Raises Playwright's errors if the page moves on."""
        if not report.get("frames") and not report.get("mayBeClosed"):
            return []
        world = await isolated_world(self.devtools, self.main_frame)
        if report["mayBeClosed"]:
            await self._open_roots(world)
        found = []
        for index in range(report["frames"]):
            with suppress(PlaywrightError, ValueError):  # a frame that is gone, or that shows no HTML
                if part := await self._frame(world, index):
                    found.append(part)
        return found

    async def _open_roots(self, world: World) -> None:
        """Shows the isolated world the closed shadow roots. The page's scripts see nothing of it."""
        tree = await self.devtools.send("DOM.getDocument", {"depth": -1, "pierce": True})
        for host, root in _closed_roots(tree["root"]):
            objects = []
            for node in (root, host):
                where = {"backendNodeId": node["backendNodeId"], "executionContextId": world.id}
                objects.append((await self.devtools.send("DOM.resolveNode", where))["object"]["objectId"])
            call = {"functionDeclaration": _KEEP_ROOT, "objectId": objects[0], "arguments": [{"objectId": objects[1]}]}
            await self.devtools.send("Runtime.callFunctionOn", call)
        await self.devtools.send("DOM.disable")

    async def _frame(self, world: World, index: int) -> dict[str, Any] | None:
        """The content of a frame, which then has the height of its content; None for advertising and frames with little text."""
        frame = await find_frame(world, self.page, f"webcontentFrames[{index}]")
        content = await read_frame(frame.session, frame.id, self.config)
        if content["text"] < MIN_TEXT or is_blocked(content["url"], "Document", self.config.block, on_private_page=True):
            return None
        height = min(content["height"], self.config.screenshot_size[1])
        call = {"functionDeclaration": _GROW, "objectId": frame.element, "arguments": [{"value": height}]}
        await self.devtools.send("Runtime.callFunctionOn", call)
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
