"""Rendering within Scrapy: its cache, stored jobs, media, robots.txt, its older process, scrapy-playwright's own requests."""

from __future__ import annotations

import pytest

from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.server import hostile_server

pytestmark = pytest.mark.browser

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
HANDLERS = {"DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "webcontent.crawl.rendering.handler.RenderHandler")}
BOXED = {"boxed": "tests.crawl.rendered:Boxed"}


@pytest.fixture
def server():
    with hostile_server() as server:
        yield server


def test_scrapy_playwrights_own_requests_work_without_rendering(server):
    """Trap 28: what a spider asks of scrapy-playwright itself is scrapy-playwright's."""
    url = f"{server.url}/shell"
    done = crawl([{"url": url, "meta": {"playwright": True}}], settings={**RENDER, "ADDONS": {}, **HANDLERS})
    assert done.response(url)["flags"] == ["playwright"]
    assert "harbour" in done.response(url)["text"]
    assert done.state["open_pages"] == 0
    assert done.left == []


def test_pages_of_a_users_own_playwright_requests_become_items_like_any_other(server, tmp_path):
    """Typed by their boxes, too. The HTTP cache restores the boxes without a browser."""
    request = {"url": f"{server.url}/article", "meta": {"playwright": True}}
    settings = {**RENDER, "ITEM_PIPELINES": {}, "WEBCONTENT_AUTO": True, "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    first, second = crawl([request], settings=settings), crawl([request], settings=settings)
    for done in (first, second):
        done.check()
        (item,) = done.items
        assert item["class"] == "Article"
        assert item["title"] == "Storm closes the harbour"
        assert "not-rendered" not in item["flags"]
        assert done.response(request["url"])["boxes"]
    assert first.stats["playwright/page_count"] == first.stats["webcontent/captured"] == 1
    assert "webcontent/browsers" not in first.stats
    assert "playwright/page_count" not in second.stats
    assert second.response(request["url"])["flags"] == ["playwright", "cached"]


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
    requests = [urls[0], {"url": urls[1], "meta": {"download_timeout": 3}}]
    settings = {**RENDER, "HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    first = crawl(requests, settings=settings)
    asked = len(server.asked)
    second = crawl(requests, settings=settings)
    first.check()
    second.check()
    assert len(server.asked) == asked
    assert "webcontent/browsers" not in second.stats
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


def test_a_rendering_crawl_runs_in_the_older_process_too(server):
    """Trap 27: and no component takes the spider argument that Scrapy warns of (warnings of deprecation are errors here)."""
    url = f"{server.url}/article"
    done = crawl([url], settings=RENDER, process="CrawlerProcess")
    done.check()
    assert done.response(url)["boxes"]


def test_every_page_becomes_an_item_whatever_it_does(server):
    """With WEBCONTENT_AUTO and the pipelines: also pages whose rendering fails, and pages on which the spider itself fails."""
    paths = ("/article", "/loop-before-load", "/hang-image", "/gbk", "/empty", "/js-redirect", "/truncated")
    requests = [{"url": f"{server.url}{path}?{parse}", "parse": parse} for parse in ("parse", "parse_raise") for path in paths]
    done = crawl(requests, settings={**RENDER, "ITEM_PIPELINES": {}, "WEBCONTENT_AUTO": True, "DOWNLOAD_TIMEOUT": 6})
    assert done.state["open_pages"] == 0
    assert done.stats["spider_exceptions/RuntimeError"] == len(paths)
    assert len(done.items) == len(requests)
    assert {item["class"] for item in done.items} <= {"Article", "Listing"}
    flags = {item["url"].removeprefix(server.url): item["flags"] for item in done.items}
    for parse in ("parse", "parse_raise"):
        assert "render-failed" in flags[f"/loop-before-load?{parse}"]
        assert "truncated" in flags[f"/truncated?{parse}"]
