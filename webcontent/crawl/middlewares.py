"""Which pages go through the browser, and which responses become items without a spider's help."""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import cached_property
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakSet

from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import HtmlResponse, Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.httpobj import urlparse_cached

from webcontent.addresses import PrivateHosts, is_public, split_url
from webcontent.crawl.config import IDENTITY, PREPARATION, RequestOptions
from webcontent.crawl.discovery.urls import is_file, is_private
from webcontent.crawl.guards import SafeCompression, guarded
from webcontent.crawl.meta import AUTO, EXTRACTOR, FULL_SIZE, IS_SHELL, PAGE, RENDER, RENDER_WISHES, SCREENSHOT, WAIT_FOR, options_of
from webcontent.crawl.rendering.chromium import INSTALL_HINT, find_browser
from webcontent.crawl.rendering.filter.reach import ReachError, Resolver, is_inside
from webcontent.crawl.rendering.job import RenderedResponse, now
from webcontent.crawl.rendering.shells import is_shell
from webcontent.crawl.scope import FromCrawler
from webcontent.crawl.stopping import is_console
from webcontent.crawl.workers import WorkerPool
from webcontent.extractors import load_extractor
from webcontent.items import Page
from webcontent.pagetype.classify import reads_screenshots

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

HANDLER = "webcontent.crawl.rendering.handler.RenderHandler"
BROWSER_NEEDS = frozenset({"boxes", "screenshot", "reference_page"})
"""Of what an extractor may need: what only a browser gives. Reference pages are compared by their boxes."""
SHELLS_TO_LEARN = 3
"""Consecutive shells after which a host is rendered directly."""


