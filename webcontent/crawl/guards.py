"""Bounds for Scrapy's own components: what a server sends must not stop a crawl, fill the memory, or command a terminal.

Each stands in for a fault of Scrapy 2.19 that its docstring names. The private names of Scrapy and Twisted that this needs stand here.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from scrapy import signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.downloadermiddlewares import cookies
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import BaseRedirectMiddleware, MetaRefreshMiddleware, RedirectMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import TextResponse
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import load_object
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from webcontent.addresses import suffixes
from webcontent.crawl.setup_errors import SetupError
from webcontent.document.encoding import text_encoding
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

MAX_ROBOTS_BYTES = 512 * 1024
"""RFC 9309 asks for at least 500 KiB."""
MAX_HEADER_BYTES = 256 * 1024
"""Bytes of a status line and headers; browsers accept as many."""
HTTP11 = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"


def install(settings: BaseSettings) -> None:
    """Puts the guards where Scrapy's own components stand; those that a project has replaced or switched off stay so."""
    for name in ("DOWNLOADER_MIDDLEWARES_BASE", "DOWNLOADER_MIDDLEWARES"):
        parts = settings[name]
        for key in list(parts):
            if new := _STAND_INS.get(load_object(key)):
                parts.set(new, parts[key], parts.getpriority(key) or 0)
                del parts[key]
    handlers = settings["DOWNLOAD_HANDLERS_BASE"]
    for scheme in ("http", "https"):
        if handlers.get(scheme) == HTTP11:
            handlers.set(scheme, f"{__name__}.{BoundedHandler.__name__}", handlers.getpriority(scheme) or 0)
    # Scrapy's own extractor asks the network for the list of public suffixes, on the reactor's thread, at the first cookie with a domain.
    cookies._split_domain = suffixes


def guarded(response: Response) -> Response:
    """A response whose text Scrapy and spiders may read: in an encoding of web pages, and of robots.txt not more than is needed.

    Scrapy takes every codec of Python for an encoding; some of them are quadratic, others fail.
    """
    if urlparse_cached(response).path == "/robots.txt" and len(response.body) > MAX_ROBOTS_BYTES:
        response = response.replace(body=response.body[:MAX_ROBOTS_BYTES])
    if isinstance(response, TextResponse) and text_encoding(response.encoding) is None:
        response = response.replace(encoding="utf-8")
    return response


class SafeCompression(HttpCompressionMiddleware):
    """Refuses a body that can't be unpacked in one sentence, where Scrapy fails with an error of one of four libraries."""

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Request | Response:
        try:
            found = super().process_response(request, response)
        except IgnoreRequest:
            raise
        except Exception as error:
            raise IgnoreRequest(f"{response.url} can't be unpacked: its Content-Encoding is wrong") from error
        return guarded(cast("Response", found))


class _KeepsResponse(BaseRedirectMiddleware):
    """Keeps a response that leads to what is no URL, where Scrapy fails with a ValueError."""

    def process_response(self, request: Request, response: Response, spider: Spider | None = None) -> Request | Response:
        with suppress(ValueError):
            return super().process_response(request, response)  # type: ignore[misc,no-any-return]  # of the middleware beside it
        return response


class SafeRedirect(_KeepsResponse, RedirectMiddleware):
    """For redirects."""


class SafeMetaRefresh(_KeepsResponse, MetaRefreshMiddleware):
    """For <base> and meta refresh."""


_STAND_INS: dict[Any, type] = {
    HttpCompressionMiddleware: SafeCompression,
    MetaRefreshMiddleware: SafeMetaRefresh,
    RedirectMiddleware: SafeRedirect,
}


class BoundedHandler(HTTP11DownloadHandler):
    """Scrapy's handler, with a bound on the bytes of headers, which Twisted's HTTP client collects without one."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        pool: Any = self._pool
        factory_of = pool._factory

        def bounded(*arguments: Any) -> Any:
            factory = factory_of(*arguments)
            build = factory.buildProtocol
            factory.buildProtocol = lambda address: _bounded(build(address))
            return factory

        pool._factory = bounded


def _bounded(protocol: Any) -> Any:
    receive, count = protocol.dataReceived, 0

    def receive_bounded(data: bytes) -> None:
        nonlocal count
        receive(data)
        parser = protocol._parser
        count = count + len(data) if parser is not None and parser.state in ("STATUS", "HEADER") else 0
        if count > MAX_HEADER_BYTES:
            protocol._giveUp(Failure(ValueError(f"its headers are longer than {MAX_HEADER_BYTES // 1024} KiB")))  # type: ignore[no-untyped-call]

    protocol.dataReceived = receive_bounded
    return protocol


class LogGuard:
    """Escapes control characters in all lines of the log while the crawl runs: Scrapy's own lines quote headers and addresses.

    Raises SetupError where Scrapy runs without asyncio.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        with suppress(RuntimeError):  # no reactor yet: the crawler of a test
            if not is_asyncio_available():
                # Scrapy's log has what Twisted would print.
                globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)
                raise SetupError(
                    "webcontent needs asyncio, and TWISTED_REACTOR names another reactor: remove the setting, or use "
                    '"twisted.internet.asyncioreactor.AsyncioSelectorReactor".'
                )
        guard = cls()
        crawler.signals.connect(guard.start, signal=signals.spider_opened)
        return guard

    def start(self) -> None:
        for handler in logging.root.handlers:
            handler.addFilter(_escape)


def _escape(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    if not message.isprintable():
        record.msg, record.args = on_terminal(message), ()
    if record.exc_info and not record.exc_text:
        record.exc_text = on_terminal(logging.Formatter().formatException(record.exc_info))
    return True
