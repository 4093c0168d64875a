"""The download handler: scrapy-playwright's browser, contexts and page limit, with page sessions of our own.

- Errors of the network come out as Scrapy's own exceptions, so that its retries work.
- What the server answered and the browser can't show (a page that loops, crashes the renderer or never settles, a
  download, a PDF, JSON ...) is fetched once more by the fallback handler, at once and without the browser, since another
  try costs as long as the first. A page that was fetched so because rendering failed carries the flag `render-failed`.
- Requests without the key RENDER_WISHES go to scrapy-playwright if they carry its key `playwright`, else to the fallback handler.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from playwright.async_api import Error as PlaywrightError
from scrapy.http import HtmlResponse, Response
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from webcontent.crawl.config import FALLBACKS, Config
from webcontent.crawl.meta import RENDER_WISHES
from webcontent.crawl.rendering.browser import NO_DIRECT_CONNECTIONS, context_options, find_browser, launch_options
from webcontent.crawl.rendering.errors import NoPageError, NotRenderedError
from webcontent.crawl.rendering.filtering.contexts import CONTEXT, Contexts, Place, launch_proxy
from webcontent.crawl.rendering.filtering.reach import PrivateHosts
from webcontent.crawl.rendering.memory import MemoryWatch
from webcontent.crawl.rendering.page_session import DEADLINE_S, PageSession, SessionOptions
from webcontent.crawl.rendering.response import RenderedResponse, now
from webcontent.crawl.rendering.tasks import close_page, run_in_background, within

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from playwright.async_api import BrowserContext, Page
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

ATTEMPTS = 3
"""How often a page is opened whose renderer or browser died: the fault may have been another page's."""
RESTART_PAUSE_S = 0.2
"""The pause after a page did not open: scrapy-playwright may just be replacing a browser that died."""
MAX_LAUNCH_FAILURES = 3
MAX_CONTEXTS = 16
"""Each proxy has a context of its own; the oldest one is closed if there are more."""
PAGES_PER_CONTEXT = 150
"""A context is replaced after so many pages, since the driver keeps something of each."""

_handlers: WeakKeyDictionary[Crawler, RenderHandler] = WeakKeyDictionary()


class RenderHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """One for all schemes of a crawl: one driver, one browser. The driver starts with the first page that needs it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.webcontent = Config.from_settings(crawler.settings)
        self.fallbacks = _fallbacks(crawler)
        self.config.launch_options = self._launch_options()
        self.contexts = self._make_contexts()
        self.memory = MemoryWatch(self.webcontent.browser_memory, lambda: bool(self.sessions))
        self.sessions: set[PageSession] = set()
        self.session_options = self._session_options(crawler)
        self._own_pages: WeakSet[Page] = WeakSet()
        self._opening: Counter[BrowserContext] = Counter()
        """Pages of ours that a context is opening."""
        self._starting = asyncio.Lock()
        self._started = self._closed = False
        self._launch_failures = 0
        self._opened: Counter[str] = Counter()
        """Pages that were opened in the latest context of a name."""
        self._old_contexts: list[BrowserContext] = []
        self._users: Counter[BrowserContext] = Counter()
        """Sessions that have a page of a context, or wait for one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if crawler not in _handlers:
            _handlers[crawler] = cls(crawler)
        handler: Self = _handlers[crawler]
        return handler

    def _launch_options(self) -> dict[str, Any]:
        if self.config.cdp_url or self.config.connect_url:
            return {}
        browser = find_browser(self.webcontent.browser)
        options: dict[str, Any] = self.config.launch_options
        return (launch_options(browser) if browser else {}) | options

    def _make_contexts(self) -> Contexts:
        """A browser elsewhere can't reach a proxy on this machine's loopback, so its pages are not filtered by it."""
        if self.webcontent.ignore_certificates:
            logger.warning("WEBCONTENT_IGNORE_CERTIFICATES is True: rendered pages may come from servers that only pretend to be theirs.")
        is_local = not (self.config.cdp_url or self.config.connect_url)
        upstream = launch_proxy(self.config.launch_options) if is_local else None
        return Contexts(PrivateHosts(self.webcontent.private_hosts), self.stats, is_filtered=is_local, upstream=upstream)

    def _session_options(self, crawler: Crawler) -> SessionOptions:
        """A user's hooks see every request of a page, which costs time, so they are set only if the settings name some."""
        name = "PLAYWRIGHT_PROCESS_REQUEST_HEADERS"
        has_browser_headers = crawler.settings.get(name, "") is None
        has_hooks = bool(self.abort_request) or (not has_browser_headers and name in crawler.settings)
        return SessionOptions(
            crawler=crawler,
            config=self.webcontent,
            user_agent=None if has_browser_headers else crawler.settings.get("USER_AGENT"),
            request_hook=self._make_request_handler if has_hooks else None,
        )

    # Start and end

    async def _maybe_launch_in_thread(self) -> None:
        """Starts the driver only for contexts that the settings open; else it waits for a page. Scrapy calls this when the crawl starts."""
        if self.config.startup_context_kwargs:
            await self._start()

    async def _start(self) -> None:
        async with self._starting:
            if not self._started:
                await super()._maybe_launch_in_thread()
                self._started = True

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        for session in tuple(self.sessions):
            await self._end(session)
        self.memory.stop()
        await super().close()
        await self.contexts.close()
        for handler in self.fallbacks.values():
            if hasattr(handler, "close"):
                await handler.close()

    # Requests

    async def download_request(self, request: Request) -> Response:
        if RENDER_WISHES in request.meta:
            wishes = request.meta.pop(RENDER_WISHES)
            return await self._render_or_fetch(request, wishes)
        if request.meta.get("playwright"):
            await self._start()
            response: Response = await super().download_request(request)
            return response
        return await self._fetch(request)

    async def _fetch(self, request: Request) -> Response:
        """Without the browser."""
        scheme = request.url.partition(":")[0]
        if handler := self.fallbacks.get(scheme):
            response: Response = await handler.download_request(request)
            return response
        plain: Response = await super(ScrapyPlaywrightDownloadHandler, self).download_request(request)
        return plain

    async def _render_or_fetch(self, request: Request, wishes: dict[str, Any]) -> Response:
        try:
            return await self._render(request, wishes)
        except NoPageError:
            return await self._fetch(request)
        except NotRenderedError as failure:
            self.stats.inc_value(f"webcontent/render_failed/{failure.reason}")
            logger.info("%s could not be rendered (%s) and is fetched without the browser", request.url, failure.reason)
            try:
                response = await self._fetch(request)
            except Exception:  # whatever a download may raise: what the browser had by then is a page, too
                if failure.response is None:
                    raise
                return failure.response
            if not isinstance(response, HtmlResponse):
                return response
            return response.replace(cls=RenderedResponse, page_flags=["render-failed"], fetched_at=now())

    async def _render(self, request: Request, wishes: dict[str, Any]) -> Response:
        if self._launch_failures >= MAX_LAUNCH_FAILURES:
            raise NotRenderedError("no-browser")
        for _ in range(ATTEMPTS):
            session = await self._open(request)
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

    async def _open(self, request: Request) -> PageSession:
        """A session with a page of its own. Raises NotRenderedError if there is no browser to open it."""
        place, options = await self._place(request)
        await self._start()
        for _ in range(ATTEMPTS):
            try:
                page = await self._open_page(place.name, options)
                session = PageSession(self.session_options, request, page, place)
            except (PlaywrightError, TimeoutError):
                await asyncio.sleep(RESTART_PAUSE_S)
            else:
                self.sessions.add(session)
                self.memory.start()
                return session
        raise NotRenderedError("no-page")

    async def _place(self, request: Request) -> tuple[Place, dict[str, Any] | None]:
        """The context for a page and the options to open it with. A context that the user names stays as the user wants it."""
        if name := request.meta.get("playwright_context"):
            return Place(name, {}), request.meta.get("playwright_context_kwargs")
        place = await self.contexts.place_of(request)
        options = context_options(self.webcontent, self.session_options.user_agent)
        if place.proxy:
            login = place.login if self.session_options.request_hook else None  # Playwright logs in where a hook sees all requests
            options["proxy"] = place.proxy | ({"username": login[0], "password": login[1]} if login else {})
        return place, options

    async def _end(self, session: PageSession) -> None:
        await session.close()
        self.sessions.discard(session)
        await self._close_old_contexts()

    # Pages

    async def _open_page(self, name: str, options: dict[str, Any] | None) -> Page:
        """A new page of a context, as soon as the context's limit allows one.

        This differs from scrapy-playwright in three ways. A page that crashes and is then closed gives back one place in the
        limit, not two. It gives the place back to its own context, which may have been replaced meanwhile. Nobody listens to each
        request and response, which is half of Python's work on a page.
        """
        async with self.context_launch_lock:
            wrapper = self.context_wrappers.get(name) or await self._create_browser_context(name, options, self._crawler.spider)
        self._users[wrapper.context] += 1
        is_counted = True

        def release(_: Page | None = None) -> None:
            nonlocal is_counted
            if is_counted:
                is_counted = False
                self._users[wrapper.context] -= 1
                wrapper.semaphore.release()

        await wrapper.semaphore.acquire()
        self._opening[wrapper.context] += 1
        try:
            page: Page = await within(DEADLINE_S, wrapper.context.new_page())
            self._own_pages.add(page)
        except BaseException:
            release()
            raise
        finally:
            self._opening[wrapper.context] -= 1
            self._close_strays(wrapper.context)
        page.on("close", release)
        page.on("crash", release)
        self.stats.inc_value("playwright/page_count")
        self._set_stats_max_concurrent_page_count(self._get_total_page_count())
        self._retire_contexts(name)
        return page

    def _close_strays(self, context: BrowserContext) -> None:
        """Closes the popups of a context that no session sees: those of pages that close too soon.

        While a page of ours opens, it can't be told from a popup; whoever opens it looks again.
        """
        if not self._opening[context] and not self._closed:
            for page in context.pages:
                if page not in self._own_pages:
                    run_in_background(close_page(page))

    # Contexts

    async def _create_browser_context(self, name: str, context_kwargs: dict[str, Any] | None, spider: Any = None) -> Any:
        wrapper = await super()._create_browser_context(name, context_kwargs, spider)
        if name.startswith(CONTEXT):
            await wrapper.context.add_init_script(NO_DIRECT_CONNECTIONS)
            wrapper.context.on("page", lambda _: self._close_strays(wrapper.context))
        return wrapper

    def _retire_contexts(self, name: str) -> None:
        """Replaces a context after PAGES_PER_CONTEXT pages; the old one closes with its last page."""
        self._opened[name] += 1
        own = [known for known in self.context_wrappers if known.startswith(CONTEXT)]
        retired = own[: max(0, len(own) - MAX_CONTEXTS)]
        if self._opened[name] >= PAGES_PER_CONTEXT and name in own:
            self._opened[name] = 0
            retired.append(name)
        for old in set(retired):
            self._old_contexts.append(self.context_wrappers.pop(old).context)

    async def _close_old_contexts(self) -> None:
        """Closes those that nobody uses or waits for: a page that is requested while its context closes never comes."""
        for context in [context for context in self._old_contexts if not self._users[context]]:
            self._old_contexts.remove(context)
            del self._users[context], self._opening[context]
            with suppress(PlaywrightError):
                await context.close()

    def _make_close_browser_context_callback(
        self, name: str, persistent: bool, remote: bool, spider: Any = None
    ) -> Callable[[BrowserContext], None]:
        def forget(context: BrowserContext) -> None:
            wrapper = self.context_wrappers.get(name)
            if wrapper is not None and wrapper.context == context:
                del self.context_wrappers[name]
            if hasattr(self, "context_semaphore"):
                self.context_semaphore.release()

        return forget

    # The browser

    async def _maybe_launch_browser(self) -> None:
        try:
            await super()._maybe_launch_browser()
        except PlaywrightError as error:
            self._count_launch_failure(error)
            raise NotRenderedError("no-browser") from error
        self._launch_failures = 0
        if self.contexts.is_filtered:
            with suppress(PlaywrightError):
                await self.memory.attach(self.browser)

    def _count_launch_failure(self, error: Exception) -> None:
        self._launch_failures += 1
        if self._launch_failures == MAX_LAUNCH_FAILURES:
            logger.error("The browser did not start %d times; the crawl goes on without rendering. %s", MAX_LAUNCH_FAILURES, error)

    async def _browser_disconnected_callback(self) -> None:
        if hasattr(self, "browser"):
            await super()._browser_disconnected_callback()


def _fallbacks(crawler: Crawler) -> dict[str, Any]:
    """The user's own handlers by scheme, which the add-on has put aside."""
    paths = crawler.settings.getdict(FALLBACKS)
    handlers = {path: build_from_crawler(load_object(path), crawler) for path in dict.fromkeys(paths.values())}
    return {scheme: handlers[path] for scheme, path in paths.items()}
