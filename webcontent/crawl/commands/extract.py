"""`scrapy extract URL_OR_FILE... [-o FILE]`: the items of some pages, without a spider. With `--warc`: of whole web archives.

`--check DIR` compares today's items of saved pages with what was saved.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from webcontent.crawl.commands.pages import PagesCommand, PagesSpider
from webcontent.crawl.commands.warc import check_command, run_command

if TYPE_CHECKING:
    import argparse

logger = logging.getLogger(__name__)


class ExtractCommand(PagesCommand):
    def short_desc(self) -> str:
        return "Extract the items of some pages or files (JSON lines on standard output, or -o FILE); --warc: of web archives"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--warc", action="store_true", help="the files are web archives: all cores, -o FILE.jsonl or FILE.parquet")
        explained = "no page: compare today's items of the pages saved in DIR with their item.json; exit code 1 where they differ"
        parser.add_argument("--check", metavar="DIR", help=explained)

    def needs_pages(self, opts: argparse.Namespace) -> bool:
        return opts.check is None

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        named = [name for names in (opts.output, opts.overwrite_output) for name in names or ()]
        overwrites = bool(opts.overwrite_output)
        if opts.warc:
            opts.output = opts.overwrite_output = None  # no feed of Scrapy's
        super().process_options(args, opts)
        assert self.settings is not None
        if opts.check is not None and (args or not Path(opts.check).is_dir()):
            raise UsageError("--check takes one folder of saved pages, and no other page.", print_help=False)
        if opts.warc:
            self.archive_output = check_command(args, named)
            self.overwrites = overwrites
        elif not self.settings.getdict("FEEDS"):
            self.settings.set("FEEDS", {"stdout:": {"format": "jsonlines", "encoding": "utf-8"}}, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.check is not None:
            self.exitcode = self._check(Path(opts.check))
        elif opts.warc:
            assert self.settings is not None
            self.exitcode = run_command(args, self.archive_output, self.settings, overwrites=self.overwrites)
        else:
            self.crawl(PagesSpider, args, opts)

    def _check(self, folder: Path) -> int:
        """Prints where today's items differ from saved ones; gives the exit code."""
        from webcontent.crawl.config import Config
        from webcontent.models import ModelError
        from webcontent.saved_pages.check import check_folder, report

        try:
            checks = list(check_folder(folder, Config.from_settings(self.settings).options()))  # type: ignore[arg-type]
        except (ValueError, ModelError) as error:  # their messages say all
            logger.critical(str(error))
            return 1
        if not checks:
            logger.critical("%s holds no saved page: a folder with page.html and item.json, as WEBCONTENT_SAVE writes it.", folder)
            return 1
        print(*report(checks), sep="\n")  # noqa: T201  (what the command is for)
        return int(not all(check.is_right for check in checks))
