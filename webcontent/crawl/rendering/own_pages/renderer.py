"""The pages that we open: a page session for each request, and what its failures mean.

- Errors of the network come out as Scrapy's own exceptions, so that its retries work.
- What the browser can't show raises NoPageError or NotRenderedError, and the handler fetches it without the browser.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError
from scrapy.exceptions import CannotResolveHostError, DownloadConnectionRefusedError, DownloadFailedError, DownloadTimeoutError

from webcontent.crawl.rendering.browser import PAGES_PER_CORE, context_options
from webcontent.crawl.rendering.network import proxy_of
from webcontent.crawl.rendering.own_pages.contexts import ContextPool, PageContext
from webcontent.crawl.rendering.own_pages.driver import MAX_LAUNCH_FAILURES, Driver, OwnBrowser
from webcontent.crawl.rendering.page_session import NotRenderedError, PageSession, SessionOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Browser, Page
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webcontent.crawl.config import Config

CONTEXT = "webcontent"
"""Name of the browser context of pages without a proxy; the names of the others begin with it."""
ATTEMPTS = 3
"""How often a page is opened whose renderer or browser died: the fault may have been another page's."""
RESTART_PAUSE_S = 0.2
"""The pause after a page did not open: scrapy-playwright may just be replacing a browser that died."""

_ERRORS: tuple[tuple[str, type[Exception]], ...] = (
    ("ERR_NAME_NOT_RESOLVED", CannotResolveHostError),
    ("ERR_CONNECTION_REFUSED", DownloadConnectionRefusedError),
    ("TIMED_OUT", DownloadTimeoutError),
    ("net::ERR_", DownloadFailedError),
)
"""Parts of the browser's messages, and the exceptions of Scrapy that mean the same."""
_renderers: WeakKeyDictionary[Crawler, Renderer] = WeakKeyDictionary()


class Handler(Protocol):
    """The part of the download handler that rendering needs."""

    _crawler: Crawler
    webcontent: Config
    shares_browser: bool
    """Whether our pages are opened in the browser of the user's own requests: a remote one, or a provider's."""
    abort_request: Callable[..., Any] | None
    _make_request_handler: Callable[..., Any]

    def count(self, stat: str, number: int = 1) -> None: ...

    async def start_driver(self) -> None: ...

    async def user_browser(self) -> Browser: ...

    async def user_context(self, name: str, options: dict[str, Any] | None) -> PageContext: ...


class Renderer:
    """One for all handlers of a crawl, with one browser. All methods run in the browser's loop."""

    def __init__(self, handler: Handler) -> None:
        crawler: Crawler = handler._crawler
        settings = crawler.settings
        self.config: Config = handler.webcontent
        self.sessions: set[PageSession] = set()
        page_limit = settings.getint("PLAYWRIGHT_MAX_PAGES_PER_CONTEXT") or PAGES_PER_CORE * (os.cpu_count() or 1)
        user_options = settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS")
        self.pool = ContextPool(page_limit, handler.count)
        self.browser = OwnBrowser(Driver.of(crawler), self.config, user_options, handler.count)
        self._options = _session_options(handler)

    @classmethod
    def of(cls, handler: Handler) -> Renderer:
        """The crawl's renderer, created on first use."""
        if handler._crawler not in _renderers:
            _renderers[handler._crawler] = cls(handler)
        return _renderers[handler._crawler]

    async def render(self, request: Request, wishes: dict[str, Any], handler: Handler) -> Response:
        """The rendered response. `handler`: that of the request's scheme, with the contexts that the user names.

        Raises NoPageError, NotRenderedError, and the exceptions of Scrapy that a download may raise.
        """
        if self.browser.failures >= MAX_LAUNCH_FAILURES:
            raise NotRenderedError("no-browser")
        for _ in range(ATTEMPTS):
            session = await self._open(request, handler)
            try:
                return await session.run(wishes)
            except PlaywrightError as error:
                if session.is_expired:
                    raise session.timeout_error() from error
                if not session.has_died(error):
                    raise (NotRenderedError("error") if session.is_answered else _scrapy_error(error, request.url)) from error
            except TimeoutError as error:
                raise NotRenderedError("timeout") from error
            finally:
                await self._end(session)
        raise NotRenderedError("crashed")

    async def close(self) -> None:
        for session in tuple(self.sessions):
            await self._end(session)
        await self.pool.close()
        await self.browser.close()

    # Pages

    async def _open(self, request: Request, handler: Handler) -> PageSession:
        """A session with a page of its own. Raises NotRenderedError if there is no browser to open it."""
        for _ in range(ATTEMPTS):
            try:
                context, page = await self._open_page(request, handler)
            except (PlaywrightError, TimeoutError):
                await asyncio.sleep(RESTART_PAUSE_S)
            else:
                session = PageSession(self._options, request, page, context.name)
                self.sessions.add(session)
                return session
        raise NotRenderedError("no-page")

    async def _open_page(self, request: Request, handler: Handler) -> tuple[PageContext, Page]:
        await handler.start_driver()
        if name := request.meta.get("playwright_context"):
            context = await handler.user_context(name, request.meta.get("playwright_context_kwargs"))
            return context, await self.pool.open_page_in(context)
        proxy = proxy_of(request)
        name = f"{CONTEXT} {proxy['server']}" if proxy else CONTEXT
        options = context_options(self.config, self._options.user_agent) | ({"proxy": proxy} if proxy else {})

        async def get_browser() -> Browser:
            return await (handler.user_browser() if handler.shares_browser else self.browser.get())

        return await self.pool.open_page(name, options, get_browser)

    async def _end(self, session: PageSession) -> None:
        await session.close()
        self.sessions.discard(session)
        await self.pool.close_old()


def _session_options(handler: Handler) -> SessionOptions:
    """A user's hooks see every request of a page, which costs time, so they are set only if the settings name some."""
    crawler = handler._crawler
    name = "PLAYWRIGHT_PROCESS_REQUEST_HEADERS"
    has_browser_headers = crawler.settings.get(name, "") is None
    has_hooks = bool(handler.abort_request) or (not has_browser_headers and name in crawler.settings)
    return SessionOptions(
        crawler=crawler,
        config=handler.webcontent,
        user_agent=None if has_browser_headers else crawler.settings.get("USER_AGENT"),
        request_hook=handler._make_request_handler if has_hooks else None,
        count=handler.count,
    )


def _scrapy_error(error: PlaywrightError, url: str) -> Exception:
    """The exception of Scrapy that means the same, so that the request is retried; NotRenderedError if there is none."""
    if isinstance(error, PlaywrightTimeoutError):
        return DownloadTimeoutError(f"{url}: {error.message}")
    for part, exception in _ERRORS:
        if part in error.message:
            return exception(f"{url}: {error.message}")
    return NotRenderedError("error")
