"""Many pages at once: Arrow tables in and out, and whole web archives.

`extract_table` is for Ray Data, Spark, DuckDB and pandas (extra `parquet`); `iter_pages` and `extract_archives` read WARC files
(extra `warc`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webcontent.batch.archives import Counts, extract_archives
    from webcontent.batch.table import SCHEMA, extract_table, table_from_items
    from webcontent.batch.warc import iter_pages
    from webcontent.pipeline import Options

_HOMES = {
    "Counts": "webcontent.batch.archives",
    "Options": "webcontent.pipeline",
    "SCHEMA": "webcontent.batch.table",
    "extract_archives": "webcontent.batch.archives",
    "extract_table": "webcontent.batch.table",
    "iter_pages": "webcontent.batch.warc",
    "table_from_items": "webcontent.batch.table",
}

__all__ = [
    "SCHEMA",
    "Counts",
    "Options",
    "extract_archives",
    "extract_table",
    "iter_pages",
    "table_from_items",
]


def __getattr__(name: str) -> Any:
    """Names are loaded on first use: tables need no archives, and archives no Arrow."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
