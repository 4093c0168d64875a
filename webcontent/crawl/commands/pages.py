"""What the commands `extract` and `inspect` share: a crawl of the pages that the command line names."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import IgnoreRequest, UsageError
from scrapy.utils.datatypes import SequenceExclude

from webcontent.crawl.commands.output_formats import add_formats
from webcontent.crawl.commands.running import add_addon, check_packages, refuse_unknown_options, run_crawl
from webcontent.crawl.meta import PAGE
from webcontent.items import TYPES, Page
from webcontent.saved_pages.archive import is_saved_page

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy.http import Response

logger = logging.getLogger(__name__)

OVERRIDDEN = {
    "LOG_LEVEL": "WARNING",
    "WEBCONTENT_CRAWL_STATE": "",
    "WEBCONTENT_DATABASE": "",
    "WEBCONTENT_REDIS": "",
    "WEBCONTENT_EMIT": list(TYPES),
}
"""A project's settings that do not hold here: each named page gives its item, whatever a crawl has stored of it."""
NOT_REDIRECTED = SequenceExclude(range(300, 400))
"""Status codes that reach the spider: all but those of redirects, which are followed."""


class PagesCommand(BaseRunSpiderCommand):
    """A command over URLs and files, inside and outside of projects. It does not use a project's own pipelines and feeds."""

    command: ClassVar[str]
    """Its name on the command line."""
    requires_project = False
    accepts_saved_pages = False
    """Whether the command also takes folders of saved pages."""

    def syntax(self) -> str:
        return "URL_OR_FILE... [options]"

    def needs_pages(self, opts: argparse.Namespace) -> bool:
        """Whether the command needs a URL or file with these options."""
        return True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--url", metavar="URL", help="the URL that a file's page came from; its relative links depend on it")
        parser.add_argument("--no-render", dest="render", action="store_false", help="never use a browser")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        refuse_unknown_options(args, self.command)
        self.settings.set("FEEDS", {}, priority="cmdline")
        add_formats(self.settings)
        super().process_options(args, opts)
        for name, value in OVERRIDDEN.items():
            self.settings.set(name, value, priority="spider")  # more than a project's own value, less than -s
        if not opts.render:
            self.settings.set("WEBCONTENT_RENDER", False, priority="cmdline")
        self.settings.set("ITEM_PIPELINES", {}, priority="cmdline")
        self.settings.set("JOBDIR", None, priority="cmdline")
        if not args and self.needs_pages(opts):
            raise UsageError("Give at least one URL or file.", print_help=False)
        for arg in args:
            self.check_page(arg)
        check_packages()
        add_addon(self.settings)

    def check_page(self, arg: str) -> None:
        """Raises UsageError unless the argument is a URL, a file or, where the command takes them, the folder of a saved page."""
        if "://" not in arg and not Path(arg).is_file() and not (self.accepts_saved_pages and is_saved_page(Path(arg))):
            raise UsageError(f"{arg!r} is neither a file nor a URL that begins with http:// or https://.", print_help=False)

    def crawl(self, spider: type[PagesSpider], args: list[str], opts: argparse.Namespace, **arguments: Any) -> None:
        """Fetches the pages and sets the exit code."""
        assert self.crawler_process is not None
        crawler = self._create_crawler(spider)
        has_started = run_crawl(self.crawler_process, crawler, addresses=args, file_url=opts.url, **arguments, **opts.spargs)
        self.exitcode = 0 if has_started and not crawler.stats.get_value("pages/failed") else 1


class PagesSpider(Spider):
    """Yields the page of each URL and file. What is no page is named, and the exit code is 1."""

    name = "pages"
    route: ClassVar[dict[str, Any]] = {}
    """Options of the page in `request.meta`."""

    def __init__(self, addresses: list[str], file_url: str | None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.addresses = addresses
        self.file_url = file_url

    async def start(self) -> AsyncIterator[Any]:
        for address in self.addresses:
            page = self.request(address) if "://" in address else self.read_file(address)
            if page is not None:
                yield page

    def read_file(self, name: str) -> Page | None:
        """The page in a file; None if there is none, which is reported."""
        from webcontent.crawl.commands.content import file_refusal

        try:
            page = Page.from_file(name, self.file_url)
        except OSError as error:
            self.fail(f"{name} can't be read: {error.strerror or error}.")
            return None
        assert isinstance(page.html, bytes)
        if refusal := file_refusal(name, page.html):
            self.fail(refusal)
            return None
        return page

    def request(self, url: str) -> Request:
        """A request that follows redirects and whose response arrives whatever its status is."""
        meta = {PAGE: dict(self.route), "handle_httpstatus_list": NOT_REDIRECTED}
        return Request(url, meta=meta, errback=self.report_failure, dont_filter=True)

    def parse(self, response: Response) -> Any:
        from webcontent.crawl.commands.content import content_refusal, status_refusal

        if refusal := status_refusal(response) or content_refusal(response):
            self.fail(refusal)
            return None
        return Page.from_response(response)

    def report_failure(self, failure: Any) -> None:
        """Reports a request that failed; `failure`: Twisted's Failure, to which Scrapy adds the request."""
        request, error = failure.request, failure.value
        asked: list[str] = request.meta.get("redirect_urls", [])
        url = f"{asked[0]} (redirected to {request.url})" if asked else request.url
        is_refusal = type(error) is IgnoreRequest  # by a middleware, in a sentence of its own
        reason = str(error) if is_refusal else f"{type(error).__name__}: {failure.getErrorMessage()}"
        self.fail(f"{url} was not fetched: {reason}")

    def fail(self, message: str) -> None:
        """Logs an error and makes the command exit with code 1."""
        self.crawler.stats.inc_value("pages/failed")
        logger.error(message)
