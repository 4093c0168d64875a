"""Time that passes at once: an event loop whose clock goes on to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Coroutine


class _NeverWaits(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += timeout or 0
        return super().select(0)


def at_once(work: Coroutine[Any, Any, Any], *modules: Any) -> Any:
    """The result of a coroutine without threads and connections. In `modules` the function `monotonic` gives the loop's time."""
    selector = _NeverWaits()
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        patch.setattr(runner.get_loop(), "time", lambda: selector.now)
        for module in modules:
            patch.setattr(module, "monotonic", lambda: selector.now)
        return runner.run(work)
