"""A user's own Playwright requests give the same with our add-on as without it, and boxes and a screenshot besides."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import uuid
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.rendered import THREADED, leftovers
from tests.crawl.server import free_port, hostile_server
from tests.crawl.user_scenarios import HANDLER, outcome, scenarios
from webcontent.crawl.rendering.chromium import find_browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from pathlib import Path

pytestmark = pytest.mark.browser

SCENARIOS = "tests.crawl.user_scenarios"
LAUNCH: dict[str, Any] = {"chromium_sandbox": False}
LAUNCH |= find_browser(None) or {}
BOTH = {"DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER}, "PLAYWRIGHT_LAUNCH_OPTIONS": LAUNCH}
COOKIE = {"name": "from", "value": "the context", "domain": "127.0.0.1", "path": "/"}
MAIN = {
    **BOTH,
    "CONCURRENT_REQUESTS": 4,
    "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": 4000,
    "PLAYWRIGHT_DOWNLOAD_TIMEOUT": 1000,
    "PLAYWRIGHT_CONTEXTS": {
        "default": {"storage_state": {"cookies": [COOKIE], "origins": []}, "locale": "fr-FR"},
        "nojs": {"java_script_enabled": False},
        "lenient": {"ignore_https_errors": True},
    },
}
KILLED = "killed browser"
NAMES = [name for name in scenarios("", "", "") if name != KILLED]
"""What one crawl asks for in a row; the others have crawls of their own."""
CAPTURED = [
    "plain",
    "page methods",
    "new context",
    "include page",
    "popup",
    "post",
    "gbk",
    "redirects",
    "certificates",
    "not found",
    "huge page",
]
FOLDER = "FOLDER OF THE CRAWL"
"""Stands in settings for a folder that each crawl has for itself."""


def crawl(plan: dict[str, Any]) -> dict[str, Any]:
    """What a crawl showed and what its servers were asked for, without the numbers of their ports."""
    run = uuid.uuid4().hex
    with hostile_server() as server, hostile_server(tls=True) as secure, TemporaryDirectory() as folder:
        plan = json.loads(json.dumps(plan).replace(FOLDER, folder))
        refused = f"http://127.0.0.1:{free_port()}/"
        done = outcome({"url": server.url, "secure_url": secure.url, "refused_url": refused, **plan}, run)
        asked = sorted([path, sorted(headers.items())] for path, headers in server.asked)
    assert leftovers(run) == []
    text = json.dumps({**done, "asked": asked})
    for address, name in ((server.url, "SERVER"), (secure.url, "SECURE"), (refused, "REFUSED/")):
        text = text.replace(address, name).replace(address.partition("//")[2], name)
    result: dict[str, Any] = json.loads(text)
    return result


class Compared:
    """One crawl without the add-on and one with it, at the same time."""

    def __init__(self, settings: dict[str, Any], names: list[str], **plan: Any) -> None:
        with ThreadPoolExecutor(2) as threads:
            plans = [{"settings": settings, "scenarios": names, "addon": addon, **plan} for addon in (False, True)]
            self.without, self.having = threads.map(crawl, plans)

    def check(self) -> None:
        for part in ("records", "stats", "events", "asked"):
            assert self.having[part] == self.without[part]
        assert "never retrieved" not in self.having["log"]


COMPARISONS: dict[str, tuple[dict[str, Any], list[str], dict[str, Any]]] = {
    "main": (MAIN, NAMES, {"capture_s": 30}),  # busy machines take longer than 8 s for the huge page
    "no headers": (
        {**MAIN, "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": None, "PLAYWRIGHT_ABORT_REQUEST": f"{SCENARIOS}.abort_images"},
        ["headers", "post", "images"],
        {},
    ),
    "header hook": ({**MAIN, "PLAYWRIGHT_PROCESS_REQUEST_HEADERS": f"{SCENARIOS}.own_headers"}, ["headers", "post"], {}),
    "one scheme": ({**MAIN, "DOWNLOAD_HANDLERS": {"https": HANDLER}}, ["plain", "certificates"], {}),
    "own handler": ({**MAIN, "DOWNLOAD_HANDLERS": {"http": f"{SCENARIOS}.OwnHandler"}}, ["plain"], {}),
    "own provider": ({**MAIN, "PLAYWRIGHT_BROWSER_PROVIDER": f"{SCENARIOS}.OwnProvider"}, ["default context"], {}),
    "killed": (MAIN, [KILLED, "plain"], {}),
    "killed for good": ({**MAIN, "PLAYWRIGHT_RESTART_DISCONNECTED_BROWSER": False}, [KILLED, "plain"], {}),
    "no browser": (
        {**MAIN, "PLAYWRIGHT_LAUNCH_OPTIONS": {"executable_path": "/nowhere/chromium"}},
        ["plain", "include page"],
        {},
    ),
    "thread": (
        {**MAIN, "_PLAYWRIGHT_THREADED_LOOP": True},
        ["plain", "page methods", "failing page method", "attachment", "refused"],
        {},
    ),
    # One scheme only, as scrapy-playwright would open the profile once for each. Each crawl has a profile of its own.
    "persistent context": (
        {
            **BOTH,
            "DOWNLOAD_HANDLERS": {"http": HANDLER},
            "PLAYWRIGHT_CONTEXTS": {"default": {**LAUNCH, "user_data_dir": FOLDER}},
        },
        ["default context again", "include page", "popup"],
        {},
    ),
    # Eight requests at once, two pages at a time, one context. The order in which they end is nobody's.
    "limits": (
        {
            **BOTH,
            "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 2,
            "PLAYWRIGHT_MAX_CONTEXTS": 1,
            "CONCURRENT_REQUESTS": 8,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        },
        [str(number) for number in range(8)],
        {"at_once": True},
    ),
    "capture off": ({**MAIN, "WEBCONTENT_CAPTURE": False}, ["plain", "include page", "page methods"], {}),
    "capture too slow": (MAIN, ["plain", "include page", "page methods"], {"capture_s": 0.001}),
}
"""Name -> settings, scenarios, and what else the crawls are given."""


IN_ORDER = (
    "context closed by the user",
    "context made again",
    "redirect while captured",
    "change while captured",
    KILLED,
)
"""Scenarios that depend on who came before, without us too: on a context that another closes, or on time."""
IS_THREADED = bool(os.environ.get(THREADED))
AT_ONCE = [
    name
    for name, request in scenarios("", "", "").items()
    # Where the browser is in a thread of its own, callbacks can't use its pages, without us too.
    if name not in IN_ORDER and not (IS_THREADED and "playwright_include_page" in request.get("meta", {}))
]
SAME_AT_ONCE = ("url", "class", "status", "body", "text", "encoding", "error", "message", "results")
"""What of a record does not tell which requests came before: the others are the depth, the referer and what is open beside it."""


@pytest.fixture(scope="module")
def comparisons(request: pytest.FixtureRequest) -> Iterator[dict[str, Future[Compared]]]:
    """The comparisons that the selected tests need, two at a time: the long one and, beside it, one of the others."""
    calls = [item.callspec.params for item in request.session.items if item.path == request.path and hasattr(item, "callspec")]
    needed = {"main", *(call["comparison"] for call in calls if "comparison" in call)}
    with ThreadPoolExecutor(2) as threads:
        yield {
            name: threads.submit(Compared, settings, scenarios, **plan)
            for name, (settings, scenarios, plan) in COMPARISONS.items()
            if name in needed
        }
        threads.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def compared(comparisons: dict[str, Future[Compared]]) -> Compared:
    """The crawl of all scenarios."""
    return comparisons["main"].result()


@pytest.mark.parametrize("name", [*NAMES, "page used again: second", "again", "at the end"])
def test_a_request_gives_the_same(compared, name):
    """Response or error, meta, headers, results of page methods, the page and its context; what stays open at the end."""
    assert compared.having["records"][name] == compared.without["records"][name]


@pytest.mark.parametrize("part", ["stats", "events", "asked"])
def test_the_crawl_gives_the_same(compared, part):
    """What scrapy-playwright and Scrapy count, what the user's event handlers see, and every request that reaches the server."""
    assert compared.having[part] == compared.without[part]


