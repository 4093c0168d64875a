"""All that rests on private names of scrapy-playwright, written for version 0.0.48. A test says when one of them is gone.

What stands in for something that it does not do:
- The driver starts with the crawl, even if no page is rendered: `start_driver` waits for the first page.
- Its bridge between event loops does not pass on that a coroutine was cancelled: `in_browser_loop`.
- Nothing is called between the reading of a user's page and its closing: `_download_request_with_page`.
- A page that crashes and is then closed gives back two places of its context's limit, to the newest context of that name, and each
  request and response has a listener: `browser.py` opens our pages.
"""

from __future__ import annotations

import asyncio
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, cast

from scrapy_playwright._utils import _attach_page_event_handlers, _maybe_execute_page_init_callback, _set_redirect_meta
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from webcontent.crawl.config import Config
from webcontent.crawl.rendering.capture import add_capture, wants_capture
from webcontent.crawl.rendering.job import NotRenderedError
from webcontent.crawl.rendering.tasks import CLOSE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from playwright.async_api import Page
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


_OF_KEPT_PAGES = ("playwright_include_page", "playwright_page")
"""Keys of the meta of a request whose page is left open."""


class PlaywrightHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """scrapy-playwright's download handler, as the others of this package use it: all that they call has no underscore."""

    def __init__(self, crawler: Crawler, *, is_users: bool) -> None:
        """`is_users`: whether the user has configured scrapy-playwright, which then starts as it does without us."""
        super().__init__(crawler)
        self.crawler = crawler
        self.webcontent = Config.from_settings(crawler.settings)
        headers = "PLAYWRIGHT_PROCESS_REQUEST_HEADERS"
        has_browser_headers = crawler.settings.get(headers, "") is None
        self.user_agent: str | None = None if has_browser_headers else crawler.settings.get("USER_AGENT")
        """None if the browser sends headers of its own in place of Scrapy's."""
        self.has_hooks = bool(self.abort_request) or (not has_browser_headers and headers in crawler.settings)
        """Whether the settings name hooks of the user that see every request of a page. That costs time."""
        self.starts_with_the_crawl = bool(is_users or self.config.startup_context_kwargs)
        self._start: asyncio.Future[None] | None = None
        """scrapy-playwright's start, where it waits for the first page. All who need the driver wait for the same one."""
        self._loop: asyncio.AbstractEventLoop | None = None
        """Scrapy's, where the browser's is another one."""

    # Start and end

    async def _maybe_launch_in_thread(self) -> None:
        """Scrapy calls this, and waits for it, before the first request. Where only we use the driver, it starts with the first page."""
        if self.starts_with_the_crawl:
            await self.in_browser_loop(self._launch())

    async def start_driver(self) -> None:
        """Returns when scrapy-playwright has started, whoever asked for it first. Call it in the browser's loop.

        There is one attempt, as with scrapy-playwright alone. Raises the error that ended it, to each caller.
        """
        if self.starts_with_the_crawl:
            return
        if self._start is None:
            self._start = asyncio.ensure_future(self._launch())
        await asyncio.shield(self._start)  # a request that is cancelled does not end the start that others wait for

    async def close_pages(self) -> None:
        """Called in the browser's loop, before scrapy-playwright closes its browser."""

    async def _close(self) -> None:
        if self._start is not None:
            await asyncio.wait({self._start}, timeout=CLOSE_S)
            self._start.cancel()
        await self.close_pages()
        await super()._close()

    # Two event loops: on Windows the browser is used in a thread of its own

    async def in_browser_loop(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of `work`, done in the loop that the browser is used in."""
        if not self.config.use_threaded_loop:
            return await work
        self._loop = asyncio.get_running_loop()
        return await self._maybe_future_from_coro(_uncancelled(work))

    async def in_scrapys_loop(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of `work`, which uses other parts of Scrapy, called from the loop that the browser is used in."""
        if self._loop is None:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def count(self, stat: str, number: int = 1) -> None:
        """Adds to a stat, on Scrapy's side."""
        if self._loop is None:
            self.stats.inc_value(stat, number)
        else:
            self._loop.call_soon_threadsafe(self.stats.inc_value, stat, number)

    # Pages

    async def install_users_parts(self, page: Page, request: Request, context_name: str) -> None:
        """Gives a page of ours what the user has put into the request: event handlers and a callback; and the hooks of the settings."""
        spider = self.crawler.spider
        if self.has_hooks:
            hook = self._make_request_handler(
                context_name=context_name,
                method=request.method,
                url=request.url,
                headers=request.headers,
                body=request.body,
                encoding=request.encoding,
                spider=spider,
                initial_request_done=asyncio.Event(),
            )
            await page.route("**", hook)
        _attach_page_event_handlers(page=page, request=request, spider=spider, context_name=context_name)
        await _maybe_execute_page_init_callback(page=page, request=request, context_name=context_name, spider=spider)

    async def _download_request_with_page(self, request: Request, page: Page, spider: Any) -> Response:
        """With boxes and a screenshot, for which the page stays open as if the user kept it."""
        download = super()._download_request_with_page
        if self.config.browser_type_name != "chromium" or not wants_capture(request, self.webcontent):
            return cast("Response", await download(request, page, spider))
        kept = {name: request.meta[name] for name in _OF_KEPT_PAGES if name in request.meta}
        is_users = bool(kept.get("playwright_include_page"))
        request.meta["playwright_include_page"] = True
        try:
            response = await download(request, page, spider)
        finally:
            if not is_users:
                for name in _OF_KEPT_PAGES:
                    request.meta.pop(name, None)
                request.meta.update(kept)
        response = await add_capture(response, request, page, self.webcontent, self.count)
        if not is_users:
            await page.close()
            self.stats.inc_value("playwright/page_count/closed")
        return response


set_redirect_meta = _set_redirect_meta


async def result_of(call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """The result of a function of the user's, which may be a coroutine."""
    result = call(*arguments, **options)
    return await result if isawaitable(result) else result


async def _uncancelled(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await work
    except asyncio.CancelledError:
        raise NotRenderedError("cancelled") from None
