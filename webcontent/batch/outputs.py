"""Files of items that a killed run can continue: JSON lines and Parquet.

The state of an output describes what is on disk. When a run is continued, everything that was written after its state is cut off, so that
the file contains each item once.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from webcontent.formats.outputs import ARCHIVE_OUTPUTS, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from webcontent.items import Article, Listing

PART_BYTES = 64 << 20
"""Rows in memory, before they are written as a part of a Parquet file."""


class Output(Protocol):
    """A file of items. `write` takes items that `encode` has encoded, possibly in another process."""

    encode: Callable[..., Any]
    state: dict[str, Any]
    """What a continued run needs to find the end of what is on disk."""

    def write(self, encoded: Any) -> None: ...

    def flush(self) -> bool:
        """Writes the items to disk. Returns False if they are too few for it; `state` is then unchanged."""

    def close(self) -> None:
        """Completes the file."""

    def abort(self) -> None:
        """Closes the file as it is."""

    def clean(self) -> None:
        """Removes auxiliary files, once the file is complete and the state is gone."""


def open_output(path: Path, state: dict[str, Any] | None) -> Output:
    """The output for the suffix of a path. `state`: that of an earlier run, to continue it. Raises OSError if the file can't be written."""
    output: Output = load(ARCHIVE_OUTPUTS[path.suffix].writer)(path, state)
    return output


class JsonLines:
    """One line per item, as in Scrapy's feeds. Lines are appended to an existing file."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        self.encode: Callable[..., Any] = encode_lines
        self.file = path.open("ab")
        if state is not None:
            self.file.truncate(state["bytes"])
        self.file.seek(0, os.SEEK_END)
        self.state: dict[str, Any] = {"bytes": self.file.tell()}

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
        if state is None and path.exists():
            raise FileExistsError(errno.EEXIST, "the file exists, and a Parquet file can't be appended to", str(path))
        self.encode: Callable[..., Any] = encode_rows
        self.path = path
        self.folder = path.with_name(f"{path.name}.parts")
        self.folder.mkdir(exist_ok=True)
        self.state: dict[str, Any] = state or {"parts": 0}
        self._batches: list[Any] = []

    def write(self, encoded: Any) -> None:
        self._batches.append(encoded)

    def flush(self) -> bool:
        if self._batches and sum(batch.nbytes for batch in self._batches) < PART_BYTES:
            return False
        self._write_part()
        return True

    def close(self) -> None:
        """Joins the parts, one row group each. Memory holds one part at a time."""
        from pyarrow import parquet

        from webcontent.batch.table import SCHEMA

        self._write_part()
        joined = self.folder / "joined"
        with parquet.ParquetWriter(joined, SCHEMA, compression="zstd") as writer:
            for number in range(self.state["parts"]):
                writer.write_table(parquet.read_table(self._part(number), schema=SCHEMA))
        joined.replace(self.path)

    def abort(self) -> None:
        self._batches.clear()

    def clean(self) -> None:
        shutil.rmtree(self.folder)

    def _write_part(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        if not self._batches:
            return
        with self._part(self.state["parts"]).open("wb") as file:
            parquet.write_table(pa.Table.from_batches(self._batches), file, compression="zstd")
            _sync(file)
        self._batches.clear()
        self.state = {"parts": self.state["parts"] + 1}

    def _part(self, number: int) -> Path:
        return self.folder / f"{number:06d}.parquet"


def encode_lines(items: Sequence[Article | Listing]) -> bytes:
    """One JSON line per item in UTF-8. Lone surrogates become question marks."""
    lines = [json.dumps(asdict(item), ensure_ascii=False) for item in items]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def encode_rows(items: Sequence[Article | Listing]) -> Any:
    """An Arrow record batch with the columns of SCHEMA."""
    from webcontent.batch.table import table_from_items

    return table_from_items(items)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
