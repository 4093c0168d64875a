"""`scrapy inspect URL_OR_FILE [-o page.html|page.png]`: what was made of a page, and why.

`--png FILE` writes the picture, too; `--compare NAMES` sets other extractors beside, `--reference-page URL_OR_FILE` gives those that look
at two pages the second one; `--save DIR` keeps the page with its item.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.exceptions import UsageError

from webcontent.crawl.commands.pages import PagesCommand, PagesSpider

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy.http import Response

    from webcontent.inspect.inspection import Inspection
    from webcontent.items import Page


class InspectCommand(PagesCommand):
    folders = True

    def syntax(self) -> str:
        return "URL_OR_FILE [-o page.html|page.png] [--compare NAMES] [--save DIR]"

    def short_desc(self) -> str:
        return "Show why a page came out as it did: its picture, its blocks with their labels, its item"

    def long_desc(self) -> str:
        return (
            "Shows what was made of a page, and why: picture, blocks with labels and scores, the item's fields and where they were seen, "
            "page type, time by stage. URL_OR_FILE may also be a page's folder that --save or WEBCONTENT_SAVE wrote: no browser is needed."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.set_defaults(output=None, overwrite_output=None)
        explained = "page.html (all there is, one file that works offline) or page.png (default: standard output, a line a block)"
        parser.add_argument("-o", "--output", dest="picture", metavar="FILE", help=explained)
        parser.add_argument("--png", metavar="FILE", help="write the picture with its blocks, too")
        parser.add_argument("--compare", metavar="NAMES", default="", help="other extractors to set beside: awce,fusion")
        explained = "another page of the same site, or the folder of a saved one, for extractors that look at two pages (ngfv)"
        parser.add_argument("--reference-page", metavar="URL_OR_FILE", help=explained)
        parser.add_argument("--save", metavar="DIR", help="keep the page with its item in a folder of DIR, to be corrected")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if len(args) != 1:
            raise UsageError("Give one address or one file.", print_help=False)
        if opts.reference_page:
            self.check_page(opts.reference_page)
        if opts.picture and Path(opts.picture).suffix.lower() not in (".png", ".html"):
            raise UsageError(f"{opts.picture!r} is neither a .png nor a .html file.", print_help=False)
        self._check_names(opts)

    def _check_names(self, opts: argparse.Namespace) -> None:
        from webcontent.crawl.config import Config
        from webcontent.extractors import TABLE

        assert self.settings is not None
        opts.compare = [name.strip() for name in opts.compare.split(",") if name.strip()]
        try:
            known = {**TABLE, **Config.from_settings(self.settings).extractors}
        except ValueError:  # a wrong setting is said where all are
            return
        for name in opts.compare:
            if name not in known:
                raise UsageError(f"--compare names the extractor {name!r}. There are: {', '.join(sorted(known))}.", print_help=False)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        pages = [*args, opts.reference_page] if opts.reference_page else args
        self.crawl(InspectSpider, pages, opts, output=opts.picture, png=opts.png, compare=opts.compare, save=opts.save)


class InspectSpider(PagesSpider):
    """Fetches a page, and its companion if there is one, and writes the page's inspection.

    A file is served on loopback, so that the browser draws it; the folder of a saved page has all that is needed.
    """

    name = "inspect"
    route: ClassVar[dict[str, Any]] = {"render": True, "screenshot": True, "full_size": True}

    def __init__(
        self, output: str | None = None, png: str | None = None, compare: tuple[str, ...] = (), save: str | None = None, **arguments: Any
    ) -> None:
        super().__init__(**arguments)
        self.output = output
        self.png = png
        self.compare = compare
        self.save = save
        self.pages: dict[int, Page] = {}
        self.began_at = 0.0
        self.fetching_ms: float | None = None
        self.servers: list[ThreadingHTTPServer] = []

    async def start(self) -> AsyncIterator[Any]:
        from webcontent.saved_pages.archive import load_page

        self.began_at = perf_counter()
        for number, address in enumerate(self.addresses):
            path = Path(address)
            if "://" in address:
                yield self.request(address).replace(cb_kwargs={"number": number})
            elif path.is_file():  # noqa: ASYNC240  (nothing else runs yet)
                server = serve_page(path.read_bytes())  # noqa: ASYNC240  (as above)
                self.servers.append(server)
                arguments = {"number": number, "url": None if number else self.file_url, "is_file": True}
                yield self.request(f"http://127.0.0.1:{server.server_port}/").replace(cb_kwargs=arguments)
            else:
                try:
                    await self._add(number, load_page(path))
                except (OSError, ValueError) as error:
                    self.fail(str(error))

    async def parse(self, response: Response, number: int = 0, url: str | None = None, *, is_file: bool = False) -> None:
        from webcontent.items import Page

        if number == 0:
            self.fetching_ms = (perf_counter() - self.began_at) * 1000
        page = Page.from_response(response)
        if is_file:
            page.url = url
        await self._add(number, page)

    async def _add(self, number: int, page: Page) -> None:
        """Inspects once all pages are there."""
        self.pages[number] = page
        if len(self.pages) == len(self.addresses):
            await self._inspect()

    async def _inspect(self) -> None:
        from webcontent.crawl.config import Config
        from webcontent.crawl.workers import WorkerPool
        from webcontent.inspect.inspection import inspect_page
        from webcontent.models import ModelError

        config = Config.from_settings(self.settings)
        threads = WorkerPool.of(self.crawler, config.threads)
        try:
            job = partial(inspect_page, width_px=config.screenshot_size[0])
            found = await threads.run("inspection", job, self.pages[0], config.options(), self.compare, self.pages.get(1))
            await threads.run("inspection", self._write, replace(found, fetching_ms=self.fetching_ms))
        except (ModelError, OSError, ValueError) as error:  # a model, a disk, a picture: their messages say all
            self.fail(str(error))

    def _write(self, inspection: Inspection) -> None:
        from webcontent.inspect import inspection as found
        from webcontent.inspect.html import html
        from webcontent.inspect.png import png
        from webcontent.saved_pages.archive import PageArchive, as_json

        pictures = [path for path in (self.png, self.output) if path and (path == self.png or path.lower().endswith(".png"))]
        if pictures and not inspection.document.screenshot:
            self.fail(f"{pictures[0]} was not written: a picture needs a browser (see the warning above); page.html does without.")
        elif pictures:
            drawn = png(inspection)
            for path in pictures:
                Path(path).write_bytes(drawn)
        if self.output and self.output not in pictures:
            Path(self.output).write_text(html(inspection), encoding="utf-8", errors="replace")
        if self.save is not None:
            place = PageArchive(self.save).save(inspection.document.page, as_json(inspection.item))
            if place is None:
                self.fail(f"{inspection.item.url or 'The page'} is in {self.save} already; remove its folder to save it anew.")
            else:
                print(place)  # noqa: T201  (what the command is for)
        if not self.save and (not self.output or pictures and not inspection.document.screenshot):
            print(*found.summary(inspection), *found.block_lines(inspection), sep="\n")  # noqa: T201  (as above)

    def closed(self, reason: str) -> None:
        for server in self.servers:
            server.shutdown()
            server.server_close()


def serve_page(html: bytes) -> ThreadingHTTPServer:
    """A loopback server, started, that answers `/` with the page and everything else with 404.

    A file has no header that names its encoding, and a browser guesses worse than we do.
    """
    from webcontent.document.encoding import decode

    _, encoding, _ = decode(html)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/"
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", f"text/html; charset={encoding}")
            self.end_headers()
            self.wfile.write(html if found else b"")

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    return server
