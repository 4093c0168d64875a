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
from webcontent.formats.outputs import ARCHIVE_OUTPUTS, OUTPUTS
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

LAST = 900
"""Order of the pipeline that writes files: behind those of the add-on."""

logger = logging.getLogger(__name__)


class ExtractCommand(PagesCommand):
    command = "extract"

    def short_desc(self) -> str:
        return "Extract items from URLs, files or web archives (JSON lines on standard output, or -o FILE)"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        archive_help = f"the files are web archives; needs -o FILE that ends in {', '.join(ARCHIVE_OUTPUTS)}"
        parser.add_argument("--warc", action="store_true", help=archive_help)
        format_help = "jsonl (default), or md for Markdown; with -o FOLDER/ a file for each page"
        parser.add_argument("--format", choices=[output.names[0] for output in OUTPUTS if output.is_printed], help=format_help)
        check_help = "compare today's items of the pages saved in DIR with their saved items; exit code 1 if they differ"
        parser.add_argument("--check", metavar="DIR", help=check_help)

    def needs_pages(self, opts: argparse.Namespace) -> bool:
        return opts.check is None

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        outputs = [name for names in (opts.output, opts.overwrite_output) for name in names or ()]
        overwrites = bool(opts.overwrite_output)
        folder = outputs[0] if opts.format == "md" and len(outputs) == 1 and _is_folder(outputs[0]) else None
        if opts.warc or folder:
            opts.output = opts.overwrite_output = None  # the command writes the files, not a feed of Scrapy
        elif opts.format:
            opts.output, opts.overwrite_output = (_with_format(names, opts.format) for names in (opts.output, opts.overwrite_output))
        super().process_options(args, opts)
        assert self.settings is not None
        if opts.check is not None:
            _check_folder_argument(opts.check, args)
        if opts.warc:
            self.archive_output = check_arguments(args, outputs)
            self.overwrites = overwrites
        elif folder:
            _write_files(self.settings, folder)
        elif not self.settings.getdict("FEEDS"):
            feed_format = "md" if opts.format == "md" else "jsonlines"
            self.settings.set("FEEDS", {"stdout:": {"format": feed_format, "encoding": "utf-8"}}, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        if opts.check is not None:
            self.exitcode = check_saved_pages(Path(opts.check), self.settings)
        elif opts.warc:
            self.exitcode = extract_to_file(args, self.archive_output, self.settings, overwrites=self.overwrites)
        else:
            self.crawl(PagesSpider, args, opts)


def _with_format(names: list[str] | None, feed_format: str) -> list[str] | None:
    """Names of outputs, with the format where a name does not end in one: "page.txt" -> "page.txt:md"."""
    ends = (f".{feed_format}", f":{feed_format}")
    return [name if name.endswith(ends) else f"{name}:{feed_format}" for name in names or ()] or None


def _is_folder(name: str) -> bool:
    return name.endswith("/") or Path(name).is_dir()


def _write_files(settings: BaseSettings, folder: str) -> None:
    """Lets a pipeline write a file for each page."""
    from webcontent.crawl.output.markdown import FOLDER_SETTING, MarkdownFolder

    settings.set(FOLDER_SETTING, folder, priority="cmdline")
    settings.set("ITEM_PIPELINES", {MarkdownFolder: LAST}, priority="cmdline")


def _check_folder_argument(folder: str, args: list[str]) -> None:
    """Raises UsageError for wrong arguments of --check."""
    if args:
        raise UsageError(f"--check takes one folder of saved pages and no other page; remove {' '.join(args)!r}.", print_help=False)
    if not Path(folder).exists():
        raise UsageError(f"There is no folder {folder!r}; --check takes a folder of saved pages.", print_help=False)
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
