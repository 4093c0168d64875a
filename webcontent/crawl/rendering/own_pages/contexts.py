"""The browser contexts of the pages that we open: how many pages each may hold, and when one is replaced."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.browser import NO_DIRECT_CONNECTIONS
from webcontent.crawl.rendering.page_session import DEADLINE_S
from webcontent.crawl.rendering.tasks import CLOSE_S, close_page, run_in_background, within

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from playwright.async_api import Browser, BrowserContext, Page

MAX_CONTEXTS = 16
"""Each proxy has a context of its own; the oldest one is closed if there are more."""
PAGES_PER_CONTEXT = 150
"""A context is replaced after so many pages, since the driver keeps something of each."""


@dataclass(slots=True, eq=False)
class PageContext:
    """A browser context with a limit of pages."""

    name: str
    context: BrowserContext
    semaphore: asyncio.Semaphore
    is_ours: bool = True
    """Whether we have made it. Of a user's context nothing is closed that we have not opened."""
    users: int = 0
    """Sessions that have a page, or wait for one."""
    opening: int = 0
    opened: int = 0
    pages: WeakSet[Page] = field(default_factory=WeakSet)
    """Those that we have opened."""


class ContextPool:
    """Our contexts by name. All methods run in the browser's loop."""

    def __init__(self, page_limit: int, count: Callable[[str], None]) -> None:
        self.page_limit = page_limit
        self.contexts: dict[str, PageContext] = {}
        self._count = count
        self._old: list[PageContext] = []
        """Contexts that were replaced and still have users."""
        self._lock = asyncio.Lock()
        self._is_closed = False

    async def open_page(self, name: str, options: dict[str, Any], get_browser: Callable[[], Awaitable[Browser]]) -> Page:
        """A new page of the context with that name, which is made if there is none."""
        async with self._lock:
            context = self.contexts.get(name)
            if context is None:
                context = await self._create(name, options, await get_browser())
        page = await self.open_page_in(context)
        self._retire(context)
        return page

    async def open_page_in(self, context: PageContext) -> Page:
        """A new page of a context, as soon as the context's limit allows one.

        This differs from scrapy-playwright in three ways. A page that crashes and is then closed gives back one place in the
        limit, not two. It gives the place back to its own context, which may have been replaced meanwhile. Nobody listens to each
        request and response, which is half of Python's work on a page.
        """
        context.users += 1
        is_counted = True

        def release(_: Page | None = None) -> None:
            nonlocal is_counted
            if is_counted:
                is_counted = False
                context.users -= 1
                context.semaphore.release()

        await context.semaphore.acquire()
        context.opening += 1
        try:
            page: Page = await within(DEADLINE_S, context.context.new_page())
            context.pages.add(page)
        except BaseException:
            release()
            raise
        finally:
            context.opening -= 1
            self._close_strays(context)
        page.on("close", release)
        page.on("crash", release)
        context.opened += 1
        return page

    async def _create(self, name: str, options: dict[str, Any], browser: Browser) -> PageContext:
        context = PageContext(name, await browser.new_context(**options), asyncio.Semaphore(self.page_limit))
        await context.context.add_init_script(NO_DIRECT_CONNECTIONS)
        self.contexts[name] = context
        self._count("webcontent/contexts")
        context.context.on("page", lambda _: self._close_strays(context))
        context.context.on("close", lambda _: self._forget(context))
        browser.on("disconnected", lambda _: self._forget(context))
        return context

    def _forget(self, context: PageContext) -> None:
        if self.contexts.get(context.name) is context:
            del self.contexts[context.name]

    def _close_strays(self, context: PageContext) -> None:
        """Closes the popups of a context that no session sees: those of pages that close too soon.

        While a page of ours opens, it can't be told from a popup; whoever opens it looks again.
        """
        if context.is_ours and not context.opening and not self._is_closed:
            for page in context.context.pages:
                if page not in context.pages:
                    run_in_background(close_page(page))

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

    async def close_old(self) -> None:
        """Closes replaced contexts that nobody uses or waits for: a page that is requested while its context closes never comes."""
        for old in [context for context in self._old if not context.users]:
            self._old.remove(old)
            with suppress(PlaywrightError):
                await old.context.close()

    async def close(self) -> None:
        self._is_closed = True
        for context in (*self.contexts.values(), *self._old):
            with suppress(PlaywrightError, TimeoutError):
                await within(CLOSE_S, context.context.close())
        self.contexts.clear()
        self._old.clear()
