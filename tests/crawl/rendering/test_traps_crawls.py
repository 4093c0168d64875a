"""What else happens to rendering crawls: killed browsers, Ctrl-C, caches, resumed jobs, a spider's own wishes."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from tests.crawl.rendered import WITHOUT_PIPELINES, crawl, leftovers, processes
from tests.crawl.server import hostile_server

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.browser

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}


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


def test_page_methods_and_init_callback_of_a_user_work_in_their_order(server):
    """Traps 4 and 29: also where an image hangs; boxes and screenshot are of the page as the methods left it."""
    one, other = f"{server.url}/click", f"{server.url}/click-hang"
    done = crawl(
        [{"url": one, "methods": ["click", "greeting"], "greet": True}, {"url": other, "methods": ["click"]}],
        settings={**RENDER, "DOWNLOAD_TIMEOUT": 12},
    )
    done.check()
    first, second = done.response(one), done.response(other)
    assert first["text"].rstrip().endswith("clickedhello true")
    assert first["meta"]["greeted"] is True
    assert second["text"].rstrip().endswith("clicked")
    assert all(response["boxes"] and response["screenshot"] for response in (first, second))


def test_a_failing_page_method_costs_the_rendering_but_not_the_page(server):
    """Trap 29: there is a warning, and the page comes without the browser."""
    url = f"{server.url}/article"  # it has no button
    done = crawl([{"url": url, "methods": ["click"]}], settings=RENDER)
    done.check()
    assert done.response(url)["page_flags"] == ["render-failed"]
    assert "The page method" in done.log


def test_a_page_that_the_user_asks_for_is_handed_over_and_left_open(server):
    """Trap 28: it comes beside boxes and screenshot, and is the user's to close."""
    url = f"{server.url}/article"
    done = crawl([{"url": url, "meta": {"playwright_include_page": True}}], settings=RENDER, parse="parse_held")
    done.check()
    response = done.response(url)
    assert response["held"] == [False, "Storm closes the harbour"]
    assert response["boxes"]
    assert response["screenshot"]


def test_scrapy_playwrights_own_requests_work_without_rendering(server):
    """Trap 28: what a spider asks of scrapy-playwright itself is scrapy-playwright's."""
    url = f"{server.url}/shell"
    done = crawl([{"url": url, "meta": {"playwright": True}}], settings={**RENDER, "WEBCONTENT_RENDER": False, "ADDONS": {}, **HANDLERS})
    assert done.response(url)["flags"] == ["playwright"]
    assert "harbour" in done.response(url)["text"]
    assert done.state["open_pages"] == 0
    assert done.left == []


