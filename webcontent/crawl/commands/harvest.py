"""`scrapy harvest SITE_OR_FILE... -o items.jsonl`: whole sites from any folder, without a project."""

from __future__ import annotations

import json
import logging
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.utils.project import inside_project

from webcontent.crawl.commands.base import CrawlCommand
from webcontent.crawl.server_urls import without_password
from webcontent.formats.outputs import OUTPUTS
from webcontent.inspect.items.files import with_listings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from webcontent.crawl.incremental.nights import HostNights
    from webcontent.crawl.spiders.seed_rows import SeedRow

logger = logging.getLogger(__name__)

PROJECT = "webcontent.crawl.settings"
STATE_SUFFIX = ".state.db"
CHANGED = 3
"""Exit code of a run in which nothing failed and a site changed."""


class HarvestCommand(CrawlCommand):
    command = "harvest"
    without_arguments = "Give at least one site or file of sites, as in: scrapy harvest example.org -o items.jsonl"

    def syntax(self) -> str:
        return "SITE_OR_FILE... [-o items.jsonl]"

    def short_desc(self) -> str:
        return "Crawl whole sites: every article and list, each run only what is new (items.jsonl, .csv, .parquet ...)"

    def long_desc(self) -> str:
        return (
            "Crawls whole sites, from their front pages, feeds and sitemaps to every article and list. SITE_OR_FILE is an address or a "
            "text file with one address per line, which may have options, as in 'example.org/news depth=2 pages=500 days=7 allow=/news/ "
            "deny=/tag/'. Robots.txt is obeyed. The exit code is 1 if a site gave nothing, and 3 if a site is not as it was before."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        # Scrapy makes a heading of each line that ends with a colon, so no help text has one.
        group = parser.add_argument_group(title="Output")
        suffixes = ", ".join(output.suffixes[0] for output in OUTPUTS if output.exporter)
        file_help = f"add the items to FILE ({suffixes}, .json or .xml); without a file, JSON lines are printed"
        group.add_argument("-o", "--output", metavar="FILE", action="append", help=file_help)
        group.add_argument("-O", "--overwrite-output", metavar="FILE", action="append", help="the same, but replace what FILE holds")
        choice = group.add_mutually_exclusive_group()
        state_help = f"only what earlier runs have not delivered, according to FILE{STATE_SUFFIX} (the default with -o)"
        choice.add_argument("--new-only", action="store_true", help=state_help)
        choice.add_argument("--all", action="store_true", help="everything, whatever earlier runs delivered (the default otherwise)")
        alert_help = "run CMD if a site changed, with JSON on its standard input: the night, the sites and their curves"
        group.add_argument("--alert-command", metavar="CMD", help=alert_help)
        group = parser.add_argument_group(title="Scope")
        group.add_argument("--pages", metavar="N", help="at most N pages of each site (by default 10,000 of all sites together)")
        group.add_argument("--depth", metavar="N", help="at most N links from the address; the next pages of a list do not count")
        group.add_argument("--days", metavar="N", help="leave out entries of feeds and sitemaps that are older than N days")
        group.add_argument("--allow", metavar="REGEX", default="", help="only addresses in which this regular expression is found")
        group.add_argument("--deny", metavar="REGEX", default="", help="no addresses in which this regular expression is found")
        group.add_argument("--no-feeds", dest="feeds", action="store_false", help="read no feeds and sitemaps, only follow links")
        group.add_argument("--no-render", dest="render", action="store_false", help="never use a browser")
        ScrapyCommand.add_options(self, parser)
        parser.set_defaults(spargs=[])

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        if not inside_project():
            self.settings.setmodule(PROJECT)
        opts.is_new_only = not opts.all and (opts.new_only or bool(opts.output))
        self.outputs: list[str] = opts.output or opts.overwrite_output or []
        self.state = state_file(*self.outputs[:1])
        self.own_settings = {"LOG_LEVEL": "WARNING", "WEBCONTENT_CRAWL_STATE": f"sqlite:///{self.state}" if opts.is_new_only else ""}
        super().process_options(args, opts)
        self.print_items()

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from webcontent.crawl.incremental.nights import WHOLE_RUNS, HostNights
        from webcontent.crawl.spiders.seeds import SeedsSpider
        from webcontent.history.host import host_of

        is_file = bool(opts.output) and "://" not in self.outputs[0]
        if opts.is_new_only and is_file and Path(self.state).is_file() and not Path(self.state.removesuffix(STATE_SUFFIX)).exists():
            message = "%s is gone, but %s knows what was in it. Use --all to get everything again."
            logger.warning(message, self.outputs[0], self.state)
        scope = {"allow": opts.allow, "deny": opts.deny, "sources": int(opts.feeds), "depth": opts.depth, "days": opts.days or 0}
        limits = {} if opts.pages is None else {"pages": 0, "pages_per_seed": opts.pages}
        # Failed requests are reasons in the table and no errors of the log.
        logging.getLogger("scrapy.core.scraper").addFilter(lambda record: not str(record.msg).startswith("Error downloading"))
        crawler = self.crawl(SeedsSpider, urls=args, **scope, **limits)
        if crawler is None or not isinstance(crawler.spider, SeedsSpider):
            self.exitcode = 1
            return
        nights = HostNights.of(crawler)
        for row in crawler.spider.rows:
            row.changes = nights.changes.get(host_of(row.url), [])
            row.count_redirects()
        self._print_table(crawler.spider.rows, is_new_only=opts.is_new_only, is_stored=not self.exitcode)
        has_finished = crawler.stats.get_value("finish_reason") in WHOLE_RUNS
        if not has_finished or any(row.is_wrong for row in crawler.spider.rows):
            self.exitcode = 1
        if nights.changes:
            self.exitcode = self.exitcode or CHANGED
            self._alert(opts.alert_command, nights)

    def _alert(self, command: str | None, nights: HostNights) -> None:
        sites = {host: [change._asdict() for change in changes] for host, changes in nights.changes.items()}
        try:
            if command:
                subprocess.run(shlex.split(command), input=json.dumps({"night": nights.night, "sites": sites}), text=True, check=True)  # noqa: S603
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            self.fail(f"The alert command {command!r} failed: {error}")

    def _print_table(self, rows: Sequence[SeedRow], *, is_new_only: bool, is_stored: bool) -> None:
        """The table, behind the log; on standard error if the items are on standard output."""
        from webcontent.crawl.spiders.seed_rows import iter_table

        print(*iter_table(rows), sep="\n", file=sys.stdout if self.outputs else sys.stderr, flush=True)
        if self.outputs and is_stored:
            next_run = f" The next run adds only what is new, by {self.state}." if is_new_only else ""
            names = ", ".join(map(without_password, with_listings(self.outputs)))
            print(f"New items in {names}: {sum(row.counts['new'] for row in rows)}.{next_run}", flush=True)


def state_file(output: str = "-") -> str:
    """The crawl state of an output file, beside it; of anything else, in the current folder.

    >>> state_file("news/items.jsonl"), state_file("items.data:jsonl"), state_file("s3://bucket/items.jsonl")
    ('news/items.jsonl.state.db', 'items.data.state.db', 'harvest.state.db')
    """
    if "://" in output or output.startswith("-"):
        return f"harvest{STATE_SUFFIX}"
    path, colon, feed_format = output.rpartition(":")
    is_format = bool(colon) and feed_format.isalnum() and len(path) > 1  # C:items.jsonl is a path
    return f"{path if is_format else output}{STATE_SUFFIX}"