@pytest.mark.parametrize("name", CAPTURED)
def test_boxes_and_screenshot_are_added(compared, name):
    assert compared.without["captured"][name] == [0, 0]
    boxes, screenshot = compared.having["captured"][name]
    assert boxes >= 1
    assert screenshot > 500


@pytest.mark.parametrize("name", ["json", "attachment", "attachment-html", "image/20"])
def test_what_is_no_page_gets_none(compared, name):
    assert compared.having["captured"][name] == [0, 0]


@pytest.mark.parametrize("comparison", [name for name in COMPARISONS if name != "main"])
def test_with_other_settings_it_gives_the_same(comparisons, comparison):
    comparisons[comparison].result().check()


def _same_at_once(done: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in done["records"][name].items() if key in SAME_AT_ONCE}


def test_requests_at_once_give_what_they_give_in_a_row(compared, comparisons):
    """From a cold start, with pages that the add-on renders beside them, where the project has not set DOWNLOAD_HANDLERS."""
    wait(comparisons.values())  # so that no other crawl slows this one
    count = 8
    limits = {
        "CONCURRENT_REQUESTS": count,
        "CONCURRENT_REQUESTS_PER_DOMAIN": count,
        "_PLAYWRIGHT_THREADED_LOOP": IS_THREADED,
    }
    settings = {**MAIN, **limits, "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": 15_000, "PLAYWRIGHT_DOWNLOAD_TIMEOUT": 10_000}
    del settings["DOWNLOAD_HANDLERS"]
    done = crawl({"settings": settings, "scenarios": AT_ONCE, "addon": True, "at_once": True, "beside": count})
    differing = [name for name in AT_ONCE if _same_at_once(compared.without, name) != _same_at_once(done, name)]
    assert differing == [], [_same_at_once(done, name) for name in differing]
    assert [done["captured"][f"beside {number}"] > [1] for number in range(count)] == [True] * count
    assert done["ours"]["webcontent/rendered"] == count
    assert "never retrieved" not in done["log"]