HANDLERS = {"DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "webcontent.crawl.rendering.handler.RenderHandler")}


def test_failures_of_the_network_are_retried_as_often_as_scrapy_does(server):
    """Trap 5."""
    urls = [f"{server.url}/reset", f"{server.url}/silent"]
    done = crawl(urls, settings={**RENDER, "RETRY_TIMES": 2, "DOWNLOAD_TIMEOUT": 3})
    done.check()
    assert {done.error(url) for url in urls} == {"DownloadFailedError", "DownloadTimeoutError"}
    assert done.stats["retry/count"] == 4
    assert done.stats["retry/max_reached"] == 2


def test_waiting_for_a_free_page_does_not_count_as_loading(server):
    """Trap 6: ten pages of a second each, one at a time, within a limit of nine seconds a page."""
    server.slow_s = 1
    urls = [f"{server.url}/slow/{number}" for number in range(10)]
    done = crawl(urls, settings={**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 1, "DOWNLOAD_TIMEOUT": 9})
    done.check()
    assert done.stats["webcontent/rendered"] == 10
    assert done.elapsed_s > 10


@pytest.mark.parametrize("words", [("--type=renderer",), ("--headless", "--user-data-dir")], ids=["renderers", "browser"])
def test_killed_processes_cost_no_page(server, words):
    """Trap 7: all requests are answered, and the page limit stays what it was."""
    server.slow_s = 1.5
    urls = [f"{server.url}/slow/{number}" for number in range(12)]

    def kill(process: subprocess.Popen[str], run: str) -> None:
        wait_for(lambda: len([path for path in server.paths() if path.startswith("/slow/")]) >= 4)
        for victim in processes(run, *words):
            victim.kill()

    done = crawl(urls, settings={**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4}, during=kill)
    done.check()
    assert {response["title"] for response in done.responses} == {f"/slow/{number}" for number in range(12)}
    assert len([response for response in done.responses if response["boxes"]]) >= 8


def test_a_browser_that_does_not_start_costs_no_page(server, tmp_path):
    """One clear message, no endless attempts."""
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    urls = [f"{server.url}/page/{number}" for number in range(6)]
    done = crawl(urls, settings={**RENDER, "WEBCONTENT_BROWSER": str(broken), "CONCURRENT_REQUESTS": 1})
    assert [response["page_flags"] for response in done.responses] == [["render-failed"]] * 6
    assert done.log.count("The browser did not start") == 1
    assert done.left == []


def test_robots_and_media_are_never_rendered(server, tmp_path):
    """Trap 12: a browser gives itself away by its sec-fetch headers; a disallowed page is not fetched."""
    pages = [f"{server.url}/article", f"{server.url}/private/article"]
    pipelines = {**WITHOUT_PIPELINES, "scrapy.pipelines.images.ImagesPipeline": 1, "scrapy.pipelines.files.FilesPipeline": 2}
    settings = {**RENDER, "ITEM_PIPELINES": pipelines, "IMAGES_STORE": str(tmp_path), "FILES_STORE": str(tmp_path), "IMAGES_MIN_WIDTH": 0}
    done = crawl(pages, settings={**settings, "ROBOTSTXT_OBEY": True}, parse="parse_media")
    done.check()
    asked = {path: "sec-fetch-mode" in headers for path, headers in server.asked}
    assert asked == {"/robots.txt": False, "/article": True, "/image/20": False, "/article?as-a-file": False}
    assert done.error(pages[1]) == "IgnoreRequest"


def test_a_cached_page_comes_back_whole_without_a_browser(server, tmp_path):
    """Trap 13: screenshot, boxes, flags and time are restored; nothing is asked for, no browser starts."""
    urls = [f"{server.url}/article", f"{server.url}/loop-before-load"]
    settings = {**RENDER, "DOWNLOAD_TIMEOUT": 6, "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    first = crawl(urls, settings=settings)
    asked = len(server.asked)
    second = crawl(urls, settings=settings)
    first.check()
    second.check()
    assert len(server.asked) == asked
    assert "playwright/browser_count" not in second.stats
    for url in urls:
        before, after = first.response(url), second.response(url)
        assert after["flags"][-1] == "cached"
        for part in ("screenshot", "screenshot_bytes", "boxes", "page_flags", "fetched_at", "encoding", "text", "class"):
            assert after[part] == before[part]
    assert second.response(urls[0])["boxes"]


def test_a_stopped_job_goes_on_where_it_was(server, tmp_path):
    """Trap 14: every request can be stored, no result is stored with one, and none is lost or doubled."""
    server.slow_s = 0.1
    urls = [f"{server.url}/slow/{number}" for number in range(8)] + [f"{server.url}/shell"]
    job = tmp_path / "job"
    settings = {**RENDER, "WEBCONTENT_RENDER": "auto", "WEBCONTENT_EXTRACTORS": BOXED, "WEBCONTENT_ROUTES": {"article": "boxed"}}
    settings |= {"JOBDIR": str(job), "CONCURRENT_REQUESTS": 2}
    first = crawl(urls, settings={**settings, "CLOSESPIDER_PAGECOUNT": 3}, is_filtered=True)
    stored = sum(file.stat().st_size for file in (job / "requests.queue").rglob("*") if file.is_file())
    second = crawl(urls, settings=settings, is_filtered=True)
    for done in (first, second):
        done.check()
        assert "Unable to serialize" not in done.log
    seen = [response["asked"] for response in (*first.responses, *second.responses)]
    assert sorted(seen) == sorted(urls)
    assert first.responses
    assert second.responses
    assert stored < 20_000


BOXED = {"boxed": "tests.crawl.rendered:Boxed", "slow": "tests.crawl.rendered:Slow"}


def test_copied_meta_mixes_no_results(server):
    """Trap 15: requests that carry a response's whole meta get pages of their own."""
    first, *others = (f"{server.url}/page/{number}" for number in range(5))
    done = crawl([{"url": first, "meta": {"follow": others}}], settings=RENDER, parse="parse_follow")
    done.check()
    for number, url in enumerate((first, *others)):
        response = done.response(url)
        assert response["headers"]["x-page"] == str(number)
        assert response["title"] == f"Page {number}"
        assert response["boxes"][0][10] == len(f"Page {number}")
        assert response["screenshot"]


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
    assert done.elapsed_s < 120


def test_pages_in_flight_are_bounded(server):
    """Trap 20: slow extraction stops new pages from being rendered; Scrapy itself does not count screenshots."""
    urls = [f"{server.url}/page/{number}" for number in range(24)]
    settings = {**RENDER, "ITEM_PIPELINES": {}, "WEBCONTENT_THREADS": 1, "WEBCONTENT_EXTRACTORS": BOXED}
    settings |= {"WEBCONTENT_ROUTES": {"article": "slow", "list": "slow"}, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 4, "CONCURRENT_REQUESTS": 4}
    done = crawl(urls, settings=settings, parse="parse_page")
    done.check()
    assert len(done.items) == 24
    assert done.state["most_pages"] <= 4 + 4  # those of one thread, and those that were open when the limit was reached


def test_http_and_https_share_one_browser(server):
    """Trap 21: and one driver."""
    with hostile_server(tls=True) as secure:
        urls = [f"{server.url}/page/1", f"{secure.url}/page/2"]
        done = crawl(urls, settings=RENDER)
    done.check()
    assert [done.response(url)["title"] for url in urls] == ["Page 1", "Page 2"]
    assert all(done.response(url)["boxes"] for url in urls)
    assert done.stats["playwright/browser_count"] == 1
    assert done.state["drivers"] == 1


def test_the_browser_uses_the_proxy_that_scrapy_would(server):
    """A page that only the proxy can reach; its password goes to no site."""
    url = "http://site.invalid/page/7"
    done = crawl([{"url": url, "meta": {"proxy": server.url.replace("//", "//user:secret@")}}], settings=RENDER)
    done.check()
    assert done.response(url)["title"] == "Page 7"
    assert done.response(url)["boxes"]
    assert all("authorization" not in headers for _, headers in server.asked)


def test_renewed_contexts_lose_no_page(server):
    """Also with many requests waiting for a page of the old one."""
    urls = [f"{server.url}/slow/{number}" for number in range(24)]
    done = crawl(urls, settings={**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 3}, pages_per_context=5)
    done.check()
    assert done.stats["webcontent/rendered"] == 24
    assert done.stats["playwright/context_count"] >= 3  # those who wait stay with the context that they wait for


def test_ctrl_c_finishes_the_open_pages_and_leaves_no_process(server, tmp_path):
    """Trap 25: what was finished is exported."""
    server.slow_s = 1
    urls = [f"{server.url}/slow/{number}" for number in range(40)]
    feed = tmp_path / "items.jsonl"
    settings = {**RENDER, "PLAYWRIGHT_MAX_PAGES_PER_CONTEXT": 2, "CONCURRENT_REQUESTS": 4, "FEEDS": {str(feed): {"format": "jsonlines"}}}

    def interrupt(process: subprocess.Popen[str], run: str) -> None:
        wait_for(lambda: len([path for path in server.paths() if path.startswith("/slow/")]) >= 5)
        os.killpg(process.pid, signal.SIGINT)

    done = crawl(urls, settings=settings, parse="parse_media", during=interrupt)
    done.check()
    assert 3 <= len(done.responses) < 40
    assert len([json.loads(line) for line in feed.read_text().splitlines()]) == len(done.responses)


def test_a_second_ctrl_c_ends_at_once(server):
    """Trap 25: also with pages that hang."""
    runs: list[str] = []
    pressed: list[float] = []

    def interrupt(process: subprocess.Popen[str], run: str) -> None:
        runs.append(run)
        wait_for(lambda: "/hang-image" in " ".join(server.paths()))
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        pressed.append(time.monotonic())
        process.wait(15)
        pressed.append(time.monotonic())

    crawl([f"{server.url}/hang-image?{number}" for number in range(6)], settings=RENDER, during=interrupt, may_die=True)
    assert pressed[1] - pressed[0] < 10
    assert leftovers(runs[0]) == []


def test_a_rendering_crawl_runs_in_the_older_process_too(server):
    """Trap 27: and no component takes the spider argument that Scrapy warns of (warnings of deprecation are errors here)."""
    url = f"{server.url}/article"
    done = crawl([url], settings=RENDER, process="CrawlerProcess")
    done.check()
    assert done.response(url)["boxes"]


def test_every_page_becomes_an_item_whatever_it_does(server):
    """With WEBCONTENT_AUTO and the pipelines: also pages whose rendering fails, and pages on which the spider itself fails."""
    paths = ("/article", "/loop-before-load", "/hang-image", "/gbk", "/empty", "/js-redirect", "/truncated")
    urls = [f"{server.url}{path}" for path in paths]
    settings = {**RENDER, "ITEM_PIPELINES": {}, "WEBCONTENT_AUTO": True, "DOWNLOAD_TIMEOUT": 9}
    for parse in ("parse", "parse_raise"):
        done = crawl(urls, settings=settings, parse=parse)
        assert done.state["open_pages"] == 0
        assert len(done.items) == len(urls)
        assert {item["class"] for item in done.items} <= {"Article", "Listing"}
        flags = {item["url"].removeprefix(server.url): item["flags"] for item in done.items}
        assert "render-failed" in flags["/loop-before-load"]
        assert "truncated" in flags["/truncated"]
