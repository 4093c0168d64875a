"""How long a page and its browser are waited for, and how much they may use: a size that is within the limit, beside one that is not."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from unittest.mock import AsyncMock, Mock

import pytest
from playwright.async_api import Error as PlaywrightError
from scrapy.http import HtmlResponse, Request

from tests.crawl.clock import at_once
from webcontent.crawl.config import Config
from webcontent.crawl.rendering import browser, memory
from webcontent.crawl.rendering.browser import RenderBrowser
from webcontent.crawl.rendering.capture import add_capture
from webcontent.crawl.rendering.filter.proxy import Client
from webcontent.crawl.rendering.job import RenderJob
from webcontent.crawl.rendering.memory import MemoryWatch
from webcontent.crawl.rendering.network import PageNetwork
from webcontent.crawl.rendering.preparation import consent, prepare
from webcontent.crawl.rendering.session import PageContext
from webcontent.crawl.rendering.tasks import World, close

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://news.example/a"


# ------------------------------------------------------------------------------------------- pages
async def closes(seconds: float) -> bool:
    """Whether a page that takes so long to close is waited for."""
    await close(Mock(close=lambda: asyncio.sleep(seconds)))
    return asyncio.get_running_loop().time() >= seconds


async def opens(seconds: float) -> bool:
    """Whether a page that takes so long to open is waited for."""
    context = PageContext(Mock(new_page=lambda: asyncio.sleep(seconds, "page")), Mock(), asyncio.Semaphore(1))
    with suppress(TimeoutError):
        return await context.open_page() == "page"
    return False


async def is_captured(seconds: float) -> bool:
    """Whether the capture of a user's own page may take so long."""
    page = Mock(url=URL, is_closed=lambda: False)
    page.context.new_cdp_session = lambda page: asyncio.sleep(seconds, Mock(send=AsyncMock(side_effect=PlaywrightError("no tree"))))
    stats: list[str] = []
    await add_capture(HtmlResponse(URL), Request(URL), page, Config(), stats.append)
    return stats == ["webcontent/capture_failed/error"]


# ------------------------------------------------------------------------------------------- preparation
class FoundError(Exception):
    """An element that is waited for is there."""


def preparation(seconds: float, budget_s: float = 10.0) -> prepare.Preparation:
    """That of a page whose element comes after so long."""

    async def wait_for_selector(selector: str, *, state: str, timeout: float) -> None:  # noqa: ASYNC109
        if seconds * 1000 <= timeout:
            raise FoundError
        raise PlaywrightError("no element")

    devtools = Mock(send=AsyncMock(return_value={"executionContextId": 1, "result": {"value": "none"}}))
    network = Mock(frame="1", data=Mock(is_waiting=lambda seconds: False))
    job = Mock(wait_for=".story", steps={"budget_ms": budget_s * 1000, "overlays": "keep"})
    return prepare.Preparation(devtools, Mock(wait_for_selector=wait_for_selector), network, job, 4000)


async def is_awaited(seconds: float) -> bool:
    with suppress(FoundError):
        await preparation(seconds).wait()
        return False
    return True


async def is_in_budget(seconds: float) -> bool:
    """Whether an element that comes after so much of a budget of 9 s is waited for."""
    try:
        await preparation(seconds, 9.0).run()
    except FoundError:
        return True
    except KeyError:  # the script's report is empty
        return False
    raise AssertionError


async def dialog_closes(seconds: float) -> bool:
    """Whether a dialog that closes so long after a click counts as closed."""
    loop, page = asyncio.get_running_loop(), Mock()
    page.evaluate = lambda expression, longest_s: asyncio.sleep(0, {"asks": int(loop.time() < seconds)})
    return await consent._Dialog(page, 1, 99.0)._closes("refuse", page)


async def second_look(seconds: float) -> bool:
    """Whether a dialog that closes soon counts as closed within so long."""
    await dialog_closes(0.01)
    return asyncio.get_running_loop().time() <= seconds


# ------------------------------------------------------------------------------------------- memory
def memory_of(kilobytes: int) -> int:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_PROC", Path(folder))
        Path(folder, "7").mkdir()
        Path(folder, "7", "status").write_text(f"RssAnon:\t{kilobytes} kB\n")
        return memory.megabytes(7)


def is_ended(size: int) -> bool:
    """Whether a page of so many MB is ended in a browser over its limit."""
    with pytest.MonkeyPatch.context() as patch:
        kill = Mock()
        patch.setattr(memory.os, "kill", kill)
        patch.setattr(memory, "megabytes", {1: 30, 2: size, 3: 100}.__getitem__)
        watch = MemoryWatch(400, lambda: True)
        kinds = {1: "browser", 2: "renderer", 3: "renderer"}
        rows = [{"id": number, "type": kind, "cpuTime": 1} for number, kind in kinds.items()]
        watch._session = Mock(send=AsyncMock(return_value={"processInfo": rows}))
        at_once(watch._check(), memory)
        return bool(kill.called)


