"""Which pages go through the browser, and which responses become items by themselves."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.httpobj import urlparse_cached

from webcontent.crawl.config import Config
from webcontent.crawl.discovery.urls import is_file
from webcontent.crawl.rendering.browser import INSTALL_HINT, RenderedResponse, find_browser, is_shell, now, warn_of_root
from webcontent.crawl.workers import WorkerPool
from webcontent.extractors import load_extractor
from webcontent.items import Page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

PAGE = "webcontent"
"""Key of `request.meta` that marks a request for a page. Its dict overrides settings for that page: render, screenshot,
full_size, extractor."""
MARK = "webcontent_render"
"""Key of `request.meta` that tells the download handler to render; it lives only between RenderMiddleware and the handler."""
SHELL = "webcontent_shell"
"""Key of `request.meta` on the second request for a page that came as a shell."""
HANDLER = "webcontent.crawl.rendering.handler.RenderHandler"
SHELLS_TO_LEARN = 3
"""After so many shells in a row a host's pages go to the browser at once ..."""
RECHECK = 25
"""... save every so many."""


class RenderMiddleware:
    """Decides for each request whether a browser gets it. Its place is next to the downloader, at 950.

    Only pages are rendered: GET requests that carry the PAGE mark (PageMiddleware sets it on what a spider asks for), never
    robots.txt, media, or addresses of files. With WEBCONTENT_RENDER "auto" those are rendered whose extractor wants boxes or
    a picture, and those whose HTML is an empty shell, which is then asked for again.
    A response from the HTTP cache is left as it is. A page that should have been rendered and was not says so in its flags.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        if not self.config.enabled:
            raise NotConfigured("WEBCONTENT_ENABLED is False")
        self.stats = crawler.stats
        self.threads = WorkerPool.of(crawler, self.config.threads)
        self.can_render = self.config.render is not False and _has_handler(crawler) and self._has_browser(crawler)
        self._shells: dict[str, int] = {}
        try:
            self._compression: HttpCompressionMiddleware | None = HttpCompressionMiddleware.from_crawler(crawler)
        except NotConfigured:
            self._compression = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        request.meta.pop(MARK, None)  # of a copied meta
        if not self.can_render or not _is_for_page(request) or not self._wants_rendering(request):
            return
        page = request.meta[PAGE]
        request.meta[MARK] = {name: page[name] for name in ("screenshot", "full_size") if name in page}
        await self.threads.room()

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        request.meta.pop(MARK, None)
        is_second = request.meta.pop(SHELL, False)
        if isinstance(response, RenderedResponse) or not _is_for_page(request) or {"cached", "playwright"} & set(response.flags):
            return response
        mode = self._mode(request)
        if mode is False or response.status >= 400:
            return response
        readable = self._decompressed(request, response)
        if not isinstance(readable, HtmlResponse):
            return readable
        if mode == "auto" and not is_second:
            if not self._is_shell(readable):
                return readable
            if self.can_render:
                return request.replace(dont_filter=True, meta={**request.meta, SHELL: True})
        return readable.replace(cls=RenderedResponse, page_flags=["not-rendered"], fetched_at=now())

    def process_exception(self, request: Request, exception: Exception) -> None:
        request.meta.pop(MARK, None)

    def _mode(self, request: Request) -> bool | str:
        mode: bool | str = request.meta[PAGE].get("render", self.config.render)
        return mode

    def _wants_rendering(self, request: Request) -> bool:
        mode = self._mode(request)
        if mode != "auto":
            return bool(mode)
        if request.meta.get(SHELL) or self._is_on_shell_host(request):
            self.stats.inc_value("webcontent/render_auto")
            return True
        page = request.meta[PAGE]
        if request.meta.get("playwright") or page.get("screenshot") or (self.config.screenshot_store and self.config.screenshot):
            return True
        names = [page["extractor"]] if page.get("extractor") else self.config.routes.values()
        return any(self._wants_browser(name) for name in names)

    def _wants_browser(self, extractor: str) -> bool:
        try:
            needs = load_extractor(extractor, dict(self.config.extractors)).needs
        except ValueError:  # a name in a request's meta that nobody knows: the pipeline says so on the item's way
            return False
        return bool({"boxes", "screenshot", "reference_page"} & needs)

    def _is_shell(self, response: HtmlResponse) -> bool:
        """Whether the page is a shell; the host's pages are counted."""
        host = _host(response)
        if not is_shell(response.text):
            self._shells.pop(host, None)
            return False
        self._shells[host] = self._shells.get(host, 0) + 1
        return True

    def _is_on_shell_host(self, request: Request) -> bool:
        """Whether the last pages of the host were all shells; every RECHECK-th is looked at again."""
        host = _host(request)
        count = self._shells.get(host, 0)
        if count < SHELLS_TO_LEARN or count % RECHECK == 0:
            return False
        self._shells[host] = count + 1
        return True

    def _decompressed(self, request: Request, response: Response) -> Response:
        """The response with a readable body: Scrapy's own middleware for it comes after this one."""
        readable = self._compression.process_response(request, response) if self._compression else response
        assert isinstance(readable, Response)
        return readable

    def _has_browser(self, crawler: Crawler) -> bool:
        """Whether there is a browser; warns where there is none."""
        settings = crawler.settings
        if settings.get("PLAYWRIGHT_CDP_URL") or settings.get("PLAYWRIGHT_CONNECT_URL"):
            return True
        if (kind := settings.get("PLAYWRIGHT_BROWSER_TYPE") or "chromium") != "chromium":
            logger.warning("PLAYWRIGHT_BROWSER_TYPE is %r; webcontent renders with Chromium only, so it does not render.", kind)
            return False
        if find_browser(self.config.browser) is None and "executable_path" not in settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS"):
            logger.warning(INSTALL_HINT)
            return False
        warn_of_root()
        return True


