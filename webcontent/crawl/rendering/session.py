"""One page in the browser: given time to load, read, captured in a screenshot, and closed.

A deadline closes a page that takes too long. It starts when the page exists, so waiting for a free page does not count. Nothing is
ever cancelled: closing the page ends every call that waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError
from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy_playwright.page import PageMethod

from webcontent.addresses import MAX_ADDRESS_CHARACTERS
from webcontent.crawl.rendering import cookies
from webcontent.crawl.rendering.capture import Capture, read_page, take_screenshot
from webcontent.crawl.rendering.job import DEADLINE_S, NoPageError, NotRenderedError, RenderedResponse, now
from webcontent.crawl.rendering.network import PageNetwork
from webcontent.crawl.rendering.preparation.prepare import Preparation
from webcontent.crawl.rendering.shells import MIN_TEXT
from webcontent.crawl.rendering.tasks import (
    CLOSE_S,
    DATA_S,
    PATIENCE_S,
    PAUSE_S,
    STEP_SHARE,
    close,
    isolated_world,
    run_in_background,
    within,
)
from webcontent.crawl.rendering.upstream import result_of, set_redirect_meta

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from playwright.async_api import BrowserContext, CDPSession, Page
    from scrapy.http import Response

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.filter.reach import Policy
    from webcontent.crawl.rendering.job import RenderJob
    from webcontent.crawl.rendering.upstream import PlaywrightHandler

logger = logging.getLogger(__name__)

DRAWN_SCALE = 0.1
"""Nobody looks at a page while it loads and is scrolled, so it is drawn so small: pixels cost much of the browser's time."""
HTML_TYPES = (b"text/html", b"application/xhtml+xml")
_IS_TEXT_OPEN = Path(__file__).with_name("loading.js").read_text(encoding="utf-8")
_NOT_DISPLAYED = (
    "Download is starting",
    *map("ERR_{}".format, "ABORTED BLOCKED_BY UNSAFE_PORT INVALID_RESPONSE UNKNOWN_URL_SCHEME".split()),
)
"""Parts of messages: the browser refuses to display an address, which another client may be able to fetch."""
_EXCEPTIONS: dict[str, type[Exception]] = {
    "private": IgnoreRequest,
    "name": CannotResolveHostError,
    "refused": DownloadConnectionRefusedError,
    "timeout": DownloadTimeoutError,
    "failed": DownloadFailedError,
}
"""What the reasons of our own proxy are to Scrapy, so that it knows what to try again."""


@dataclass(slots=True, eq=False)
class PageContext:
    """A browser context with a limit of pages."""

    context: BrowserContext
    policy: Policy
    """What its pages may reach."""
    semaphore: asyncio.Semaphore
    users: int = 0
    """Sessions that have a page, or wait for one."""
    opened: int = 0
    is_old: bool = False
    """Whether another one has replaced it, so that it closes with its last page."""

    async def open_page(self) -> Page:
        """A new page, as soon as the limit allows one."""
        self.users += 1
        await self.semaphore.acquire()
        try:
            page: Page = await within(DEADLINE_S, self.context.new_page())
        except BaseException:
            self.release()
            raise
        self.opened += 1
        return page

    def release(self) -> None:
        self.users -= 1
        self.semaphore.release()
        self.close_if_unused()

    def close_if_unused(self) -> None:
        """Closes one that is old and that nobody uses. A page that is requested while its context closes never comes."""
        if self.is_old and not self.users:
            run_in_background(close(self.context))


