"""One page in the browser: opened, given time to load, read, captured in a screenshot, and closed.

A deadline closes a page that takes too long. It starts when the page exists, so waiting for a free page does not count. Nothing is
ever cancelled: closing the page ends every call that waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError
from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError
from scrapy_playwright._utils import _attach_page_event_handlers, _maybe_await, _maybe_execute_page_init_callback, _set_redirect_meta
from scrapy_playwright.page import PageMethod

from webcontent.crawl.discovery.urls import MAX_CHARACTERS
from webcontent.crawl.meta import AUTO, FULL_SIZE, SCREENSHOT
from webcontent.crawl.rendering.capture import Capture, read_page, take_screenshot
from webcontent.crawl.rendering.errors import NoPageError, NotRenderedError, scrapy_error
from webcontent.crawl.rendering.hops import obeys_robots
from webcontent.crawl.rendering.network import PageNetwork
from webcontent.crawl.rendering.preparation.frames import isolated_world
from webcontent.crawl.rendering.preparation.parts import Parts
from webcontent.crawl.rendering.preparation.prepare import Preparation, Steps
from webcontent.crawl.rendering.response import RenderedResponse, now
from webcontent.crawl.rendering.shells import MIN_TEXT
from webcontent.crawl.rendering.tasks import CLOSE_S, close_page, run_in_background, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import CDPSession, Frame, Page
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.filtering.contexts import Place
    from webcontent.crawl.rendering.identity import Identity

logger = logging.getLogger(__name__)

DEADLINE_S = 30.0
"""The longest life of a page; DOWNLOAD_TIMEOUT and `download_timeout` make it shorter."""
STEP_SHARE = 1 / 3
"""Of the deadline: the longest wait for the load event, for the reading, for the screenshot."""
NAVIGATION_PAUSE_S = 0.1
"""The pause before a page that navigated while it was read is read again."""
DATA_S = 3.0
"""The longest wait for data that scripts have requested ..."""
PATIENCE_S = 1.5
"""... and for one request of a page that has text: some pages keep a request open for ever."""
VIEWER_MS = 1000
"""The longest wait for a viewer of Chromium (PDF, JSON) to open: it may hang if it is closed before that."""
_IS_TEXT_OPEN = """document.readyState === "loading" || (() => {
  const finished = new Set(performance.getEntriesByType("resource").map((entry) => entry.name));
  const open = (element) => /^http/.test(element.src || element.href) && !finished.has(element.src || element.href);
  const runs = (element) => !element.noModule && /^$|script|^module$/.test(element.type || "");
  return [...document.querySelectorAll("script[src]")].some((script) => runs(script) && open(script)) ||
    [...document.querySelectorAll("link[rel~=stylesheet]")].some((link) => matchMedia(link.media).matches && open(link)) ||
    [...document.querySelectorAll("iframe")].some(open);
})()"""
"""Whether the document, or a script, style or frame of it, is still being loaded."""
HTML_TYPES = (b"text/html", b"application/xhtml+xml")

_NOT_DISPLAYED = (
    *("Download is starting", "ERR_ABORTED", "ERR_BLOCKED_BY", "ERR_UNSAFE_PORT", "ERR_INVALID_RESPONSE"),
    "ERR_UNKNOWN_URL_SCHEME",
)
"""Parts of the messages of a browser that refuses to display an address; another client may be able to fetch it."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """What the page sessions of a crawl have in common."""

    crawler: Crawler
    config: Config
    user_agent: str | None
    """Scrapy's; None if the browser sends headers of its own."""
    request_hook: Callable[..., Any] | None
    """Makes the callback that sees every request of a page, where the settings name hooks of the user."""
    count: Callable[..., None]
    """Adds a number (1) to a stat, from whatever loop the browser is used in."""
    in_scrapys_loop: Callable[..., Any]
    """Awaits a coroutine that uses other parts of Scrapy."""


