"""The download handler: scrapy-playwright's browser, contexts and page limit, with our own way through a page.

A page is opened, given time to load, read and photographed, and closed, whatever happens on the way:

- A deadline closes the page when it takes too long. It starts when the page exists, so waiting for a free page does not
  count. Nothing is ever cancelled: closing the page ends every call that waits on it.
- Errors of the network come out as Scrapy's own exceptions, so that its retries work.
- What the server answered and the browser can't show (a page that loops, crashes the renderer or never settles, a
  download, a PDF, JSON ...) is fetched once more by the fallback handler, at once and without the browser, since another
  try costs as long as the first. A page that was fetched so because rendering failed carries the flag `render-failed`.

Requests without our mark are scrapy-playwright's if they carry its `playwright` key, else the fallback handler's.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import b64decode
from collections import Counter
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)
from scrapy.http import Headers, HtmlResponse, Response
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy_playwright._utils import _attach_page_event_handlers, _maybe_await, _maybe_execute_page_init_callback, _set_redirect_meta
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from webcontent.crawl.config import FALLBACKS, Config
from webcontent.crawl.discovery.urls import is_private
from webcontent.crawl.meta import MARK
from webcontent.crawl.rendering.browser import (
    DATA,
    Capture,
    RenderedResponse,
    context_options,
    fetch_patterns,
    find_browser,
    is_blocked,
    launch_options,
    now,
    photograph,
    read_page,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Self

    from playwright.async_api import BrowserContext, CDPSession, Frame, Page
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

CONTEXT = "webcontent"
"""Name of our browser context."""
DEADLINE_S = 30.0
"""The longest life of a page; DOWNLOAD_TIMEOUT and `download_timeout` make it shorter."""
STEP_SHARE = 1 / 3
"""Of the deadline: the longest wait for the load event, for the reading, for the picture."""
CLOSE_S = 3.0
MOVE_S = 0.1
"""A page that moved on while it was read is left alone for so long."""
ATTEMPTS = 3
"""How often a page is opened whose renderer or browser died under it: it may have been another page's fault."""
MAX_LAUNCH_FAILURES = 3
MAX_CONTEXTS = 16
"""Each proxy has a context of its own; the oldest one is closed when there are more."""
PAGES_PER_CONTEXT = 150
"""A context is renewed after so many pages: the driver keeps something of each."""
DATA_S = 3.0
"""The longest wait for data that scripts have asked for: some pages hold a request open for ever."""
HTML_TYPES = (b"text/html", b"application/xhtml+xml")

_ERRORS: tuple[tuple[str, type[Exception]], ...] = (
    ("ERR_NAME_NOT_RESOLVED", CannotResolveHostError),
    ("ERR_CONNECTION_REFUSED", DownloadConnectionRefusedError),
    ("TIMED_OUT", DownloadTimeoutError),
    ("net::ERR_", DownloadFailedError),
)
_UNSHOWN = ("Download is starting", "ERR_ABORTED", "ERR_BLOCKED_BY", "ERR_UNSAFE_PORT", "ERR_INVALID_RESPONSE", "ERR_UNKNOWN_URL_SCHEME")
"""Of the messages that say: the browser will not show this; another client may get it."""
_NOT_FOR_BROWSERS = frozenset({"host", "connection", "accept-encoding", "content-length", "proxy-authorization", "proxy-connection"})
"""Scrapy's headers that the browser makes itself."""


