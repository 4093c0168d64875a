"""`scrapy extract URL_OR_FILE... [-o FILE]`: the items of single pages, without a spider.

`--warc` reads whole web archives. `--check DIR` compares today's items of saved pages with their saved items.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webcontent.crawl.commands.pages import PagesCommand, PagesSpider
from webcontent.crawl.commands.warc import check_arguments, extract_to_file
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)


class ExtractCommand(PagesCommand):
    def short_desc(self) -> str:
        return "Extract items from URLs, files or web archives (JSON lines on standard output, or -o FILE)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--warc", action="store_true", help="the files are web archives; needs -o FILE.jsonl or -o FILE.parquet")
        check_help = "compare today's items of the pages saved in DIR with their saved items; exit code 1 if they differ"
        parser.add_argument("--check", metavar="DIR", help=check_help)

    def needs_pages(self, opts: argparse.Namespace) -> bool:
        return opts.check is None

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        outputs = [name for names in (opts.output, opts.overwrite_output) for name in names or ()]
        overwrites = bool(opts.overwrite_output)
        if opts.warc:
            opts.output = opts.overwrite_output = None  # the command writes the file, not a feed of Scrapy
        super().process_options(args, opts)
        assert self.settings is not None
        if opts.check is not None:
            _check_folder_argument(opts.check, args)
        if opts.warc:
            self.archive_output = check_arguments(args, outputs)
            self.overwrites = overwrites
        elif not self.settings.getdict("FEEDS"):
            self.settings.set("FEEDS", {"stdout:": {"format": "jsonlines", "encoding": "utf-8"}}, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        if opts.check is not None:
            self.exitcode = check_saved_pages(Path(opts.check), self.settings)
        elif opts.warc:
            self.exitcode = extract_to_file(args, self.archive_output, self.settings, overwrites=self.overwrites)
        else:
            self.crawl(PagesSpider, args, opts)


def _check_folder_argument(folder: str, args: list[str]) -> None:
    """Raises UsageError for wrong arguments of --check."""
    if args:
        raise UsageError(f"--check takes one folder of saved pages and no other page; remove {' '.join(args)!r}.", print_help=False)
    if not Path(folder).is_dir():
        raise UsageError(f"--check takes a folder of saved pages; {folder!r} is not a folder.", print_help=False)


def check_saved_pages(folder: Path, settings: BaseSettings) -> int:
    """Prints where today's items differ from saved ones. Returns the exit code."""
    from webcontent.crawl.config import Config
    from webcontent.models import ModelError
    from webcontent.saved_pages.check import check_folder, report_lines

    try:
        checks = list(check_folder(folder, Config.from_settings(settings).options()))
    except (ValueError, ModelError) as error:
        logger.critical(str(error))
        return 1
    if not checks:
        logger.critical("%s has no saved pages: folders with page.html and item.json, as WEBCONTENT_SAVE writes them.", folder)
        return 1
    print(*map(on_terminal, report_lines(checks)), sep="\n")
    return int(not all(check.has_passed for check in checks))
