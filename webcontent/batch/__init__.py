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
    "Options": "webcontent.pipeline",
    "iter_pages": "webcontent.batch.warc",
    **dict.fromkeys(("Counts", "extract_archives"), "webcontent.batch.run"),
    **dict.fromkeys(("SCHEMA", "extract_table", "table_from_items"), "webcontent.batch.table"),
}

_EXTRAS = {"pyarrow": "parquet", "fastwarc": "warc"}
"""Package -> the extra that installs it."""

__all__ = ["SCHEMA", "Counts", "Options", "extract_archives", "extract_table", "iter_pages", "table_from_items"]


if not TYPE_CHECKING:  # a type checker that sees it accepts any name, also a misspelled one

    def __getattr__(name: str) -> Any:
        """Loads names on first use: tables need no fastwarc, and archives no pyarrow. A missing one is named with its extra."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            return getattr(import_module(_HOMES[name]), name)
        except ModuleNotFoundError as error:
            package = str(error.name).partition(".")[0]
            if package not in _EXTRAS:
                raise
            message = f'webcontent.batch.{name} needs the package {package}: pip install "webcontent[{_EXTRAS[package]}]"'
            raise ModuleNotFoundError(message, name=error.name) from None


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
