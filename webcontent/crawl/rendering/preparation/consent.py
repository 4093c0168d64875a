"""Rejects consent in the tool of a page, by autoconsent of DuckDuckGo: data files in the folder beside this one. Nothing is accepted.

autoconsent runs in an isolated world of its own. Code that it wants to run among the page's scripts, such as a call of a consent
tool's interface, is run there and its result sent back.
"""

from __future__ import annotations

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


class ConsentTool:
    """The consent tool of one page, in its main frame."""

    def __init__(self, devtools: CDPSession, frame: str) -> None:
        self.devtools = devtools
        self.frame = frame

    async def reject(self, url: str, longest_s: float) -> str:
        """The name of the tool in which consent was rejected; empty if it was not. Raises Playwright's errors and TimeoutError."""
        world = await self.devtools.send("Page.createIsolatedWorld", {"frameId": self.frame, "worldName": WORLD})
        context: int = world["executionContextId"]
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
                    rules = {"autoconsent": [], "compact": rules_for(url)}
                    await self._send({"type": "initResp", "config": CONFIG, "rules": rules}, context)
                case "eval":
                    result = await self._run_in_page(str(message["code"]), rest)
                    await self._send({"type": "evalResp", "id": message["id"], "result": result}, context)
                case "optOutResult":
                    return str(message.get("cmp")) if message.get("result") else ""
                case "report" if message.get("state", {}).get("lifecycle") in _FAILED:
                    return ""
        return ""

    async def _send(self, message: dict[str, Any], context: int) -> None:
        await self._evaluate(f"void autoconsentReceiveMessage({json.dumps(message)})", GRACE_S, context)

    async def _run_in_page(self, code: str, longest_s: float) -> Any:
        """The result of code among the page's scripts; False if it fails."""
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


def rules_for(url: str) -> dict[str, Any]:
    """The rules for the main frame of a page: generic ones, and those of its site, in the compact form of the package."""
    rules = _rules()
    index = rules["index"]
    generic = rules["r"][slice(*index["genericRuleRange"])]
    own = [rule for rule in rules["r"][slice(*index["specificRuleRange"])] if _is_for(rule, url)]
    strings = rules["s"] if own else rules["s"][: index["genericStringEnd"]]
    return {"v": rules["v"], "s": strings, "r": [*generic, *own]}


def _is_for(rule: list[Any], url: str) -> bool:
    pattern, context = rule[3], rule[4]
    try:
        return context != 1 and bool(not pattern or re.search(pattern, url))  # 1: in frames only
    except re.error:
        return False


@cache
def _rules() -> Any:
    return json.loads(_text("autoconsent/compact-rules.json"))


@cache
def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