@pytest.mark.parametrize("comparison", ["limits"])
def test_limits_of_pages_are_kept(comparisons, comparison):
    assert comparisons[comparison].result().having["stats"]["playwright/page_count/max_concurrent"] == 2


@pytest.mark.parametrize(
    ("comparison", "stats"),
    [("capture off", {}), ("capture too slow", {"webcontent/capture_failed/timeout": 3})],
)
def test_a_capture_that_is_off_or_fails_adds_nothing(comparisons, comparison, stats):
    done = comparisons[comparison].result()
    assert done.having["captured"] == done.without["captured"]
    assert {name: value for name, value in done.having["ours"].items() if "capture" in name} == stats


@contextmanager
def remote_browser(folder: Path) -> Iterator[str]:
    """The address of a Chromium that somebody else has started."""
    program = LAUNCH.get("executable_path") or "chromium"
    options = ["--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    port = folder / "DevToolsActivePort"
    try:
        for _ in range(600):
            if port.exists() and port.read_text().strip():
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port.read_text().split()[0]}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.skipif("executable_path" not in LAUNCH, reason="no Chromium on PATH")
def test_a_remote_browser_gives_the_same(tmp_path):
    with remote_browser(tmp_path) as address:
        settings = {**MAIN, "PLAYWRIGHT_LAUNCH_OPTIONS": {}, "PLAYWRIGHT_CDP_URL": address}
        compared = Compared(settings, ["plain", "default context", "include page", "page methods"])
    compared.check()
    assert compared.having["captured"]["plain"] != [0, 0]
