"""What the commands share: their options, the add-on, the packages that they need, their messages, and a crawl of named pages."""

from __future__ import annotations

import asyncio
import logging
import re
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from scrapy import Request, Spider, signals
from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse
from scrapy.utils.datatypes import SequenceExclude

from webcontent.crawl.commands import add_formats
from webcontent.crawl.discovery.seedlist import password_refusal
from webcontent.crawl.meta import PAGE
from webcontent.crawl.setup_errors import SetupError
from webcontent.document.encoding import decode
from webcontent.items import TYPES, Page
from webcontent.models import ModelError
from webcontent.printable import on_terminal
from webcontent.saved_pages.archive import is_saved_page, load_page

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Mapping

    from scrapy.crawler import Crawler, CrawlerProcessBase
    from scrapy.http import Response
    from scrapy.settings import Settings

logger = logging.getLogger(__name__)

OVERRIDDEN = {
    "LOG_LEVEL": "WARNING",
    "WEBCONTENT_CRAWL_STATE": "",
    "WEBCONTENT_DATABASE": "",
    "WEBCONTENT_REDIS": "",
    "WEBCONTENT_EMIT": list(TYPES),
}
"""A project's settings that do not hold for named pages: each gives its item, whatever a crawl has stored of it."""
NOT_REDIRECTED = SequenceExclude(range(300, 400))
"""Status codes that reach the spider: all but those of redirects, which are followed."""


SIGNATURES = (b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"WARC/", b"From: <Saved by")
"""How files of other formats begin: PDF, images, ZIP and gzip archives, web archives, MHTML."""
SNIFFED_BYTES = 2000
"""The beginning of a page by which it is recognised; WHATWG's MIME sniffing reads 1,445 bytes."""
_BINARY = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Characters that no text has (WHATWG, MIME sniffing, 3)."""
_ROOT = re.compile(r"<(?:[\w-]{1,20}:)?([a-z][\w-]*)", re.IGNORECASE)
_FEEDS = frozenset({"rss", "feed", "rdf", "urlset", "sitemapindex"})
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE)


def wrong_use(sentence: str) -> UsageError:
    """The error about a wrong command line, which Scrapy shows as its sentence."""
    return UsageError(sentence, print_help=False)


def refuse_unknown_options(args: list[str], command: str) -> None:
    """Raises UsageError for options that do not exist, which Scrapy passes on as arguments."""
    for arg in args:
        if arg.startswith("-"):
            raise wrong_use(f"There is no option {arg}; scrapy {command} -h lists them.")


class CrawlCommand(BaseRunSpiderCommand):
    """A command that crawls, inside and outside of projects. It does not use a project's own pipelines and feeds."""

    command: ClassVar[str]
    settings: Settings
    crawler_process: CrawlerProcessBase
    """Scrapy sets both before it runs a command."""
    without_arguments = "Give at least one URL or file."
    requires_project = False
    own_settings: Mapping[str, Any] = OVERRIDDEN
    """Settings that win over a project's own values, and not over -s."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        refuse_unknown_options(args, self.command)
        if not args and not getattr(opts, "check", None):
            raise wrong_use(self.without_arguments)
        self.settings.setdict({"FEEDS": {}, "ITEM_PIPELINES": {}, "JOBDIR": None}, priority="cmdline")  # those of -s come after them
        add_formats(self.settings)
        super().process_options(args, opts)
        for name, value in self.own_settings.items():
            self.settings.set(name, value, priority="spider")
        if not opts.render:
            self.settings.set("WEBCONTENT_RENDER", False, priority="cmdline")
        from webcontent.crawl.addon import Addon  # not for Scrapy's own commands, which load this module too

        self.settings.setdefault_in_component_priority_dict("ADDONS", Addon, 300)

    def print_items(self, feed_format: str = "jsonlines") -> None:
        if not self.settings.getdict("FEEDS"):
            self.settings.set("FEEDS", {"stdout:": {"format": feed_format, "encoding": "utf-8"}}, priority="cmdline")

    def crawl(self, spider: type[Spider], **arguments: Any) -> Crawler | None:
        """A crawl that has ended. None, with a logged error and exit code 1, if it could not begin.

        Items that were lost and feeds that were not stored are an error and exit code 1, too.
        """
        if self.settings["LOG_LEVEL"] in ("WARNING", "ERROR"):  # what failed for good is a sentence, or a reason in the table
            for name in ("robotstxt", "retry"):
                logging.getLogger(f"scrapy.downloadermiddlewares.{name}").setLevel(logging.CRITICAL)
        crawler = self.crawler_process.create_crawler(spider)
        lost: list[Any] = []

        def lose(item: Any) -> None:
            lost.append(item)

        crawler.signals.connect(lose, signal=signals.item_error)
        task: Any = self.crawler_process.crawl(crawler, **arguments)
        self.crawler_process.start()
        # The error that kept a crawl from starting, which Scrapy does not log. Without FORCE_CRAWLER_PROCESS the crawl is a task.
        error = task.exception() if isinstance(task, asyncio.Task) else getattr(getattr(task, "result", None), "value", None)
        if error is None:
            if count := len(lost) + (crawler.stats.get_value("webcontent/items_lost") or 0):
                self.fail(f"{count} items are lost; see above.")
            if any(name.startswith("feedexport/failed_count/") for name in crawler.stats.get_stats()):
                self.fail("A feed was not stored; see above.")
            if crawler.stats.get_value("webcontent/errors/store"):  # `stop_crawl` has said why
                self.exitcode = 1
            return crawler
        is_expected = isinstance(error, (ModelError, SetupError, ValueError))  # their messages are complete without a traceback
        logger.critical(str(error), exc_info=None if is_expected else error)
        self.exitcode = 1
        return None

    def fail(self, message: str) -> None:
        logger.critical(message)
        self.exitcode = 1


class PagesCommand(CrawlCommand):
    """A command over URLs, files and folders of saved pages."""

    def syntax(self) -> str:
        return "URL_OR_FILE... [options]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--url", metavar="URL", help="the URL that a file's page came from; its relative links depend on it")
        parser.add_argument("--no-render", dest="render", action="store_false", help="never use a browser")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        for arg in args:
            if refusal := password_refusal(arg):
                raise wrong_use(refusal)
            if "://" not in arg and not Path(arg).is_file() and not is_saved_page(Path(arg)):
                raise wrong_use(f"{arg!r} is neither a file, a saved page, nor a URL that begins with http:// or https://.")

    def crawl_pages(self, spider: type[PagesSpider], args: list[str], opts: argparse.Namespace, **arguments: Any) -> None:
        crawler = self.crawl(spider, addresses=args, file_url=opts.url, **arguments, **opts.spargs)
        if crawler is not None and crawler.stats.get_value("pages/failed"):
            self.exitcode = 1


class PagesSpider(Spider):
    """Yields the page of each URL, file and saved page. What is no page is named, and the exit code is 1."""

    name = "pages"
    route: ClassVar[dict[str, Any]] = {}
    """Options of the page in `request.meta`."""

    def __init__(self, addresses: list[str], file_url: str | None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.addresses = self.named_urls = addresses
        self.file_url = file_url

    async def start(self) -> AsyncIterator[Any]:
        for address in self.addresses:
            found = self.request(address) if "://" in address else self.read(Path(address))
            if found is not None:
                yield found

    def read(self, path: Path) -> Page | None:
        """The page in a file or in the folder of a saved page; None if there is none, which is reported."""
        is_saved = is_saved_page(path)
        try:
            page = load_page(path) if is_saved else Page.from_file(path, self.file_url)
        except (OSError, ValueError) as error:
            self.fail(f"{path} can't be read: {error.strerror}." if isinstance(error, OSError) else str(error))
            return None
        if not is_saved and (refusal := file_refusal(str(path), cast("bytes", page.html))):
            self.fail(refusal)
            return None
        return page

    def request(self, url: str) -> Request:
        """A request that follows redirects and whose response arrives whatever its status is."""
        meta = {PAGE: dict(self.route), "handle_httpstatus_list": NOT_REDIRECTED}
        return Request(url, meta=meta, errback=self.report_failure, dont_filter=True)

    def parse(self, response: Response) -> Any:
        if refusal := status_refusal(response) or content_refusal(response):
            self.fail(refusal)
            return None
        return Page.from_response(response)

    def report_failure(self, failure: Any) -> None:
        """Reports a request that failed; `failure`: Twisted's Failure, to which Scrapy adds the request."""
        from webcontent.crawl.spiders.seed_rows import reason_of

        request = failure.request
        asked: list[str] = request.meta.get("redirect_urls", [])
        url = f"{asked[0]} (redirected to {request.url})" if asked else request.url
        self.fail(f"{url} was not fetched: {reason_of(failure.value)}")

    def fail(self, message: str) -> None:
        self.crawler.stats.inc_value("pages/failed")
        logger.error(on_terminal(message))


