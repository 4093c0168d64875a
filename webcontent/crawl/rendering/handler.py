"""The download handler: scrapy-playwright's, with rendering of our own beside it.

- Requests with the key RENDER_WISHES are rendered by page sessions of our own. What the server answered and the browser can't show (a
  page that loops, crashes the renderer or never settles, a download, a PDF, JSON ...) is fetched once more by the fallback handler, at
  once and without the browser, since another try costs as long as the first. A page that was fetched so because rendering failed
  carries the flag `render-failed`.
- A user's own requests with the key `playwright` are scrapy-playwright's, with its browsers, contexts and pages. Boxes and a
  screenshot are added to their responses.
- All others go to the fallback handler.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.provider import PlaywrightBrowserProvider

from webcontent.crawl.config import FALLBACKS, Config
from webcontent.crawl.meta import CAPTURE, PAGE, RENDER, RENDER_WISHES
from webcontent.crawl.rendering.browser import find_browser, launch_options
from webcontent.crawl.rendering.errors import NoPageError, NotRenderedError
from webcontent.crawl.rendering.own_pages.contexts import PageContext
from webcontent.crawl.rendering.own_pages.driver import Driver, SharedProvider
from webcontent.crawl.rendering.own_pages.renderer import Renderer
from webcontent.crawl.rendering.response import RenderedResponse, now
from webcontent.crawl.rendering.tasks import CLOSE_S
from webcontent.crawl.rendering.user_pages import UserPageCapture

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Self

    from playwright.async_api import Browser, Page
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy_playwright.provider import BrowserProvider

logger = logging.getLogger(__name__)

SCHEMES = ("http", "https")

_handlers: WeakKeyDictionary[Crawler, list[RenderHandler]] = WeakKeyDictionary()


class RenderHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """One for each scheme for which the user has configured scrapy-playwright, with browsers and contexts of its own, as without us.

    If the user has configured it for one scheme or none, one handler serves both schemes. All share one driver process and the
    browser that renders our pages. Where nobody has configured scrapy-playwright, the driver starts with the first page.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.webcontent = Config.from_settings(crawler.settings)
        self.user_schemes = [scheme for scheme, handler in _replaced(crawler).items() if is_playwright_handler(handler)]
        """The schemes for which the user has configured scrapy-playwright."""
        self.fallbacks = _fallbacks(crawler)
        has_own_provider = self.browser_provider_cls is not PlaywrightBrowserProvider
        self.shares_browser = bool(self.config.cdp_url or self.config.connect_url or has_own_provider)
        if not self.user_schemes and not self.shares_browser:
            browser = find_browser(self.webcontent.browser)
            self.config.launch_options = (launch_options(browser) if browser else {}) | self.config.launch_options
        self._captures: dict[Page, UserPageCapture] = {}
        self._start: asyncio.Future[None] | None = None
        """scrapy-playwright's start, where it waits for the first page. All who need the driver wait for the same one."""
        self._loop: asyncio.AbstractEventLoop | None = None
        """Scrapy's, where the browser's is another one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | SharedHandler:
        present = _handlers.setdefault(crawler, [])
        users = [handler for handler in map(load_object, _replaced(crawler).values()) if is_playwright_handler(handler)]
        if present and len(users) < len(SCHEMES):
            return SharedHandler(present[0])
        own = users and users[0] is not ScrapyPlaywrightDownloadHandler  # the user's own subclass: ours stands before it
        handler: Self = (type(cls.__name__, (cls, users[0]), {}) if own else cls)(crawler)
        present.append(handler)
        return handler

    # Start and end

    @property
    def browser_provider(self) -> BrowserProvider:
        """What starts the browser of the user's own requests. AttributeError before the driver starts, as with scrapy-playwright."""
        return self._provider

    @browser_provider.setter
    def browser_provider(self, provider: BrowserProvider) -> None:
        """Replaces scrapy-playwright's own provider, when it has just been made, by one on the driver that the crawl shares."""
        is_default = type(provider) is PlaywrightBrowserProvider
        self._provider: BrowserProvider = SharedProvider(Driver.of(self._crawler), provider.config) if is_default else provider

    async def _maybe_launch_in_thread(self) -> None:
        """Scrapy calls this, and waits for it, before the first request. Where only we use the driver, it starts with the first page."""
        if self._starts_with_the_crawl:
            await self._in_browser_loop(self._launch())

    @property
    def _starts_with_the_crawl(self) -> bool:
        """Whether scrapy-playwright starts as it does without us: the user has configured it."""
        return bool(self.user_schemes or self.config.startup_context_kwargs)

    async def start_driver(self) -> None:
        """Returns when scrapy-playwright has started, whoever asked for it first. Call it in the browser's loop.

        There is one attempt, as with scrapy-playwright alone. Raises the error that ended it, to each caller.
        """
        if self._starts_with_the_crawl:
            return
        if self._start is None:
            self._start = asyncio.ensure_future(self._launch())
        await asyncio.shield(self._start)  # a request that is cancelled does not end the start that others wait for

    async def _close(self) -> None:
        if self._start is not None:
            await asyncio.wait({self._start}, timeout=CLOSE_S)
            self._start.cancel()
        await Renderer.of(self).close()
        await super()._close()

    async def close(self) -> None:
        await super().close()
        for handler in self.fallbacks.values():
            if hasattr(handler, "close"):
                await handler.close()

    async def _in_browser_loop(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of `work`, done in the loop that the browser is used in: on Windows it runs in a thread of its own."""
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

    # Requests

    async def download_request(self, request: Request) -> Response:
        if RENDER_WISHES in request.meta:
            return await self._render_or_fetch(request, request.meta.pop(RENDER_WISHES))
        if request.meta.get("playwright") and self._is_scrapy_playwrights(request):
            if not self._starts_with_the_crawl:
                await self._in_browser_loop(self.start_driver())
            response: Response = await super().download_request(request)
            return response
        return await self._fetch(request)

    def _is_scrapy_playwrights(self, request: Request) -> bool:
        """Whether the user's request would reach scrapy-playwright without us, too, or nobody has configured it."""
        return not self.user_schemes or _scheme(request) in self.user_schemes

    async def _fetch(self, request: Request) -> Response:
        """Without the browser."""
        if handler := self.fallbacks.get(_scheme(request)):
            response: Response = await handler.download_request(request)
            return response
        plain: Response = await super(ScrapyPlaywrightDownloadHandler, self).download_request(request)
        return plain

    # Pages of ours

    async def _render_or_fetch(self, request: Request, wishes: dict[str, Any]) -> Response:
        response: Response
        try:
            response = await self._in_browser_loop(Renderer.of(self).render(request, wishes, self))
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
            if isinstance(response, HtmlResponse):
                response = response.replace(cls=RenderedResponse, page_flags=["render-failed"], fetched_at=now())
        return response

    async def user_browser(self) -> Browser:
        """The browser of the user's own requests."""
        await self.start_driver()
        await self._maybe_launch_browser()
        browser: Browser = self.browser
        return browser

    async def user_context(self, name: str, options: dict[str, Any] | None) -> PageContext:
        """A context that the user has named, for a page of ours."""
        await self.start_driver()
        async with self.context_launch_lock:
            wrapper = self.context_wrappers.get(name) or await self._create_browser_context(name, options, self._crawler.spider)
        return PageContext(name, wrapper.context, wrapper.semaphore, is_ours=False)

    # Pages of the user's own requests

    async def _download_request_with_page(self, request: Request, page: Page, spider: Spider) -> Response:
        if not self._wants_capture(request):
            response: Response = await super()._download_request_with_page(request, page, spider)
            return response
        capture = self._captures[page] = UserPageCapture(page, request, self.webcontent, self.count)
        try:
            with capture.before_close():
                response = await super()._download_request_with_page(request, page, spider)
            await capture.take()  # of a page that stays open for the user
        finally:
            del self._captures[page]
        return capture.add_to(response)

    async def _apply_page_methods(self, page: Page, request: Request, spider: Spider) -> None:
        await super()._apply_page_methods(page, request, spider)
        if page in self._captures:
            self._captures[page].is_armed = True

    def _wants_capture(self, request: Request) -> bool:
        options = request.meta.get(PAGE)
        options = options if isinstance(options, dict) else {}
        is_wanted = options.get(CAPTURE, self.webcontent.capture) and options.get(RENDER, True)
        return bool(is_wanted) and request.callback is not NO_CALLBACK and self.config.browser_type_name == "chromium"


class SharedHandler:
    """The handler of a further scheme, where one handler serves both."""

    lazy = False

    def __init__(self, handler: RenderHandler) -> None:
        self.handler = handler

    async def download_request(self, request: Request) -> Response:
        return await self.handler.download_request(request)

    async def close(self) -> None:
        """The first handler closes what there is."""


def is_playwright_handler(handler: Any) -> bool:
    """Whether a class, or the path of one, is scrapy-playwright's handler or a subclass of it."""
    try:
        loaded = load_object(handler)
    except (ImportError, NameError, ValueError, TypeError):  # Scrapy reports it when it loads the handler
        return False
    return isinstance(loaded, type) and issubclass(loaded, ScrapyPlaywrightDownloadHandler)


def _replaced(crawler: Crawler) -> dict[str, Any]:
    """The user's own handlers by scheme, which the add-on has replaced by ours."""
    replaced: dict[str, Any] = crawler.settings.getdict(FALLBACKS)
    return replaced


def _fallbacks(crawler: Crawler) -> dict[str, Any]:
    """By scheme, the handlers of what is not rendered. scrapy-playwright's needs none beside ours, which does the same."""
    paths = {scheme: path for scheme, path in _replaced(crawler).items() if not is_playwright_handler(path)}
    handlers = {path: build_from_crawler(load_object(path), crawler) for path in dict.fromkeys(paths.values())}
    return {scheme: handlers[path] for scheme, path in paths.items()}


def _scheme(request: Request) -> str:
    return request.url.partition(":")[0]


async def _uncancelled(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of `work`. scrapy-playwright's bridge between loops never hears of a coroutine that was cancelled."""
    try:
        return await work
    except asyncio.CancelledError:
        raise NotRenderedError("cancelled") from None
