"""Arrow tables: pages in, items out, with one schema for articles and lists.

Ray Data, Spark's `mapInArrow`, DuckDB, Polars and pandas pass Arrow data to functions and accept it back.
"""

from __future__ import annotations

import json
from dataclasses import asdict, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa
from itemadapter import ItemAdapter
from pyarrow import parquet

from webcontent.extractors import load_extractor
from webcontent.formats.table import COLUMN_TYPES, without_none
from webcontent.items import Article, Listing, Page, schema_of
from webcontent.pipeline import Options, page_item
from webcontent.whole_files import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

Batch = TypeVar("Batch", pa.RecordBatch, pa.Table)

GROUP_BYTES = 32 << 20
"""Lines in memory, before they are written as a row group of a Parquet file."""
PAGE_COLUMNS = ("html", "url", "encoding", "fetched_at", "status")
"""Columns of a batch that are read: fields of Page."""


def _arrow_type(annotation: Any) -> pa.DataType:
    """The Arrow type of an annotation: `X | None` is X, a dataclass is a struct of its fields."""
    annotation = without_none(annotation)
    if get_origin(annotation) is list:
        return pa.list_(_arrow_type(get_args(annotation)[0]))
    if is_dataclass(annotation):
        return pa.struct([(name, _arrow_type(part)) for name, part in get_type_hints(annotation).items()])
    return pa.type_for_alias(COLUMN_TYPES[annotation].arrow)


_ANNOTATIONS = get_type_hints(Listing) | get_type_hints(Article)
SCHEMA = pa.schema([(name, _arrow_type(_ANNOTATIONS[name])) for name, field in schema_of(Article, Listing).items() if field.in_feeds])
"""All fields of Article and Listing except `evidence`. A field that a class does not have is null in its rows."""

_TEXT_KINDS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary, pa.types.is_null)
_NOT_FITTING = (pa.ArrowException, UnicodeEncodeError, OverflowError)
"""What pyarrow raises for values that it can't make an array of."""
_LARGEST_INT32 = int(np.iinfo(np.int32).max)


def extract_table(batch: Batch, *, extractor: str | None = None, keep: Sequence[str] = ()) -> Batch:
    """The items of a batch of pages: one row per page, in order, with the columns of SCHEMA. A Table gives a Table.

    Columns of `batch`: `html` (string or binary; null for an empty page), and optionally `url`, `encoding`, `fetched_at` (strings) and
    `status` (a number). `extractor`: the name of an extractor for all pages; None to choose it by page type. `keep`: names of columns
    that are copied to the result, before the others.
    Raises TypeError for other objects than Arrow batches, ValueError for missing columns and unknown extractors, ModelError for missing
    or damaged models; never on page content.
    """
    if not isinstance(batch, (pa.RecordBatch, pa.Table)):
        raise TypeError(f"batch is {type(batch).__name__}; it takes a pyarrow RecordBatch or Table")
    _check_columns(batch, keep)
    if extractor is not None:
        load_extractor(extractor)  # raises ValueError for an unknown name
    options = Options(extractor=extractor)
    items: Any = table_from_items(page_item(page, options) for page in _iter_pages(batch))
    names, columns = [*keep, *SCHEMA.names], [*(batch.column(name) for name in keep), *items.columns]
    return type(batch).from_arrays(columns, names=names)


def table_from_items(items: Iterable[Article | Listing]) -> pa.RecordBatch:
    """One row per item, with the columns of SCHEMA."""
    return batch_of_rows(list(map(row_from_item, items)), SCHEMA)


def batch_of_rows(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """The rows with the columns of a schema. A value of another type than its column's becomes null, or JSON in a column of texts."""
    arrays = [_array([row.get(column.name) for row in rows], column.type) for column in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def schema_of_rows(rows: Sequence[dict[str, Any]]) -> pa.Schema:
    """SCHEMA, and behind it a column for each other name of the rows, of the type that all its values have, else a text."""
    names = dict.fromkeys(name for row in rows for name in row if name not in SCHEMA.names)
    return pa.schema([*SCHEMA, *((name, _common_type([row.get(name) for row in rows])) for name in names)])


def _common_type(values: list[Any]) -> pa.DataType:
    try:
        kind = pa.array(values).type
    except _NOT_FITTING:
        return pa.string()
    return pa.string() if pa.types.is_null(kind) else kind


def row_from_item(item: Any) -> dict[str, Any]:
    if not isinstance(item, (Article, Listing)):
        return ItemAdapter(item).asdict()
    row = asdict(replace(item, evidence={}))  # a copy of the evidence would only cost time
    del row["evidence"]
    return _with_fitting_sizes(row)


def write_table(lines: Path, target: Path) -> None:
    """Makes a Parquet file of the items of a file of JSON lines, one row group at a time."""
    with whole_file(target) as stream, lines.open("rb") as file, parquet.ParquetWriter(stream, SCHEMA, compression="zstd") as writer:
        while group := file.readlines(GROUP_BYTES):
            writer.write_batch(batch_of_rows([_with_fitting_sizes(json.loads(line)) for line in group], SCHEMA))


def _with_fitting_sizes(row: dict[str, Any]) -> dict[str, Any]:
    """Sizes of images that are no 32-bit numbers become null."""
    for image in row.get("images") or ():
        for side in ("width", "height"):
            value = image[side]
            image[side] = value if isinstance(value, int) and abs(value) <= _LARGEST_INT32 else None
    return row


def _iter_pages(batch: pa.RecordBatch | pa.Table) -> Iterator[Page]:
    """The pages of the rows. Null values are left to the defaults of Page."""
    names = [name for name in PAGE_COLUMNS if name in batch.schema.names]
    for part in batch.to_batches() if isinstance(batch, pa.Table) else [batch]:
        for values in zip(*(part.column(name) for name in names), strict=True):  # single values, because pages are large
            row = {name: value.as_py() for name, value in zip(names, values, strict=True)}
            yield Page(**{name: value for name, value in row.items() if value is not None})


def _check_columns(batch: pa.RecordBatch | pa.Table, keep: Sequence[str]) -> None:
    present = batch.schema.names
    for name in ("html", *keep):
        if name not in present:
            raise ValueError(f"The batch has no column {name!r}. It has: {', '.join(present) or 'none'}.")
    if clash := set(keep) & set(SCHEMA.names):
        raise ValueError(f"keep names {min(clash)!r}, which is a column of the items. Rename it in the batch.")
    kind = batch.schema.field("html").type
    if not any(is_kind(kind) for is_kind in _TEXT_KINDS):
        raise ValueError(f"The column 'html' is of type {kind}; it takes string or binary.")


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Values as an Arrow array. Lone surrogates, which UTF-8 can't represent, become question marks."""
    try:
        return pa.array(values, kind)
    except _NOT_FITTING:
        return pa.array([_fitting(_encodable(value), kind) for value in values], kind)


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """A value of a type; JSON for a text, else null, of one that has another."""
    try:
        pa.array([value], kind)
    except _NOT_FITTING:
        return json.dumps(value, ensure_ascii=False, default=str) if pa.types.is_string(kind) else None
    return value


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {name: _encodable(part) for name, part in value.items()}
    return [_encodable(part) for part in value] if isinstance(value, list) else value
