"""Files of items that a killed run can go on with: JSON lines and Parquet.

An output writes a state next to itself, `<output>.state`, whenever what it holds is on disk. What stands behind the state when a run is
taken up again was written after it, and is cut off; so each item stands in the file once.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from webcontent.items import Article, Listing

SUFFIXES = (".jsonl", ".jl", ".parquet")
PART_BYTES = 64 << 20
"""Of rows that wait in memory before they become a part of a Parquet file."""


class Output(Protocol):
    """A file of items. `write` takes what `encode` made of some items, in any process."""

    encode: Callable[..., Any]
    state: dict[str, Any]
    """What is needed to come back to what is on disk."""

    def write(self, encoded: Any) -> None: ...

    def flush(self) -> bool:
        """Puts what was written on disk; False where it is not worth it yet, and `state` stays."""

    def close(self) -> None:
        """Completes the file."""

    def abort(self) -> None:
        """Lets go of the file as it is."""

    def clean(self) -> None:
        """Takes away what is of no use once the file is complete and known to be."""


def open_output(path: Path, state: dict[str, Any] | None) -> Output:
    """The output that the file's name asks for; `state`: that of a run that ended too soon. OSError where it can't be written."""
    return ParquetParts(path, state) if path.suffix == ".parquet" else JsonLines(path, state)


class JsonLines:
    """A line an item, as Scrapy's feeds write them. Lines are added to a file that is there already."""

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
        with suppress(OSError):  # of what waits to be written; a full disk has been told of
            self.file.close()

    def clean(self) -> None:
        pass


class ParquetParts:
    """Parts in a folder `<output>.parts`, each whole on disk, that become one file at the end: a Parquet file can't be added to."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        if state is None and path.exists():
            raise FileExistsError(errno.EEXIST, "the file exists, and a Parquet file can't be added to", str(path))
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
        """Joins the parts, a row group each; memory holds one at a time."""
        from pyarrow import parquet

        from webcontent.batch.table import SCHEMA

        self._write_part()
        whole = self.folder / "whole"
        with parquet.ParquetWriter(whole, SCHEMA, compression="zstd") as writer:
            for number in range(self.state["parts"]):
                writer.write_table(parquet.read_table(self._part(number), schema=SCHEMA))
        whole.replace(self.path)

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
    """A JSON line an item, readable, UTF-8; what no UTF-8 can hold becomes a question mark."""
    lines = [json.dumps(asdict(item), ensure_ascii=False) for item in items]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def encode_rows(items: Sequence[Article | Listing]) -> Any:
    """An Arrow record batch in the columns of SCHEMA."""
    from webcontent.batch.table import table_from_items

    return table_from_items(items)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
