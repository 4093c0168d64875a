"""CSV files for spreadsheet programs: fixed columns, one file per class, and cells that such programs sort and filter (docs/fields.md).

A crawl yields items of several classes, and a CSV file has the columns of one. `split_csv_feeds` makes several feeds of each CSV feed.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exporters import CsvItemExporter
from scrapy.extensions.feedexport import ItemFilter

from webcontent.crawl.output.failing import StopsAtFullDisk
from webcontent.formats.outputs import file_beside
from webcontent.formats.table import guarded, guarded_json
from webcontent.items import TEXT_SEPARATOR, TIMES, Article, Listing, schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import BytesIO

COLUMNS: dict[type, tuple[str, ...]] = {item_class: tuple(schema_of(item_class)) for item_class in (Article, Listing)}
BOM = "\ufeff"
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?")


class CsvExporter(StopsAtFullDisk, CsvItemExporter):
    """Scrapy's CSV exporter with rules for Article and Listing (docs/fields.md). Other items are written as Scrapy writes them.

    The columns are those of COLUMNS unless the feed sets its own. Rows that are appended to a file get no second header. Fields that a
    subclass adds are the last columns, if the first item has them.
    """

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(file, **{"errors": "replace", **kwargs})
        self._is_new = _is_empty(file)
        self._is_ours = self._has_own_columns = False

    def add(self, item: Any) -> None:
        base = next((item_class for item_class in COLUMNS if isinstance(item, item_class)), None)
        self._is_ours = base is not None
        names = dict.fromkeys((*(COLUMNS[base] if base else ()), *ItemAdapter(item).field_names()))
        if self._is_ours and self._headers_not_written:
            self._has_own_columns = bool(self.fields_to_export)
            self.fields_to_export = self.fields_to_export or self._columns_of_file() or tuple(names)
            self.include_headers_line = self.include_headers_line and self._is_new is not False
            if self._is_new and (self.encoding or "").lower().replace("-", "") == "utf8":
                self.stream.write(BOM)
        if self._is_ours and not self._has_own_columns and (lost := names.keys() - set(self.fields_to_export or ())):
            self.leave_out(item, lost)
        super().add(item)

    def _columns_of_file(self) -> list[str] | None:
        """The columns of a file to which rows are added; None for a new one."""
        path = getattr(self.file, "path", None)
        if self._is_new is not False or path is None:
            return None
        with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return next(csv.reader(file), None)

    def serialize_field(self, field: Mapping[str, Any], name: str, value: Any) -> Any:
        if self._is_ours:
            return cell(clock_time(value) if name in TIMES else value)
        return super().serialize_field(field, name, value)


class PartFilter(ItemFilter):
    """The items of one of the files that a CSV feed becomes. The first item decides what the main file holds."""

    PART, FIRST = "webcontent_part", "webcontent_first"
    """Options of a feed: which of the files it is, and a list, shared by the files, with the kind of the first item."""

    def accepts(self, item: Any) -> bool:
        options: dict[str, Any] = self.feed_options or {}
        if isinstance(item, Listing):
            return False
        kind = "articles" if isinstance(item, Article) else "others"
        if not options[self.FIRST]:
            options[self.FIRST].append(kind)
        is_main = options.get("fields") or kind == options[self.FIRST][0]  # the columns of a feed are those of its main file
        return bool(options[self.PART] == ("main" if is_main else kind))


def split_csv_feeds(feeds: Mapping[Any, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The feeds, with one for each class of items in place of each CSV feed that does not select its items itself.

    >>> list(split_csv_feeds({"a.csv": {"format": "csv"}, "b.jsonl": {}}))
    ['a.csv', 'a.listings.csv', 'a.articles.csv', 'a.others.csv', 'b.jsonl']
    """
    split: dict[str, dict[str, Any]] = {}
    for uri, options in ((str(uri), options) for uri, options in feeds.items()):
        split[uri] = options
        is_csv = (options.get("format") or PurePath(uri).suffix.removeprefix(".")) == "csv"
        if is_csv and not options.get("item_classes") and not options.get("item_filter") and not uri.startswith("stdout:"):
            split[uri] = {**options, "item_filter": PartFilter, PartFilter.PART: "main", PartFilter.FIRST: []}
            split[file_beside(uri, "listings")] = {**options, "item_classes": [Listing], "store_empty": False}
            for part in ("articles", "others"):
                split[file_beside(uri, part)] = {**split[uri], PartFilter.PART: part, "store_empty": False}
    return split


def cell(value: Any) -> Any:
    """A value as it is written to a cell.

    >>> cell(["张三", "Lee"]), cell([]), cell(None), cell("=1+1"), cell([{"url": "x"}])
    ('张三; Lee', '', '', "'=1+1", '[{"url": "x"}]')
    """
    if value is None or value in ([], {}):
        return ""
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        value = TEXT_SEPARATOR.join(value)
    if isinstance(value, (list, tuple, dict)):
        return guarded_json(json.dumps(value, ensure_ascii=False, default=_plain))
    return guarded(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    return ItemAdapter(value).asdict() if ItemAdapter.is_item(value) else str(value)


def clock_time(value: Any) -> Any:
    """A time as spreadsheet programs recognize it: date, blank, clock. The offset is left out, since none of them reads it.

    >>> clock_time("2024-03-05T14:22:08+08:00"), clock_time("2024-03-05"), clock_time(None)
    ('2024-03-05 14:22:08', '2024-03-05', None)
    """
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    return f"{match[1]} {match[2]}" if match else value


def _is_empty(file: BytesIO) -> bool | None:
    """Whether nothing was written to a file before; None for pipes, which can't tell."""
    try:
        return file.tell() == 0
    except (OSError, AttributeError):
        return None
