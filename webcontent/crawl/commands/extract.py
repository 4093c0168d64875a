"""`scrapy extract URL_OR_FILE... [-o FILE]`: the items of single pages, without a spider.

`--warc` reads whole web archives. `--check DIR` compares today's items of saved pages with their saved items.
"""

from __future__ import annotations

import logging
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from webcontent.crawl.commands.base import PagesCommand, PagesSpider, wrong_use
from webcontent.formats.outputs import ARCHIVE_OUTPUTS, OUTPUTS
from webcontent.models import ModelError
from webcontent.printable import on_terminal

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from webcontent.batch import Counts

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
        format_help = "jsonl (default), or md for Markdown; with -o FOLDER/ a file for each page. Of other files the name decides"
        parser.add_argument("--format", choices=[output.names[0] for output in OUTPUTS if output.is_printed], help=format_help)
        check_help = "compare today's items of the pages saved in DIR with their saved items; exit code 1 if they differ"
        parser.add_argument("--check", metavar="DIR", help=check_help)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        outputs = [name for names in (opts.output, opts.overwrite_output) for name in names or ()]
        opts.overwrites = bool(opts.overwrite_output)
        is_folder = opts.format == "md" and len(outputs) == 1 and (outputs[0].endswith("/") or os.path.isdir(outputs[0]))  # noqa: PTH112  (Path.is_dir raises)
        if opts.warc or is_folder:
            opts.output = opts.overwrite_output = None  # the command writes the files, not a feed of Scrapy
        super().process_options(args, opts)
        if opts.check is not None:
            if args:
                raise wrong_use(f"--check takes one folder of saved pages and no other page; remove {' '.join(args)!r}.")
            if not Path(opts.check).is_dir():
                raise wrong_use(f"There is no folder {opts.check!r}; --check takes a folder of saved pages.")
        if opts.warc:
            opts.archive_output = check_arguments(args, outputs)
        elif is_folder:
            from webcontent.crawl.output.markdown import FOLDER_SETTING, MarkdownFolder

            self.settings.setdict({FOLDER_SETTING: outputs[0], "ITEM_PIPELINES": {MarkdownFolder: LAST}}, priority="cmdline")
        else:
            self.print_items("md" if opts.format == "md" else "jsonlines")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if opts.check is not None:
            self.exitcode = check_saved_pages(Path(opts.check), self.settings)
        elif opts.warc:
            self.exitcode = extract_to_file(args, opts.archive_output, self.settings, overwrites=opts.overwrites)
        else:
            self.crawl_pages(PagesSpider, args, opts)


def check_saved_pages(folder: Path, settings: BaseSettings) -> int:
    """Prints where today's items differ from saved ones. Returns the exit code."""
    from webcontent.crawl.config import Config
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


def check_arguments(archives: list[str], outputs: list[str]) -> Path:
    """The output file of a run over archives. Raises UsageError for wrong arguments and missing packages."""
    for name in archives:
        if not Path(name).is_file():
            raise wrong_use(f"{name!r} is not a file; --warc takes WARC files.")
    if len(outputs) != 1 or Path(outputs[0]).suffix not in ARCHIVE_OUTPUTS:
        named = ", ".join(map(repr, outputs)) or "none"
        raise wrong_use(f"--warc takes one output that ends in {', '.join(ARCHIVE_OUTPUTS)}, as in -o items.parquet; it got {named}.")
    output = Path(outputs[0])
    if find_spec("fastwarc") is None:
        raise wrong_use('fastwarc is not installed: pip install "webcontent[warc]"')
    if missing := ARCHIVE_OUTPUTS[output.suffix].missing_package():
        raise wrong_use(f"{output} needs {missing}")
    return output


def extract_to_file(archives: list[str], output: Path, settings: BaseSettings, *, overwrites: bool) -> int:
    """Writes the items of the archives and logs the result. Returns the exit code."""
    from tqdm import tqdm

    from webcontent.batch import extract_archives
    from webcontent.crawl.config import Config

    try:
        config = Config.from_settings(settings)
        if overwrites:
            for path in (output, output.with_name(f"{output.name}.state")):
                path.unlink(missing_ok=True)
        with tqdm(unit="B", unit_scale=True, dynamic_ncols=True, disable=None) as bar:

            def show(counts: Counts, done_bytes: int, total_bytes: int) -> None:
                bar.total = total_bytes
                bar.set_postfix_str(f"{counts.pages} pages, {counts.damaged} damaged", refresh=False)
                bar.update(done_bytes - bar.n)

            options = config.options()
            counts = extract_archives(archives, output, options=options, emit=config.emit, processes=config.threads, show=show)
    except FileExistsError:
        logger.critical("%s exists already, and a Parquet file can't be appended to. -O overwrites it.", output)
    except OSError as error:
        reason = f"{error.filename or output}: {error.strerror or error}."
        logger.critical("%s The items written so far are kept. Repeat the command to continue.", reason)
    except (ValueError, ModelError) as error:
        logger.critical(str(error))
    else:
        result = f"{counts.items} items of {counts.pages} pages; {counts.others} records without a page, "
        logger.warning("%s: %s%d damaged places, %d pages failed", output, result, counts.damaged, counts.failed)
        return 0
    return 1
