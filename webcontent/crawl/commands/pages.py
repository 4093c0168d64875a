"""What the commands `extract` and `inspect` share: a crawl of the pages that the command line names."""

from __future__ import annotations

import asyncio
import logging
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError

from webcontent.models import ModelError
from webcontent.saved_pages.archive import is_saved_page

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy.http import Response
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

ADDON_PRIORITY = 300
MISSING = {
    "onnxruntime": "the models need it",
    "scrapy_playwright": "Scrapy reaches a browser by it",
    "playwright": "Scrapy reaches a browser by it",
}
"""Packages that this package depends on and that an environment may lack all the same."""


class PagesCommand(BaseRunSpiderCommand):
    """A command over addresses and files. Works inside and outside of projects; a project's own pipelines and feeds stay out."""

    requires_project = False
    folders = False
    """Whether the command takes folders of saved pages, too."""

    def syntax(self) -> str:
        return "URL_OR_FILE... [options]"

    def needs_pages(self, opts: argparse.Namespace) -> bool:
        """Whether these options make no sense without an address or file."""
        return True

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--url", metavar="URL", help="the address that a file's page came from: relative links and dates rest on it")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        self.settings.set("FEEDS", {}, priority="cmdline")
        super().process_options(args, opts)
        self.settings.set("LOG_LEVEL", "WARNING", priority="spider")  # what a project's crawls log is too much here; -L says otherwise
        self.settings.set("ITEM_PIPELINES", {}, priority="cmdline")
        self.settings.set("JOBDIR", None, priority="cmdline")
        if not args and self.needs_pages(opts):
            raise UsageError("Give at least one address or file.", print_help=False)
        for arg in args:
            self.check_page(arg)
        for package, reason in MISSING.items():
            if find_spec(package) is None:
                name = package.replace("_", "-")
                raise UsageError(f"{name} is not installed, and {reason}: pip install {name}", print_help=False)
        from webcontent.crawl.addon import Addon

        self.settings.setdefault_in_component_priority_dict("ADDONS", Addon, ADDON_PRIORITY)

    def check_page(self, arg: str) -> None:
        """UsageError for what is no address, file or, where the command takes them, folder of a saved page."""
        if "://" not in arg and not Path(arg).is_file() and not (self.folders and is_saved_page(Path(arg))):
            raise UsageError(f"{arg!r} is neither a file nor an address with http:// or https://.", print_help=False)

    def crawl(self, spider: type[PagesSpider], args: list[str], opts: argparse.Namespace, **arguments: Any) -> None:
        """Fetches the pages; sets the exit code."""
        assert self.crawler_process is not None
        crawler = self._create_crawler(spider)
        task: Any = self.crawler_process.crawl(crawler, addresses=args, file_url=opts.url, **arguments, **opts.spargs)
        self.crawler_process.start()
        if error := _error_of(task):  # the crawl did not begin
            expected = isinstance(error, (ModelError, ValueError))  # their messages say all
            logger.critical(str(error), exc_info=None if expected else error)
        self.exitcode = 1 if error or crawler.stats.get_value("pages/failed") else 0


def _error_of(task: asyncio.Task[None] | Deferred[None]) -> BaseException | None:
    """What ended a crawl; nothing else logs it then."""
    if isinstance(task, asyncio.Task):
        return task.exception()
    errors: list[BaseException | None] = []

    def keep(failure: Failure) -> None:
        errors.append(failure.value)

    task.addErrback(keep)
    return errors[0] if errors else None


class PagesSpider(Spider):
    """Yields the page of each address, whatever its status and type; files are read as they are."""

    name = "pages"
    route: ClassVar[dict[str, Any]] = {}
    """What the requests' mark says: see `request.meta["webcontent"]`."""

    def __init__(self, addresses: list[str], file_url: str | None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.addresses = addresses
        self.file_url = file_url

    async def start(self) -> AsyncIterator[Any]:
        from webcontent.items import Page

        for address in self.addresses:
            yield self.request(address) if "://" in address else Page.from_file(address, self.file_url)

    def request(self, url: str) -> Request:
        """A request whose page is wanted whatever the server says."""
        return Request(url, meta={"webcontent": dict(self.route), "handle_httpstatus_all": True}, errback=self.report, dont_filter=True)

    def parse(self, response: Response) -> Any:
        from webcontent.items import Page

        return Page.from_response(response)

    def report(self, failure: Failure) -> None:
        self.fail(f"{failure.request.url} was not fetched: {type(failure.value).__name__}: {failure.getErrorMessage()}")  # type: ignore[attr-defined]

    def fail(self, message: str) -> None:
        """Says what went wrong and makes the command end with an error."""
        self.crawler.stats.inc_value("pages/failed")
        logger.error(message)
