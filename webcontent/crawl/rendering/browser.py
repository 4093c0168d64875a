"""The browser of the pages that we open: its process, its contexts, the proxy through which they load, and the attempts at a page.

Pages of a user's own Playwright requests are in another browser, which scrapy-playwright starts as the user has configured it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakSet

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.discovery.urls import is_private_host
from webcontent.crawl.private_hosts import PrivateHosts, plain_host
from webcontent.crawl.rendering.chromium import find_browser, launch_options
from webcontent.crawl.rendering.errors import NotRenderedError
from webcontent.crawl.rendering.filter.channels import Upstream
from webcontent.crawl.rendering.filter.proxy import Channel, FilterProxy
from webcontent.crawl.rendering.filter.reach import Policy
from webcontent.crawl.rendering.job import DEADLINE_S, digest
from webcontent.crawl.rendering.memory import MemoryWatch
from webcontent.crawl.rendering.session import PageSession
from webcontent.crawl.rendering.tasks import CLOSE_S, close_page, run_in_background, within
from webcontent.crawl.scope import CrawlScope

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page
    from scrapy.http import Response

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.filter.reach import ReachError
    from webcontent.crawl.rendering.job import RenderJob
    from webcontent.crawl.rendering.upstream import PlaywrightHandler

logger = logging.getLogger(__name__)

MAX_LAUNCH_FAILURES = 3
ATTEMPTS = 3
"""How often a page is opened whose renderer or browser died: the fault may have been another page's."""
RESTART_PAUSE_S = 0.2
"""The pause after a page did not open: scrapy-playwright may just be replacing a browser that died."""
PAGES_PER_CORE = 4
"""Pages that are open at once, unless PLAYWRIGHT_MAX_PAGES_PER_CONTEXT is set. More would only add to the time that each takes,
and to memory."""
MAX_CONTEXTS = 16
"""Each proxy has a context of its own; the oldest one is closed if there are more."""
PAGES_PER_CONTEXT = 150
"""A context is replaced after so many pages, since the driver keeps something of each."""
VIEWPORT_HEIGHT = 900
"""CSS px."""
NO_DIRECT_CONNECTIONS = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name]"
"""A script for each frame, before its own: no page gets connections that pass by the proxy."""
CONTEXT = "webcontent"
"""Name of the browser context of public pages; the names of our other contexts begin with it."""
BYPASS = "<-loopback>"
"""Chromium's word for: no address is loaded without the proxy, not even one of the own machine."""
_MAX_LOGGED = 100
"""Hosts whose refusal is logged."""


@dataclass(slots=True, eq=False)
class PageContext:
    """A browser context with a limit of pages."""

    name: str
    context: BrowserContext
    semaphore: asyncio.Semaphore
    policy: Policy | None = None
    """What its pages may reach; None without our own proxy."""
    is_ours: bool = True
    """Whether we have made it. Of a user's context nothing is closed that we have not opened."""
    users: int = 0
    """Sessions that have a page, or wait for one."""
    opening: int = 0
    opened: int = 0
    pages: WeakSet[Page] = field(default_factory=WeakSet)
    """Those that we have opened."""

    async def open_page(self) -> Page:
        """A new page, as soon as the limit allows one."""
        self.users += 1
        is_counted = True

        def release(_: Page | None = None) -> None:
            nonlocal is_counted
            if is_counted:
                is_counted = False
                self.users -= 1
                self.semaphore.release()

        await self.semaphore.acquire()
        self.opening += 1
        try:
            page: Page = await within(DEADLINE_S, self.context.new_page())
            self.pages.add(page)
        except BaseException:
            release()
            raise
        finally:
            self.opening -= 1
            self.close_strays()
        page.on("close", release)
        page.on("crash", release)
        self.opened += 1
        return page

    def close_strays(self) -> None:
        """Closes the popups that no session sees: those of pages that close too soon.

        While a page of ours opens, it can't be told from a popup; whoever opens it looks again.
        """
        if self.is_ours and not self.opening:
            for page in self.context.pages:
                if page not in self.pages:
                    run_in_background(close_page(page))