async def looks_again(seconds: float) -> bool:
    """Whether the memory is looked at a second time within so long."""
    watch = MemoryWatch(400, lambda: True)
    watch._session = Mock(send=AsyncMock(return_value={"processInfo": []}))
    task = asyncio.ensure_future(watch._watch())
    await asyncio.sleep(seconds)
    task.cancel()
    return bool(watch._session.send.call_count > 1)


async def was_ended(seconds: float) -> bool:
    """Whether a crash so long after a page was ended is that page's."""
    watch = MemoryWatch(400, lambda: True)
    watch._ended_at = 0.0
    await asyncio.sleep(seconds)
    return watch.has_just_ended_a_page()


# ------------------------------------------------------------------------------------------- the browser
def quoted(characters: int) -> bool:
    answer = {"exceptionDetails": "x" * characters}
    with pytest.raises(PlaywrightError) as caught:
        asyncio.run(World(Mock(send=AsyncMock(return_value=answer)), None).evaluate("throw 1", 5))
    return len(str(caught.value)) == characters


async def has_page(failures: int) -> bool:
    """Whether a page is opened after so many attempts that failed."""
    opened = Mock(open_page=AsyncMock(side_effect=[*[PlaywrightError("no page")] * failures, "page"]))
    found = Mock(_context=AsyncMock(return_value=opened))
    with suppress(browser.NotRenderedError):
        return (await RenderBrowser._open_page(found, Mock(), Mock(start_driver=AsyncMock())))[0] == "page"
    return False


def deadline(seconds: float) -> bool:
    """Whether a request may ask for so long a deadline."""
    request = Request(URL, meta={"download_timeout": seconds, "webcontent_render": {}})
    return RenderJob.of(request, Config(), None, has_jars=False).deadline_s == seconds


async def judge(documents: int) -> tuple[bool, dict[str, Any]]:
    """Whether it is asked if a page may move on, for the nth document of it; and what is done with its request."""
    identity = {"storage_state": None, "locale": None}
    job = Mock(url=URL, request=Request(URL, headers={"X-Own": "1"}), identity=identity, shares_cookies=False)
    network = PageNetwork(job, (), "Scrapy", adds_headers=True, policy=Mock())
    asked = AsyncMock(return_value=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PageNetwork, "_may_move_to", asked)
        for _ in range(documents):
            verdict = await network._verdict_on_document({"request": {"headers": {}}}, URL)
    return asked.called, verdict


def reads_on(size: int) -> bool:
    """Whether the proxy reads on where so many bytes of an answer are no head."""
    connection, answers = Mock(awaits_head=True), AsyncMock()
    answers.read.side_effect = [b"x" * size, b""]
    asyncio.run(Client._pass_answers(connection, answers))
    return answers.read.call_count > 1


MODULES = (consent, memory, prepare)
WAITS: dict[str, tuple[Callable[[float], Any], float, float]] = {
    "closing of a page": (closes, 2.9, 3.1),
    "opening of a page": (opens, 29, 31),
    "capture of a user's page": (is_captured, 7.9, 8.1),
    "an element that a request waits for": (is_awaited, 2.9, 3.1),
    "an element within the budget": (is_in_budget, 5.9, 6.1),
    "closing of a dialog": (dialog_closes, 1.35, 1.55),
    "second look at a dialog": (second_look, 0.21, 0.19),
    "second look at the memory": (looks_again, 1.1, 0.9),
    "crash after the end of a page": (was_ended, 4.9, 5.1),
    "attempts that fail": (has_page, 2, 3),
}
"""What -> whether it is so, a time or number with which it is, and one with which it is not."""
LIMITS: dict[str, tuple[Callable[[int], object], int, int]] = {
    "kilobytes of a megabyte": (memory_of, 1024, 1023),
    "megabytes of a page": (is_ended, 300, 299),
    "characters of a script's error": (quoted, 300, 301),
    "bytes of a head": (reads_on, 262_144, 262_145),
    "deadline": (deadline, 30, 31),
}
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", WAITS)
def test_the_browser_is_waited_for(name: str):
    holds, size, beyond = WAITS[name]
    assert (at_once(holds(size), *MODULES), at_once(holds(beyond), *MODULES)) == (True, False)


@pytest.mark.parametrize("name", LIMITS)
def test_the_browser_has_its_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)


def test_the_first_document_is_no_move_and_has_the_headers_of_the_request():
    (is_move, verdict), (is_later_move, _) = asyncio.run(judge(1)), asyncio.run(judge(2))
    assert (is_move, is_later_move) == (False, True)
    assert {"name": "x-own", "value": "1"} in verdict["headers"]


def test_an_old_context_closes_with_its_last_page():
    async def closes_after(pages: int) -> list[bool]:
        browser_context = Mock(close=AsyncMock(), new_page=AsyncMock())
        context = PageContext(browser_context, Mock(), asyncio.Semaphore(2))
        for _ in range(pages):
            await context.open_page()
        context.is_old, closed = True, []
        for _ in range(pages):
            context.release()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            closed.append(browser_context.close.called)
        return closed

    assert asyncio.run(closes_after(2)) == [False, True]
