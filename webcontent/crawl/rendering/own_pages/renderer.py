"""The pages that we open: a page session for each request, and what its failures mean.

- Errors of the network come out as Scrapy's own exceptions, so that its retries work.
- What the browser can't show raises NoPageError or NotRenderedError, and the handler fetches it without the browser.
"""

from __future__ import annotations

import asyncio
import logging
import os
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.config import IDENTITY
from webcontent.crawl.private_hosts import PrivateHosts
from webcontent.crawl.rendering.browser import PAGES_PER_CORE, context_options
from webcontent.crawl.rendering.errors import NotRenderedError
from webcontent.crawl.rendering.filtering.contexts import Contexts, Place, launch_proxy
from webcontent.crawl.rendering.identity import Identity
from webcontent.crawl.rendering.memory import MemoryWatch
from webcontent.crawl.rendering.own_pages.contexts import ContextPool
from webcontent.crawl.rendering.own_pages.driver import MAX_LAUNCH_FAILURES, Driver, OwnBrowser
from webcontent.crawl.rendering.page_session import PageSession, SessionOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from playwright.async_api import Browser, Page
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.own_pages.contexts import PageContext

logger = logging.getLogger(__name__)

ATTEMPTS = 3
"""How often a page is opened whose renderer or browser died: the fault may have been another page's."""
RESTART_PAUSE_S = 0.2
"""The pause after a page did not open: scrapy-playwright may just be replacing a browser that died."""

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

    async def in_scrapys_loop(self, work: Coroutine[Any, Any, Any]) -> Any: ...

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
        self.memory = MemoryWatch(self.config.browser_memory, lambda: bool(self.sessions))
        self.browser = OwnBrowser(Driver.of(crawler), self.config, user_options, handler.count, self.memory)
        self.contexts = self._contexts(handler, user_options)
        self._options = _session_options(handler)

    @classmethod
    def of(cls, handler: Handler) -> Renderer:
        """The crawl's renderer, created on first use."""
        if handler._crawler not in _renderers:
            _renderers[handler._crawler] = cls(handler)
        return _renderers[handler._crawler]

    def _contexts(self, handler: Handler, launch_options: dict[str, Any]) -> Contexts:
        """A browser that we did not start may be elsewhere and not reach a proxy on loopback, so its pages are not filtered."""
        if handler.shares_browser:
            logger.warning("Pages are rendered in a browser that webcontent does not start, so they can reach the local network.")
        if self.config.ignore_certificates:
            logger.warning("WEBCONTENT_IGNORE_CERTIFICATES is True: rendered pages may come from servers that only pretend to be theirs.")
        upstream = None if handler.shares_browser else launch_proxy(launch_options)
        allowed = PrivateHosts(self.config.private_hosts)
        return Contexts(allowed, handler.count, is_filtered=not handler.shares_browser, upstream=upstream)

    async def render(self, request: Request, wishes: dict[str, Any], handler: Handler) -> Response:
        """The rendered response. `handler`: that of the request's scheme, with the contexts that the user names.

        Raises NoPageError, NotRenderedError, and the exceptions of Scrapy that a download may raise.
        """
        if self.browser.failures >= MAX_LAUNCH_FAILURES:
            raise NotRenderedError("no-browser")
        identity = Identity(**{name: wishes.get(name, getattr(self.config, name)) for name in IDENTITY})
        for _ in range(ATTEMPTS):
            session = await self._open(request, identity, handler)
            try:
                return await session.run(wishes)
            except PlaywrightError as error:
                if session.is_expired:
                    raise session.timeout_error() from error
                if self.memory.has_just_ended_a_page() and session.has_died(error):
                    raise NotRenderedError("memory") from error
                if not session.has_died(error):
                    raise session.error(error) from error
            except TimeoutError as error:
                raise NotRenderedError("timeout") from error
            finally:
                await self._end(session)
        raise NotRenderedError("crashed")

    async def close(self) -> None:
        for session in tuple(self.sessions):
            await self._end(session)
        self.memory.stop()
        await self.pool.close()
        await self.browser.close()
        await self.contexts.close()

    # Pages

    async def _open(self, request: Request, identity: Identity, handler: Handler) -> PageSession:
        """A session with a page of its own. Raises NotRenderedError if there is no browser to open it."""
        place = await self._place(request, identity)
        for _ in range(ATTEMPTS):
            try:
                page = await self._open_page(request, place, handler)
            except (PlaywrightError, TimeoutError):
                await asyncio.sleep(RESTART_PAUSE_S)
            else:
                session = PageSession(self._options, request, page, place)
                self.sessions.add(session)
                self.memory.start()
                return session
        raise NotRenderedError("no-page")

    async def _place(self, request: Request, identity: Identity) -> Place:
        """The context for a page. One that the user names stays as the user wants it."""
        name = request.meta.get("playwright_context")
        return Place(name, {}, is_ours=False) if name else await self.contexts.place_of(request, identity)

    async def _open_page(self, request: Request, place: Place, handler: Handler) -> Page:
        try:
            await handler.start_driver()
        except Exception as error:  # whatever keeps Playwright's driver, or a user's own provider, from starting
            self.browser.count_failure(error)
            raise NotRenderedError("no-browser") from error
        if name := request.meta.get("playwright_context"):
            context = await handler.user_context(name, request.meta.get("playwright_context_kwargs"))
            return await self.pool.open_page_in(context)
        options = context_options(self.config, self._options.user_agent) | place.identity.context_options()
        if place.proxy:
            login = place.login if self._options.request_hook else None  # Playwright logs in where a hook sees all requests
            options["proxy"] = place.proxy | ({"username": login[0], "password": login[1]} if login else {})

        async def get_browser() -> Browser:
            return await (handler.user_browser() if handler.shares_browser else self.browser.get())

        return await self.pool.open_page(place.name, options, get_browser)

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
        in_scrapys_loop=handler.in_scrapys_loop,
    )