class RenderMiddleware(FromCrawler):
    """Decides for each request whether it goes through the browser. Its place is next to the downloader, at 950.

    Only pages are rendered: GET requests that carry the key PAGE (PageMiddleware sets it on a spider's requests), never
    robots.txt, media, or addresses of files. With WEBCONTENT_RENDER "auto" those are rendered whose extractor needs boxes or
    a screenshot, and those whose HTML is an empty shell, which is then requested again.
    What leads into the local network is refused, for requests that are not rendered, too.
    A response from the HTTP cache is left as it is. A page that should have been rendered and was not carries a flag.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.private_hosts = PrivateHosts(self.config.private_hosts)
        self.workers = WorkerPool.of(crawler)
        self.can_render = self.config.render is not False and _has_handler(crawler) and self._has_browser(crawler)
        options = self.config.options()
        reads_pixels = self.can_render and reads_screenshots(options.page_type_model, models=options.models)
        self.keeps_screenshots = reads_pixels or bool(self.config.screenshot_store or self.config.save)
        self._shells: dict[str, int] = {}
        """Shells in a row, by host."""
        self._resolver = Resolver()
        self._first_answers: dict[str, bool] = {}
        """Whether a host that the user named first answered from the local network."""
        self._compression: SafeCompression | None = None
        with suppress(NotConfigured):
            self._compression = SafeCompression.from_crawler(crawler)

    async def process_request(self, request: Request) -> None:
        request.meta.pop(RENDER_WISHES, None)  # a spider may have copied it
        await self._refuse_inside(request)
        if request.method != "GET" and options_of(request).get(RENDER) is True:
            logger.warning("%s is fetched without the browser, which sends no %s requests.", request.url, request.method)
        if not self.can_render or not _is_for_page(request) or not self._wants_rendering(request):
            return
        options = request.meta[PAGE]
        wishes = {name: options[name] for name in (FULL_SIZE, WAIT_FOR, *PREPARATION, *IDENTITY) if name in options}
        request.meta[RENDER_WISHES] = wishes | {SCREENSHOT: self._screenshot(request)}
        await self.workers.wait_for_capacity()

    async def process_response(self, request: Request, response: Response) -> Response | Request:
        response = guarded(response)
        was_to_be_rendered = request.meta.pop(RENDER_WISHES, None) is not None
        await self._refuse_inside(request, response, is_again=was_to_be_rendered and "playwright" not in response.flags)
        is_second = request.meta.pop(IS_SHELL, False)
        if isinstance(response, RenderedResponse) or not _is_for_page(request) or {"cached", "playwright"} & set(response.flags):
            return response
        mode = self._mode(request)
        if mode is False or response.status >= HTTPStatus.BAD_REQUEST:
            return response
        # The response with a readable body: Scrapy's own middleware for it comes after this one.
        readable = self._compression.process_response(request, response) if self._compression else response
        assert isinstance(readable, Response)
        if not isinstance(readable, HtmlResponse):
            return readable
        if mode == "auto" and not is_second:
            if not self._is_shell(readable):
                return readable
            if self.can_render:
                return request.replace(dont_filter=True, meta={**request.meta, IS_SHELL: True})
        return readable.replace(cls=RenderedResponse, page_flags=["not-rendered"], fetched_at=now())

    async def _refuse_inside(self, request: Request, response: Response | None = None, *, is_again: bool = False) -> None:
        """Raises IgnoreRequest for what leads into the local network although the user did not name it.

        Judged are all requests of this package's own spiders, but for the hosts that their user named; of other spiders pages to which
        redirects have led, and pages that were fetched again without the browser (`is_again`).
        """
        host = urlparse_cached(request).hostname or ""
        inside = is_inside(request, self.private_hosts, response)
        is_rebound = is_again and not is_private(request.url)
        if self._named_hosts is None:
            asked = (request.meta.get("redirect_urls") or [request.url])[0]
            is_page = PAGE in request.meta and not request.meta.get("playwright")
            is_judged = is_page and (is_rebound or host != urlsplit(asked).hostname)
        elif host not in self._named_hosts:
            is_judged = True
            inside = inside or response is None and not request.meta.get("proxy") and await self._resolves_inside(host)
        else:  # a name that has answered from outside stays there
            has_answered = response is not None and response.ip_address is not None
            is_judged = is_rebound or has_answered and not self._first_answers.setdefault(host, inside)
        if is_judged and inside:
            self.stats.inc_value("webcontent/private_refused")
            raise IgnoreRequest(f"{request.url} leads into the local network. See WEBCONTENT_PRIVATE_HOSTS.")

    async def _resolves_inside(self, host: str) -> bool:
        """Whether a name has no address outside of the local network; False for one that can't be looked up."""
        if self.private_hosts.allows(host):
            return False
        with suppress(ReachError):
            addresses = await self._resolver.addresses(host)
            return not any(is_public(ip_address(address)) or self.private_hosts.has_address(address) for address in addresses)
        return False

    @cached_property
    def _named_hosts(self) -> frozenset[str | None] | None:
        """The hosts that the user of one of this package's spiders named; None for a spider of the user's own."""
        urls = getattr(self.crawler.spider, "named_urls", None)
        return None if urls is None else frozenset(parts.hostname for url in urls if (parts := split_url(url)))

    def _mode(self, request: Request) -> bool | str:
        mode: bool | str = request.meta[PAGE].get(RENDER, self.config.render)
        return mode

    def _wants_rendering(self, request: Request) -> bool:
        mode = self._mode(request)
        if mode != "auto":
            return bool(mode)
        if request.meta.get(IS_SHELL) or self._shells.get(urlparse_cached(request).netloc, 0) >= SHELLS_TO_LEARN:
            self.stats.inc_value("webcontent/render_auto")
            return True
        options = request.meta[PAGE]
        if options.get(SCREENSHOT) is True or (self.config.screenshot_store and self.config.screenshot):
            return True
        return not BROWSER_NEEDS.isdisjoint(self._extractors_need(request))

    def _screenshot(self, request: Request) -> bool | str:
        """Whether the page gets a screenshot; AUTO: only if it has no boxes, so that its type is read off the screenshot."""
        wanted: bool | str = request.meta[PAGE].get(SCREENSHOT, self.config.screenshot)
        if wanted != AUTO:
            return wanted
        module = getattr(request.callback or self.crawler.spider, "__module__", "")
        is_for_spider = not self.config.auto and not module.startswith(f"{__package__}.")
        return is_for_spider or self.keeps_screenshots or SCREENSHOT in self._extractors_need(request) or AUTO

    def _extractors_need(self, request: Request) -> set[str]:
        extractor = request.meta[PAGE].get(EXTRACTOR)
        needs: set[str] = set()
        for name in [extractor] if extractor else self.config.routes.values():
            with suppress(ValueError):  # an unknown name in a request's meta, which ExtractionPipeline reports
                needs |= load_extractor(name, dict(self.config.extractors)).needs
        return needs

    def _is_shell(self, response: HtmlResponse) -> bool:
        """Whether the page is a shell; the host's shells in a row are counted."""
        host, found = urlparse_cached(response).netloc, is_shell(response.text)
        self._shells[host] = self._shells.get(host, 0) + 1 if found else 0
        return found

    def _has_browser(self, crawler: Crawler) -> bool:
        """Whether there is a browser; logs a warning if there is none."""
        settings = crawler.settings
        if (browser_type := settings.get("PLAYWRIGHT_BROWSER_TYPE") or "chromium") != "chromium":
            logger.warning("PLAYWRIGHT_BROWSER_TYPE is %r; webcontent renders with Chromium only, so it does not render.", browser_type)
            return False
        if find_browser(self.config.browser) is None and "executable_path" not in settings.getdict("PLAYWRIGHT_LAUNCH_OPTIONS"):
            logger.warning(INSTALL_HINT)
            return False
        return True


