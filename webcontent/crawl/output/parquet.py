"""Parquet feeds for data frames and DuckDB. The file is complete when the crawl ends."""

from __future__ import annotations

import logging
from typing import Any

from webcontent.crawl.output.failing import WholeFileExporter
from webcontent.items import Article, Listing

logger = logging.getLogger(__name__)

GROUP_ROWS, GROUP_BYTES = 1000, 32_000_000
"""Items, and bytes of their Arrow columns, that are held in memory before a row group is written."""


class ParquetExporter(WholeFileExporter):
    """Articles and listings in the columns of `webcontent.batch.table.SCHEMA`. Both stand in one file; `type` tells them apart.

    Items of other classes are left out, with a warning. Needs pyarrow: pip install "webcontent[parquet]".
    """

    _has_warned = False

    def begin(self) -> None:
        from pyarrow import parquet

        from webcontent.batch.table import SCHEMA

        self._writer: Any = parquet.ParquetWriter(self.file, SCHEMA, compression="zstd")
        self._items: list[Article | Listing] = []
        self._chars = 0

    def add(self, item: Any) -> None:
        if isinstance(item, (Article, Listing)):
            self._items.append(item)
            self._chars += len(item.body) + len(getattr(item, "body_html", ""))
            if len(self._items) >= GROUP_ROWS or self._chars >= GROUP_BYTES:
                self._write_group()
        elif not self._has_warned:
            self._has_warned = True
            logger.warning("Parquet feeds hold Article and Listing items; %s is left out.", type(item).__name__)

    def finish(self) -> None:
        self._write_group()
        self._writer.close()
        self.file.flush()

    def give_up(self) -> str:
        self._writer.is_open = False  # otherwise the writer closes itself later and writes to the file
        return super().give_up()

    def _write_group(self) -> None:
        from webcontent.batch.table import table_from_items

        if self._items:
            self._writer.write_batch(table_from_items(self._items))
        self._items, self._chars = [], 0
