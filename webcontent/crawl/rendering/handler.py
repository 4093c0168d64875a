"""The download handler: scrapy-playwright's, with rendering of our own beside it.

- Requests with the key RENDER_WISHES are rendered by page sessions of our own. What the browser can't show or fails to render is fetched
  once more by the fallback handler, at once, since another try costs as long as the first; the second carries the flag `render-failed`.
- A user's own requests with the key `playwright` are scrapy-playwright's. Boxes and a screenshot are added to their responses.
- All others go to the fallback handler.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, cast

from scrapy.http import HtmlResponse, Response
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from webcontent.crawl.config import FALLBACKS
from webcontent.crawl.meta import RENDER_WISHES
from webcontent.crawl.rendering.browser import RenderBrowser
from webcontent.crawl.rendering.chromium import launch_options
from webcontent.crawl.rendering.job import NoPageError, NotRenderedError, RenderedResponse, RenderJob, now
from webcontent.crawl.rendering.upstream import PlaywrightHandler
from webcontent.crawl.scope import CrawlScope

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

SCHEMES = ("http", "https")


class Handlers(list["RenderHandler"]):
    """The handlers of a crawl."""


class RenderHandler(PlaywrightHandler):
    """One for each scheme for which the user has configured scrapy-playwright, with browsers and contexts of its own, as without us.

    If the user has configured it for one scheme or none, one handler serves both schemes. All share the browser that renders our pages.
    Where nobody has configured scrapy-playwright, its driver starts with the first page.
    """

    def __init__(self, crawler: Crawler) -> None:
        replaced = _replaced(crawler)
        self.user_schemes = [scheme for scheme, handler in replaced.items() if is_playwright_handler(handler)]
        super().__init__(crawler, is_users=bool(self.user_schemes))
        # scrapy-playwright's needs no fallback beside ours, which does the same.
        paths = {scheme: path for scheme, path in replaced.items() if scheme not in self.user_schemes}
        handlers = {path: build_from_crawler(load_object(path), crawler) for path in dict.fromkeys(paths.values())}
        self.fallbacks = {scheme: handlers[path] for scheme, path in paths.items()}
        """By scheme, the handlers of what is not rendered."""
        if not self.user_schemes:
            self.config.launch_options = launch_options(self.webcontent.browser) | self.config.launch_options

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RenderHandler | SharedHandler:
        present = CrawlScope.of(crawler).part(Handlers, Handlers)
        users = [handler for handler in map(load_object, _replaced(crawler).values()) if is_playwright_handler(handler)]
        if present and len(users) < len(SCHEMES):
            return SharedHandler(present[0])
        own = users and users[0] is not ScrapyPlaywrightDownloadHandler  # the user's own subclass: ours stands before it
        handler: RenderHandler = (type(cls.__name__, (cls, users[0]), {}) if own else cls)(crawler)
        present.append(handler)
        return handler

    async def close_pages(self) -> None:
        if (browser := CrawlScope.of(self.crawler).find(RenderBrowser)) is not None:
            await browser.close()

    async def close(self) -> None:
        await super().close()
        for handler in self.fallbacks.values():
            if hasattr(handler, "close"):
                await handler.close()

    # Requests

    async def download_request(self, request: Request) -> Response:
        if RENDER_WISHES in request.meta:
            return await self._render(request)
        # Would the user's request reach scrapy-playwright without us, too, or has nobody configured it?
        if request.meta.get("playwright") and (not self.user_schemes or request.url.partition(":")[0] in self.user_schemes):
            await self.in_browser_loop(self.start_driver())
            return cast("Response", await super().download_request(request))
        return await self._fetch(request)

    async def _render(self, request: Request) -> Response:
        """Fetches without the browser what it can't show or fails to render."""
        browser = CrawlScope.of(self.crawler).part(RenderBrowser, lambda: RenderBrowser(self, self.webcontent))
        try:
            has_jars = self.crawler.settings.getbool("COOKIES_ENABLED")
            job = RenderJob.of(request, self.webcontent, browser.proxy, has_jars=has_jars)
            return cast("Response", await self.in_browser_loop(browser.render(job, self)))
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
            return response.replace(cls=RenderedResponse, page_flags=["render-failed"], fetched_at=now())
        return response

    async def _fetch(self, request: Request) -> Response:
        fallback = self.fallbacks.get(request.url.partition(":")[0])
        download = fallback.download_request if fallback else super(ScrapyPlaywrightDownloadHandler, self).download_request
        return cast("Response", await download(request))


class SharedHandler:
    """The handler of a further scheme, where one handler serves both. To Scrapy's extensions it is none of scrapy-playwright's."""

    lazy = False

    def __init__(self, handler: RenderHandler) -> None:
        self.download_request = handler.download_request

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
    return crawler.settings.getdict(FALLBACKS)
