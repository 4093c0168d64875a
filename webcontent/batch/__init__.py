"""Many pages at once: Arrow tables and web archives.

`extract_table` serves Ray Data, Spark, DuckDB and pandas (extra `parquet`). `extract_archives` and `iter_pages` read WARC files (extra
`warc`). `Options` says how pages are read, as in `Options(extractor="awce", models=webcontent.ModelRegistry("my-models"))`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webcontent.batch.run import Counts, extract_archives
    from webcontent.batch.table import SCHEMA, extract_table, table_from_items
    from webcontent.batch.warc import iter_pages
    from webcontent.pipeline import Options

_HOMES = {
    "Counts": "webcontent.batch.run",
    "Options": "webcontent.pipeline",
    "SCHEMA": "webcontent.batch.table",
    "extract_archives": "webcontent.batch.run",
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
    """Loads names on first use, because tables do not need fastwarc and archives do not need pyarrow."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
