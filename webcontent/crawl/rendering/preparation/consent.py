"""Refuses consent where a page asks for it: by the call that the page's consent tool documents, or by its buttons, as a reader does.

A button is clicked only if its name refuses, leads to settings, or saves a choice in which nothing is ticked. A name that also accepts,
or that no list of the lexicon knows, is never clicked. Calls run among the page's scripts, all else in an isolated world.
"""

from __future__ import annotations

import asyncio
import re
import tomllib
import unicodedata
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.tasks import World
from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_S = 3.0
"""The longest refusal on a page."""
STEP_S = 1.0
"""The longest wait for one step: an answer of the page's scripts, a dialog that closes, settings that open."""
POLL_S = 0.05
"""Between two looks at a dialog."""
MAX_NAME = 80
"""Characters of a button's name. What is longer is no button, but a text that can be clicked."""
UNKNOWN_TOOL = "dialog"
"""What is reported for a dialog without a row in the table of tools."""

Kind = Literal["accept", "refuse", "save", "settings"]
_ORDER: tuple[Kind, ...] = ("refuse", "save", "settings")


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of consent_tools.toml, which says what the fields are."""

    name: str
    dialog: str
    documentation: str
    call: str = ""
    click: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    """A button of a dialog: its label, shown text and title; whether a tool's row names it; whether its dialog has boxes to tick."""

    texts: tuple[str, ...]
    is_known: bool = False
    has_boxes: bool = False

    @property
    def kind(self) -> Kind | None:
        """What a click does, None if nobody knows."""
        kind = kind_of(self.texts)
        return "refuse" if self.is_known and kind != "accept" else kind


@cache
def tools() -> dict[str, Tool]:
    """The widespread consent tools by name."""
    rows = tomllib.loads(Path(__file__).with_name("consent_tools.toml").read_text(encoding="utf-8"))["tool"]
    return {row["name"]: Tool(**row) for row in rows}


def kind_of(texts: Sequence[str]) -> Kind | None:
    """What a button does by its texts, None if nobody knows. One that accepts beside something else accepts.

    >>> kind_of(["Continue without accepting"]), kind_of(["Save and accept all"]), kind_of(["OK, go on"])
    ('refuse', 'accept', 'accept')
    """
    if not texts or any(len(text) > MAX_NAME for text in texts):
        return None
    rest = name = _without_marks("\n".join(texts))
    found = [kind for kind in _ORDER if _pattern(kind).search(name)]
    for kind in found:
        rest = _pattern(kind).sub(" ", rest)
    return "accept" if _pattern("accept").search(rest) else next(iter(found), None)


def choose(buttons: Sequence[Button]) -> tuple[int, Kind] | None:
    """The button that refuses, else one that saves a choice, else one that leads to settings; None if there is none.

    Of several the one whose name is rarest: buttons of single purposes have the same name.
    """
    counts = Counter(button.texts for button in buttons)
    kinds = [button.kind for button in buttons]
    for kind in _ORDER:
        if found := [i for i, button in enumerate(buttons) if kinds[i] == kind and (kind != "save" or button.has_boxes)]:
            return min(found, key=lambda i: counts[buttons[i].texts]), kind
    return None


@cache
def _pattern(kind: Kind) -> re.Pattern[str]:
    """The words of a kind of buttons in all languages."""
    return re.compile(_without_marks(alternation("overlays", kind)), re.IGNORECASE | re.MULTILINE)


def _without_marks(text: str) -> str:
    """Without accents: capital letters of some languages have none."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.category(char).startswith("M"))


async def refuse(dialog: Dialog, frames: Sequence[Dialog], shown: Sequence[str], longest_s: float) -> str:
    """The name of the tool in which consent was refused, UNKNOWN_TOOL for one without a row; empty if it was in none.

    `dialog` is what asks, seen from the page, `frames` are the frames in it; they are tried at once. `shown`: names of the tools
    whose dialog is shown. Raises Playwright's errors and TimeoutError of the page.
    """
    end = monotonic() + min(longest_s, LONGEST_S)
    for name in shown:
        if await dialog.call(tools()[name], end):
            return name
    name = shown[0] if shown else UNKNOWN_TOOL
    return name if await _any_refuses([dialog, *frames], end) else ""


async def _any_refuses(dialogs: Sequence[Dialog], end: float) -> bool:
    """Whether consent was refused in one of them. The first ends the others."""
    attempts = [asyncio.ensure_future(dialog.refuse(end)) for dialog in dialogs]
    try:
        for attempt in asyncio.as_completed(attempts):
            if await attempt:
                return True
    finally:
        for waiting in attempts:
            waiting.cancel()
        await asyncio.gather(*attempts, return_exceptions=True)
    return False


class Dialog:
    """What asks for consent, seen from one frame: that of the page, or a frame in the dialog."""

    def __init__(self, page: World, asking: int, frame: World | None = None) -> None:
        """`page`: the world of the preparation, which knows what asks; so many overlays do. `frame`: the world in a frame of the dialog."""
        self._page = page
        self._asking = asking
        self._frame = frame or page

    async def call(self, tool: Tool, end: float) -> bool:
        """Whether a tool's own call refused and the dialog has closed."""
        if not tool.call:
            return False
        expression = f"(async () => {{ try {{ await ({tool.call}); return true; }} catch {{ return false; }} }})()"
        with suppress(PlaywrightError, TimeoutError):
            if await World(self._page.session, None).evaluate(expression, min(end - monotonic(), STEP_S)):
                return await self._closes("refuse", end)
        return False

    async def refuse(self, end: float) -> bool:
        """Whether a refusal was clicked and the dialog has closed."""
        has_refused = False
        while monotonic() < end and (kind := await self._click()):
            has_refused = has_refused or kind != "settings"
            if await self._closes(kind, end):
                return has_refused
        return False

    async def _click(self) -> Kind | None:
        """Clicks the best button and gives its kind; None if there is none."""
        while choice := choose(await self._buttons()):
            index, kind = choice
            if await self._frame.evaluate(f"webcontentButtons.click({index}, {str(kind == 'save').lower()})", STEP_S):
                return kind
        return None

    async def _closes(self, kind: Kind, end: float) -> bool:
        """Whether the dialog closes in time. After a click on settings False as soon as they offer a refusal or a choice to save."""
        end = min(end, monotonic() + STEP_S)
        while True:
            if kind == "settings":
                choice = choose(await self._buttons())
                if choice and choice[1] != "settings":
                    return False
            elif (await self._page.evaluate("webcontent.asks()", STEP_S))["asks"] < self._asking:
                return True
            if monotonic() > end:
                return False
            await asyncio.sleep(POLL_S)

    async def _buttons(self) -> list[Button]:
        """The buttons that were not clicked yet; none of a frame that is gone."""
        try:
            rows: list[dict[str, Any]] = await self._frame.evaluate("webcontentButtons.list()", STEP_S)
        except (PlaywrightError, TimeoutError):
            if self._frame is self._page:
                raise
            return []
        return [Button(tuple(row.pop("texts")), **row) for row in rows]
