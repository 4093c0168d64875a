"""`scrapy inspect URL_OR_FILE -o page.png|page.html`: shows what was made of a page, and why."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.exceptions import UsageError

from webcontent.crawl.commands.pages import PagesCommand, PagesSpider

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy.http import Response

    from webcontent.crawl.inspection import Inspection


class InspectCommand(PagesCommand):
    def syntax(self) -> str:
        return "URL_OR_FILE [-o page.png|page.html]"

    def short_desc(self) -> str:
        return "Show a page's blocks with their labels, its type and its item"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.set_defaults(output=None, overwrite_output=None)
        explained = "page.png or page.html (default: standard output, a line a block)"
        parser.add_argument("-o", "--output", dest="picture", metavar="FILE", help=explained)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if len(args) != 1:
            raise UsageError("Give one address or one file.", print_help=False)
        if opts.picture and Path(opts.picture).suffix.lower() not in (".png", ".html"):
            raise UsageError(f"{opts.picture!r} is neither a .png nor a .html file.", print_help=False)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        self.crawl(InspectSpider, args, opts, output=opts.picture)


class InspectSpider(PagesSpider):
    """Fetches one page and writes its inspection. A file is served on loopback, so that the browser draws it."""

    name = "inspect"
    route: ClassVar[dict[str, Any]] = {"render": True, "screenshot": True, "full_size": True}

    def __init__(self, output: str | None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.output = output
        self.server: ThreadingHTTPServer | None = None

    async def start(self) -> AsyncIterator[Any]:
        address = self.addresses[0]
        if "://" not in address:
            self.server = serve_page(Path(address).read_bytes())  # noqa: ASYNC240  (nothing else runs yet)
            address = f"http://127.0.0.1:{self.server.server_port}/"
        yield self.request(address)

    async def parse(self, response: Response) -> None:
        from webcontent.crawl.config import Config
        from webcontent.crawl.inspection import inspect_page
        from webcontent.crawl.threads import Threads
        from webcontent.items import Page
        from webcontent.models import ModelError

        config = Config.from_settings(self.settings)
        page = Page.from_response(response)
        if self.server is not None:
            page.url = self.file_url
        try:
            inspection = await Threads.of(self.crawler, config.threads).run("inspection", inspect_page, page, config)
        except ModelError as error:
            self.fail(str(error))
        else:
            self._write(inspection)

    def _write(self, inspection: Inspection) -> None:
        from webcontent.crawl import inspection as views

        if self.output is None or self.output.lower().endswith(".png") and not inspection.document.screenshot:
            print(*views.summary(inspection), *views.block_lines(inspection), sep="\n")  # noqa: T201  (what the command is for)
            if self.output is not None:
                self.fail(f"{self.output} was not written: a picture needs a browser (see the warning above); page.html does without.")
        elif self.output.lower().endswith(".png"):
            Path(self.output).write_bytes(views.png(inspection))
        else:
            Path(self.output).write_text(views.html(inspection), encoding="utf-8", errors="replace")

    def closed(self, reason: str) -> None:
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()


def serve_page(html: bytes) -> ThreadingHTTPServer:
    """A loopback server, started, that answers `/` with the page and everything else with 404.

    A file has no header that names its encoding, and a browser guesses worse than we do.
    """
    from webcontent.document.parsing import decode

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