class PageMiddleware:
    """Marks what a spider asks for as pages; with WEBCONTENT_AUTO each HTML response becomes a Page. Its place is next to the spider.

    A spider that yields a Page of a response itself gets no second one; a page whose callback fails becomes an item all the same.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.config = Config.from_settings(crawler.settings)
        if not self.config.enabled:
            raise NotConfigured("WEBCONTENT_ENABLED is False")
        self._in_hand: set[int] = set()
        """Ids of the responses whose callback is giving its output."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for result in start:
            yield _marked(result)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        is_missing = self._is_automatic(response)
        self._in_hand.add(id(response))
        try:
            async for output in result:
                is_missing = is_missing and not isinstance(output, Page)
                yield _marked(output)
        except Exception:  # the spider's own, which goes on to Scrapy behind the page
            if is_missing:
                yield Page.from_response(response)
            raise
        finally:
            self._in_hand.discard(id(response))
        if is_missing:
            yield Page.from_response(response)

    def process_spider_exception(self, response: Response, exception: Exception) -> AsyncIterator[Any] | None:
        """A callback that raised before it gave anything; what it gives later, and its errors then, pass `process_spider_output`."""
        if not self._is_automatic(response) or id(response) in self._in_hand or isinstance(exception, HttpError):
            return None
        return _page_then_error(response, exception)

    def _is_automatic(self, response: Response) -> bool:
        return self.config.auto and isinstance(response, HtmlResponse)


async def _page_then_error(response: Response, exception: Exception) -> AsyncIterator[Any]:
    """The page, and then what Scrapy does with every error of a spider."""
    yield Page.from_response(response)
    raise exception


def _marked(output: Any) -> Any:
    if isinstance(output, Request):
        output.meta.setdefault(PAGE, {})
    return output


def _is_for_page(request: Request) -> bool:
    """Whether the request asks for a page that a browser may open. A page that the user holds already stays with scrapy-playwright."""
    return (
        isinstance(request.meta.get(PAGE), dict)
        and request.callback is not NO_CALLBACK
        and request.method == "GET"
        and "playwright_page" not in request.meta
        and request.url.startswith(("http://", "https://"))
        and not is_file(urlparse_cached(request).path)
    )


def _host(message: Request | Response) -> str:
    return urlparse_cached(message).netloc


def _has_handler(crawler: Crawler) -> bool:
    handlers = crawler.settings.getwithbase("DOWNLOAD_HANDLERS")
    return any(_path(handlers.get(scheme)) == HANDLER for scheme in ("http", "https"))


def _path(handler: Any) -> str | None:
    return f"{handler.__module__}.{handler.__qualname__}" if isinstance(handler, type) else handler