class PageSession:
    def __init__(self, job: RenderJob, page: Page, context: PageContext, handler: PlaywrightHandler, config: Config) -> None:
        self.job, self.request, self.page, self.context = job, job.request, page, context
        self.handler, self.config = handler, config
        self.begin = monotonic()
        self.step_s = job.deadline_s * STEP_SHARE
        self.network = PageNetwork(job, config.block, handler.user_agent, not handler.has_hooks, context.policy, self._may_visit)
        self.is_expired = self.is_crashed = self.is_handed_over = self.is_answered = False
        self.is_endless = False
        """Whether the last wait for the load event was in vain."""
        self.devtools: CDPSession
        self._preparation: Preparation
        self.preparation: dict[str, Any] = {}
        self._timer = asyncio.get_running_loop().call_later(job.deadline_s, self._expire)
        page.on("crash", self._on_crash)

    async def _may_visit(self, url: str) -> bool:
        """Whether robots.txt, as far as the crawl asks it, allows the page to move on to a URL of the same origin."""
        middleware = self.handler.crawler.get_downloader_middleware(RobotsTxtMiddleware)
        if middleware is None:
            return True
        meta = {key: value for key, value in self.request.meta.items() if key == "dont_obey_robotstxt"}
        try:
            await self.handler.in_scrapys_loop(result_of(middleware.process_request, Request(url, headers=self.request.headers, meta=meta)))
        except (IgnoreRequest, ValueError):
            return False
        return True

    # The way through a page

    async def run(self) -> Response:
        """The rendered response.

        Raises NotRenderedError, NoPageError, Playwright's errors, and the exceptions of Scrapy that a download may raise.
        """
        await self._attach()
        before = await cookies.lend(self.job, self.page.context)
        capture = await self._load()
        response = self.network.redirect if capture is None else await self._response(capture)
        assert response is not None
        for line in await cookies.give_back(self.job, self.page.context, response.url, before):
            response.headers.appendlist("Set-Cookie", line)
        self._finish(capture, response)
        return response

    async def _load(self) -> Capture | None:
        """The page as it is read; None if it goes on to another origin. One with text stays, whatever its scripts would navigate to."""
        if not await self._navigate():
            return None
        await self._settle()
        await self._prepare()
        await self._run_page_methods()
        capture = await self._read()
        return None if self.network.redirect and capture.text < MIN_TEXT else capture

    def _finish(self, capture: Capture | None, response: Response) -> None:
        """Counts the page, and hands it over if the user keeps it. Raises NotRenderedError for one that still loads."""
        if capture is None:
            self.handler.count("webcontent/rendered_redirects")
            return
        if capture.loading:
            raise NotRenderedError("loading", response)
        self.handler.count("webcontent/rendered")
        self.handler.count("webcontent/ms/render", round((monotonic() - self.begin) * 1000))
        if self.request.meta.get("playwright_include_page"):  # the user closes it
            self.is_handed_over = True
            self.request.meta["playwright_page"] = self.page

    async def _attach(self) -> None:
        self.devtools = await self.page.context.new_cdp_session(self.page)
        await self.network.attach(self.devtools)
        self._preparation = Preparation(self.devtools, self.page, self.network, self.job, self.config.screenshot_size[1])
        own, agent = (self.request.headers.get("User-Agent") or b"").decode("latin-1"), self.handler.user_agent
        if agent is not None and own and own != agent and not self.handler.has_hooks:
            await self.devtools.send("Emulation.setUserAgentOverride", {"userAgent": own})
        await self.handler.install_users_parts(self.page, self.request, self.context.policy.name)
        # Neither the page nor its screenshot notices; the clicks of a user's own code would go elsewhere.
        if (size := self.page.viewport_size) and not any(name.startswith("playwright") for name in self.request.meta):
            metrics = {"screenWidth": size["width"], "screenHeight": size["height"], "deviceScaleFactor": 1, "mobile": False}
            await self.devtools.send("Emulation.setDeviceMetricsOverride", {**size, **metrics, "scale": DRAWN_SCALE})

    async def _navigate(self) -> bool:
        """Whether the page is there; False if the server redirects to another origin. Sets the latency of the server."""
        begin = monotonic()
        options = dict(self.request.meta.get("playwright_page_goto_kwargs") or {})
        options |= {"url": self.job.url, "wait_until": "commit", "timeout": self.job.deadline_s * 1000}
        try:
            response = await self.page.goto(**options)
        except PlaywrightError as error:
            if self.network.redirect and not self.is_expired:
                return False
            if not self.is_expired and any(part in error.message for part in _NOT_DISPLAYED):
                raise NoPageError from error
            raise
        finally:
            # Only the server's share: AutoThrottle must not slow down because rendering takes time.
            self.request.meta["download_latency"] = monotonic() - begin
        if response is None or not self._has_html():
            with suppress(PlaywrightError):  # Chromium's viewer of PDF or JSON may hang if it is closed before it has opened
                await self.page.wait_for_load_state("domcontentloaded", timeout=PATIENCE_S * 1000)
            raise NoPageError
        limit = self.request.meta.get("download_maxsize", self.handler.crawler.settings.getint("DOWNLOAD_MAXSIZE"))
        length = self.network.headers.get("Content-Length") or b""
        if limit and length.isdigit() and int(length) > limit:
            raise DownloadCancelledError(f"{self.job.url} has {int(length)} bytes; DOWNLOAD_MAXSIZE is {limit}")
        self.is_answered = True
        await set_redirect_meta(request=self.request, response=response)
        return True

    def _has_html(self) -> bool:
        """Whether the server calls its response a page, or does not say what it is."""
        content_type = (self.network.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
        return content_type in HTML_TYPES or not content_type

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
                    world = await within(PATIENCE_S, isolated_world(self.devtools, self.network.frame))
                    if not await world.evaluate(_IS_TEXT_OPEN, PATIENCE_S):
                        return True
            else:
                return True
        return False

    async def _prepare(self) -> None:
        """Uncovers, scrolls and unfolds the page. A page that moves on meanwhile is read as it is."""
        begin = monotonic()
        if not self.job.steps["budget_ms"]:
            await self._step(self._preparation.wait())
            return
        self.preparation = await self._step(self._preparation.run()) or {}
        self.handler.count("webcontent/ms/prepare", round((monotonic() - begin) * 1000))
        if self.preparation.get("rejected"):
            self.handler.count("webcontent/consent_rejected")

    async def _step(self, work: Awaitable[Any]) -> Any:
        """The result of a step; None if the page has moved on, which is waited for.

        Raises NotRenderedError if the page's scripts leave no time, and for a page that can't be read.
        """
        try:
            return await within(self.step_s, work)
        except TimeoutError:
            raise NotRenderedError("busy") from None
        except ValueError as error:
            raise NotRenderedError("unreadable") from error
        except PlaywrightError as error:
            self._raise_if_over(error)
            logger.debug("%s has moved on: %s", self.job.url, error)
            await self._settle_again(error)
            return None

    def _raise_if_over(self, error: PlaywrightError) -> None:
        """Raises an error after which nothing can be done with the page any more."""
        if self.is_expired or self.has_died(error):
            raise error

    async def _run_page_methods(self) -> None:
        """Calls the user's page methods in order. Each sees a settled page. A browser error in one of them ends the rendering."""
        methods = self.request.meta.get("playwright_page_methods") or ()
        if methods:
            self.network.may_visit = None
        for method in methods.values() if isinstance(methods, dict) else methods:
            if not isinstance(method, PageMethod):
                logger.warning("%r among the page methods of %s is no PageMethod and is ignored", method, self.job.url)
                continue
            name = method.method
            call = partial(name, self.page) if callable(name) else getattr(self.page, name)
            try:
                method.result = await result_of(call, *method.args, **method.kwargs)
            except PlaywrightError as error:
                self._raise_if_over(error)
                logger.warning("The page method %s failed on %s: %s", name, self.job.url, error.message.partition("\n")[0])
                raise NotRenderedError("page-method") from error
            await self._settle()
        if methods:
            await self._step(self._preparation.wait())

    async def _read(self) -> Capture:
        """HTML and boxes. A page that navigates meanwhile is read again, while there is time; so is one that waits for its text."""
        data_end = monotonic() + DATA_S
        while True:
            frames = self.preparation.get("frames", 0)
            capture: Capture | None = await self._step(read_page(self.devtools, self.network.frame, self.config, self.page, frames))
            rest = data_end - monotonic()
            if capture is None:
                continue
            if capture.loading and not self.is_endless:
                await self._settle_again()  # the page had navigated, and the load event was that of the document before
            elif capture.text >= MIN_TEXT or rest <= 0 or not self.network.data.is_waiting(DATA_S):
                return capture
            else:
                await self.network.data.wait(rest, DATA_S)

    async def _settle_again(self, error: PlaywrightError | None = None) -> None:
        """Waits for the document that the page has navigated to. Raises NotRenderedError if no time is left to read it."""
        if monotonic() - self.begin > self.job.deadline_s - self.step_s:
            raise NotRenderedError("moving") from error
        await asyncio.sleep(PAUSE_S)
        await self._settle()

    async def _add_screenshot(self, capture: Capture) -> None:
        """Adds the screenshot; `capture` is updated inline. A failure costs the screenshot only and is counted."""
        documents = self.network.documents
        try:
            world = await isolated_world(self.devtools, self.network.frame)
            await world.evaluate("void globalThis.webcontent?.finish()", PATIENCE_S)
            screenshot = await within(self.step_s, take_screenshot(self.devtools, capture, self.config, full_size=self.job.full_size))
        except (PlaywrightError, ValueError, TimeoutError) as error:
            self.handler.count("webcontent/render_failed/screenshot")
            logger.debug("No screenshot of %s: %s", self.job.url, error)
            return
        if self.network.documents == documents:
            capture.screenshot = screenshot
        else:  # it may show another page than the one that was read
            self.handler.count("webcontent/render_failed/moved")

    async def _response(self, capture: Capture) -> Response:
        """The response of the page, with a screenshot if one is wanted. Raises NoPageError and NotRenderedError."""
        if not self._has_html():
            raise NoPageError  # a script has navigated to a file
        if not capture.text and not capture.images and not capture.loading:
            raise NotRenderedError("empty")
        if capture.hidden:
            self.preparation["hidden"] = capture.hidden
            self.handler.count("webcontent/overlays_hidden", len(capture.hidden))
        if self.job.screenshot is True or (self.job.screenshot and not capture.boxes):
            await self._add_screenshot(capture)
        headers = self.network.headers.copy()
        headers.pop("Content-Encoding", None)
        flags = ["truncated"] if capture.truncated or capture.loading else []
        flags += ["hidden-text"] if capture.lacks else []
        url = capture.url
        if not url.startswith(("http://", "https://")) or len(url) > MAX_ADDRESS_CHARACTERS:  # a script has set it
            url, flags = self.job.url, [*flags, "bad-address"]
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

    def _expire(self) -> None:
        self.is_expired = True
        run_in_background(close(self.page))

    def error(self, error: PlaywrightError) -> Exception:
        """The exception for an error of the browser: Scrapy's own if the server did not answer, else NotRenderedError."""
        if self.is_answered:
            return NotRenderedError("timeout" if self.is_expired else "error")
        if self.is_expired or isinstance(error, PlaywrightTimeoutError):
            return DownloadTimeoutError(f"{self.job.url} did not answer within {self.job.deadline_s:g} s")
        if failure := self.context.policy.failure_since(self.begin, self.job.url):
            return _EXCEPTIONS[failure.reason](f"{self.job.url}: {failure}")
        if "net::ERR_" in error.message and "ERR_CERT_" not in error.message:
            return DownloadFailedError(f"{self.job.url}: {error.message}")
        return NotRenderedError("certificate" if "ERR_CERT_" in error.message else "error")

    def has_died(self, error: PlaywrightError) -> bool:
        """Whether the renderer or the browser ended under the page."""
        return self.is_crashed or self.page.is_closed() or "crashed" in error.message or "has been closed" in error.message

    async def close(self) -> None:
        """Closes the page and its popups. A page that was handed over to the user stays open."""
        self._timer.cancel()
        with suppress(PlaywrightError, TimeoutError):
            if self.is_handed_over:
                await self.devtools.detach()
                return
            await close(self.page)
            if not self.page.is_closed() and hasattr(self, "devtools"):
                await within(CLOSE_S, self.devtools.send("Page.close"))  # works where the page's own closing hangs

    # Events of the browser

    def _on_crash(self, page: Page) -> None:
        self.is_crashed = True
        run_in_background(self._bury())

    async def _bury(self) -> None:
        """Frees what a page that crashed has stored in the browser: it may have been too much. Its cookies stay."""
        with suppress(PlaywrightError, TimeoutError):
            question = {"origin": self.page.url, "storageTypes": "cache_storage,file_systems,indexeddb"}
            await within(CLOSE_S, self.devtools.send("Storage.clearDataForOrigin", question))
        await close(self.page)