class PageMiddleware(FromCrawler):
    """Marks a spider's requests as requests for pages; with WEBCONTENT_AUTO each HTML response becomes a Page.

    Its place is next to the spider, at 950. A response of which the spider itself yields a Page gets no second one. A page whose
    callback fails still becomes an item.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._options = RequestOptions(self.config.extractors)
        self._site_files = self.config.read_site_files()
        self._with_page: WeakSet[Response] = WeakSet()

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for result in start:
            yield self._marked(result)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for output in result:
            if isinstance(output, Page):
                self._with_page.add(response)
            yield self._marked(output)
        if self._lacks_page(response):
            yield Page.from_response(response)

    def process_spider_exception(self, response: Response, exception: Exception) -> AsyncIterator[Any] | None:
        """The page of a callback that raised; then its error goes on."""
        return None if isinstance(exception, HttpError) or not self._lacks_page(response) else _page_then_error(response, exception)

    def _marked(self, output: Any) -> Any:
        """Marks a request, unless it is for scrapy-playwright and has no options of ours: nothing of such a request changes."""
        if isinstance(output, Request) and (PAGE in output.meta or not output.meta.get("playwright")):
            self._options.check(output)
            if self._site_files is not None and (file := self._site_files.find(output.url)) is not None:
                output.meta[PAGE] = {**file.options, **output.meta[PAGE]}
                for name, value in file.headers.items():
                    output.headers.setdefault(name, value)
        return output

    def _lacks_page(self, response: Response) -> bool:
        """Whether a response becomes a page here. It does so once."""
        is_auto = options_of(response.request).get(AUTO, self.config.auto)
        is_missing = is_auto and isinstance(response, HtmlResponse) and response not in self._with_page and not is_console(self.crawler)
        if is_missing:
            self._with_page.add(response)
        return is_missing


async def _page_then_error(response: Response, exception: Exception) -> AsyncIterator[Any]:
    yield Page.from_response(response)
    raise exception


def _is_for_page(request: Request) -> bool:
    """Whether the request is for a page that our browser may open. A user's own Playwright requests stay with scrapy-playwright."""
    return (
        isinstance(request.meta.get(PAGE), dict)
        and request.callback is not NO_CALLBACK
        and request.method == "GET"
        and not request.meta.get("playwright")
        and request.url.startswith(("http://", "https://"))
        and not is_file(urlparse_cached(request).path)
    )


def _has_handler(crawler: Crawler) -> bool:
    handlers = crawler.settings.getwithbase("DOWNLOAD_HANDLERS")
    found = [handlers.get(scheme) for scheme in ("http", "https")]
    return HANDLER in [f"{handler.__module__}.{handler.__qualname__}" if isinstance(handler, type) else handler for handler in found]
