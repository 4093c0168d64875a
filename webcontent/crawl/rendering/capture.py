"""How a page is captured: its HTML and boxes from one moment, and its screenshot."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webcontent.crawl.rendering.shells import MIN_TEXT
from webcontent.crawl.rendering.tasks import MAX_MESSAGE, isolated_world

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

    from webcontent.crawl.config import Config

SCALED_WIDTH = 512
"""px of a screenshot that only the page type classifier looks at: the width of the screenshots that it was trained on."""
JPEG_QUALITY = 60
"""Also of WebP."""
MAX_ROWS = 2500
"""Boxes of a page."""
MAX_NODES = 60_000
"""DOM nodes that are visited for boxes."""
QUIET_MS, POOR_QUIET_MS, WAIT_MS = 100, 500, 2000
"""A page whose scripts load data is read when it has not changed for QUIET_MS, or for POOR_QUIET_MS if it has little text; WAIT_MS is
the longest wait."""
_SCRIPT = Path(__file__).with_name("capture.js").read_text(encoding="utf-8")


@dataclass(slots=True)
class Capture:
    """A page as the browser has it."""

    html: str
    boxes: list[list[Any]]
    """Rows in the order of `document.boxes.COLUMNS`."""
    url: str
    text: int
    """Characters of text, blanks collapsed."""
    images: int
    """Images, videos, frames and other embedded content."""
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

    @property
    def is_empty(self) -> bool:
        return not self.text and not self.images


async def read_page(
    session: CDPSession, frame: str, config: Config, *, dynamic: bool, waits: bool = True, parts: list[dict[str, Any]] | None = None
) -> Capture:
    """HTML and boxes of the page, from one moment.

    `dynamic`: scripts have loaded data, so the page gets time to show it. `waits`: whether a page with little text gets it, too.
    `parts`: contents of frames, for the tree that a reader sees; None: the document's own tree, without shadow roots.
    Raises Playwright's errors, and ValueError if the script gave no result.
    """
    little_text = MIN_TEXT if waits else 0
    page = await _read(session, frame, config, dynamic=dynamic, littleText=little_text, composed=parts is not None, frames=parts or [])
    return Capture(**page)


async def read_frame(session: CDPSession, frame: str, config: Config) -> dict[str, Any]:
    """HTML of the body, boxes, text, url and height of a frame. Raises as `read_page` does."""
    return await _read(session, frame, config, dynamic=False, littleText=0, composed=True, isFrame=True)


async def _read(session: CDPSession, frame: str, config: Config, **more: Any) -> dict[str, Any]:
    limits = {
        "maxCharacters": config.max_bytes,
        "maxHeight": config.screenshot_size[1],
        "maxRows": MAX_ROWS,
        "maxNodes": MAX_NODES,
        "quietMs": QUIET_MS,
        "poorQuietMs": POOR_QUIET_MS,
        "waitMs": WAIT_MS,
        **more,
    }
    world = await isolated_world(session, frame)
    parameters = {"expression": f"({_SCRIPT})({json.dumps(limits)})", "contextId": world.id, "awaitPromise": True, "returnByValue": True}
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
