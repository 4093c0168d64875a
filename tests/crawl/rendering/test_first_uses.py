"""Many requests at once from a cold start: what they share starts once, and all of them wait for it."""

from __future__ import annotations

import os

import pytest

from tests.crawl.rendered import THREADED, WITHOUT_PIPELINES, crawl, processes
from tests.crawl.rendering.test_traps_crawls import wait_for
from tests.crawl.server import hostile_server
from tests.crawl.user_scenarios import HANDLER
from webcontent.crawl.rendering.browser import PAGES_PER_CORE

pytestmark = pytest.mark.browser

COUNT = 20
"""More than twice what is open at once on two cores."""
AT_ONCE = {
    "ITEM_PIPELINES": WITHOUT_PIPELINES,
    "CONCURRENT_REQUESTS": 2 * COUNT,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 2 * COUNT,
    "DOWNLOAD_TIMEOUT": 120,
    "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": 120_000,
}
RENDER = {**AT_ONCE, "WEBCONTENT_RENDER": True}


@pytest.fixture
def server():
    with hostile_server() as server:
        yield server


def own(url: str, **meta: object) -> dict[str, object]:
    """A user's own Playwright request."""
    return {"url": url, "meta": {"playwright": True, **meta}}


def test_one_driver_browser_filter_and_context_serve_many_rendered_pages(server):
    urls = [f"{server.url}/page/{number}" for number in range(COUNT)]
    done = crawl(urls, settings=RENDER)
    done.check()
    assert done.stats["webcontent/rendered"] == COUNT
    assert (done.stats["webcontent/browsers"], done.stats["webcontent/contexts"], done.state["drivers"]) == (1, 1, 1)


@pytest.mark.skipif(
    bool(os.environ.get(THREADED)), reason="callbacks can't use pages of a browser that is in a thread of its own, without us too"
)
def test_many_own_requests_share_one_browser_and_two_contexts(server):
    """With the pages handed over, which the callback closes."""
    names = ["first", "second"] * (COUNT // 2)
    requests = [own(f"{server.url}/page/{n}", playwright_context=name, playwright_include_page=True) for n, name in enumerate(names)]
    done = crawl(requests, settings=AT_ONCE, parse="parse_held")
    done.check()
    assert len(done.responses) == COUNT
    assert all(response["held"][0] is False for response in done.responses)
    assert (done.stats["playwright/browser_count"], done.stats["playwright/context_count"]) == (1, 2)


def test_pages_of_many_identities_open_at_once(server):
    """A browser context that a request names is for the user's own requests."""
    languages = ["de-DE", "fr-FR", "ja-JP", "sv-SE", "tr-TR"]
    by_language = [{"url": f"{server.url}/page/{n}", "meta": {"webcontent": {"locale": languages[n % 5]}}} for n in range(COUNT // 2)]
    by_name = [{"url": f"{server.url}/page/{n}", "meta": {"playwright_context": "mine"}} for n in range(COUNT // 2, COUNT)]
    done = crawl(by_language + by_name, settings=RENDER)
    done.check()
    assert done.stats["webcontent/rendered"] == COUNT
    assert (done.stats["webcontent/contexts"], "playwright/context_count" in done.stats) == (6, False)


@pytest.mark.parametrize(
    ("program", "handlers", "message"),
    [
        ("/nowhere/node", {}, "Cannot launch Node.js executable at /nowhere/node"),
        ("/bin/false", {}, "Connection closed while reading from the driver"),
        ("/bin/false", {"http": HANDLER, "https": HANDLER}, "start() must be awaited before launch_browser()"),
    ],
    ids=["no driver", "a driver that ends", "DOWNLOAD_HANDLERS"],
)
def test_a_driver_that_does_not_start_is_reported_to_each_request_once(server, program, handlers, message):
    """The cause reaches each of the user's requests, or what scrapy-playwright says where the project has configured it.

    Pages that the add-on renders are fetched without the browser.
    """
    urls = [f"{server.url}/page/{number}" for number in range(COUNT)]
    rendered = [{"url": f"{server.url}/article?{number}", "meta": {"webcontent": {"render": True}}} for number in range(COUNT)]
    settings = {**AT_ONCE, "DOWNLOAD_HANDLERS": handlers}
    done = crawl([*map(own, urls), *rendered], settings=settings, env={"PLAYWRIGHT_NODEJS_PATH": program})
    assert sorted(error["url"] for error in done.errors) == sorted(urls)
    assert all(error["message"].startswith(message) for error in done.errors), done.errors[0]
    assert [response["page_flags"] for response in done.responses] == [["render-failed"]] * COUNT
    assert done.log.count("The browser did not start") == 1
    assert done.left == []


def test_a_browser_that_does_not_start_is_tried_three_times_whoever_waits(server, tmp_path):
    broken, starts = tmp_path / "chromium", tmp_path / "starts"
    broken.write_text(f"#!/bin/sh\necho start >> {starts}\nexit 1\n")
    broken.chmod(0o755)
    urls = [f"{server.url}/page/{number}" for number in range(COUNT)]
    done = crawl(urls, settings={**RENDER, "WEBCONTENT_BROWSER": str(broken)})
    assert [response["page_flags"] for response in done.responses] == [["render-failed"]] * COUNT
    assert len(starts.read_text().splitlines()) == 3
    assert done.log.count("The browser did not start") == 1


def test_a_browser_that_dies_under_many_pages_starts_once_more(server):
    server.slow_s = 1
    urls = [f"{server.url}/slow/{number}" for number in range(COUNT)]

    def kill(process: object, run: str) -> None:
        wait_for(lambda: len({path for path in server.paths() if path.startswith("/slow/")}) >= PAGES_PER_CORE)
        for victim in processes(run, "--headless", "--user-data-dir"):
            victim.kill()

    done = crawl(urls, settings=RENDER, during=kill)
    done.check()
    assert {response["title"] for response in done.responses} == {f"/slow/{number}" for number in range(COUNT)}
    assert done.stats["webcontent/browsers"] == 2
