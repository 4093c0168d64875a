"""Boxes and a screenshot of the pages that a user's own Playwright requests open.

The page is the user's and scrapy-playwright's. It is captured when scrapy-playwright has made the response, before it is closed or
handed over, within CAPTURE_S. A capture that fails is counted and changes nothing.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from scrapy import http
from scrapy.http.request import NO_CALLBACK

from webcontent.crawl.meta import CAPTURE, FULL_SIZE, PAGE, RENDER, SCREENSHOT
from webcontent.crawl.rendering.capture import Capture, read_page, take_screenshot
from webcontent.crawl.rendering.job import HtmlResponse, now
from webcontent.crawl.rendering.tasks import run_in_background, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import CDPSession, Page
    from scrapy import Request

    from webcontent.crawl.config import Config

CAPTURE_S = 8.0
"""The longest time that a capture delays the closing or the handing over of a page."""
_FAILURES = (PlaywrightError, ValueError, TimeoutError)


def wants_capture(request: Request, config: Config) -> bool:
    options = _options(request)
    return bool(options.get(CAPTURE, config.capture) and options.get(RENDER, True)) and request.callback is not NO_CALLBACK


async def add_capture(response: http.Response, request: Request, page: Page, config: Config, count: Callable[[str], None]) -> http.Response:
    """The response, with boxes and screenshot as attributes if the page that it was made of can be captured.

    Of a page that the user keeps the screenshot shows the viewport: for more of it the page would get an event `resize`.
    """
    options = _options(request)
    size = None
    if config.screenshot and options.get(SCREENSHOT, True):
        size = {"full_size": bool(options.get(FULL_SIZE)), "visible_only": bool(request.meta.get("playwright_include_page"))}
    if page.is_closed() or page.url != response.url or not response.url.startswith("http") or not isinstance(response, http.HtmlResponse):
        return response
    try:
        captured = await within(CAPTURE_S, _capture(page, config, count, size))
    except _FAILURES as error:
        count(f"webcontent/capture_failed/{'timeout' if isinstance(error, TimeoutError) else 'error'}")
        return response
    if captured.url != response.url:  # the page went on to another address
        return response
    count("webcontent/captured")
    return response.replace(cls=HtmlResponse, boxes=captured.boxes, screenshot=captured.screenshot, fetched_at=now())


def _options(request: Request) -> dict[str, Any]:
    options = request.meta.get(PAGE)
    return options if isinstance(options, dict) else {}


async def _capture(page: Page, config: Config, count: Callable[[str], None], size: dict[str, bool] | None) -> Capture:
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
