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

from webcontent.crawl.rendering.tasks import DATA_S, PATIENCE_S, PAUSE_S, World
from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NAME = 80
"""Characters of a button's name. What is longer is no button, but a text that can be clicked."""
UNKNOWN_TOOL = "dialog"
"""What is reported for a dialog without a row in the table of tools."""

Kind = Literal["accept", "refuse", "save", "settings"]
_ORDER: tuple[Kind, ...] = ("refuse", "save", "settings")


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
def tools() -> dict[str, dict[str, str]]:
    """The rows of consent_tools.toml, which says what they hold, by the names of the tools."""
    rows = tomllib.loads(Path(__file__).with_name("consent_tools.toml").read_text(encoding="utf-8"))["tool"]
    return {row["name"]: row for row in rows}


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
    for kind in _ORDER:
        found = [i for i, button in enumerate(buttons) if button.kind == kind and (kind != "save" or button.has_boxes)]
        if found:
            return min(found, key=lambda i: counts[buttons[i].texts]), kind
    return None


@cache
def _pattern(kind: Kind) -> re.Pattern[str]:
    return re.compile(_without_marks(alternation("overlays", kind)), re.IGNORECASE | re.MULTILINE)


def _without_marks(text: str) -> str:
    """Without accents: capital letters of some languages have none."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.category(char).startswith("M"))


async def refuse(page: World, frames: Sequence[World], asking: int, shown: Sequence[str], longest_s: float) -> str:
    """The name of the tool in which consent was refused, UNKNOWN_TOOL for one without a row; empty if it was in none.

    `page`: the world of the preparation, in which so many overlays are `asking`. `frames`: the worlds in the frames of them, which are
    tried first. `shown`: names of the tools whose dialog is shown. Raises Playwright's errors and TimeoutError of the page.
    """
    dialog = _Dialog(page, asking, monotonic() + min(longest_s, DATA_S))
    for name in shown:
        if await dialog.obeys(tools()[name].get("call", "")):
            return name
    for world in (*frames, page):
        if await dialog.refuses_in(world):
            return shown[0] if shown else UNKNOWN_TOOL
    return ""


@dataclass(frozen=True, slots=True)
class _Dialog:
    """What asks for consent, and the time at which it is left alone."""

    page: World
    asking: int
    end: float

    async def obeys(self, call: str) -> bool:
        """Whether a tool's own call refused and the dialog has closed."""
        expression = f"(async () => {{ try {{ await ({call}); return true; }} catch {{ return false; }} }})()"
        with suppress(PlaywrightError, TimeoutError):
            if call and await World(self.page.session, None).evaluate(expression, min(self.end - monotonic(), PATIENCE_S)):
                return await self._closes("refuse", self.page)
        return False

    async def refuses_in(self, world: World) -> bool:
        """Whether a refusal was clicked in a frame or the page, and the dialog has closed."""
        has_refused = False
        while monotonic() < self.end and (choice := choose(await self._buttons(world))):
            index, kind = choice
            if not await world.evaluate(f"webcontentButtons.click({index}, {str(kind == 'save').lower()})", PATIENCE_S):
                continue
            has_refused = has_refused or kind != "settings"
            if await self._closes(kind, world):
                return has_refused
        return False

    async def _closes(self, kind: Kind, world: World) -> bool:
        """Whether the dialog closes in time. After a click on settings False as soon as they offer a refusal or a choice to save."""
        end = min(self.end, monotonic() + PATIENCE_S)
        while monotonic() <= end:
            if kind == "settings":
                choice = choose(await self._buttons(world))
                if choice and choice[1] != "settings":
                    return False
            elif (await self.page.evaluate("webcontent.asks()", PATIENCE_S))["asks"] < self.asking:
                return True
            await asyncio.sleep(PAUSE_S)
        return False

    async def _buttons(self, world: World) -> list[Button]:
        """The buttons that were not clicked yet; none of a frame that is gone."""
        try:
            rows: list[dict[str, Any]] = await world.evaluate("webcontentButtons.list()", PATIENCE_S)
        except (PlaywrightError, TimeoutError):
            if world is self.page:
                raise
            return []
        return [Button(tuple(row.pop("texts")), **row) for row in rows]
