"""How a page is captured: its HTML and boxes from one moment, and its screenshot."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from scrapy import http
from scrapy.http.request import NO_CALLBACK

from webcontent.crawl.meta import CAPTURE, FULL_SIZE, RENDER, SCREENSHOT, options_of
from webcontent.crawl.rendering.job import HtmlResponse, now
from webcontent.crawl.rendering.network import is_blocked
from webcontent.crawl.rendering.shells import MIN_TEXT
from webcontent.crawl.rendering.tasks import MAX_MESSAGE, isolated_world, run_in_background, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import CDPSession, Page
    from scrapy import Request

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.tasks import World

SCALED_WIDTH = 512
"""px of a screenshot that only the page type classifier looks at: the width of the screenshots that it was trained on."""
CAPTURE_S = 8.0
"""The longest time that a capture delays the closing or the handing over of a user's own page."""
JPEG_QUALITY = 60
"""Also of WebP."""
_GROW = """function (height) {
  if (height > this.getBoundingClientRect().height) this.style.setProperty("height", height + "px", "important");
}"""
_FAILURES = (PlaywrightError, ValueError, TimeoutError)
_SCRIPT = Path(__file__).with_name("capture.js").read_text(encoding="utf-8")


@dataclass(slots=True)
class Capture:
    html: str
    boxes: list[list[Any]]
    """Rows in the order of `document.boxes.COLUMNS`."""
    url: str
    text: int
    """Characters of text, blanks collapsed."""
    images: int
    """Images, videos, frames and other embedded content."""
    lacks: bool
    """Whether the HTML lacks a text that no reader sees."""
    hidden: list[list[str]]
    """Overlays that were hidden: why, and the element."""
    width: int
    """Of the viewport, CSS px."""
    visible: int
    """Height of the viewport, CSS px."""
    height: int
    """Of the page, CSS px."""
    ratio: float
    """Device pixels of a CSS px."""
    truncated: bool
    loading: bool
    """Whether the parser still waits for the rest of the document, or for a script."""
    screenshot: bytes | None = None


async def read_page(session: CDPSession, frame: str, config: Config, page: Page | None = None, frames: int = 0) -> Capture:
    """HTML and boxes of a page, from one moment.

    With `page` they are of the tree that a reader sees, with shadow roots and so many of the frames that the preparation has listed,
    instead of the document's own. Raises Playwright's errors, and ValueError if the script gave no result.
    """
    parts = [await _part(session, frame, page, index, config) for index in range(frames)] if page else []
    return Capture(**await _read(session, frame, config, composed=page is not None, frames=list(filter(None, parts))))


async def _read(session: CDPSession, frame: str, config: Config, **more: Any) -> dict[str, Any]:
    limits = {"maxCharacters": config.max_bytes, "maxHeight": config.screenshot_size[1], "littleText": MIN_TEXT, **more}
    world = await isolated_world(session, frame)
    parameters = {"expression": f"({_SCRIPT})({json.dumps(limits)})", "contextId": world.id, "returnByValue": True}
    answer = await session.send("Runtime.evaluate", parameters)
    value = answer["result"].get("value", "")
    if not value:
        raise ValueError(f"the page could not be read: {str(answer.get('exceptionDetails'))[:MAX_MESSAGE]}")
    capture: dict[str, Any] = json.loads(value)
    return capture


async def take_screenshot(session: CDPSession, capture: Capture, config: Config, *, full_size: bool, visible_only: bool = False) -> bytes:
    """The screenshot of the page from its top to its end or the largest height, scaled down in the browser unless `full_size`.

    `visible_only`: of what the viewport shows. Of more the page would notice: its scripts get an event `resize`.

    Raises Playwright's errors, and ValueError for an empty answer, which WebP of more than 16,383 px gives.
    """
    width, limit = max(1, capture.width), config.screenshot_size[1]
    height = min(capture.height, capture.visible if visible_only else limit)
    scale = 1.0 if full_size else min(1.0, SCALED_WIDTH / width) / capture.ratio
    options: dict[str, Any] = {
        "format": config.screenshot_format,
        "captureBeyondViewport": not visible_only,
        "optimizeForSpeed": True,
        "clip": {"x": 0, "y": 0, "width": width, "height": max(1, height), "scale": scale},
    }
    if config.screenshot_format != "png":
        options["quality"] = JPEG_QUALITY
    answer = await session.send("Page.captureScreenshot", options)
    if not answer.get("data"):
        raise ValueError("the browser gave an empty screenshot")
    return base64.b64decode(answer["data"])


