"""`scrapy report FILE_OR_DATABASE... [--state STATE] [-o report.html]`: one HTML page about the items of a crawl."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from webcontent.crawl.commands.base import refuse_unknown_options, wrong_use
from webcontent.crawl.server_urls import check_server_url, sqlite_path, without_password
from webcontent.formats.outputs import READABLE_TITLES
from webcontent.inspect.items.files import with_listings
from webcontent.whole_files import write_whole

if TYPE_CHECKING:
    import argparse


def _source_of(name: str) -> str:
    """The file, or the address of the PostgreSQL database, that an argument names. Raises UsageError for another address."""
    if name.startswith(("postgresql://", "postgres://")):
        try:
            check_server_url(name)
        except ValueError as error:
            raise wrong_use(f"{without_password(name)} can't be read: {error}.") from None
    elif "://" in name and not name.startswith("sqlite:"):
        raise wrong_use(f"{without_password(name)} is no file. The command reads {READABLE_TITLES}, as a crawl writes them.")
    return sqlite_path(name) if name.startswith("sqlite:") else name


def _nights(state: str) -> dict[str, dict[str, dict[str, float]]]:
    """The nights of a crawl state by host. Raises UsageError if there is none."""
    from webcontent.crawl.incremental.store import CrawlStateError, open_store

    if "://" not in state and not Path(state).is_file():
        raise wrong_use(f"There is no file {state!r}; --state takes the crawl state of a crawl, as in --state items.jsonl.state.db.")
    try:
        with closing(open_store(state if "://" in state else f"sqlite:///{state}")) as store:
            return store.nights()
    except CrawlStateError as error:
        raise wrong_use(str(error)) from None


class ReportCommand(ScrapyCommand):
    requires_project = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "FILE_OR_DATABASE... [--state STATE] [-o report.html]"

    def short_desc(self) -> str:
        return "Write one HTML page about the items of a crawl: counts, missing fields, scores, times, lowest scores"

    def long_desc(self) -> str:
        return (
            f"Writes one HTML page about the items of a crawl, which loads nothing and can be mailed. It reads {READABLE_TITLES}, as a "
            "crawl writes them; of items.csv, items.listings.csv too. The address of a database (sqlite:///FILE, "
            "postgresql://USER:PASSWORD@HOST/NAME) is read as WEBCONTENT_DATABASE wrote it."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        state_help = "show the nights of each host, too, from the crawl state in this file or at this address (items.jsonl.state.db)"
        parser.add_argument("--state", metavar="STATE", help=state_help)
        parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default: %(default)s")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from webcontent.inspect.items.report import ItemCounts, report_html

        refuse_unknown_options(args, "report")
        if not args:
            raise wrong_use("Give at least one file of items, as in: scrapy report items.jsonl")
        names, counts = with_listings(map(_source_of, args)), ItemCounts()
        for name in names:
            try:
                counts.read(name)
            except OSError as error:
                raise wrong_use(f"{name!r} can't be read: {error.strerror or error}.") from None
            except ValueError as error:
                raise wrong_use(str(error)) from None
        names = [without_password(name) for name in names]
        if not counts.items:
            raise wrong_use(f"{', '.join(names)}: no items. The command reads {READABLE_TITLES}, as a crawl writes them.")
        page = report_html(counts, names, _nights(opts.state) if opts.state else None)
        try:
            write_whole(opts.output, page)
        except OSError as error:
            raise wrong_use(f"{opts.output!r} can't be written: {error.strerror or error}.") from None
        print(f"{counts.items} items: {opts.output}")
