"""`scrapy inspect URL_OR_FILE [-o page.html]`: shows how a page became its item.

`--compare NAMES` adds the results of other extractors. `--reference-page URL_OR_FILE` gives a second page to extractors that compare
two. `--save DIR` saves the page with its item.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from webcontent.crawl.commands.base import PagesCommand, PagesSpider, wrong_use
from webcontent.crawl.commands.content import content_refusal, status_refusal
from webcontent.document.encoding import decode
from webcontent.extraction import WrongExtractorError
from webcontent.items import Page
from webcontent.models import ModelError
from webcontent.printable import on_terminal
from webcontent.saved_pages.archive import PageArchive, as_json, is_saved_page, load_page

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy.http import Response

    from webcontent.inspect.inspection import Inspection


class InspectCommand(PagesCommand):
    command = "inspect"
    accepts_saved_pages = True

    def syntax(self) -> str:
        return "URL_OR_FILE [-o page.html] [--compare NAMES] [--save DIR]"

    def short_desc(self) -> str:
        return "Show how a page became its item: its screenshot, its labeled blocks, the origin of each field"

    def long_desc(self) -> str:
        return (
            "Shows how a page became its item: the screenshot, the blocks with labels and scores, the fields of the item and where their "
            "values were found, the page type, the time of each stage. URL_OR_FILE may also be the folder of a page that --save or "
            "WEBCONTENT_SAVE saved; this needs no browser."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.set_defaults(output=None, overwrite_output=None)
        output_help = "one HTML file that works offline; without -o, text is printed"
        parser.add_argument("-o", "--output", dest="inspection", metavar="FILE", help=output_help)
        parser.add_argument("--compare", metavar="NAMES", default="", help="other extractors to compare with, as in awce,fusion")
        reference_help = "another page of the same site, or the folder of a saved one, for extractors that compare two pages (ngfv)"
        parser.add_argument("--reference-page", metavar="URL_OR_FILE", help=reference_help)
        parser.add_argument("--save", metavar="DIR", help="save the page with its item in a folder of DIR, to be corrected")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        from webcontent.crawl.config import Config
        from webcontent.extractors import TABLE

        super().process_options(args, opts)
        assert self.settings is not None
        if len(args) != 1:
            raise wrong_use(f"Give one URL or file, not {len(args)}.")
        if opts.reference_page:
            self.check_page(opts.reference_page)
        if opts.inspection and Path(opts.inspection).suffix.lower() != ".html":
            raise wrong_use(f"{opts.inspection!r} is no .html file.")
        opts.compare = [name.strip() for name in opts.compare.split(",") if name.strip()]
        with suppress(ValueError):  # wrong settings are reported when the crawl starts
            known = {**TABLE, **Config.from_settings(self.settings).extractors}
            for name in opts.compare:
                if name not in known:
                    raise wrong_use(f"--compare names the extractor {name!r}. There are: {', '.join(sorted(known))}.")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        pages = [*args, opts.reference_page] if opts.reference_page else args
        self.crawl_pages(InspectSpider, pages, opts, output=opts.inspection, compare=opts.compare, save=opts.save)


class InspectSpider(PagesSpider):
    """Fetches a page, and its reference page if there is one, and writes the page's inspection.

    A file is served on loopback, so that the browser renders it. The folder of a saved page is read as it is.
    """

    name = "inspect"
    route: ClassVar[dict[str, Any]] = {"render": True, "screenshot": True, "full_size": True}

    def __init__(self, output: str | None = None, compare: tuple[str, ...] = (), save: str | None = None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.output = output
        self.compare = compare
        self.save = save
        self.pages: dict[int, Page] = {}
        """The pages by their place on the command line: the page, the reference page."""
        self.servers: list[ThreadingHTTPServer] = []

    async def start(self) -> AsyncIterator[Any]:
        for number, address in enumerate(self.addresses):
            if is_saved_page(Path(address)):
                try:
                    await self._add(number, load_page(Path(address)))
                except (OSError, ValueError) as error:
                    self.fail(str(error))
            elif "://" in address:
                yield self.request(address).replace(cb_kwargs={"number": number})
            elif (page := self.read_file(address)) is not None:
                assert isinstance(page.html, bytes)
                server = serve_page(page.html)
                self.servers.append(server)
                arguments = {"number": number, "url": None if number else self.file_url, "is_file": True}
                yield self.request(f"http://127.0.0.1:{server.server_port}/").replace(cb_kwargs=arguments)

    async def parse(self, response: Response, number: int = 0, url: str | None = None, *, is_file: bool = False) -> None:
        if refusal := content_refusal(response):
            self.fail(refusal)
            return
        if refusal := status_refusal(response):
            self.fail(refusal)  # the page is shown all the same: it may say why
        page = Page.from_response(response)
        if is_file:
            page.url = url
        await self._add(number, page)

    async def _add(self, number: int, page: Page) -> None:
        """Adds a page. The last one starts the inspection."""
        self.pages[number] = page
        if len(self.pages) < len(self.addresses):
            return
        from webcontent.crawl.config import Config
        from webcontent.crawl.workers import WorkerPool
        from webcontent.inspect.inspection import inspect_page

        config = Config.from_settings(self.settings)
        pool = WorkerPool.of(self.crawler, config.threads)
        try:
            job = partial(inspect_page, width_px=config.screenshot_size[0])
            inspection = await pool.run("inspection", job, self.pages[0], config.options(), self.compare, self.pages.get(1))
            await pool.run("inspection", self._write, inspection)
        except (ModelError, OSError, ValueError, WrongExtractorError) as error:
            self.fail(str(error))

    def _write(self, inspection: Inspection) -> None:
        """Writes the file that the options name. Prints text if there is none."""
        from webcontent.inspect.html import html
        from webcontent.inspect.text import block_lines, summary

        if self.output:
            content = html(inspection).encode("utf-8", "replace")
            Path(self.output).parent.mkdir(parents=True, exist_ok=True)
            Path(self.output).write_bytes(content)
        if self.save:
            folder = PageArchive(self.save).save(inspection.document.page, as_json(inspection.item))
            if folder is not None:
                print(folder)
            else:
                self.fail(f"{inspection.item.url or 'The page'} is already saved in {self.save}. Remove its folder to save it again.")
        elif not self.output:
            print(*map(on_terminal, (*summary(inspection), *block_lines(inspection))), sep="\n")

    def closed(self, reason: str) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()


def serve_page(html: bytes) -> ThreadingHTTPServer:
    """A running server on loopback that sends the page for `/`, with its detected encoding, and 404 for all other paths.

    Without a header that names the encoding the browser would guess it, and is wrong more often than `decode`.
    """
    _, encoding, _ = decode(html)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_page = self.path == "/"
            self.send_response(HTTPStatus.OK if is_page else HTTPStatus.NOT_FOUND)
            self.send_header("Content-Type", f"text/html; charset={encoding}")
            self.end_headers()
            self.wfile.write(html if is_page else b"")

        def log_message(self, *arguments: object) -> None:
            """Writes nothing: requests on loopback are of no interest to users."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return server