class NotRenderedError(Exception):
    """The browser has no picture of this page; `reason` is the last part of the stat. `capture`: the part that it has."""

    def __init__(self, reason: str, capture: Response | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.capture = capture


class NoPageError(Exception):
    """What the server sent is no HTML page: a file, a feed, nothing at all. That is no failure."""


class RenderHandler(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """One for all schemes of a crawl: one driver, one browser. The driver starts with the first page that needs it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.webcontent = Config.from_settings(crawler.settings)
        self.fallbacks = _fallbacks(crawler)
        self.config.launch_options = self._launch_options()
        self.visits: set[PageSession] = set()
        self._own_pages: WeakSet[Page] = WeakSet()
        self._opening: Counter[BrowserContext] = Counter()
        """Pages of ours that a context is just opening."""
        self._starting: asyncio.Lock = asyncio.Lock()
        self._started = self._closed = False
        self._launch_failures = 0
        self._opened: Counter[str] = Counter()
        self._old_contexts: list[BrowserContext] = []
        self._users: Counter[BrowserContext] = Counter()
        """Visits that have a page of a context, or wait for one."""
        own_headers = crawler.settings.get("PLAYWRIGHT_PROCESS_REQUEST_HEADERS", "") is None
        self._user_agent = None if own_headers else crawler.settings.get("USER_AGENT")
        # A user's hooks see every request of a page; ours need only a few.
        self._has_hooks = bool(self.abort_request) or (not own_headers and "PLAYWRIGHT_PROCESS_REQUEST_HEADERS" in crawler.settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if crawler not in _made:
            _made[crawler] = cls(crawler)
        made: Self = _made[crawler]
        return made

    def _launch_options(self) -> dict[str, Any]:
        if self.config.cdp_url or self.config.connect_url:
            return {}
        browser = find_browser(self.webcontent.browser)
        options: dict[str, Any] = self.config.launch_options
        return (launch_options(browser) if browser else {}) | options

    # Start and end

    async def _maybe_launch_in_thread(self) -> None:
        """Called by Scrapy at the crawl's start; the driver waits for a page that needs it (or for contexts that the settings open)."""
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
        for visit in tuple(self.visits):
            await visit.close()
        await super().close()
        for handler in self.fallbacks.values():
            if hasattr(handler, "close"):
                await handler.close()

    # Requests

    async def download_request(self, request: Request) -> Response:
        if MARK in request.meta:
            mark = request.meta.pop(MARK)
            return await self._render_or_fetch(request, mark)
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

    async def _render_or_fetch(self, request: Request, mark: dict[str, Any]) -> Response:
        try:
            return await self._render(request, mark)
        except NoPageError:
            return await self._fetch(request)
        except NotRenderedError as failure:
            self.stats.inc_value(f"webcontent/render_failed/{failure.reason}")
            logger.info("%s could not be rendered (%s) and is fetched without the browser", request.url, failure.reason)
            try:
                response = await self._fetch(request)
            except Exception:  # whatever a download may raise: what the browser had by then is a page, too
                if failure.capture is None:
                    raise
                return failure.capture
            if not isinstance(response, HtmlResponse):
                return response
            return response.replace(cls=RenderedResponse, page_flags=["render-failed"], fetched_at=now())

    async def _render(self, request: Request, mark: dict[str, Any]) -> Response:
        if self._launch_failures >= MAX_LAUNCH_FAILURES:
            raise NotRenderedError("no-browser")
        for _ in range(ATTEMPTS):
            visit = await self._open(request)
            try:
                return await visit.run(mark)
            except PlaywrightError as error:
                if visit.expired:
                    raise visit.expiry() from error
                if not visit.died(error):
                    raise (NotRenderedError("error") if visit.is_answered else _translated(error, request.url)) from error
            except TimeoutError as error:
                raise NotRenderedError("timeout") from error
            finally:
                await visit.close()
        raise NotRenderedError("crashed")

    async def _open(self, request: Request) -> PageSession:
        """A visit with a page of its own. Raises NotRenderedError when there is no browser to open it."""
        meta = request.meta
        name, options = meta.get("playwright_context"), meta.get("playwright_context_kwargs")
        if not name:
            proxy = _proxy(request)
            name = f"{CONTEXT} {proxy['server']}" if proxy else CONTEXT
            options = context_options(self.webcontent, self._user_agent) | ({"proxy": proxy} if proxy else {})
        await self._start()
        for _ in range(ATTEMPTS):
            try:
                return PageSession(self, request, await self._open_page(name, options), name)
            except (PlaywrightError, TimeoutError):
                await asyncio.sleep(0.2)  # a browser that died is just being taken away
        raise NotRenderedError("no-page")

    async def _open_page(self, name: str, options: dict[str, Any] | None) -> Page:
        """A new page of a context, as soon as the context's limit allows one.

        Ours differs from scrapy-playwright's in three ways. A page that crashes and is then closed gives back one place in the limit,
        not two; it gives it back to its own context, which may have been replaced meanwhile; and nobody listens to each
        request and answer: that is half of Python's work on a page.
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

    async def _maybe_launch_browser(self) -> None:
        try:
            await super()._maybe_launch_browser()
        except PlaywrightError as error:
            self._count_launch_failure(error)
            raise NotRenderedError("no-browser") from error
        self._launch_failures = 0

    def _count_launch_failure(self, error: Exception) -> None:
        self._launch_failures += 1
        if self._launch_failures == MAX_LAUNCH_FAILURES:
            logger.error("The browser did not start %d times; the crawl goes on without rendering. %s", MAX_LAUNCH_FAILURES, error)

    def _retire_contexts(self, name: str) -> None:
        """After PAGES_PER_CONTEXT pages of a context the next ones get a new one; the old one closes with its last page."""
        self._opened[name] += 1
        ours = [known for known in self.context_wrappers if known.startswith(CONTEXT)]
        retired = ours[: max(0, len(ours) - MAX_CONTEXTS)]
        if self._opened[name] >= PAGES_PER_CONTEXT and name in ours:
            self._opened[name] = 0
            retired.append(name)
        for old in set(retired):
            self._old_contexts.append(self.context_wrappers.pop(old).context)

    async def _close_old_contexts(self) -> None:
        """Those that nobody uses or waits for: a page that is asked for while its context closes never comes."""
        for context in [context for context in self._old_contexts if not self._users[context]]:
            self._old_contexts.remove(context)
            del self._users[context], self._opening[context]
            with suppress(PlaywrightError):
                await context.close()

    async def _create_browser_context(self, name: str, context_kwargs: dict[str, Any] | None, spider: Any = None) -> Any:
        wrapper = await super()._create_browser_context(name, context_kwargs, spider)
        if name.startswith(CONTEXT):
            wrapper.context.on("page", lambda _: self._close_strays(wrapper.context))
        return wrapper

    def _close_strays(self, context: BrowserContext) -> None:
        """Closes the popups of a context: those of pages that close too soon are seen by no visit.

        While a page of ours opens, it can't be told from a popup; whoever opens it looks again.
        """
        if not self._opening[context] and not self._closed:
            for page in context.pages:
                if page not in self._own_pages:
                    _background(_close(page))

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

    async def _browser_disconnected_callback(self) -> None:
        if hasattr(self, "browser"):
            await super()._browser_disconnected_callback()


class PageSession:
    """One page, from its opening to its closing."""

    def __init__(self, handler: RenderHandler, request: Request, page: Page, context_name: str) -> None:
        self.handler = handler
        self.request = request
        self.page = page
        self.context_name = context_name
        self.config = handler.webcontent
        self.deadline_s = min(DEADLINE_S, float(request.meta.get("download_timeout") or DEADLINE_S))
        self.begin = monotonic()
        self.is_private = is_private(request.url)
        self.expired = self.crashed = self.handed_over = False
        self.is_answered = False
        self.status = 0
        self.headers = Headers()
        """Of the document that is shown: the last one, where scripts have led on."""
        self.moves = 0
        self.loading: set[str] = set()
        """Network ids of requests for data."""
        self.idle = asyncio.Event()
        self.dynamic = False
        self.session: CDPSession | None = None
        self.frame = ""
        self._popups: set[Page] = set()
        self._timer = asyncio.get_running_loop().call_later(self.deadline_s, self._expire)
        page.on("popup", self._close_popup)
        page.on("crash", self._on_crash)
        page.on("framenavigated", self._on_move)
        handler.visits.add(self)

    @property
    def step_s(self) -> float:
        return self.deadline_s * STEP_SHARE

    # The way through a page

    async def run(self, mark: dict[str, Any]) -> Response:
        await self._prepare()
        await self._go()
        await self._settle()
        await self._apply_page_methods()
        capture = await self._read()
        if not self._shows_html():
            raise NoPageError  # a script has led on to a file
        if self.config.screenshot and mark.get("screenshot", True):
            await self._photograph(capture, full_size=bool(mark.get("full_size")))
        response = self._respond(capture)
        if capture.loading:
            raise NotRenderedError("loading", response)
        if capture.is_empty:
            raise NotRenderedError("empty")
        self.handler.stats.inc_value("webcontent/rendered")
        self.handler.stats.inc_value("webcontent/ms/render", round((monotonic() - self.begin) * 1000))
        if self.request.meta.get("playwright_include_page"):
            self.hand_over()
        return response

    async def _prepare(self) -> None:
        request, page, handler = self.request, self.page, self.handler
        self.session = session = await page.context.new_cdp_session(page)
        session.on("Fetch.requestPaused", lambda event: _background(self._judge(event)))
        tree = session.send("Page.getFrameTree")
        patterns = session.send("Fetch.enable", {"patterns": fetch_patterns(self.config.block, on_private_page=self.is_private)})
        self.frame = (await asyncio.gather(tree, patterns))[0]["frameTree"]["frame"]["id"]
        name = self.context_name
        if handler._has_hooks:
            hook = handler._make_request_handler(
                context_name=name,
                method=request.method,
                url=request.url,
                headers=request.headers,
                body=request.body,
                encoding=request.encoding,
                spider=handler._crawler.spider,
                initial_request_done=asyncio.Event(),
            )
            await page.route("**", hook)
        elif (agent := self._user_agent()) != handler._user_agent:
            await session.send("Emulation.setUserAgentOverride", {"userAgent": agent})
        _attach_page_event_handlers(page=page, request=request, spider=handler._crawler.spider, context_name=name)
        await _maybe_execute_page_init_callback(page=page, request=request, context_name=name, spider=handler._crawler.spider)

    def _user_agent(self) -> str | None:
        if self.handler._user_agent is None:
            return None
        sent = self.request.headers.get("User-Agent")
        return sent.decode("latin-1") if sent else self.handler._user_agent

    async def _go(self) -> None:
        begin = monotonic()
        user_options = dict(self.request.meta.get("playwright_page_goto_kwargs") or {})
        options = {**user_options, "wait_until": "commit", "timeout": self.deadline_s * 1000}
        options.pop("url", None)
        try:
            answer = await self.page.goto(self.request.url, **options)
        except PlaywrightError as error:
            if not self.expired and any(part in error.message for part in _UNSHOWN):
                raise NoPageError from error
            raise
        self.request.meta["download_latency"] = monotonic() - begin  # the server's share: AutoThrottle is to know nothing of ours
        if answer is None or not self._shows_html():
            with suppress(PlaywrightError):  # Chromium's viewers may hang when they are closed while they open
                await self.page.wait_for_load_state("domcontentloaded", timeout=1000)
            raise NoPageError
        self._check_size()
        self.is_answered = True
        await _set_redirect_meta(request=self.request, response=answer)

    def _shows_html(self) -> bool:
        """Whether the server calls it a page; it may also say nothing."""
        content_type = (self.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
        return content_type in HTML_TYPES or not content_type

    def _check_size(self) -> None:
        limit = self.request.meta.get("download_maxsize", self.handler._crawler.settings.getint("DOWNLOAD_MAXSIZE"))
        length = self.headers.get("Content-Length") or b""
        if limit and length.isdigit() and int(length) > limit:
            raise DownloadCancelledError(f"{self.request.url} has {int(length)} bytes; DOWNLOAD_MAXSIZE is {limit}")

    async def _settle(self) -> None:
        """Waits for the load event and for what scripts still load, as long as the time allows; what is there then is what there is."""
        with suppress(TimeoutError, PlaywrightTimeoutError):
            await self.page.wait_for_load_state("load", timeout=self.step_s * 1000)
        if self.loading:
            self.idle.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.idle.wait(), min(DATA_S, self.step_s))

    async def _apply_page_methods(self) -> None:
        """The user's page methods, in order. Each sees a settled page; after an error of the browser in one the page comes unrendered."""
        methods = self.request.meta.get("playwright_page_methods") or ()
        for method in methods.values() if isinstance(methods, dict) else methods:
            if not isinstance(method, PageMethod):
                logger.warning("%r among the page methods of %s is no PageMethod and is ignored", method, self.request.url)
                continue
            name = method.method
            work = partial(name, self.page) if callable(name) else getattr(self.page, name)
            try:
                method.result = await _maybe_await(work(*method.args, **method.kwargs))
            except PlaywrightError as error:
                if self.expired or self.died(error):
                    raise
                logger.warning("The page method %s failed on %s: %s", name, self.request.url, error.message.partition("\n")[0])
                raise NotRenderedError("page-method") from error
            self.dynamic = True
            await self._settle()

    async def _read(self) -> Capture:
        """HTML and boxes. A page that moves on meanwhile is read again where it has come to, while time is left."""
        assert self.session is not None
        while True:
            try:
                capture: Capture = await within(self.step_s, read_page(self.session, self.frame, self.config, dynamic=self.dynamic))
            except TimeoutError:
                raise NotRenderedError("busy") from None
            except ValueError as error:
                raise NotRenderedError("unreadable") from error
            except PlaywrightError as error:
                if self.expired or self.died(error):
                    raise
                if monotonic() - self.begin > self.deadline_s - self.step_s:
                    raise NotRenderedError("moving") from error
                await asyncio.sleep(MOVE_S)
                await self._settle()
            else:
                return capture

    async def _photograph(self, capture: Capture, *, full_size: bool) -> None:
        """Adds the picture, or the fault; a page without a picture is still a page."""
        assert self.session is not None
        moves, fault = self.moves, ""
        try:
            picture = await within(self.step_s, photograph(self.session, capture.height, self.config, full_size=full_size))
        except (PlaywrightError, ValueError, TimeoutError) as error:
            fault = "screenshot"
            logger.debug("No picture of %s: %s", self.request.url, error)
        else:
            if self.moves == moves:
                capture.screenshot = picture
            else:
                fault = "moved"  # the picture may show another page than the one that was read
        if fault:
            self.handler.stats.inc_value(f"webcontent/render_failed/{fault}")

    def _respond(self, capture: Capture) -> Response:
        headers = self.headers.copy()
        headers.pop("Content-Encoding", None)
        return RenderedResponse(
            url=capture.url if capture.url.startswith("http") else self.page.url,
            status=self.status,
            headers=headers,
            body=("<!DOCTYPE html>" + capture.html).encode("utf-8", "replace"),
            encoding="utf-8",
            request=self.request,
            flags=["playwright"],
            screenshot=capture.screenshot,
            boxes=capture.boxes,
            page_flags=["truncated"] if capture.truncated or capture.loading else [],
            fetched_at=now(),
        )

    # The end

    def hand_over(self) -> None:
        """The user asked for the page and closes it."""
        self.handed_over = True
        self.request.meta["playwright_page"] = self.page

    def _expire(self) -> None:
        self.expired = True
        _background(_close(self.page))

    def expiry(self) -> Exception:
        """What a deadline means: no answer is the network's fault, everything after it the page's."""
        if not self.is_answered:
            return DownloadTimeoutError(f"{self.request.url} did not answer within {self.deadline_s:g} s")
        return NotRenderedError("timeout")

    def died(self, error: PlaywrightError) -> bool:
        """Whether the renderer or the browser ended under the page."""
        return self.crashed or self.page.is_closed() or "crashed" in error.message or "has been closed" in error.message

    async def close(self) -> None:
        self._timer.cancel()
        for popup in self._popups:
            await _close(popup)
        with suppress(PlaywrightError, TimeoutError):
            if not self.handed_over:
                await _close(self.page)
                if not self.page.is_closed() and self.session is not None:
                    await within(CLOSE_S, self.session.send("Page.close"))  # goes past what hangs in the page's own closing
            elif self.session is not None:
                await self.session.detach()
        self.handler.visits.discard(self)
        await self.handler._close_old_contexts()

    # What the browser tells

    async def _judge(self, event: dict[str, Any]) -> None:
        """Lets a request of the page pass, with Scrapy's headers when it is the one that was asked for, or stops it."""
        assert self.session is not None
        asked, sent, kind = event["request"]["url"], event["requestId"], event.get("resourceType", "")
        is_main = kind == "Document" and event.get("frameId") == self.frame
        is_first = is_main and not self.status
        has_come = "responseStatusCode" in event or "responseErrorReason" in event
        if kind in DATA:
            self._count_data(event.get("networkId", ""), has_come=has_come)
        if is_main and "responseStatusCode" in event and not 300 <= event["responseStatusCode"] < 400:
            self.status, self.headers = event["responseStatusCode"], Headers()
            for part in event["responseHeaders"]:
                self.headers.appendlist(part["name"], part["value"])
        blocked = not is_first and is_blocked(asked, kind, self.config.block, on_private_page=self.is_private)
        with suppress(PlaywrightError):
            if has_come:
                await self.session.send("Fetch.continueRequest", {"requestId": sent})
            elif blocked:
                await self.session.send("Fetch.failRequest", {"requestId": sent, "errorReason": "BlockedByClient"})
            elif is_first and not self.handler._has_hooks and _same_host(asked, self.request.url):
                await self.session.send("Fetch.continueRequest", {"requestId": sent, "headers": self._headers(event["request"]["headers"])})
            else:
                await self.session.send("Fetch.continueRequest", {"requestId": sent})

    def _headers(self, browsers: dict[str, str]) -> list[dict[str, str]]:
        """The browser's headers with Scrapy's over them; a stored answer is not taken for the page itself."""
        headers = {name.lower(): value for name, value in browsers.items()}
        if self.handler._user_agent is not None:
            for name, values in self.request.headers.items():
                if (lower := name.decode("latin-1").lower()) not in _NOT_FOR_BROWSERS:
                    headers[lower] = b", ".join(values).decode("latin-1")
        headers.setdefault("cache-control", "no-cache")
        return [{"name": name, "value": value} for name, value in headers.items()]

    def _count_data(self, network_id: str, *, has_come: bool) -> None:
        self.dynamic = True
        if not has_come:
            self.loading.add(network_id)
            return
        self.loading.discard(network_id)
        if not self.loading:
            self.idle.set()

    def _on_move(self, frame: Frame) -> None:
        if frame == self.page.main_frame:
            self.moves += 1

    def _on_crash(self, page: Page) -> None:
        self.crashed = True
        _background(_close(page))

    def _close_popup(self, popup: Page) -> None:
        self._popups.add(popup)
        popup.on("popup", self._close_popup)
        _background(_close(popup))


_made: WeakKeyDictionary[Crawler, RenderHandler] = WeakKeyDictionary()
_tasks: set[asyncio.Task[None]] = set()


def _background(work: Coroutine[Any, Any, None]) -> None:
    """Runs beside the crawl; kept from the garbage collector until it ends."""
    task = asyncio.get_running_loop().create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def _close(page: Page) -> None:
    if not page.is_closed():
        with suppress(PlaywrightError, TimeoutError):
            await within(CLOSE_S, page.close())


def _fallbacks(crawler: Crawler) -> dict[str, Any]:
    """The user's own handlers by scheme, which the add-on has put aside."""
    paths = crawler.settings.getdict(FALLBACKS)
    made = {path: build_from_crawler(load_object(path), crawler) for path in dict.fromkeys(paths.values())}
    return {scheme: made[path] for scheme, path in paths.items()}


def _translated(error: PlaywrightError, url: str) -> Exception:
    """The exception of Scrapy's that says the same, so that it is retried."""
    if isinstance(error, PlaywrightTimeoutError):
        return DownloadTimeoutError(f"{url}: {error.message}")
    for part, exception in _ERRORS:
        if part in error.message:
            return exception(f"{url}: {error.message}")
    return NotRenderedError("error")


def _proxy(request: Request) -> dict[str, str] | None:
    """The proxy that Scrapy has chosen for a request, as Playwright takes it."""
    server = request.meta.get("proxy")
    if not server:
        return None
    scheme, _, token = (request.headers.get("Proxy-Authorization") or b"").partition(b" ")
    if scheme.lower() != b"basic":
        return {"server": server}
    user, _, password = b64decode(token).decode("latin-1").partition(":")
    return {"server": server, "username": user, "password": password}


def _same_host(one: str, other: str) -> bool:
    return one.split("/", 3)[2:3] == other.split("/", 3)[2:3]
