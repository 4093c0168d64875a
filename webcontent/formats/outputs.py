"""The one table of output formats: feeds, `-o`, archives, reports and the documentation read it.

A new format is a line here, with the exporter that the line names.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """A format in which items are written. Classes and functions are named by dotted paths, so that nothing is imported before its use:
    the exporter of feeds, the reader that gives the items of a file as dicts.
    """

    title: str
    use: str
    """What it is for, in the words of the documentation."""
    names: tuple[str, ...] = ()
    """Its names in feeds, and in `-o FILE:NAME`; without any, no feed has it."""
    suffixes: tuple[str, ...] = ()
    exporter: str = ""
    """The exporter of feeds; without one, Scrapy's is used."""
    reader: str = ""
    signature: bytes = b""
    is_by_line: bool = False
    """Whether a file consists of whole records at any moment; others are complete when they are closed."""
    is_closed: bool = False
    """Whether nothing can be added to a complete file."""
    is_of_archives: bool = False
    """Whether a run over web archives writes it."""
    is_printed: bool = False
    package: str = ""
    """The package that it needs, and that only an extra installs."""
    extra: str = ""

    def missing_package(self) -> str | None:
        """A sentence about the package that the format needs, if it is not installed."""
        if not self.package or find_spec(self.package) is not None:
            return None
        return f'the package {self.package}: pip install "webcontent[{self.extra}]"'


_EXPORT, _READ = "webcontent.crawl.output.", "webcontent.inspect.items.files."
JSON_LINES = OutputFormat(
    "JSON lines", "Programs. One item per line, so that the file is whole at any moment.",
    names=("jsonl", "jl", "jsonlines"), suffixes=(".jsonl", ".jl"), exporter=_EXPORT + "failing.JsonLinesExporter",
    reader=_READ + "from_lines", is_by_line=True, is_of_archives=True, is_printed=True,
)  # fmt: skip
OUTPUTS = (
    JSON_LINES,
    OutputFormat(
        "CSV", "Spreadsheet programs. Grows by lines, too; lists have a file of their own.",
        names=("csv",), suffixes=(".csv",), exporter=_EXPORT + "csv.CsvExporter", reader=_READ + "from_csv", is_by_line=True,
    ),
    OutputFormat(
        "Markdown", "Reading: text with front matter, one item after the other.",
        names=("md",), suffixes=(".md",), exporter=_EXPORT + "markdown.MarkdownExporter", is_printed=True,
    ),
    OutputFormat(
        "Parquet", "DuckDB, Polars and pandas, with articles and lists in one file.",
        names=("parquet",), suffixes=(".parquet",), exporter=_EXPORT + "parquet.ParquetExporter",
        reader=_READ + "from_parquet", signature=b"PAR1", is_closed=True, is_of_archives=True, package="pyarrow", extra="parquet",
    ),
    OutputFormat(
        "RSS", "Feed readers: title, time, authors and text of articles.",
        names=("rss",), suffixes=(".rss",), exporter=_EXPORT + "rss.RssExporter", is_closed=True,
    ),
    OutputFormat(
        "SQLite", "The database of `WEBCONTENT_DATABASE`.",
        suffixes=(".db", ".sqlite"), reader=_READ + "from_sqlite", signature=b"SQLite format 3\x00",
    ),
)  # fmt: skip
ARCHIVE_OUTPUTS = {suffix: output for output in OUTPUTS if output.is_of_archives for suffix in output.suffixes}
"""The formats of the items of web archives, by suffix."""
READABLE = tuple(output for output in OUTPUTS if output.reader)
READABLE_TITLES = " and ".join((", ".join(output.title for output in READABLE[:-1]), READABLE[-1].title))


def feed_format(name: str) -> OutputFormat | None:
    """The format with a name that feeds use; None for one of Scrapy's or of a project's own."""
    return next((output for output in OUTPUTS if name in output.names), None)


def exporters() -> dict[str, str]:
    """The dotted paths of the exporters by the names of their formats, as Scrapy's FEED_EXPORTERS has them."""
    scrapys = {name: f"{_EXPORT}failing.{name.capitalize()}Exporter" for name in ("json", "xml")}
    return scrapys | {name: output.exporter for output in OUTPUTS for name in output.names if output.exporter}


def format_of_file(path: Path, head: bytes) -> OutputFormat:
    """The format that a reader takes a file for, by its first bytes, then by its suffixes: `items.csv.gz` is CSV. Else JSON lines."""
    for output in READABLE:
        if output.signature and head.startswith(output.signature):
            return output
    return next((output for output in READABLE if not output.signature and set(output.suffixes) & set(path.suffixes)), JSON_LINES)


def file_beside(uri: str, kind: str) -> str:
    """The file that belongs to a CSV file and holds what the main file does not.

    >>> file_beside("news/a.csv", "listings")
    'news/a.listings.csv'
    """
    folder, slash, name = uri.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    return f"{folder}{slash}{stem}.{kind}.{extension}" if dot else f"{uri}.{kind}"