# Whether what a user names is a page at all


def status_refusal(response: Response) -> str | None:
    """The sentence about an answer that is an error; None for a page."""
    if response.status < HTTPStatus.MULTIPLE_CHOICES and response.status != HTTPStatus.NO_CONTENT:
        return None
    return f"{response.url} was answered with status {response.status}."


def content_refusal(response: Response) -> str | None:
    """The sentence about an answer that is no HTML; None for a page, which may be empty."""
    is_html = isinstance(response, HtmlResponse) or _HTML.search(decode(response.body[:SNIFFED_BYTES])[0])
    if is_html and not response.body.startswith(SIGNATURES):
        return None
    declared = "" if is_html else (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
    return f"{response.url} is {declared}{' and ' if declared else ''}not an HTML page."


def file_refusal(name: str, body: bytes) -> str | None:
    """The sentence about a file that is no HTML; None for a page."""
    if not body.strip():
        return f"{name} is empty."
    return None if _is_html(body) else f"{name} is not an HTML page."


def _is_html(body: bytes) -> bool:
    """Whether bytes are HTML, whole or in part."""
    head = decode(body[:SNIFFED_BYTES])[0]
    if body.startswith(SIGNATURES) or _BINARY.search(head):
        return False
    root = _ROOT.search(head) or _ROOT.search(decode(body)[0])
    is_other = root is None or root[1].lower() in _FEEDS or head.lstrip().startswith(("{", "["))
    return not is_other or _HTML.search(head) is not None
