"""Parquet feeds for data frames and DuckDB. The file is complete when the crawl ends."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter

from webcontent.crawl.output.failing import StopsAtFullDisk, TakesFile
from webcontent.items import Page

GROUP_CHARACTERS = 16_000_000
"""Of the items that are held in memory before a row group is written."""


class ParquetExporter(StopsAtFullDisk, TakesFile):
    """Items in the columns of `webcontent.batch.table.SCHEMA`, and behind them those of all other fields that items of the first row
    group have, such as those of subclasses and of a project's own items. All stand in one file; `type` tells articles and lists apart.

    Needs pyarrow: pip install "webcontent[parquet]".
    """

    def begin(self) -> None:
        self._writer: Any = None
        self._items: list[Any] = []
        self._chars = 0

    def add(self, item: Any) -> None:
        if isinstance(item, Page):
            return
        self._items.append(item)
        self._chars += sum(len(str(value)) for value in ItemAdapter(item).values())
        if self._chars >= GROUP_CHARACTERS:
            self._write_group()

    def finish(self) -> None:
        self._write_group()
        self._writer.close()

    def give_up(self) -> None:
        super().give_up()
        if self._writer is not None:
            self._writer.is_open = False  # otherwise the writer closes itself later and writes to the file

    def _write_group(self) -> None:
        from pyarrow import parquet

        from webcontent.batch.table import batch_of_rows, row_from_item, schema_of_rows

        rows = list(map(row_from_item, self._items))
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self.file, schema_of_rows(rows), compression="zstd")
        for item, row in zip(self._items, rows, strict=True):
            if lost := row.keys() - set(self._writer.schema.names):
                self.leave_out(item, lost)
        if rows:
            self._writer.write_batch(batch_of_rows(rows, self._writer.schema))
        self._items, self._chars = [], 0
