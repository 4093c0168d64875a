"""Processes that make items from pages. A page that kills its process costs only itself."""

from __future__ import annotations

import faulthandler
import gc
import json
import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from webcontent.items import TIMEOUT
from webcontent.pipeline import failed_item, page_item

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from typing import Self

    from webcontent.items import Article, Listing, Page
    from webcontent.pipeline import Options

logger = logging.getLogger(__name__)

CHUNKS_PER_PROCESS = 3
"""Chunks that are sent to a process or wait for their turn in the output. They limit the memory."""
PAGE_LIMIT_S = 60
"""CPU time for a page. A process that exceeds it is killed, and the page gives an empty item."""


class Chunk(NamedTuple):
    """Pages that follow each other in an archive, and that one process reads at a time."""

    archive: int
    records: int
    """Records of the archive up to the end of the chunk."""
    done_bytes: int
    """Bytes of all archives up to the end of the chunk, for the progress bar."""
    pages: list[Page]
    skipped: Counter[str]
    """Records without a page, by the fields of `Counts`: others, damaged."""


class EncodedItems(NamedTuple):
    lines: bytes
    """One line of JSON per item, as in Scrapy's feeds."""
    written: int
    failed: int


class ProcessPool:
    """Processes that make items and are replaced when a page kills one. A context manager."""

    def __init__(self, size: int, options: Options, emit: Sequence[str] | None) -> None:
        self.size = size
        self._job = options, emit
        self._executor = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def results(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[EncodedItems]]]:
        waiting: deque[tuple[Chunk, Future[EncodedItems]]] = deque()
        for chunk in chunks:
            waiting.append((chunk, self._submit(_encode_pages, chunk.pages)))
            if len(waiting) >= self.size * CHUNKS_PER_PROCESS:
                yield self._next(waiting)
        while waiting:
            yield self._next(waiting)

    def _next(self, waiting: deque[tuple[Chunk, Future[EncodedItems]]]) -> tuple[Chunk, list[EncodedItems]]:
        """The first chunk that waits. If its process died, its pages are read one by one and the other chunks are submitted again."""
        chunk, future = waiting.popleft()
        try:
            return chunk, [future.result()]
        except BrokenProcessPool:
            items = [self._encode_alone(page) for page in chunk.pages]
            for _ in range(len(waiting)):
                other, _ = waiting.popleft()
                waiting.append((other, self._submit(_encode_pages, other.pages)))
            return chunk, items

    def _encode_alone(self, page: Page) -> EncodedItems:
        """The item of a page that may kill its process."""
        with suppress(BrokenProcessPool):
            return self._submit(_encode_pages, [page]).result()
        logger.error("%s killed the process that read it, or took more than %d s of CPU time.", page.url, PAGE_LIMIT_S)
        return self._submit(_encode_lost_page, page).result()

    def _submit(self, job: Callable[[Any], EncodedItems], argument: Any) -> Future[EncodedItems]:
        try:
            return self._executor.submit(job, argument)
        except BrokenProcessPool:
            self._executor.shutdown(wait=False)
            self._executor = self._start()
            return self._executor.submit(job, argument)

    def _start(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        return ProcessPoolExecutor(self.size, mp_context=context, initializer=_initialize, initargs=self._job)


# In the processes

_jobs: list[tuple[Options, Sequence[str] | None]] = []
"""How pages are read and which types of items are written, once this process is initialized."""


def _initialize(options: Options, emit: Sequence[str] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends the others
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    gc.disable()  # takes 4 % of the time of a page, and a page leaves no cycles; `_encode_pages` collects those of anything else
    _jobs[:] = [(options, emit)]


def _exit_with_parent() -> None:
    """Ends this process with its parent. Without this, the processes of a parent that was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _encode_pages(pages: list[Page]) -> EncodedItems:
    items = []
    for page in pages:
        with _cpu_limit():
            items.append(page_item(page, _jobs[0][0]))
    gc.collect(0)
    return _encoded(items)


def _encode_lost_page(page: Page) -> EncodedItems:
    return _encoded([failed_item(replace(page, flags=[*page.flags, TIMEOUT]))])


def _encoded(items: list[Article | Listing]) -> EncodedItems:
    _, emit = _jobs[0]
    emitted = [item for item in items if emit is None or item.type in emit]
    lines = "".join(f"{json.dumps(asdict(item), ensure_ascii=False)}\n" for item in emitted)
    return EncodedItems(lines.encode("utf-8", "replace"), len(emitted), sum(item.extractor is None for item in items))


@contextmanager
def _cpu_limit() -> Iterator[None]:
    """Ends the process after PAGE_LIMIT_S of CPU time, also inside a library that never returns. On Windows it is the time of day."""
    if set_timer := getattr(signal, "setitimer", None):
        set_timer(signal.ITIMER_PROF, PAGE_LIMIT_S)
        yield
        set_timer(signal.ITIMER_PROF, 0)
    else:
        faulthandler.dump_traceback_later(PAGE_LIMIT_S, exit=True)
        yield
        faulthandler.cancel_dump_traceback_later()
