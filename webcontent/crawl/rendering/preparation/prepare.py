"""Prepares a page in an isolated world, before the user's page methods: ready, hide, scroll, unfold, click, hide."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.capture import find_frame
from webcontent.crawl.rendering.preparation import consent
from webcontent.crawl.rendering.shells import MIN_TEXT
from webcontent.crawl.rendering.tasks import DATA_S, PATIENCE_S, STEP_SHARE, isolated_world, run_in_background
from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page

    from webcontent.crawl.rendering.job import RenderJob
    from webcontent.crawl.rendering.network import PageNetwork
    from webcontent.crawl.rendering.tasks import World

_PARTS = ("start", "readiness", "overlays", "scrolling", "folds", "buttons", "run")
_FRAME_PARTS = ("start", "buttons")
_WORDS = ("consent", "prompt", "more", "expand")


@cache
def _joined(parts: tuple[str, ...]) -> str:
    """A function of `options` from the JavaScript files of those names."""
    return "(options) => {\n" + "\n".join(Path(__file__).with_name(f"{part}.js").read_text(encoding="utf-8") for part in parts) + "\n}"


@cache
def _fixed_options() -> dict[str, Any]:
    lines = Path(__file__).with_name("known.txt").read_text(encoding="utf-8").splitlines()
    tools = consent.tools().values()
    return {
        "words": {name: alternation("overlays", name) for name in _WORDS},
        "known": ",".join([*(tool["dialog"] for tool in tools), *(line for line in lines if line and not line.startswith("# "))]),
        "tools": {tool["name"]: tool["dialog"] for tool in tools},
        "refusals": ",".join(tool["click"] for tool in tools if "click" in tool),
        "littleText": MIN_TEXT,
    }


@dataclass(frozen=True, slots=True)
class Preparation:
    """The preparation of one page."""

    devtools: CDPSession
    page: Page
    network: PageNetwork
    job: RenderJob
    max_height: int
    """How far the page is scrolled, CSS px."""

    async def run(self) -> dict[str, Any]:
        """What was done: counts, and `ms` by step. Raises Playwright's errors if the page moves on or dies, and TimeoutError."""
        begin, budget_s = monotonic(), self.job.steps["budget_ms"] / 1000
        world, scrolling = await self.wait(budget_s * (1 - STEP_SHARE))
        end, ready_ms = begin + budget_s, round((monotonic() - begin) * 1000)
        rejected = await self._reject(world, end) if self.job.steps["overlays"] == "reject" else {}
        if rejected.get("rejected"):
            scrolling = await self._wait_until_ready(world, end)  # some pages load their text now
        # A script from a file may react to scrolling. The page does not notice the question.
        if scrolling == "unclear" and _runs_files(await self.devtools.send("Page.getResourceTree")):
            scrolling = "page"
        report: dict[str, Any] = json.loads(await self._guarded(world, max(0, round((end - monotonic()) * 1000)), scrolling))
        report["ms"] = {"ready": ready_ms, **rejected.pop("ms", {}), **report["ms"]}
        return report | rejected

    async def wait(self, longest_s: float = DATA_S) -> tuple[World, str]:
        """Waits until the page is ready. Gives the world that knows the script then, and how the page is to be scrolled."""
        end = monotonic() + longest_s
        job, world = self.job, await isolated_world(self.devtools, self.network.frame)
        if job.wait_for is not None:
            with suppress(PlaywrightError):  # a page without it is read as it is
                await self.page.wait_for_selector(job.wait_for, state="attached", timeout=longest_s * 1000)
        installation = f"({_joined(_PARTS)})({json.dumps(_fixed_options() | job.steps | {'maxHeight': self.max_height})}), "
        return world, await self._wait_until_ready(world, end, installation)

    async def _reject(self, world: World, end: float) -> dict[str, Any]:
        """Rejects consent where something over the page asks for it. Gives `rejected`, the name of the tool, and `ms`."""
        begin = monotonic()
        asking = await world.evaluate("webcontent.asks()", PATIENCE_S)
        if not asking["asks"]:
            return {}
        frames = []
        for index in range(asking["frames"]):
            with suppress(PlaywrightError, ValueError, TimeoutError):  # a frame that is gone
                frame = await find_frame(world, self.page, f"webcontentAsking[{index}]")
                inner = await isolated_world(frame.session, frame.id)
                await inner.evaluate(f"void ({_joined(_FRAME_PARTS)})({json.dumps({**_fixed_options(), 'isFrame': True})})", PATIENCE_S)
                frames.append(inner)
        self.network.is_guarded = True
        try:
            name = await consent.refuse(world, frames, asking["asks"], asking["tools"], end - monotonic())
        finally:
            self.network.is_guarded = False
        return {"rejected": name, "ms": {"reject": round((monotonic() - begin) * 1000)}}

    async def _wait_until_ready(self, world: World, end: float, installation: str = "") -> str:
        """Until no data is under way and no new text comes any more; a page without scripts is ready at once.

        Gives how the page is to be scrolled: list, page, none; "unclear" if nothing in the page shows that something waits for that.
        """
        while True:
            longest_ms = max(0, round((end - monotonic()) * 1000))
            expression, installation = f"{installation}webcontent.ready({longest_ms})", ""
            scrolling = str(await world.evaluate(expression, longest_ms / 1000 + PATIENCE_S))
            rest = end - monotonic()
            if rest <= 0 or not self.network.data.is_waiting(PATIENCE_S):
                return scrolling
            await self.network.data.wait(rest, PATIENCE_S)

    async def _guarded(self, world: World, budget_ms: int, scrolling: str) -> str:
        """Prepares the page. Where that clicks, no document is loaded meanwhile."""
        self.network.is_guarded = scrolling == "list" or self.job.steps["expand"] == "click"
        if self.network.is_guarded:
            self.network.data.on_change = lambda: run_in_background(self._tell_data(world))
        try:
            return str(await world.evaluate(f'webcontent.prepare("{scrolling}", {budget_ms})', budget_ms / 1000 + PATIENCE_S))
        finally:
            self.network.data.on_change = None
            self.network.is_guarded = False

    async def _tell_data(self, world: World) -> None:
        """Tells the script in the page whether data is under way: lists wait for it."""
        waits = json.dumps(self.network.data.is_waiting(PATIENCE_S))
        with suppress(PlaywrightError, TimeoutError):
            await world.evaluate(f"void (webcontent.waits = {waits})", PATIENCE_S)


def _runs_files(answer: dict[str, Any]) -> bool:
    """Whether a script of a file was loaded by a page or one of its frames."""
    trees = [answer["frameTree"]]
    for tree in trees:  # grows while it is read
        trees += tree.get("childFrames", ())
    files = (part for tree in trees for part in tree["resources"])
    return any(part["type"] == "Script" and part["mimeType"] and not part.get("failed") and not part.get("canceled") for part in files)