class PageSession:
    """One page, from its opening to its closing."""

    def __init__(self, options: SessionOptions, request: Request, page: Page, place: Place) -> None:
        self.options = options
        self.request = request
        self.page = page
        self.place = place
        self.config = options.config
        self.count = options.count
        self.deadline_s = min(DEADLINE_S, float(request.meta.get("download_timeout") or DEADLINE_S))
        self.begin = monotonic()
        self.network = PageNetwork(
            request,
            self.config.block,
            user_agent=options.user_agent,
            adds_headers=options.request_hook is None,
            login=place.login,
            may_visit=self._may_visit if place.is_ours else None,
            unsent=_unsent(place.identity),
        )
        self.is_expired = self.is_crashed = self.is_handed_over = self.is_answered = False
        self.is_endless = False
        """Whether the last wait for the load event was in vain."""
        self.navigations = 0
        self._documents = 0
        """Documents that had been requested at the last navigation."""
        self.preparation: dict[str, Any] = {}
        """What the preparation has done."""
        self.devtools: CDPSession | None = None
        self._popups: set[Page] = set()
        self._timer = asyncio.get_running_loop().call_later(self.deadline_s, self._expire)
        page.on("popup", self._close_popup)
        page.on("crash", self._on_crash)
        page.on("framenavigated", self._on_navigation)

    @property
    def step_s(self) -> float:
        return self.deadline_s * STEP_SHARE

    async def _may_visit(self, url: str) -> bool:
        allowed: bool = await self.options.in_scrapys_loop(obeys_robots(self.options.crawler, self.request, url))
        return allowed

    # The way through a page

    async def run(self, wishes: dict[str, Any]) -> Response:
        """The rendered response. `wishes`: whether this page gets a screenshot, and whether at full size.

        Raises NotRenderedError, NoPageError, Playwright's errors, and the exceptions of Scrapy that a download may raise.
        """
        await self._prepare()
        if not await self._navigate():
            return self._moved_response()
        await self._settle()
        await self._prepare_content(wishes)
        await self._apply_page_methods()
        capture = await self._read()
        if self.network.hop and capture.text < MIN_TEXT:
            return self._moved_response()  # a page with text stays, whatever its scripts would navigate to
        if not self._has_html():
            raise NoPageError  # a script has navigated to a file
        if (wants_screenshot := wishes.get(SCREENSHOT)) is True or (wants_screenshot == AUTO and not capture.boxes):
            await self._add_screenshot(capture, full_size=bool(wishes.get(FULL_SIZE)))
        response = self._response(capture)
        if capture.loading:
            raise NotRenderedError("loading", response)
        if capture.is_empty:
            raise NotRenderedError("empty")
        self.count("webcontent/rendered")
        self.count("webcontent/ms/render", round((monotonic() - self.begin) * 1000))
        if self.request.meta.get("playwright_include_page"):
            self._hand_over()
        return response

    async def _prepare(self) -> None:
        request, page, options, name = self.request, self.page, self.options, self.place.name
        spider = options.crawler.spider
        self.devtools = await page.context.new_cdp_session(page)
        await self.network.attach(self.devtools)
        if options.request_hook is not None:
            hook = options.request_hook(
                context_name=name,
                method=request.method,
                url=request.url,
                headers=request.headers,
                body=request.body,
                encoding=request.encoding,
                spider=spider,
                initial_request_done=asyncio.Event(),
            )
            await page.route("**", hook)
        elif (agent := self._user_agent()) != options.user_agent:
            await self.devtools.send("Emulation.setUserAgentOverride", {"userAgent": agent})
        _attach_page_event_handlers(page=page, request=request, spider=spider, context_name=name)
        await _maybe_execute_page_init_callback(page=page, request=request, context_name=name, spider=spider)

    def _user_agent(self) -> str | None:
        """Of the request; that of the settings if it has none."""
        if self.options.user_agent is None:
            return None
        own = self.request.headers.get("User-Agent")
        return own.decode("latin-1") if own else self.options.user_agent

    async def _navigate(self) -> bool:
        """Whether the page is there; False if the server redirects to another origin. Sets the latency of the server."""
        begin = monotonic()
        user_options = dict(self.request.meta.get("playwright_page_goto_kwargs") or {})
        options = {**user_options, "wait_until": "commit", "timeout": self.deadline_s * 1000}
        options.pop("url", None)
        try:
            response = await self.page.goto(self.request.url, **options)
        except PlaywrightError as error:
            if self.network.hop and not self.is_expired:
                return False
            if not self.is_expired and any(part in error.message for part in _NOT_DISPLAYED):
                raise NoPageError from error
            raise
        finally:
            # Only the server's share: AutoThrottle must not slow down because rendering takes time.
            self.request.meta["download_latency"] = monotonic() - begin
        if response is None or not self._has_html():
            with suppress(PlaywrightError):
                await self.page.wait_for_load_state("domcontentloaded", timeout=VIEWER_MS)
            raise NoPageError
        self._check_size()
        self.is_answered = True
        await _set_redirect_meta(request=self.request, response=response)
        return True

    def _has_html(self) -> bool:
        """Whether the server calls its response a page, or does not say what it is."""
        content_type = (self.network.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
        return content_type in HTML_TYPES or not content_type

    def _check_size(self) -> None:
        limit = self.request.meta.get("download_maxsize", self.options.crawler.settings.getint("DOWNLOAD_MAXSIZE"))
        length = self.network.headers.get("Content-Length") or b""
        if limit and length.isdigit() and int(length) > limit:
            raise DownloadCancelledError(f"{self.request.url} has {int(length)} bytes; DOWNLOAD_MAXSIZE is {limit}")

    async def _settle(self) -> None:
        """Waits for the load event and for the data that scripts still load, as long as the time allows."""
        self.is_endless = not await self._is_loaded()
        await self.network.data.wait(min(DATA_S, self.step_s), PATIENCE_S)

    async def _is_loaded(self) -> bool:
        """Waits for the load event; not for more than PATIENCE_S where only images, fonts, media or styles of other media are open."""
        end = monotonic() + self.step_s
        while (rest := end - monotonic()) > 0:
            try:
                await self.page.wait_for_load_state("load", timeout=min(PATIENCE_S, rest) * 1000)
            except (TimeoutError, PlaywrightTimeoutError):
                with suppress(PlaywrightError, TimeoutError):  # the page moves on, or its scripts leave no time
                    if not await within(PATIENCE_S, self._is_text_open()):
                        return True
            else:
                return True
        return False

    async def _is_text_open(self) -> bool:
        assert self.devtools is not None
        world = await isolated_world(self.devtools, self.network.frame)
        return bool(await world.evaluate(_IS_TEXT_OPEN, PATIENCE_S))

    async def _prepare_content(self, wishes: dict[str, Any]) -> None:
        """Uncovers, scrolls and unfolds the page. A page that moves on meanwhile, or leaves no time, is read as it is."""
        is_logged_in = not self.place.is_ours or self.place.identity.storage_state is not None
        steps = Steps.of(self.config, wishes, is_logged_in=is_logged_in)
        if not steps.budget_ms:
            return
        assert self.devtools is not None
        begin = monotonic()
        has_users_scripts = not self.place.is_ours or "playwright_page_init_callback" in self.request.meta
        preparation = Preparation(
            *(self.devtools, self.page, self.network, steps, self.config.screenshot_size[1]), has_users_scripts=has_users_scripts
        )
        try:
            self.preparation = await within(self.step_s, preparation.run())
        except PlaywrightError as error:
            if self.is_expired or self.has_died(error):
                raise
            logger.debug("%s was not prepared: %s", self.request.url, error)
            await self._settle()
        except TimeoutError:  # the scripts leave no time, neither for reading the page
            raise NotRenderedError("busy") from None
        self.count("webcontent/ms/prepare", round((monotonic() - begin) * 1000))
        if self.preparation.get("rejected"):
            self.count("webcontent/consent_rejected")
        if hidden := len(self.preparation.get("hidden", ())):
            self.count("webcontent/overlays_hidden", hidden)

    async def _apply_page_methods(self) -> None:
        """Calls the user's page methods in order. Each sees a settled page. A browser error in one of them ends the rendering."""
        methods = self.request.meta.get("playwright_page_methods") or ()
        if methods:
            self.network.let_go()
        for method in methods.values() if isinstance(methods, dict) else methods:
            if not isinstance(method, PageMethod):
                logger.warning("%r among the page methods of %s is no PageMethod and is ignored", method, self.request.url)
                continue
            name = method.method
            call = partial(name, self.page) if callable(name) else getattr(self.page, name)
            try:
                method.result = await _maybe_await(call(*method.args, **method.kwargs))
            except PlaywrightError as error:
                if self.is_expired or self.has_died(error):
                    raise
                logger.warning("The page method %s failed on %s: %s", name, self.request.url, error.message.partition("\n")[0])
                raise NotRenderedError("page-method") from error
            self.network.dynamic = True
            await self._settle()

    async def _read(self) -> Capture:
        """HTML and boxes. A page that navigates meanwhile is read again, while there is time; so is one that waits for its text."""
        data_end = monotonic() + DATA_S
        while True:
            try:
                capture = await self._read_once()
            except PlaywrightError as error:
                if self.is_expired or self.has_died(error):
                    raise
                await self._settle_again(error)
                continue
            if capture.loading and not self.is_endless:
                await self._settle_again()  # the page had navigated, and the load event was that of the document before
                continue
            rest = data_end - monotonic()
            if capture.text >= MIN_TEXT or rest <= 0 or not self.network.data.is_waiting(DATA_S):
                return capture
            await self.network.data.wait(rest, DATA_S)

    async def _settle_again(self, error: PlaywrightError | None = None) -> None:
        """Waits for the document that the page has navigated to. Raises NotRenderedError if no time is left to read it."""
        if monotonic() - self.begin > self.deadline_s - self.step_s:
            raise NotRenderedError("moving") from error
        await asyncio.sleep(NAVIGATION_PAUSE_S)
        await self._settle()

    async def _read_once(self) -> Capture:
        assert self.devtools is not None
        finding = Parts(self.devtools, self.page, self.network.frame, self.config).find(self.preparation)
        is_ready = bool(self.preparation) and not self.request.meta.get("playwright_page_methods")
        dynamic = self.network.dynamic and not is_ready
        try:
            parts = await within(self.step_s, finding)
            reading = read_page(self.devtools, self.network.frame, self.config, dynamic=dynamic, waits=not is_ready, parts=parts)
            capture: Capture = await within(self.step_s, reading)
        except TimeoutError:
            raise NotRenderedError("busy") from None
        except ValueError as error:
            raise NotRenderedError("unreadable") from error
        return capture

    async def _add_screenshot(self, capture: Capture, *, full_size: bool) -> None:
        """Adds the screenshot; `capture` is updated inline. A failure costs the screenshot only and is counted."""
        assert self.devtools is not None
        navigations, failure = self.navigations, ""
        try:
            screenshot = await within(self.step_s, take_screenshot(self.devtools, capture, self.config, full_size=full_size))
        except (PlaywrightError, ValueError, TimeoutError) as error:
            failure = "screenshot"
            logger.debug("No screenshot of %s: %s", self.request.url, error)
        else:
            if self.navigations == navigations:
                capture.screenshot = screenshot
            else:
                failure = "moved"  # the screenshot may show another page than the one that was read
        if failure:
            self.count(f"webcontent/render_failed/{failure}")

    def _moved_response(self) -> Response:
        """The redirect to another origin, for Scrapy's middlewares."""
        assert self.network.hop is not None
        self.count("webcontent/rendered_redirects")
        return self.network.hop.response(self.request)

    def _response(self, capture: Capture) -> Response:
        headers = self.network.headers.copy()
        headers.pop("Content-Encoding", None)
        flags = ["truncated"] if capture.truncated or capture.loading else []
        url = capture.url
        if not url.startswith(("http://", "https://")) or len(url) > MAX_CHARACTERS:  # a script has set it
            url, flags = self.request.url, [*flags, "bad-address"]
        return RenderedResponse(
            url=url,
            status=self.network.status,
            headers=headers,
            body=("<!DOCTYPE html>" + capture.html).encode("utf-8", "replace"),
            encoding="utf-8",
            request=self.request,
            flags=["playwright"],
            screenshot=capture.screenshot,
            boxes=capture.boxes,
            page_flags=flags,
            fetched_at=now(),
            preparation=self.preparation,
        )

    # The end

    def _hand_over(self) -> None:
        """Gives the page to the user, who closes it."""
        self.is_handed_over = True
        self.request.meta["playwright_page"] = self.page

    def _expire(self) -> None:
        self.is_expired = True
        run_in_background(close_page(self.page))

    def timeout_error(self) -> Exception:
        """The exception for a missed deadline: Scrapy's own if the server did not answer, else NotRenderedError."""
        if not self.is_answered:
            return DownloadTimeoutError(f"{self.request.url} did not answer within {self.deadline_s:g} s")
        return NotRenderedError("timeout")

    def error(self, error: PlaywrightError) -> Exception:
        """The exception for an error of the browser: Scrapy's own if the server did not answer, else NotRenderedError."""
        if self.is_answered:
            return NotRenderedError("error")
        return scrapy_error(error, self.request.url, self.place.failure(self.request.url, self.begin))

    def has_died(self, error: PlaywrightError) -> bool:
        """Whether the renderer or the browser ended under the page."""
        return self.is_crashed or self.page.is_closed() or "crashed" in error.message or "has been closed" in error.message

    async def close(self) -> None:
        """Closes the page and its popups. A page that was handed over to the user stays open."""
        self._timer.cancel()
        for popup in self._popups:
            await close_page(popup)
        with suppress(PlaywrightError, TimeoutError):
            if not self.is_handed_over:
                await close_page(self.page)
                if not self.page.is_closed() and self.devtools is not None:
                    await within(CLOSE_S, self.devtools.send("Page.close"))  # works where the page's own closing hangs
            elif self.devtools is not None:
                await self.devtools.detach()

    # Events of the browser

    def _on_navigation(self, frame: Frame) -> None:
        """Counts documents. A script that only sets another address (history.pushState) shows the same one."""
        if frame == self.page.main_frame and (not frame.url.startswith("http") or self.network.documents != self._documents):
            self._documents = self.network.documents
            self.navigations += 1

    def _on_crash(self, page: Page) -> None:
        self.is_crashed = True
        run_in_background(close_page(page))

    def _close_popup(self, popup: Page) -> None:
        self._popups.add(popup)
        popup.on("popup", self._close_popup)
        run_in_background(close_page(popup))


def _unsent(identity: Identity) -> frozenset[str]:
    """Headers of Scrapy's request that would contradict an identity."""
    language = {"accept-language"} if identity.locale else set()
    return frozenset(language | ({"cookie"} if identity.storage_state else set()))
