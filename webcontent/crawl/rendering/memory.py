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

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.tasks import within

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Browser, CDPSession

logger = logging.getLogger(__name__)

INTERVAL_S, LOOK_S = 0.5, 5.0
"""Between two looks at the system's memory, and at that of the browser's processes, which takes longer and comes earlier if needed."""
SUSPECT_MB = 300
"""No page that uses less is ended: the browser is over its limit then because many pages are open."""
_PROC = Path("/proc")
_KB_PER_MB = 1024


class MemoryWatch:
    """Watches the browser of a crawl while pages are open. `is_needed`: whether any is."""

    def __init__(self, limit_mb: int, is_needed: Callable[[], bool]) -> None:
        self.limit_mb = limit_mb
        self.is_needed = is_needed
        self._session: CDPSession | None = None
        self._processes: list[int] = []
        """The browser's, as it has last told them."""
        self._task: asyncio.Task[None] | None = None
        self._ended_at = float("-inf")
        self._has_warned = False

    async def attach(self, browser: Browser) -> None:
        """Watches a browser that runs on this machine."""
        if (_PROC / "meminfo").exists():
            self._session = await browser.new_browser_cdp_session()

    def start(self) -> None:
        if self._session is not None and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._watch())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def has_just_ended_a_page(self) -> bool:
        """Whether a page that crashes now was in a renderer that was ended."""
        return monotonic() - self._ended_at < LOOK_S

    async def _watch(self) -> None:
        enough_mb, end = 0, 0.0  # as long as the system has enough memory left, the browser can't have passed its limit
        while self.is_needed():
            if (free_mb := _kilobytes("meminfo", "MemAvailable:") // _KB_PER_MB) <= enough_mb or monotonic() > end:
                enough_mb, end = free_mb - (self.limit_mb - await self._check()), monotonic() + LOOK_S
            await asyncio.sleep(INTERVAL_S)

    async def _check(self) -> int:
        """Ends the largest renderer if the browser exceeds its limit. Gives the browser's memory in MB."""
        assert self._session is not None
        with suppress(PlaywrightError, TimeoutError):  # the browser is dead, or too busy to answer
            answer = await within(INTERVAL_S, self._session.send("SystemInfo.getProcessInfo"))
            self._processes = [process["id"] for process in answer["processInfo"]]
        sizes = {pid: megabytes(pid) for pid in self._processes}
        if (total := sum(sizes.values())) <= self.limit_mb:
            return total
        largest = max(filter(_is_renderer, sizes), key=sizes.__getitem__, default=None)
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


def megabytes(pid: int) -> int:
    """The memory that a process has for itself or shares with processes of its own kind; 0 if it has ended."""
    return _kilobytes(f"{pid}/status", "RssAnon:", "RssShmem:") // _KB_PER_MB


def _is_renderer(pid: int) -> bool:
    with suppress(OSError):
        return b"--type=renderer" in (_PROC / str(pid) / "cmdline").read_bytes()
    return False


def _kilobytes(name: str, *lines: str) -> int:
    """The sum of some lines of a file of /proc, 0 if it is gone."""
    with suppress(OSError):
        text = (_PROC / name).read_text(encoding="ascii", errors="replace")
        return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(lines))
    return 0
