"""`scrapy report FILE... [--state STATE] [-o report.html]`: one HTML page about the items of a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from webcontent.crawl.commands.base import refuse_unknown_options, wrong_use
from webcontent.crawl.server_urls import check_server_url, sqlite_path, without_password
from webcontent.formats.outputs import READABLE_TITLES
from webcontent.inspect.items.files import with_listings

if TYPE_CHECKING:
    import argparse


def _source_of(name: str) -> Path | str:
    """The file, or the address of the database, that an argument names. Raises UsageError for another address."""
    if name.startswith("sqlite:"):
        return Path(sqlite_path(name))
    if name.startswith(("postgresql://", "postgres://")):
        try:
            check_server_url(name)
        except ValueError as error:
            raise wrong_use(f"{without_password(name)} can't be read: {error}.") from None
        return name
    if "://" in name:
        raise wrong_use(f"{without_password(name)} is no file. The command reads {READABLE_TITLES}, as a crawl writes them.")
    return Path(name)


def _nights(state: str) -> dict[str, dict[str, dict[str, float]]]:
    """The nights of a crawl state by host. Raises UsageError if there is none."""
    from webcontent.crawl.incremental.store import CrawlStateError, open_store

    if "://" not in state and not Path(state).is_file():
        raise wrong_use(f"There is no file {state!r}; --state takes the crawl state of a crawl, as in --state items.jsonl.state.db.")
    try:
        store = open_store(state if "://" in state else f"sqlite:///{state}")
        nights = store.nights()
    except CrawlStateError as error:
        raise wrong_use(str(error)) from None
    store.close()
    return nights


class ReportCommand(ScrapyCommand):
    requires_project = False
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "FILE_OR_DATABASE... [--state STATE] [-o report.html]"

    def short_desc(self) -> str:
        return "Write one HTML page about the items of a crawl: counts, missing fields, scores, times, lowest scores"

    def long_desc(self) -> str:
        return (
            "Writes one HTML page about the items of a crawl, which loads nothing and can be mailed. The files are "
            f"{READABLE_TITLES}, as a crawl writes them; of items.csv, items.listings.csv is read too. The address of a database "
            "(sqlite:///FILE, postgresql://USER:PASSWORD@HOST/NAME) is read as WEBCONTENT_DATABASE wrote it."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        state_help = "show the nights of each host, too, from the crawl state in this file or at this address (items.jsonl.state.db)"
        parser.add_argument("--state", metavar="STATE", help=state_help)
        parser.add_argument("-o", "--output", metavar="FILE", default="report.html", help="default: %(default)s")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from webcontent.inspect.items.counts import ItemCounts
        from webcontent.inspect.items.report import report_html

        refuse_unknown_options(args, "report")
        if not args:
            raise wrong_use("Give at least one file of items, as in: scrapy report items.jsonl")
        named = list(map(_source_of, args))
        databases = [source for source in named if isinstance(source, str)]
        sources: list[Path | str] = [*with_listings([source for source in named if isinstance(source, Path)]), *databases]
        counts, names = ItemCounts(), [without_password(source) if isinstance(source, str) else str(source) for source in sources]
        for source in sources:
            try:
                counts.read(source)
            except OSError as error:
                raise wrong_use(f"{str(source)!r} can't be read: {error.strerror or error}.") from None
            except ValueError as error:
                raise wrong_use(str(error)) from None
        if not counts.items:
            raise wrong_use(f"{', '.join(names)}: no items. The command reads {READABLE_TITLES}, as a crawl writes them.")
        page = report_html(counts, names, _nights(opts.state) if opts.state else None)
        try:
            Path(opts.output).parent.mkdir(parents=True, exist_ok=True)
            Path(opts.output).write_text(page, encoding="utf-8", errors="replace")
        except OSError as error:
            raise wrong_use(f"{opts.output!r} can't be written: {error.strerror or error}.") from None
        print(f"{counts.items} items: {opts.output}")