class RenderBrowser:
    """One for all handlers of a crawl. It starts with the first page, and again after it died.

    All methods run in the browser's loop.
    """

    def __init__(self, handler: PlaywrightHandler, config: Config) -> None:
        settings = handler.crawler.settings
        self.config = config
        self.count = handler.count
        self.user_options = settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS")
        """They override ours."""
        self.proxy = None if handler.shares_browser else _launch_proxy(self.user_options)
        """Of the requests that name none."""
        self.page_limit = settings.getint("PLAYWRIGHT_MAX_PAGES_PER_CONTEXT") or PAGES_PER_CORE * (os.cpu_count() or 1)
        self.user_agent = None if handler.has_browser_headers else settings.get("USER_AGENT")
        self.sessions: set[PageSession] = set()
        self.memory = MemoryWatch(config.browser_memory, lambda: bool(self.sessions))
        self.contexts: dict[str, PageContext] = {}
        self.browser: Browser | None = None
        self.failures = 0
        """Launches in a row that failed."""
        self._old: list[PageContext] = []
        """Contexts that were replaced and still have users."""
        self._lock = asyncio.Lock()
        self._policies: dict[str, Policy] = {}
        self._allowed = PrivateHosts(config.private_hosts)
        self._filter: FilterProxy | None = None
        self._key = secrets.token_bytes(16)
        self._logged: set[str] = set()
        if handler.shares_browser:  # it may be elsewhere and not reach a proxy on loopback
            logger.warning("Pages are rendered in a browser that webcontent does not start, so they can reach the local network.")
        if config.ignore_certificates:
            logger.warning("WEBCONTENT_IGNORE_CERTIFICATES is True: rendered pages may come from servers that only pretend to be theirs.")

    @classmethod
    def of(cls, handler: PlaywrightHandler, config: Config) -> RenderBrowser:
        """The crawl's browser, created on first use."""
        return CrawlScope.of(handler.crawler).part(cls, lambda: cls(handler, config))

    async def render(self, job: RenderJob, handler: PlaywrightHandler) -> Response:
        """The rendered response. `handler`: that of the request's scheme, with the contexts that the user names.

        Raises NoPageError, NotRenderedError, and the exceptions of Scrapy that a download may raise.
        """
        for _ in range(ATTEMPTS):
            page, context = await self._open_page(job, handler)
            session = PageSession(job, page, handler, self.config, self.user_agent, context.name, self._login(context))
            self.sessions.add(session)
            self.memory.start()
            try:
                return await session.run()
            except PlaywrightError as error:
                if self.memory.has_just_ended_a_page() and session.has_died(error) and not session.is_expired:
                    raise NotRenderedError("memory") from error
                if session.is_expired or not session.has_died(error):
                    raise session.error(error, _failure(context, job.url, session.begin)) from error
            except TimeoutError as error:
                raise NotRenderedError("timeout") from error
            finally:
                await self._end(session)
        raise NotRenderedError("crashed")

    async def close(self) -> None:
        for session in tuple(self.sessions):
            await self._end(session)
        self.memory.stop()
        for context in (*self.contexts.values(), *self._old):
            context.is_ours = False  # its popups are not looked for any more
            with suppress(PlaywrightError, TimeoutError):
                await within(CLOSE_S, context.context.close())
        self.contexts.clear()
        self._old.clear()
        if self.browser is not None:
            with suppress(PlaywrightError):
                await self.browser.close()
            self.browser = None
        if self._filter is not None:
            await self._filter.close()

    # Pages

    async def _open_page(self, job: RenderJob, handler: PlaywrightHandler) -> tuple[Page, PageContext]:
        """A page, and its context. Raises NotRenderedError if there is no browser to open it."""
        for _ in range(ATTEMPTS):
            if self.failures >= MAX_LAUNCH_FAILURES:
                raise NotRenderedError("no-browser")
            try:
                await handler.start_driver()
            except Exception as error:  # whatever keeps Playwright's driver, or a user's own provider, from starting
                raise self._launch_failure(error) from error
            try:
                context = await self._context(job, handler)
                page = await context.open_page()
            except (PlaywrightError, TimeoutError):
                await asyncio.sleep(RESTART_PAUSE_S)
            else:
                self._retire(context)
                return page, context
        raise NotRenderedError("no-page")

    async def _end(self, session: PageSession) -> None:
        """Closes a page, and replaced contexts that nobody uses: a page that is requested while its context closes never comes."""
        await session.close()
        self.sessions.discard(session)
        for old in [context for context in self._old if not context.users]:
            self._old.remove(old)
            with suppress(PlaywrightError):
                await old.context.close()

    # Contexts

    async def _context(self, job: RenderJob, handler: PlaywrightHandler) -> PageContext:
        """The context for a page. Pages of the local network have one of their own; one that the user names stays as it is."""
        if job.user_context:
            kept = await handler.user_context(job.user_context, job.request.meta.get("playwright_context_kwargs"))
            return PageContext(job.user_context, *kept, is_ours=False)
        host = plain_host(urlsplit(job.url).hostname or "")
        is_inside = not handler.shares_browser and is_private_host(host) and not self._allowed.allows(host)
        name = CONTEXT + (" private" if is_inside else "") + self._label(job.proxy) + job.identity.label
        async with self._lock:
            context = self.contexts.get(name) or await self._create(name, job, handler)
        if is_inside and context.policy is not None:
            context.policy.hosts.add(host)
        return context

    async def _create(self, name: str, job: RenderJob, handler: PlaywrightHandler) -> PageContext:
        options: dict[str, Any] = {
            "viewport": {"width": self.config.screenshot_size[0], "height": VIEWPORT_HEIGHT},
            "service_workers": "block",
            "accept_downloads": False,  # files are fetched without the browser
            "ignore_https_errors": self.config.ignore_certificates,
            **({"user_agent": self.user_agent} if self.user_agent else {}),
            **job.identity.context_options(),
        }
        policy = None
        if handler.shares_browser:
            browser = await handler.user_browser()
            options |= {"proxy": job.proxy.for_playwright()} if job.proxy else {}
        else:
            browser = await self._running_browser(handler)
            policy, proxy = await self._filtered(name, job.proxy)
            # Playwright logs in where a hook sees all requests.
            login = {"username": name, "password": proxy.password} if handler.has_hooks else {}
            options["proxy"] = {"server": f"http://127.0.0.1:{proxy.port}", "bypass": BYPASS, **login}
        created = await browser.new_context(**options)
        await created.add_init_script(NO_DIRECT_CONNECTIONS)
        context = self.contexts[name] = PageContext(name, created, asyncio.Semaphore(self.page_limit), policy)
        self.count("webcontent/contexts")
        created.on("page", lambda _: context.close_strays())
        created.on("close", lambda _: self._forget(context))
        browser.on("disconnected", lambda _: self._forget(context))
        return context

    def _forget(self, context: PageContext) -> None:
        if self.contexts.get(context.name) is context:
            del self.contexts[context.name]

    def _retire(self, context: PageContext) -> None:
        """Replaces a context after PAGES_PER_CONTEXT pages; the old one closes with its last page."""
        known = list(self.contexts.values())
        retired = known[: max(0, len(known) - MAX_CONTEXTS)]
        if context.opened >= PAGES_PER_CONTEXT and context in known:
            retired.append(context)
        for old in retired:
            self._forget(old)
            if old not in self._old:
                self._old.append(old)

    # The browser's process

    async def _running_browser(self, handler: PlaywrightHandler) -> Browser:
        """The running browser. Raises NotRenderedError if it does not start."""
        if self.browser is None or not self.browser.is_connected():
            if self.failures >= MAX_LAUNCH_FAILURES:  # of those who waited for the lock meanwhile
                raise NotRenderedError("no-browser")
            found = find_browser(self.config.browser)
            try:
                options = (launch_options(found) if found else {}) | self.user_options
                self.browser = await handler.browser_provider.playwright.chromium.launch(**options)
            except Exception as error:  # Playwright raises a bare one when its driver dies
                raise self._launch_failure(error) from error
            self.failures = 0
            self.count("webcontent/browsers")
            with suppress(PlaywrightError):
                await self.memory.attach(self.browser)
        return self.browser

    def _launch_failure(self, error: Exception) -> NotRenderedError:
        self.failures += 1
        if self.failures == MAX_LAUNCH_FAILURES:
            logger.error("The browser did not start %d times; the crawl goes on without rendering. %s", MAX_LAUNCH_FAILURES, error)
        return NotRenderedError("no-browser")

    # The proxy of our own

    async def _filtered(self, name: str, upstream: Upstream | None) -> tuple[Policy, FilterProxy]:
        """The policy of a context, and our own proxy, which starts with the first one."""
        if self._filter is None:
            started = FilterProxy(self._refused)
            await started.start()
            self._filter = started
        if name not in self._policies:
            self._policies[name] = Policy(name, self._allowed)
            self._filter.open_channel(Channel(self._policies[name], upstream))
        return self._policies[name], self._filter

    def _login(self, context: PageContext) -> tuple[str, str] | None:
        """User and password for our own proxy; None without it."""
        return (context.name, self._filter.password) if context.policy and self._filter else None

    def _label(self, upstream: Upstream | None) -> str:
        """Of a proxy and its user, without the password: two users have two contexts."""
        if upstream is None:
            return ""
        user = " " + digest(f"{upstream.user}:{upstream.password}", self._key) if upstream.user else ""
        return f" {upstream.scheme}//{upstream.host}/{upstream.port}{user}"

    def _refused(self, host: str) -> None:
        self.count("webcontent/private_refused")
        if host not in self._logged and len(self._logged) < _MAX_LOGGED:
            self._logged.add(host)
            logger.info("A page asked for %s, which is in the local network, and was refused. See WEBCONTENT_PRIVATE_HOSTS.", host)


def _failure(context: PageContext, url: str, begin: float) -> ReachError | None:
    """Why the host of a URL could not be reached since `begin` (as time.monotonic), where our own proxy knows."""
    return context.policy.failure_since(begin, url) if context.policy else None


def _launch_proxy(options: dict[str, Any]) -> Upstream | None:
    """The proxy in the options with which the browser is launched. Raises ValueError for one of an unknown kind."""
    proxy = options.get("proxy") or {}
    return Upstream.from_url(proxy["server"], proxy.get("username", ""), proxy.get("password", "")) if proxy.get("server") else None
