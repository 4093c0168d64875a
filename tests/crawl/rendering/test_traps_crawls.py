"""What happens to rendering crawls: killed browsers, Ctrl-C, silent servers, huge pages, more pages than fit."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import pytest

from tests.crawl.rendered import WITHOUT_PIPELINES, crawl, leftovers, processes
from tests.crawl.server import hostile_server
from webcontent.crawl.rendering.job import DEADLINE_S

pytestmark = pytest.mark.browser

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
SLOW = {"slow": "tests.crawl.rendered:Slow"}


@pytest.fixture
def server():
    with hostile_server() as server:
        yield server


def wait_for(condition, timeout_s: float = 40) -> object:
    """The value of `condition` as soon as it is true."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.05)
    raise AssertionError("It did not come.")


def test_failures_of_the_network_are_retried_as_often_as_scrapy_does(server):
    """Trap 5."""
    urls = [f"{server.url}/reset", f"{server.url}/silent"]
    silent = {"url": urls[1], "meta": {"download_timeout": 1}}
    done = crawl([urls[0], silent], settings={**RENDER, "RETRY_TIMES": 2})
    done.check()
    assert {done.error(url) for url in urls} == {"DownloadFailedError", "DownloadTimeoutError"}
    assert done.stats["retry/count"] == 4
    assert done.stats["retry/max_reached"] == 2


def test_waiting_for_a_free_page_does_not_count_as_loading(server):
    """Trap 6: ten pages of .8 seconds each, one at a time, within a limit of seven seconds a page."""
    server.slow_s = 0.8
    urls = [f"{server.url}/slow/{number}" for number in range(10)]
    done = crawl(urls, settings={**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 1, "DOWNLOAD_TIMEOUT": 7})
    done.check()
    assert done.stats["webcontent/rendered"] == 10
    assert done.elapsed_s > 7


def test_a_page_that_a_script_leaves_is_never_read_half_way(server):
    """Trap 10: whether the new document comes before, while or after the first one is prepared, none is read before it has loaded."""
    urls = [f"{server.url}/js-late-redirect?{number}" for number in range(12)]
    done = crawl(urls, settings=RENDER)
    done.check()
    assert done.stats["webcontent/rendered"] == len(urls)
    assert [done.response(url)["title"] for url in urls] == ["Target"] * len(urls)


def test_killed_renderers_cost_no_page(server):
    """Trap 7: all requests are answered, and the page limit stays what it was."""
    server.slow_s = 1
    urls = [f"{server.url}/slow/{number}" for number in range(12)]

    def kill(process: Any, run: str) -> None:
        wait_for(lambda: len([path for path in server.paths() if path.startswith("/slow/")]) >= 4)
        for victim in processes(run, "--type=renderer"):
            victim.kill()

    done = crawl(urls, settings={**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4}, during=kill)
    done.check()
    assert {response["title"] for response in done.responses} == {f"/slow/{number}" for number in range(12)}
    assert len([response for response in done.responses if response["boxes"]]) >= 8


def test_huge_pages_are_bounded(server):
    """Trap 17: 60,000 px, an image of 12,000 px, 10 MB of HTML."""
    urls = [f"{server.url}{path}" for path in ("/tall", "/wide-image", "/big")]
    done = crawl(urls, settings={**RENDER, "WEBCONTENT_MAX_BYTES": 2_000_000}, timeout_s=200)
    done.check()
    tall, wide, big = (done.response(url) for url in urls)
    assert tall["screenshot"] == [512, 2999]  # 8000 px, scaled
    assert wide["boxes"]
    assert all(response["screenshot_bytes"] < 500_000 for response in (tall, wide, big))
    assert big["page_flags"] in (["truncated"], ["render-failed"])
    assert big["boxes"] is None or len(big["boxes"]) <= 2500
    assert done.state["peak_mb"] < 1200


def test_pages_in_flight_are_bounded(server):
    """Trap 20: slow extraction stops new pages from being rendered; Scrapy itself does not count screenshots."""
    urls = [f"{server.url}/page/{number}" for number in range(13)]
    settings = {**RENDER, "ITEM_PIPELINES": {}, "WEBCONTENT_THREADS": 1, "WEBCONTENT_EXTRACTORS": SLOW}
    settings |= {"WEBCONTENT_ROUTES": {"article": "slow", "list": "slow"}, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4, "CONCURRENT_REQUESTS": 4}
    done = crawl(urls, settings=settings, parse="parse_page")
    done.check()
    assert len(done.items) == 13
    assert done.state["most_pages"] <= 4 + 4  # those of one thread, and those that were open when the limit was reached


def test_renewed_contexts_lose_no_page(server):
    """Also with many requests waiting for a page of the old one."""
    server.slow_s = 0.1
    urls = [f"{server.url}/slow/{number}" for number in range(24)]
    done = crawl(urls, settings={**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 3}, pages_per_context=5)
    done.check()
    assert done.stats["webcontent/rendered"] == 24
    assert done.stats["webcontent/contexts"] >= 2  # those who wait stay with the context that they wait for


def test_ctrl_c_finishes_the_open_pages_and_leaves_no_process(server, tmp_path):
    """Trap 25: what was finished is exported."""
    server.slow_s = 0.5
    urls = [f"{server.url}/slow/{number}" for number in range(40)]
    feed = tmp_path / "items.jsonl"
    settings = {**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 2, "CONCURRENT_REQUESTS": 4, "FEEDS": {str(feed): {"format": "jsonlines"}}}

    def interrupt(process: Any, run: str) -> None:
        wait_for(lambda: len([path for path in server.paths() if path.startswith("/slow/")]) >= 5)
        os.killpg(process.pid, signal.SIGINT)

    done = crawl(urls, settings=settings, parse="parse_media", during=interrupt)
    done.check()
    assert 3 <= len(done.responses) < 40
    assert len([json.loads(line) for line in feed.read_text().splitlines()]) == len(done.responses)


def test_a_second_ctrl_c_ends_at_once(server):
    """Trap 25: also with pages that hang."""
    runs: list[str] = []

    def interrupt(process: Any, run: str) -> None:
        runs.append(run)
        wait_for(lambda: "/silent" in " ".join(server.paths()))
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        process.wait(DEADLINE_S * 2 / 3)

    crawl([f"{server.url}/silent?{number}" for number in range(6)], settings=RENDER, during=interrupt, may_die=True)
    assert leftovers(runs[0]) == []
