"""Processes that make items from pages. A page that kills its process costs only itself."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from time import monotonic, process_time, sleep
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from webcontent.items import TIMEOUT
from webcontent.pipeline import failed_item, page_item

if TYPE_CHECKING:
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

WATCH_S = 0.5
"""How often the time of a page is looked at where the system has no timer for it."""


class Chunk(Protocol):
    """Pages that one process reads at a time."""

    pages: list[Page]


ChunkT = TypeVar("ChunkT", bound=Chunk)


@dataclass(frozen=True, slots=True)
class EncodedItems:
    """The items of some pages, encoded for the output."""

    parts: list[Any]
    count: int
    failed: int


@dataclass(frozen=True, slots=True)
class _Job:
    """What each process needs to know."""

    options: Options
    encode: Callable[[Sequence[Article | Listing]], Any]
    emit: frozenset[str] | None


class ProcessPool:
    """Processes that make items and are replaced when a page kills one. A context manager."""

    def __init__(self, size: int, options: Options, encode: Callable[..., Any], emit: Sequence[str] | None) -> None:
        self.size = size
        self._job = _Job(options, encode, None if emit is None else frozenset(emit))
        self._executor = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._executor.shutdown(wait=True, cancel_futures=True)

    def results(self, chunks: Iterable[ChunkT]) -> Iterator[tuple[ChunkT, EncodedItems]]:
        """Each chunk with its items, in order."""
        waiting: deque[tuple[ChunkT, Future[EncodedItems]]] = deque()
        for chunk in chunks:
            waiting.append((chunk, self._submit(_encode_pages, chunk.pages)))
            if len(waiting) >= self.size * CHUNKS_PER_PROCESS:
                yield self._next(waiting)
        while waiting:
            yield self._next(waiting)

    def _next(self, waiting: deque[tuple[ChunkT, Future[EncodedItems]]]) -> tuple[ChunkT, EncodedItems]:
        """The first chunk that waits. If its process died, its pages are read one by one and the other chunks are submitted again."""
        chunk, future = waiting.popleft()
        try:
            return chunk, future.result()
        except BrokenProcessPool:
            items = self._one_by_one(chunk.pages)
            submitted = [(other, self._submit(_encode_pages, other.pages)) for other, _ in waiting]
            waiting.clear()
            waiting.extend(submitted)
            return chunk, items

    def _one_by_one(self, pages: list[Page]) -> EncodedItems:
        """The items of pages of which one may kill its process. Only that page is lost."""
        results = [self._encode_alone(page) for page in pages]
        return EncodedItems(
            [part for result in results for part in result.parts],
            sum(result.count for result in results),
            sum(result.failed for result in results),
        )

    def _encode_alone(self, page: Page) -> EncodedItems:
        future = self._submit(_encode_pages, [page])
        if not isinstance(future.exception(), BrokenProcessPool):
            return future.result()
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
        return ProcessPoolExecutor(self.size, mp_context=context, initializer=_initialize, initargs=(self._job,))


# In the processes

_jobs: list[_Job] = []
"""The job of this process, once it is initialized."""


def _initialize(job: _Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the parent ends the others
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    gc.disable()  # takes 4 % of the time of a page, and a page leaves no cycles; `_encode_pages` collects those of anything else
    _jobs[:] = [job]


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
            items.append(page_item(page, _jobs[0].options))
    gc.collect(0)
    return _encoded(items)


def _encode_lost_page(page: Page) -> EncodedItems:
    return _encoded([failed_item(replace(page, flags=[*page.flags, TIMEOUT]))])


def _encoded(items: list[Article | Listing]) -> EncodedItems:
    emit = _jobs[0].emit
    emitted = [item for item in items if emit is None or item.type in emit]
    return EncodedItems([_jobs[0].encode(emitted)] if emitted else [], len(emitted), sum(item.extractor is None for item in items))


class _CpuWatch:
    """Ends the process when a page has used PAGE_LIMIT_S of CPU time, for systems without a timer for it (Windows).

    It is a thread, so a library that neither returns nor lets other threads run is not ended.
    """

    def __init__(self) -> None:
        self._page: tuple[float, float] | None = None
        """CPU time and clock of the process at the begin of the page."""
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self) -> None:
        self._page = process_time(), monotonic()

    def end(self) -> None:
        self._page = None

    def _watch(self) -> None:
        while True:
            sleep(WATCH_S)
            page = self._page
            if page is not None and monotonic() - page[1] > PAGE_LIMIT_S and process_time() - page[0] > PAGE_LIMIT_S:
                os._exit(1)


@cache
def _watch() -> _CpuWatch:
    return _CpuWatch()


@contextmanager
def _cpu_limit() -> Iterator[None]:
    """Ends the process after PAGE_LIMIT_S of CPU time; where the system has a timer for it, also inside a library that never returns."""
    set_timer = getattr(signal, "setitimer", None)
    if set_timer is None:
        _watch().begin()
        yield
        _watch().end()
        return
    set_timer(signal.ITIMER_PROF, PAGE_LIMIT_S)
    yield
    set_timer(signal.ITIMER_PROF, 0)
