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
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.tasks import within

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Browser, CDPSession

logger = logging.getLogger(__name__)

INTERVAL_S = 1.0
AFTERMATH_S = 5.0
"""A page that crashes within this time after a renderer was ended was in it."""
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
        self._processes: list[dict[str, Any]] = []
        """The browser's, as it has last described them."""
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
        return monotonic() - self._ended_at < AFTERMATH_S

    async def _watch(self) -> None:
        while self.is_needed():
            await self._check()
            await asyncio.sleep(INTERVAL_S)

    async def _check(self) -> None:
        assert self._session is not None
        with suppress(PlaywrightError, TimeoutError):  # the browser is dead, or too busy to answer
            self._processes = (await within(INTERVAL_S, self._session.send("SystemInfo.getProcessInfo")))["processInfo"]
        sizes = {process["id"]: megabytes(process["id"]) for process in self._processes}
        cpu = {process["id"]: process["cpuTime"] for process in self._processes if process["type"] == "renderer"}
        total = sum(sizes.values())
        if total <= self.limit_mb:
            return
        suspect = max(cpu, key=sizes.__getitem__, default=0)
        fills_browser = total - sum(map(sizes.__getitem__, cpu)) > self.limit_mb / 2
        if fills_browser and sizes.get(suspect, 0) < SUSPECT_MB:  # with blobs and storage, which the browser keeps: the busiest does
            suspect = max(cpu, key=cpu.__getitem__, default=0) if not self.has_just_ended_a_page() else 0
        if suspect and (fills_browser or sizes[suspect] >= SUSPECT_MB):
            logger.warning("The browser uses %d MB; the limit is %d MB. A page is ended.", total, self.limit_mb)
            self._ended_at = monotonic()
            with suppress(ProcessLookupError, PermissionError):
                os.kill(suspect, signal.SIGKILL)
        elif not fills_browser and not self._has_warned:
            self._has_warned = True
            logger.warning(
                "The browser uses %d MB; the limit is %d MB. No single page uses much: open fewer pages at once "
                "(PLAYWRIGHT_MAX_PAGES_PER_CONTEXT) or raise WEBCONTENT_BROWSER_MEMORY.",
                *(total, self.limit_mb),
            )


def megabytes(pid: int) -> int:
    """The memory that a process has for itself or shares with processes of its own kind; 0 if it has ended."""
    with suppress(OSError):
        lines = (_PROC / str(pid) / "status").read_text(encoding="ascii", errors="replace").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:"))) // _KB_PER_MB
    return 0
