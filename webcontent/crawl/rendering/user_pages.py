"""Boxes and a screenshot of the pages that a user's own Playwright requests open.

The page is the user's and scrapy-playwright's. It is captured when scrapy-playwright has read it and is about to close it or to hand
it over, within CAPTURE_S. Whatever happens to the capture, the response is the one that scrapy-playwright makes.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from scrapy import http

from webcontent.crawl.meta import FULL_SIZE, PAGE, SCREENSHOT
from webcontent.crawl.rendering.capture import Capture, read_page, take_screenshot
from webcontent.crawl.rendering.response import HtmlResponse, now
from webcontent.crawl.rendering.tasks import run_in_background, within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.async_api import CDPSession, Page
    from scrapy import Request
    from scrapy.http import Response

    from webcontent.crawl.config import Config

logger = logging.getLogger(__name__)

CAPTURE_S = 8.0
"""The longest time that a capture delays the closing or the handing over of a page."""


class UserPageCapture:
    """The capture of one page of a user's. It is taken at most once, after scrapy-playwright has read the page."""

    def __init__(self, page: Page, request: Request, config: Config, count: Callable[..., None]) -> None:
        self.is_armed = False
        """Whether all page methods have run. A page that is closed before that is not captured."""
        options = request.meta.get(PAGE)
        options = options if isinstance(options, dict) else {}
        self._page, self._config, self._count = page, config, count
        self._takes_screenshot = bool(config.screenshot and options.get(SCREENSHOT, True))
        self._size = {"full_size": bool(options.get(FULL_SIZE)), "visible_only": bool(request.meta.get("playwright_include_page"))}
        self._url = self._closed_url = ""
        """The page's address when scrapy-playwright had read it, and when it was closed."""
        self._captured: Capture | None = None

    @contextmanager
    def before_close(self) -> Iterator[None]:
        """Within the block the page is captured before it is closed."""
        page = self._page
        close = page.close

        async def capture_and_close(**options: Any) -> None:
            await self.take()
            await close(**options)
            self._closed_url = page.url

        page.close = capture_and_close  # type: ignore[method-assign]
        try:
            yield
        finally:
            del page.close

    async def take(self) -> None:
        if not self.is_armed:
            return
        self.is_armed = False
        self._url = self._page.url
        if not self._page.is_closed() and self._url.startswith("http"):
            with self._counted("error"):
                self._captured = await within(CAPTURE_S, self._capture())

    def add_to(self, response: Response) -> Response:
        """The response, with boxes and screenshot as attributes if it is the page that was captured."""
        if self._closed_url and response.url != self._url and response.url == self._closed_url:
            response = response.replace(url=self._url)  # the page went on to another address while it was captured
        captured = self._captured
        if captured is None or not captured.url == self._url == response.url or not isinstance(response, http.HtmlResponse):
            return response
        self._count("webcontent/captured")
        return response.replace(cls=HtmlResponse, boxes=captured.boxes, screenshot=captured.screenshot, fetched_at=now())

    async def _capture(self) -> Capture:
        """A screenshot that fails, or that may show another page than the one that was read, costs itself only."""
        session = await self._page.context.new_cdp_session(self._page)
        try:
            tree = await session.send("Page.getFrameTree")
            capture = await read_page(session, tree["frameTree"]["frame"]["id"], self._config)
            if self._takes_screenshot:
                with self._counted("screenshot"):
                    screenshot = await take_screenshot(session, capture, self._config, **self._size)
                    capture.screenshot = screenshot if self._page.url == self._url else None
        finally:
            run_in_background(_detach(session))
        return capture

    @contextmanager
    def _counted(self, reason: str) -> Iterator[None]:
        """A failure within the block is counted and goes no further."""
        try:
            yield
        except (PlaywrightError, ValueError, TimeoutError) as error:
            self._count(f"webcontent/capture_failed/{'timeout' if isinstance(error, TimeoutError) else reason}")
            logger.debug("No capture of %s: %s", self._url, error)


async def _detach(session: CDPSession) -> None:
    with suppress(PlaywrightError):  # the page was closed meanwhile
        await session.detach()
