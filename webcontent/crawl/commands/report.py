"""`scrapy report items.jsonl [-o report.html]`: one HTML page about the items of a crawl."""

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
        return "Write one HTML page about the items of a crawl: counts, missing fields, scores, times, lowest scores"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default: %(default)s")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from webcontent.inspect.item_counts import ItemCounts
        from webcontent.inspect.report import report_html

        if not args:
            raise UsageError("Give at least one file of items, as in: scrapy report items.jsonl", print_help=False)
        counts = ItemCounts()
        for name in args:
            try:
                counts.read(Path(name))
            except OSError as error:
                raise UsageError(f"{name!r} can't be read: {error.strerror or error}.", print_help=False) from None
        if not counts.items:
            raise UsageError(f"{', '.join(args)}: no items. The command reads JSON lines, as -o items.jsonl writes them.", print_help=False)
        try:
            Path(opts.output).write_text(report_html(counts, args), encoding="utf-8", errors="replace")
        except OSError as error:
            raise UsageError(f"{opts.output!r} can't be written: {error.strerror or error}.", print_help=False) from None
        print(f"{counts.items} items: {opts.output}")
