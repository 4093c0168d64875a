"""`scrapy extract URL_OR_FILE... [-o FILE]`: the items of some pages, without a spider."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.crawl.commands.pages import PagesCommand, PagesSpider

if TYPE_CHECKING:
    import argparse


class ExtractCommand(PagesCommand):
    def short_desc(self) -> str:
        return "Extract the items of some pages or files (JSON lines on standard output, or -o FILE)"

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        assert self.settings is not None
        if not self.settings.getdict("FEEDS"):
            self.settings.set("FEEDS", {"stdout:": {"format": "jsonlines", "encoding": "utf-8"}}, priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        self.crawl(PagesSpider, args, opts)
