"""`scrapy report items.jsonl [-o report.html]`: one page that says what a crawl gave and where it is weak."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse


class ReportCommand(ScrapyCommand):
    requires_project = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "items.jsonl... [-o report.html]"

    def short_desc(self) -> str:
        return "Write one HTML page about the items of a crawl: counts, missing fields, scores, times, the least sure ones"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--output", dest="page", metavar="FILE", default="report.html", help="default: %(default)s")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from webcontent.inspect.report import Summary, page

        if not args:
            raise UsageError("Give at least one file of items, as in: scrapy report items.jsonl", print_help=False)
        summary = Summary()
        for name in args:
            try:
                summary.read(Path(name))
            except OSError as error:
                raise UsageError(f"{name!r} can't be read: {error.strerror or error}.", print_help=False) from None
        if not summary.count:
            raise UsageError(f"{', '.join(args)}: no items; the command reads JSON lines, as -o items.jsonl writes them.", print_help=False)
        try:
            Path(opts.page).write_text(page(summary, args), encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"{opts.page!r} can't be written: {error.strerror or error}.", print_help=False) from None
        print(f"{summary.count} items: {opts.page}")  # noqa: T201  (what the command is for)