# What the tree of the page itself lacks


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
    with suppress(PlaywrightError):  # of a frame in another process
        await isolated_world(world.session, frame_id)
        return PageFrame(element, frame_id, world.session)
    for frame in page.frames[1:]:
        with suppress(PlaywrightError):  # of a frame in the page's own process
            session = await page.context.new_cdp_session(frame)
            if (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"] == frame_id:
                return PageFrame(element, frame_id, session)
    raise ValueError(frame_id)


async def _part(session: CDPSession, main_frame: str, page: Page, index: int, config: Config) -> dict[str, Any] | None:
    """The content of a frame, which then has the height of its content; None for advertising and frames with little text."""
    with suppress(PlaywrightError, ValueError):  # a frame that is gone, or that shows no HTML
        frame = await find_frame(await isolated_world(session, main_frame), page, f"webcontentFrames[{index}]")
        content = await _read(frame.session, frame.id, config, composed=True, isFrame=True)
        if content["text"] >= MIN_TEXT and not is_blocked(content["url"], "Document", config.block):
            height = min(content["height"], config.screenshot_size[1])
            call = {"functionDeclaration": _GROW, "objectId": frame.element, "arguments": [{"value": height}]}
            await session.send("Runtime.callFunctionOn", call)
            return {"index": index, **{name: content[name] for name in ("html", "boxes", "text", "url")}}
    return None


# Pages of a user's own Playwright requests, which are the user's and scrapy-playwright's. They are captured when scrapy-playwright has made
# the response, before they are closed or handed over. A capture that fails is counted and changes nothing.


def wants_capture(request: Request, config: Config) -> bool:
    options = options_of(request)
    return bool(options.get(CAPTURE, config.capture) and options.get(RENDER, True)) and request.callback is not NO_CALLBACK


async def add_capture(response: http.Response, request: Request, page: Page, config: Config, count: Callable[[str], None]) -> http.Response:
    """The response, with boxes and screenshot as attributes if the page that it was made of can be captured.

    Of a page that the user keeps the screenshot shows the viewport: for more of it the page would get an event `resize`.
    """
    options = options_of(request)
    size = None
    if config.screenshot and options.get(SCREENSHOT, True):
        size = {"full_size": bool(options.get(FULL_SIZE)), "visible_only": bool(request.meta.get("playwright_include_page"))}
    if page.is_closed() or page.url != response.url or not response.url.startswith("http") or not isinstance(response, http.HtmlResponse):
        return response
    try:
        captured = await within(CAPTURE_S, _read_and_take(page, config, count, size))
    except _FAILURES as error:
        count(f"webcontent/capture_failed/{'timeout' if isinstance(error, TimeoutError) else 'error'}")
        return response
    if captured.url != response.url:  # the page went on to another address
        return response
    count("webcontent/captured")
    return response.replace(cls=HtmlResponse, boxes=captured.boxes, screenshot=captured.screenshot, fetched_at=now())


async def _read_and_take(page: Page, config: Config, count: Callable[[str], None], size: dict[str, bool] | None) -> Capture:
    """The capture, with a screenshot of the given size. One that fails, or may show another page than was read, costs itself only."""
    session = await page.context.new_cdp_session(page)
    try:
        tree = await session.send("Page.getFrameTree")
        capture = await read_page(session, tree["frameTree"]["frame"]["id"], config)
        try:
            screenshot = await take_screenshot(session, capture, config, **size) if size else None
            capture.screenshot = screenshot if page.url == capture.url else None
        except _FAILURES:
            count("webcontent/capture_failed/screenshot")
    finally:
        run_in_background(_detach(session))
    return capture


async def _detach(session: CDPSession) -> None:
    with suppress(PlaywrightError):  # the page was closed meanwhile
        await session.detach()
