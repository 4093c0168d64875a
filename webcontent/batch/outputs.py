"""Files of items that a killed run can continue: JSON lines and Parquet.

The state of an output describes what is on disk. When a run is continued, everything that was written after its state is cut off, so that
the file contains each item once. `encode` is called in other processes, and `write` takes what it gives. `flush` writes the items to disk;
it returns False, with an unchanged state, if they are too few for it. `close` completes the file, `abort` closes it as it is, and `clean`
removes what only a continued run needs.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from webcontent.items import Article, Listing

PART_BYTES = 64 << 20
"""Rows in memory, before they are written as a part of a Parquet file."""


class JsonLines:
    """One line per item, as in Scrapy's feeds. Lines are appended to an existing file."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        self.file = path.open("ab")
        if state is not None:
            self.file.truncate(state["bytes"])
        self.file.seek(0, os.SEEK_END)
        self.state = {"bytes": self.file.tell()}

    @staticmethod
    def encode(items: Sequence[Article | Listing]) -> bytes:
        """Lone surrogates become question marks."""
        return "".join(f"{json.dumps(asdict(item), ensure_ascii=False)}\n" for item in items).encode("utf-8", "replace")

    def write(self, encoded: bytes) -> None:
        self.file.write(encoded)

    def flush(self) -> bool:
        _sync(self.file)
        self.state = {"bytes": self.file.tell()}
        return True

    def close(self) -> None:
        _sync(self.file)
        self.file.close()

    def abort(self) -> None:
        with suppress(OSError):  # the error of the last write was already raised
            self.file.close()

    def clean(self) -> None:
        pass


class ParquetParts:
    """Complete Parquet files in a folder `<output>.parts`, joined at the end, because a Parquet file can't be appended to."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        from webcontent.batch.table import SCHEMA, table_from_items

        if state is None and path.exists():
            raise FileExistsError(errno.EEXIST, "the file exists, and a Parquet file can't be appended to", str(path))
        self.encode, self.schema = table_from_items, SCHEMA
        self.path = path
        self.folder = path.with_name(f"{path.name}.parts")
        self.folder.mkdir(exist_ok=True)
        self.state = state or {"parts": 0}
        self._batches: list[Any] = []

    def write(self, encoded: Any) -> None:
        self._batches.append(encoded)

    def flush(self) -> bool:
        is_large = sum(batch.nbytes for batch in self._batches) >= PART_BYTES
        if is_large:
            self._write_part()
        return is_large or not self._batches

    def close(self) -> None:
        """Joins the parts, one row group each. Memory holds one part at a time."""
        from pyarrow import parquet

        if self._batches:
            self._write_part()
        joined = self.folder / "joined"
        with parquet.ParquetWriter(joined, self.schema, compression="zstd") as writer:
            for number in range(self.state["parts"]):
                writer.write_table(parquet.read_table(self._part(number), schema=self.schema))
        joined.replace(self.path)

    def abort(self) -> None:
        self._batches.clear()

    def clean(self) -> None:
        shutil.rmtree(self.folder)

    def _write_part(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        with self._part(self.state["parts"]).open("wb") as file:
            parquet.write_table(pa.Table.from_batches(self._batches), file, compression="zstd")
            _sync(file)
        self._batches.clear()
        self.state = {"parts": self.state["parts"] + 1}

    def _part(self, number: int) -> Path:
        return self.folder / f"{number:06d}.parquet"


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
