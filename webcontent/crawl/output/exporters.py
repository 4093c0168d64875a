"""The exporter of each feed format."""

from __future__ import annotations

from webcontent.crawl.output.csv import CsvExporter
from webcontent.crawl.output.failing import JsonLinesExporter
from webcontent.crawl.output.files import JSON_LINES
from webcontent.crawl.output.markdown import MarkdownExporter
from webcontent.crawl.output.parquet import ParquetExporter
from webcontent.crawl.output.rss import RssExporter

EXPORTERS: dict[str, type] = {
    "csv": CsvExporter,
    **dict.fromkeys(JSON_LINES, JsonLinesExporter),
    "md": MarkdownExporter,
    "parquet": ParquetExporter,
    "rss": RssExporter,
}
