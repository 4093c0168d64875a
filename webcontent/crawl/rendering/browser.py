"""The browser of the pages that we open: its process, its contexts, the proxy through which they load, and the attempts at a page.

Pages of a user's own Playwright requests are in another browser, which scrapy-playwright starts as the user has configured it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError

from webcontent.addresses import PrivateHosts, plain_host
from webcontent.crawl.discovery.urls import is_private_host
from webcontent.crawl.rendering.chromium import launch_options
from webcontent.crawl.rendering.filter.proxy import FilterProxy
from webcontent.crawl.rendering.filter.reach import Policy, Upstream
from webcontent.crawl.rendering.job import NotRenderedError
from webcontent.crawl.rendering.memory import MemoryWatch
from webcontent.crawl.rendering.session import PageContext, PageSession
from webcontent.crawl.rendering.tasks import PAUSE_S

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page
    from scrapy.http import Response

    from webcontent.crawl.config import Config
    from webcontent.crawl.rendering.job import RenderJob
    from webcontent.crawl.rendering.upstream import PlaywrightHandler

logger = logging.getLogger(__name__)

ATTEMPTS = 3
"""How often the browser is started, and a page is opened whose renderer or browser died: the fault may have been another page's."""
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
NO_WINDOWS = {"args": ["--block-new-web-contents"], "ignore_default_args": ["--disable-popup-blocking"]}
"""Launch options with which no page opens a window: the first is the headless shell's, the second the full browser's own way."""
CONTEXT = "webcontent"
"""The names of our browser contexts begin with it."""
BYPASS = "<-loopback>"
"""Chromium's word for: no address is loaded without the proxy, not even one of the own machine."""


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
        proxy = self.user_options.get("proxy") or {}
        login = (proxy.get("username", ""), proxy.get("password", ""))
        self.proxy = Upstream.from_url(proxy["server"], *login) if proxy.get("server") else None
        """Of the requests that name none."""
        self.page_limit = settings.getint("PLAYWRIGHT_MAX_PAGES_PER_CONTEXT") or PAGES_PER_CORE * (os.cpu_count() or 1)
        self.sessions: set[PageSession] = set()
        self.memory = MemoryWatch(config.browser_memory, lambda: bool(self.sessions))
        self.contexts: dict[str, PageContext] = {}
        self.browser: Browser | None = None
        self.failures = 0
        """Launches in a row that failed."""
        self._lock = asyncio.Lock()
        self._policies: dict[tuple[Any, ...], Policy] = {}
        """Of contexts, by what makes them different."""
        self._allowed = PrivateHosts(config.private_hosts)
        self._filter = FilterProxy(self._refused)
        self._has_refused = False
        if config.ignore_certificates:
            logger.warning("WEBCONTENT_IGNORE_CERTIFICATES is True: rendered pages may come from servers that only pretend to be theirs.")

    async def render(self, job: RenderJob, handler: PlaywrightHandler) -> Response:
        """The rendered response. `handler`: that of the request's scheme, with the contexts that the user names.

        Raises NoPageError, NotRenderedError, and the exceptions of Scrapy that a download may raise.
        """
        for _ in range(ATTEMPTS):
            page, context = await self._open_page(job, handler)
            session = PageSession(job, page, context, handler, self.config)
            self.sessions.add(session)
            self.memory.start()
            try:
                return await session.run()
            except PlaywrightError as error:
                has_died = session.has_died(error) and not session.is_expired
                if has_died and self.memory.has_just_ended_a_page():
                    raise NotRenderedError("memory") from error
                if not has_died:
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
        if self.browser is not None:
            with suppress(PlaywrightError):
                await self.browser.close()
        await self._filter.close()

    async def _open_page(self, job: RenderJob, handler: PlaywrightHandler) -> tuple[Page, PageContext]:
        """A page, and its context. Raises NotRenderedError if there is no browser to open it."""
        try:
            await handler.start_driver()
        except Exception as error:  # whatever keeps Playwright's driver, or a user's own provider, from starting
            raise self._launch_failure(error) from error
        for _ in range(ATTEMPTS):
            with suppress(PlaywrightError, TimeoutError):
                context = await self._context(job, handler)
                page = await context.open_page()
                self._retire(context)
                return page, context
            await asyncio.sleep(PAUSE_S)  # scrapy-playwright may just be replacing a browser that died
        raise NotRenderedError("no-page")

    async def _end(self, session: PageSession) -> None:
        if session not in self.sessions:
            return  # it was ended with the crawl
        self.sessions.discard(session)
        await session.close()
        if session.is_handed_over:
            session.page.once("close", lambda _: session.context.release())
        else:
            session.context.release()

    # Contexts

    async def _context(self, job: RenderJob, handler: PlaywrightHandler) -> PageContext:
        """The context for a page. Pages of the local network have one of their own."""
        host = plain_host(urlsplit(job.url).hostname or "")
        is_inside = is_private_host(host) and not self._allowed.allows(host)
        key = (is_inside, job.proxy, job.cookiejar, *job.context_options().items())
        policy = self._policies.setdefault(key, Policy(f"{CONTEXT} {len(self._policies) + 1}", self._allowed, job.proxy))
        if is_inside:
            policy.hosts.add(host)
        async with self._lock:
            browser = await self._running_browser(handler)
            return self.contexts.get(policy.name) or await self._create(policy, browser, job, handler)

    async def _create(self, policy: Policy, browser: Browser, job: RenderJob, handler: PlaywrightHandler) -> PageContext:
        # Playwright logs in where a hook sees all requests.
        login = {"username": policy.name, "password": policy.password} if handler.has_hooks else {}
        options: dict[str, Any] = {
            "viewport": {"width": self.config.screenshot_size[0], "height": VIEWPORT_HEIGHT},
            "service_workers": "block",
            "accept_downloads": False,  # files are fetched without the browser
            "ignore_https_errors": self.config.ignore_certificates,
            "proxy": {"server": f"http://127.0.0.1:{await self._filter.serve(policy)}", "bypass": BYPASS, **login},
            **job.context_options(),
        }
        created = await browser.new_context(**options)
        await created.add_init_script(NO_DIRECT_CONNECTIONS)
        context = self.contexts[policy.name] = PageContext(created, policy, asyncio.Semaphore(self.page_limit))
        self.count("webcontent/contexts")
        created.on("close", lambda _: self._forget(context))
        browser.on("disconnected", lambda _: self._forget(context))
        return context

    def _forget(self, context: PageContext) -> None:
        if self.contexts.get(context.policy.name) is context:
            del self.contexts[context.policy.name]

    def _retire(self, context: PageContext) -> None:
        """Replaces a context after PAGES_PER_CONTEXT pages, and the oldest of too many; the old one closes with its last page."""
        surplus = list(self.contexts.values())[: max(0, len(self.contexts) - MAX_CONTEXTS)]
        full = [context] if context.opened >= PAGES_PER_CONTEXT and context in self.contexts.values() else []
        for old in {*surplus, *full}:
            self._forget(old)
            old.is_old = True
            old.close_if_unused()

    # The browser's process

    async def _running_browser(self, handler: PlaywrightHandler) -> Browser:
        """The running browser. Raises NotRenderedError if it does not start."""
        if self.browser is None or not self.browser.is_connected():
            if self.failures >= ATTEMPTS:  # of those who waited for the lock meanwhile
                raise NotRenderedError("no-browser")
            own = launch_options(self.config.browser)
            options = {**own, **NO_WINDOWS, **self.user_options}
            # As an option of a context the user agent would come with client hints that Playwright makes up.
            agent = [f"--user-agent={handler.user_agent}"] if handler.user_agent else []
            options["args"] = [*own["args"], *NO_WINDOWS["args"], *agent, *self.user_options.get("args", ())]
            if not options["chromium_sandbox"]:
                logger.warning("Chromium runs without its sandbox, as it does for root. Use another user for sites that you do not trust.")
            try:
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
        if self.failures == ATTEMPTS:
            logger.error("The browser did not start %d times; the crawl goes on without rendering. %s", ATTEMPTS, error)
        return NotRenderedError("no-browser")

    def _refused(self, host: str) -> None:
        self.count("webcontent/private_refused")
        if not self._has_refused:
            self._has_refused = True
            logger.info("A page asked for %s, which is in the local network, and was refused. See WEBCONTENT_PRIVATE_HOSTS.", host)
