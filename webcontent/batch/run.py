"""A run over web archives on all cores: WARC files in, JSON lines or Parquet out. A run that was killed can be continued."""

from __future__ import annotations

import errno
import json
import logging
import os
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from webcontent.batch.pool import Chunk, ProcessPool
from webcontent.batch.warc import iter_records
from webcontent.formats.outputs import ARCHIVE_OUTPUTS
from webcontent.pipeline import Options, check_options
from webcontent.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from webcontent.batch.pool import EncodedItems
    from webcontent.items import Page

logger = logging.getLogger(__name__)

BYTES_PER_CHUNK = 1 << 20
"""Of the pages that one process reads at a time."""
STATE_INTERVAL_S = 5.0


@dataclass(slots=True)
class Counts:
    """The progress of a run, over all its archives."""

    pages: int = 0
    """Pages that were read. Each gives an item."""
    others: int = 0
    """Records without an HTML page: images, redirects."""
    damaged: int = 0
    """Places where an archive is damaged."""
    failed: int = 0
    """Pages whose extraction failed or took too long. Their items have the flag `empty`."""
    items: int = 0
    """Items in the output: fewer than pages if a page type is left out."""


def extract_archives(
    paths: Sequence[str | Path],
    output: str | Path,
    *,
    options: Options | None = None,
    emit: Sequence[str] | None = None,
    processes: int | None = None,
    show: Callable[[Counts, int, int], None] | None = None,
) -> Counts:
    """Writes the items of all HTML pages of WARC files into one file, in order: `.jsonl`, `.jl` or `.parquet`.

    `options`: how pages are read; None for the defaults. `emit`: page types whose items are written; None for all.
    `processes`: None for one per core. `show(counts, done_bytes, total_bytes)` is called after each chunk of pages.

    A run that was killed continues when it is called again with the same archives; its progress is in `<output>.state`. Memory does not
    grow with the archives. Raises ValueError for another suffix and for the state of a run over other archives, ModelError for missing or
    damaged models, OSError for files that can't be read or written. Items that are already written are kept.
    """
    archives, target = [Path(path) for path in paths], Path(output)
    if target.suffix not in ARCHIVE_OUTPUTS:
        raise ValueError(f"The output is {target.name!r}; its name must end in {', '.join(ARCHIVE_OUTPUTS)}.")
    if missing := ARCHIVE_OUTPUTS[target.suffix].missing_package():
        raise ModuleNotFoundError(f"{target.name} needs {missing}")
    options = options or Options()
    check_options(options)
    run = _Run(archives, target, options)
    try:
        with ProcessPool(processes or os.cpu_count() or 1, run.options, emit) as pool:
            last = monotonic()
            for chunk, items in pool.results(run.iter_chunks()):
                run.add(chunk, items)
                if monotonic() - last > STATE_INTERVAL_S:
                    run.save()
                    last = monotonic()
                if show is not None:
                    show(run.counts, chunk.done_bytes, sum(run.sizes))
        run.close()
    finally:
        with suppress(OSError):  # the error of the last write was already raised
            run.lines.close()
    return run.counts


class _Run:
    """The archives of a run, its output, and its state on disk.

    Items are written as lines, to the output itself or to `<output>.lines`, of which a Parquet file is made at the end. The state says
    how many bytes of the lines are on disk: what was written after it is cut off when the run is continued.
    """

    def __init__(self, archives: list[Path], target: Path, options: Options) -> None:
        self.archives, self.options = archives, options
        self.sizes = [path.stat().st_size for path in archives]
        self.names = [[str(path), size] for path, size in zip(archives, self.sizes, strict=True)]
        self.state_file = target.with_name(f"{target.name}.state")
        state = self._load()
        self.counts = Counts(**state["counts"]) if state else Counts()
        self.position: dict[str, int] = state["position"] if state else {"archive": 0, "records": 0}
        """The end of the last chunk that was written, and the records before it in its archive."""
        self.table = target if ARCHIVE_OUTPUTS[target.suffix].is_closed else None
        if self.table and not state and self.table.exists():
            raise FileExistsError(errno.EEXIST, "the file exists, and a Parquet file can't be appended to", str(target))
        self.lines = (target.with_name(f"{target.name}.lines") if self.table else target).open("ab")
        if self.table or state:
            self.lines.truncate(state["bytes"] if state else 0)
        self.save()

    def iter_chunks(self) -> Iterator[Chunk]:
        """The chunks of pages after the position of an earlier run."""
        skip = self.position["records"]
        for number in range(self.position["archive"], len(self.archives)):
            with self.archives[number].open("rb") as file:
                yield from self._chunks_of(file, number, skip)
            skip = 0

    def _chunks_of(self, file: BinaryIO, number: int, skip: int) -> Iterator[Chunk]:
        """The chunks of one archive without its first `skip` records."""
        done_bytes = sum(self.sizes[:number])
        pages: list[Page] = []
        skipped: Counter[str] = Counter()
        size, count = 0, skip
        for count, record in enumerate(islice(iter_records(file, max_bytes=self.options.max_bytes), skip, None), skip + 1):
            if record.page is None:
                skipped["damaged" if record.is_damaged else "others"] += 1
            else:
                pages.append(record.page)
                size += len(record.page.html)
            if size >= BYTES_PER_CHUNK:
                yield Chunk(number, count, done_bytes + record.offset, pages, skipped)
                pages, skipped, size = [], Counter(), 0
        yield Chunk(number, count, done_bytes + file.tell(), pages, skipped)

    def add(self, chunk: Chunk, items: list[EncodedItems]) -> None:
        for part in items:
            self.lines.write(part.lines)
            self.counts.failed += part.failed
            self.counts.items += part.written
        self.position = {"archive": chunk.archive, "records": chunk.records}
        self.counts.pages += len(chunk.pages)
        self.counts.others += chunk.skipped["others"]
        self.counts.damaged += chunk.skipped["damaged"]

    def save(self) -> None:
        """Flushes the items to disk, then the state, so that the state never claims items that are not there."""
        _sync(self.lines)
        size = os.fstat(self.lines.fileno()).st_size
        state = {"archives": self.names, "position": self.position, "counts": asdict(self.counts), "bytes": size}
        write_whole(self.state_file, json.dumps(state))

    def close(self) -> None:
        """Completes the output and removes the state."""
        _sync(self.lines)
        self.lines.close()
        if self.table:
            from webcontent.batch.table import write_table

            write_table(Path(self.lines.name), self.table)
        self.state_file.unlink(missing_ok=True)
        if self.table:
            Path(self.lines.name).unlink()

    def _load(self) -> dict[str, Any] | None:
        """The state of an earlier run; None without one. Raises ValueError if it belongs to other archives."""
        try:
            state: dict[str, Any] = json.loads(self.state_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if state["archives"] != self.names:
            raise ValueError(f"{self.state_file} belongs to a run over other archives. Delete it to start over, or name the same archives.")
        logger.info("Continuing after %d pages.", state["counts"]["pages"])
        return state


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
