"""`scrapy inspect URL_OR_FILE [-o page.html]`: shows how a page became its item.

`--compare NAMES` adds the results of other extractors. `--save DIR` saves the page with its item. `--site` shows what the site file does,
and writes lines of it from right values: those of `--set FIELD=VALUE` and of saved pages whose items were corrected.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request

from webcontent.crawl.commands.base import PagesCommand, PagesSpider, content_refusal, status_refusal, wrong_use
from webcontent.extraction import WrongExtractorError
from webcontent.items import Page
from webcontent.models import ModelError
from webcontent.printable import on_terminal
from webcontent.saved_pages.archive import PageArchive, as_json, is_saved_page
from webcontent.whole_files import write_whole

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator

    from scrapy.http import Response

    from webcontent.crawl.config import Config
    from webcontent.inspect.inspection import Inspection


class InspectCommand(PagesCommand):
    command = "inspect"

    def syntax(self) -> str:
        return "URL_OR_FILE [-o page.html] [--compare NAMES] [--save DIR] [--site] [--set FIELD=VALUE]"

    def short_desc(self) -> str:
        return "Show how a page became its item: its screenshot, its labeled blocks, the origin of each field"

    def long_desc(self) -> str:
        return (
            "Shows the screenshot, the blocks with labels and scores, the fields and where their values were found, the page type, the "
            "time of each stage. A browser draws the page of a URL. A file, or the folder of a saved page, is read as it is."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.set_defaults(output=None, overwrite_output=None)
        output_help = "page.html, one file that works offline; without -o, text is printed"
        parser.add_argument("-o", "--output", dest="inspection", metavar="FILE", help=output_help)
        parser.add_argument("--compare", metavar="NAMES", default="", help="other extractors to compare with, as in awce,fusion")
        parser.add_argument("--save", metavar="DIR", help="save the page with its item in a folder of DIR, to be corrected")
        site_help = "show what the site file does, and add lines to it from corrected items"
        parser.add_argument("--site", action="store_true", help=site_help)
        set_help = "the right value of a field, for a new line of the site file; names are separated by semicolons"
        parser.add_argument("--set", dest="right", metavar="FIELD=VALUE", action="append", default=[], help=set_help)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if len(args) != 1:
            raise wrong_use(f"Give one URL or file, not {len(args)}.")
        if opts.inspection and Path(opts.inspection).suffix.lower() != ".html":
            raise wrong_use(f"{opts.inspection!r} is not a .html file.")
        from webcontent.inspect.site import right_value

        try:
            opts.right = dict(map(right_value, opts.right))
        except ValueError as error:
            raise wrong_use(str(error)) from None
        opts.compare = [name.strip() for name in opts.compare.split(",") if name.strip()]

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        self.crawl_pages(InspectSpider, args, opts, options=opts)


class InspectSpider(PagesSpider):
    """Fetches or reads a page and writes its inspection."""

    name = "inspect"
    route: ClassVar[dict[str, Any]] = {"render": True, "screenshot": True, "full_size": True}

    def __init__(self, options: argparse.Namespace, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.options = options

    async def start(self) -> AsyncIterator[Any]:
        async for found in super().start():
            if isinstance(found, Request):
                yield found
            else:
                await self._inspect(found)

    async def parse(self, response: Response) -> None:
        if refusal := content_refusal(response):
            self.fail(refusal)
            return
        if refusal := status_refusal(response):
            self.fail(refusal)  # the page is shown all the same: it may say why
        await self._inspect(Page.from_response(response))

    async def _inspect(self, page: Page) -> None:
        from webcontent.crawl.config import Config
        from webcontent.crawl.workers import WorkerPool
        from webcontent.inspect.inspection import inspect_page

        config = Config.from_settings(self.settings)
        pool = WorkerPool.of(self.crawler)
        try:
            if self.options.site or self.options.right:
                for line in await pool.run("inspection", self._site_lines, page, config):
                    print(on_terminal(line))
                return
            job = partial(inspect_page, width_px=config.screenshot_size[0])
            await pool.run("inspection", self._write, await pool.run("inspection", job, page, config.options(), self.options.compare))
        except (ModelError, OSError, ValueError, WrongExtractorError) as error:
            self.fail(str(error))

    def _site_lines(self, page: Page, config: Config) -> list[str]:
        """Adds what is right to the site file, and shows what the file does then."""
        from webcontent.inspect.site import compared, learned, read_site_page, saved_site_pages

        place = Path(self.addresses[0])
        folder = config.site_folder()
        saved = self.options.save or config.save or (place.absolute().parent if is_saved_page(place) else None)
        if folder is None or not page.url:
            raise ValueError("WEBCONTENT_SITE_FILES is empty." if page.url else "The page has no address: name it with --url.")
        options = config.options()
        others = list(saved_site_pages(Path(saved), page.url, options)) if saved and Path(saved).is_dir() else []
        right = {name: value for other in others if other.document.url == page.url for name, value in other.right.items()}
        pages = [read_site_page(page, options, right | self.options.right), *(one for one in others if one.document.url != page.url)]
        lines = list(learned(pages, page.url, options, folder))
        return [*lines, *compared(page, config.options(), others)]  # with the new lines

    def _write(self, inspection: Inspection) -> None:
        """Writes the file that the options name. Prints text if there is none."""
        from webcontent.inspect.html import html
        from webcontent.inspect.text import block_lines, comparison, summary

        output, save = self.options.inspection, self.options.save
        if output:
            write_whole(output, html(inspection))
        if save:
            item = inspection.result.item
            folder = PageArchive(save).save(inspection.document.page, as_json(item))
            if folder is not None:
                print(folder)
            else:
                self.fail(f"{item.url or 'The page'} is already saved in {save}. Remove its folder to save it again.")
        elif not output:
            print(*map(on_terminal, (*summary(inspection), *block_lines(inspection))), sep="\n")
        if self.options.compare:
            print(*map(on_terminal, comparison(inspection.results)), sep="\n")
