"""Limits the memory of the browser: the page that uses the most is ended, and the others go on.

Works where the system shows processes in /proc (Linux); elsewhere nothing is limited.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.async_api import Browser

logger = logging.getLogger(__name__)

INTERVAL_S, LOOK_S = 0.5, 5.0
"""Between two looks at the system's memory, and at that of the browser's processes, which takes longer and comes earlier if needed."""
SUSPECT_MB = 300
"""No page that uses less is ended: the browser is over its limit then because many pages are open."""
AFTERMATH_S = 5.0
"""A page that crashes within this time after a renderer was ended was in it."""
_PROC = Path("/proc")
_KB_PER_MB = 1024


class MemoryWatch:
    """Watches the browser of a crawl while pages are open. `is_needed`: whether any is."""

    def __init__(self, limit_mb: int, is_needed: Callable[[], bool]) -> None:
        self.limit_mb = limit_mb
        self.is_needed = is_needed
        self._browser_pid: int | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended_at = float("-inf")
        self._has_warned = False

    async def attach(self, browser: Browser) -> None:
        """Watches a browser that runs on this machine."""
        if not (_PROC / "self" / "status").exists():
            return
        session = await browser.new_browser_cdp_session()
        answer = await session.send("SystemInfo.getProcessInfo")
        await session.detach()
        self._browser_pid = next((process["id"] for process in answer["processInfo"] if process["type"] == "browser"), None)

    def start(self) -> None:
        if self._browser_pid is not None and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def has_just_ended_a_page(self) -> bool:
        return monotonic() - self._ended_at < AFTERMATH_S

    async def _watch(self) -> None:
        enough_mb, end = 0, 0.0  # as long as the system has enough memory left, the browser can't have passed its limit
        while self.is_needed():
            if (free_mb := _free_mb()) <= enough_mb or monotonic() > end:
                enough_mb, end = free_mb - (self.limit_mb - self.check()), monotonic() + LOOK_S
            await asyncio.sleep(INTERVAL_S)

    def check(self) -> int:
        """Ends the largest renderer if the browser exceeds its limit. Gives the browser's memory in MB."""
        if self._browser_pid is None:
            return 0
        sizes = {pid: megabytes(pid) for pid in process_tree(self._browser_pid)}
        if (total := sum(sizes.values())) <= self.limit_mb:
            return total
        largest = max((pid for pid in sizes if _is_renderer(pid)), key=sizes.__getitem__, default=None)
        if largest is not None and sizes[largest] >= SUSPECT_MB:
            logger.warning(
                "The browser uses %d MB; the limit is %d MB. The page with %d MB is ended.", total, self.limit_mb, sizes[largest]
            )
            self._ended_at = monotonic()
            with suppress(ProcessLookupError, PermissionError):
                os.kill(largest, signal.SIGKILL)
        elif not self._has_warned:
            self._has_warned = True
            logger.warning(
                "The browser uses %d MB; the limit is %d MB. No single page uses much: open fewer pages at once "
                "(PLAYWRIGHT_MAX_PAGES_PER_CONTEXT) or raise WEBCONTENT_BROWSER_MEMORY.",
                *(total, self.limit_mb),
            )
        return total


def _free_mb() -> int:
    """Memory that the system can still give."""
    lines = (_PROC / "meminfo").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) // _KB_PER_MB


def process_tree(pid: int) -> Iterator[int]:
    """A process and its descendants. Renderers have none, and their threads are not searched."""
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        yield current
        if _is_renderer(current):
            continue
        waiting += _children(current)


def _children(pid: int) -> list[int]:
    """The child processes of all threads of a process, which may end while it is read."""
    children: list[int] = []
    with suppress(OSError):
        for thread in (_PROC / str(pid) / "task").iterdir():
            with suppress(OSError):
                children += map(int, (thread / "children").read_text(encoding="ascii").split())
    return children


def megabytes(pid: int) -> int:
    """The memory that a process has for itself or shares with processes of its own kind; 0 if it has ended."""
    kilobytes = 0
    with suppress(OSError):
        for line in (_PROC / str(pid) / "status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(("RssAnon:", "RssShmem:")):
                kilobytes += int(line.split()[1])
    return kilobytes // _KB_PER_MB


def _is_renderer(pid: int) -> bool:
    with suppress(OSError):
        return b"--type=renderer" in (_PROC / str(pid) / "cmdline").read_bytes()
    return False
