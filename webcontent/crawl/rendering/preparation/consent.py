"""Rejects consent in the tool of a page, by autoconsent of DuckDuckGo: data files in the folder beside this one. Nothing is accepted.

autoconsent runs in an isolated world of its own. Code that it wants to run among the page's scripts, such as a call of a consent
tool's interface, is run there and its result sent back; in the main frame only.
"""

from __future__ import annotations

import asyncio
import json
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError

from webcontent.crawl.rendering.tasks import within
from webcontent.fields.lexicon import alternation

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

WORLD = "webcontent-consent"
LONGEST_S = 3.0
"""The longest work of autoconsent on a page."""
GRACE_S = 1.0
"""Beyond it: a page whose scripts leave no time is left as it is."""
MAX_WORDS = 80
"""Characters of a button that are read."""
CONFIG = {
    "enabled": True,
    "autoAction": "optOut",
    "disabledCmps": [],
    "enablePrehide": False,
    "enableCosmeticRules": False,
    "enableGeneratedRules": True,
    "detectRetries": 2,
    "isMainWorld": False,
    "prehideTimeout": 0,
    "enableHeuristicDetection": True,
    "heuristicMode": "reject",  # the default of the package, "tier2", accepts where there is no other button
    "enablePopupMutationObserver": False,
    "visualTest": False,
    "performanceLoggingEnabled": False,
    "heuristicPopupSearchTimeout": 100,
    "logs": dict.fromkeys(("lifecycle", "rulesteps", "detectionsteps", "evals", "errors", "messages", "waits"), False),
}
_FAILED = frozenset({"nothingDetected", "optOutFailed", "done"})
"""States in which autoconsent does no more."""
_FOLDER = Path(__file__).parent


async def first_rejected(tools: list[ConsentTool], longest_s: float) -> str:
    """The name of the first tool in which consent was rejected; empty if it was in none. All are tried at once.

    Raises Playwright's errors and TimeoutError of the main frame.
    """
    attempts = [asyncio.ensure_future(tool.reject(longest_s)) for tool in tools]
    try:
        for attempt in asyncio.as_completed(attempts):
            if name := await attempt:
                return name
    finally:
        for waiting in attempts:
            waiting.cancel()
        await asyncio.gather(*attempts, return_exceptions=True)
    return ""


class ConsentTool:
    """The consent tool of one page: in its main frame, or in a frame of it."""

    def __init__(self, devtools: CDPSession, frame: str, *, is_main: bool = True) -> None:
        self.devtools = devtools
        self.frame = frame
        self.is_main = is_main
        self._found = ""
        """The name of the tool whose banner was found."""

    async def reject(self, longest_s: float) -> str:
        """The name of the tool in which consent was rejected; empty if it was not. Raises Playwright's errors and TimeoutError.

        A frame that is taken away after its banner was found has done its work.
        """
        try:
            return await self._reject(longest_s)
        except (PlaywrightError, TimeoutError):
            if self.is_main:
                raise
            return self._found

    async def _reject(self, longest_s: float) -> str:
        world = await self.devtools.send("Page.createIsolatedWorld", {"frameId": self.frame, "worldName": WORLD})
        context: int = world["executionContextId"]
        url = str(await self._evaluate("location.href", GRACE_S, context))
        options = {"accept": alternation("overlays", "accept"), "refuse": alternation("overlays", "refuse"), "longest": MAX_WORDS}
        bridge = f"void ((options) => {{\n{_text('consent.js')}\n}})({json.dumps(options)})"
        await self._evaluate(bridge, GRACE_S, context)
        await self._evaluate(f"void (() => {{ {_text('autoconsent/autoconsent.playwright.js')} }})()", GRACE_S, context)
        try:
            return await self._serve(url, context, monotonic() + min(longest_s, LONGEST_S))
        finally:
            with suppress(PlaywrightError, TimeoutError):
                await self._evaluate("webcontentConsent.stop()", GRACE_S, context)

    async def _serve(self, url: str, context: int, end: float) -> str:
        """Answers autoconsent's messages until it has ended or the time is over."""
        while (rest := end - monotonic()) > 0:
            text = await self._evaluate(f"webcontentConsent.next({round(rest * 1000)})", rest + GRACE_S, context)
            message = json.loads(text) or {}
            match message.get("type"):
                case "init":
                    rules = {"autoconsent": [], "compact": rules_for(url, is_main=self.is_main)}
                    await self._send({"type": "initResp", "config": CONFIG, "rules": rules}, context)
                case "eval":
                    result = await self._run_in_page(str(message["code"]), rest)
                    await self._send({"type": "evalResp", "id": message["id"], "result": result}, context)
                case "popupFound":
                    self._found = str(message.get("cmp"))
                case "optOutResult":
                    return str(message.get("cmp")) if message.get("result") else ""
                case "report" if message.get("state", {}).get("lifecycle") in _FAILED:
                    return ""
        return ""

    async def _send(self, message: dict[str, Any], context: int) -> None:
        await self._evaluate(f"void autoconsentReceiveMessage({json.dumps(message)})", GRACE_S, context)

    async def _run_in_page(self, code: str, longest_s: float) -> Any:
        """The result of code among the page's scripts; False if it fails, and in frames."""
        if not self.is_main:
            return False
        with suppress(PlaywrightError, TimeoutError):
            return await self._evaluate(code, longest_s + GRACE_S)
        return False

    async def _evaluate(self, expression: str, longest_s: float, context: int | None = None) -> Any:
        """In the world of that id, or among the page's scripts."""
        parameters = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        if context is not None:
            parameters["contextId"] = context
        answer = await within(longest_s, self.devtools.send("Runtime.evaluate", parameters))
        if "exceptionDetails" in answer:
            raise PlaywrightError(str(answer["exceptionDetails"])[:300])
        return answer["result"].get("value")


def rules_for(url: str, *, is_main: bool = True) -> dict[str, Any]:
    """The rules for a frame: generic ones, and those of its site, in the compact form of the package."""
    rules = _rules()
    index, kind = rules["index"], "specific" if is_main else "frame"
    generic = rules["r"][slice(*index["genericRuleRange"])] if is_main else []
    own = [rule for rule in rules["r"][slice(*index[f"{kind}RuleRange"])] if _is_for(rule, url, is_main=is_main)]
    strings = rules["s"] if own else rules["s"][: index["genericStringEnd"]]
    return {"v": rules["v"], "s": strings, "r": [*generic, *own]}


def _is_for(rule: list[Any], url: str, *, is_main: bool) -> bool:
    """Whether a rule is for a frame: 1 for frames only, 11 for all, the others for the main frame only."""
    pattern, context = rule[3], rule[4]
    try:
        return (context != 1 if is_main else context in (1, 11)) and bool(not pattern or re.search(pattern, url))
    except re.error:
        return False


@cache
def _rules() -> Any:
    return json.loads(_text("autoconsent/compact-rules.json"))


@cache
def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
