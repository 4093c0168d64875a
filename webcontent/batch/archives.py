"""Whole web archives on all cores: WARC files in, JSON lines or Parquet out; a run that was killed goes on where it was."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from webcontent.batch.outputs import SUFFIXES, open_output
from webcontent.batch.warc import iter_records
from webcontent.pipeline import Options, check_options, failed_item, page_item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from typing import Self

    from webcontent.batch.outputs import Output
    from webcontent.items import Article, Listing, Page

logger = logging.getLogger(__name__)

PAGES_PER_CHUNK = 16
BYTES_PER_CHUNK = 2 << 20
"""What one process is given at once ends at one of the two."""
CHUNKS_PER_PROCESS = 3
"""Chunks that are on their way to a process and back: memory is bounded by them."""
PAGE_LIMIT_S = 60
"""Of processor time. A process that needs more for a page is killed, and the page gives an empty item."""
STATE_INTERVAL_S = 5.0


@dataclass(slots=True)
class Counts:
    """What a run has done so far, all its archives together."""

    pages: int = 0
    """Pages that were read, an item each."""
    others: int = 0
    """Records that hold no HTML page: pictures, redirects."""
    damaged: int = 0
    """Places where an archive is damaged."""
    failed: int = 0
    """Pages on which extraction failed or did not end; they gave an item with the flag `empty`."""
    items: int = 0
    """Items in the output; fewer than pages where a type is left out."""


@dataclass(slots=True)
class _Position:
    """Where a run is: what a chunk that was written reaches up to."""

    archive: int = 0
    records: int = 0
    """Of that archive, read so far."""


@dataclass(slots=True)
class _Chunk:
    pages: list[Page] = field(default_factory=list)
    size: int = 0
    others: int = 0
    damaged: int = 0
    position: _Position = field(default_factory=_Position)
    done_bytes: int = 0
    """Of all archives, up to here; for the progress line."""


def extract_archives(
    paths: Sequence[str | Path],
    output: str | Path,
    *,
    options: Options | None = None,
    emit: Sequence[str] | None = None,
    processes: int | None = None,
    show: Callable[[Counts, int, int], None] | None = None,
) -> Counts:
    """The items of all HTML pages of these WARC files in one file, in their order: `.jsonl` or `.parquet`.

    `emit`: types of page whose items are written (None: all); `processes`: None = a core each; `show(counts, bytes done, bytes in all)`
    is called now and then. A run that was killed is taken up where it was when it is called again with the same archives; what
    says so is `<output>.state`. Memory does not grow with the archives.
    Raises ValueError for another format, ModelError for missing or damaged models, OSError for what can't be read or written; what is
    on disk by then stays.
    """
    archives, target = [Path(path) for path in paths], Path(output)
    if target.suffix not in SUFFIXES:
        raise ValueError(f"{target.name!r} ends in none of {', '.join(SUFFIXES)}.")
    options = options or Options()
    check_options(options)
    run = _Run(archives, target, options)
    try:
        with _Pool(processes or os.cpu_count() or 1, run.options, run.output.encode, emit) as pool:
            last = monotonic()
            for chunk, answer in pool.answers(run.iter_chunks()):
                run.add(chunk, answer)
                if monotonic() - last > STATE_INTERVAL_S:
                    run.save()
                    last = monotonic()
                if show is not None:
                    show(run.counts, chunk.done_bytes, run.total_bytes)
        run.close()
    except BaseException:
        run.output.abort()
        raise
    return run.counts


class _Run:
    """The archives of a run, its output, and its state on disk."""

    def __init__(self, archives: list[Path], target: Path, options: Options) -> None:
        self.archives, self.options = archives, options
        self.total_bytes = sum(path.stat().st_size for path in archives)
        self.state_file = target.with_name(f"{target.name}.state")
        state = self._load()
        self.counts = Counts(**state["counts"]) if state else Counts()
        self.position = _Position(**state["position"]) if state else _Position()
        self.output: Output = open_output(target, state["output"] if state else None)
        if not state:
            self.save()

    def iter_chunks(self) -> Iterator[_Chunk]:
        begin = self.position
        done_bytes = sum(path.stat().st_size for path in self.archives[: begin.archive])
        for number in range(begin.archive, len(self.archives)):
            skip = begin.records if number == begin.archive else 0
            with self.archives[number].open("rb") as file:
                yield from self._chunks_of(file, number, skip, done_bytes)
            done_bytes += self.archives[number].stat().st_size

    def _chunks_of(self, file: Any, number: int, skip: int, done_bytes: int) -> Iterator[_Chunk]:
        chunk, place = _Chunk(), skip
        for place, record in enumerate(islice(iter_records(file, max_bytes=self.options.max_bytes), skip, None), skip + 1):
            if record.page is not None:
                chunk.pages.append(record.page)
                chunk.size += len(record.page.html)
            chunk.others += record.page is None and not record.is_damaged
            chunk.damaged += record.is_damaged
            if len(chunk.pages) >= PAGES_PER_CHUNK or chunk.size >= BYTES_PER_CHUNK:
                chunk.position, chunk.done_bytes = _Position(number, place), done_bytes + record.offset
                yield chunk
                chunk = _Chunk()
        chunk.position, chunk.done_bytes = _Position(number, place), done_bytes + file.tell()
        yield chunk

    def add(self, chunk: _Chunk, answer: _Answer) -> None:
        for part in answer.encoded:
            self.output.write(part)
        self.position = chunk.position
        self.counts.pages += len(chunk.pages)
        self.counts.others += chunk.others
        self.counts.damaged += chunk.damaged
        self.counts.failed += answer.failed
        self.counts.items += answer.items

    def save(self) -> None:
        """Puts the items on disk, and then the state that says so."""
        if not self.output.flush():
            return
        state = {
            "archives": self._names(),
            "position": asdict(self.position),
            "counts": asdict(self.counts),
            "output": self.output.state,
        }
        new = self.state_file.with_name(f"{self.state_file.name}.new")
        new.write_text(json.dumps(state), encoding="utf-8")
        new.replace(self.state_file)

    def close(self) -> None:
        self.output.close()
        self.state_file.unlink(missing_ok=True)
        self.output.clean()

    def _load(self) -> dict[str, Any] | None:
        try:
            state: dict[str, Any] = json.loads(self.state_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        if state["archives"] != self._names():
            raise ValueError(f"{self.state_file} is of a run over other archives. Delete it to begin anew, or give the same ones.")
        logger.info("Going on behind %d pages.", state["counts"]["pages"])
        return state

    def _names(self) -> list[list[Any]]:
        return [[str(path), path.stat().st_size] for path in self.archives]


@dataclass(frozen=True, slots=True)
class _Answer:
    encoded: list[Any]
    items: int
    failed: int


class _Pool:
    """Processes that make items, and are replaced when a page kills one."""

    def __init__(self, size: int, options: Options, encode: Callable[..., Any], emit: Sequence[str] | None) -> None:
        self.size = size
        self.job = _Job(options, encode, None if emit is None else frozenset(emit))
        self._executor = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def answers(self, chunks: Iterable[_Chunk]) -> Iterator[tuple[_Chunk, _Answer]]:
        """Each chunk with its answer, in order."""
        waiting: deque[tuple[_Chunk, Future[_Answer]]] = deque()
        for chunk in chunks:
            waiting.append((chunk, self._submit(_answer, chunk.pages)))
            if len(waiting) >= self.size * CHUNKS_PER_PROCESS:
                yield self._first(waiting)
        while waiting:
            yield self._first(waiting)

    def _first(self, waiting: deque[tuple[_Chunk, Future[_Answer]]]) -> tuple[_Chunk, _Answer]:
        chunk, future = waiting.popleft()
        try:
            return chunk, future.result()
        except BrokenProcessPool:
            answer = self._one_by_one(chunk.pages)
            again = [(other, self._submit(_answer, other.pages)) for other, _ in waiting]
            waiting.clear()
            waiting.extend(again)
            return chunk, answer

    def _one_by_one(self, pages: list[Page]) -> _Answer:
        """The chunk that a process may have died of: its pages alone, so that only the guilty one is lost."""
        answers: list[_Answer] = []
        for page in pages:
            try:
                answers.append(self._submit(_answer, [page]).result())
            except BrokenProcessPool:
                logger.error("%s killed the process that read it, or took more than %d s of processor time.", page.url, PAGE_LIMIT_S)  # noqa: TRY400
                answers.append(self._submit(_answer_lost, page).result())
        return _Answer(
            [part for answer in answers for part in answer.encoded],
            sum(answer.items for answer in answers),
            sum(answer.failed for answer in answers),
        )

    def _submit(self, job: Callable[[Any], _Answer], argument: Any) -> Future[_Answer]:
        try:
            return self._executor.submit(job, argument)
        except BrokenProcessPool:
            self._executor.shutdown(wait=False)
            self._executor = self._start()
            return self._executor.submit(job, argument)

    def _start(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")  # a fork would share what threads of this process hold
        return ProcessPoolExecutor(self.size, mp_context=context, initializer=_begin, initargs=(self.job,))


@dataclass(frozen=True, slots=True)
class _Job:
    """What a process is told once."""

    options: Options
    encode: Callable[[Sequence[Article | Listing]], Any]
    emit: frozenset[str] | None


_job: list[_Job] = []
"""Of this process."""


def _begin(job: _Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all; the parent ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _job[:] = [job]


def _end_with_parent() -> None:
    """A parent that was killed tells nobody, and its processes would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(pages: list[Page]) -> _Answer:
    items = []
    for page in pages:
        with _limit():
            items.append(page_item(page, _job[0].options))
    return _encoded(items)


def _answer_lost(page: Page) -> _Answer:
    return _encoded([failed_item(page)])


def _encoded(items: list[Article | Listing]) -> _Answer:
    emit = _job[0].emit
    wanted = [item for item in items if emit is None or item.type in emit]
    return _Answer([_job[0].encode(wanted)] if wanted else [], len(wanted), sum(item.extractor is None for item in items))


@contextmanager
def _limit() -> Iterator[None]:
    """A page that takes too long ends the process, even from within a library that never comes back. Windows has no such timer."""
    set_timer = getattr(signal, "setitimer", None)
    if set_timer is not None:
        set_timer(signal.ITIMER_PROF, PAGE_LIMIT_S)
    yield
    if set_timer is not None:
        set_timer(signal.ITIMER_PROF, 0)
