"""What spiders ask for in their requests: page methods, live pages, proxies, the meta of other pages."""

from __future__ import annotations

import os

import pytest

from tests.crawl.rendered import THREADED, WITHOUT_PIPELINES, crawl
from tests.crawl.server import hostile_server

pytestmark = pytest.mark.browser

IS_THREADED = bool(os.environ.get(THREADED))
RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_TIMEOUT": 60}
BEHIND_PROXY = "http://site.invalid/page/7"


@pytest.fixture(scope="module")
def server():
    with hostile_server() as server:
        yield server


@pytest.fixture(scope="module")
def secure():
    with hostile_server(tls=True) as server:
        yield server


@pytest.fixture(scope="module")
def done(server, secure):
    """One crawl with the requests of all tests."""
    url = server.url
    requests = [
        {"url": f"{url}/click", "methods": ["click", "greeting"], "greet": True},
        {"url": f"{url}/click-hang", "methods": ["click"]},
        {"url": f"{url}/article?without-button", "methods": ["click"]},
        *([] if IS_THREADED else [{"url": f"{url}/article?held", "meta": {"playwright_include_page": True}, "parse": "parse_held"}]),
        {"url": f"{url}/page/0", "meta": {"follow": [f"{url}/page/{number}" for number in range(1, 5)]}, "parse": "parse_follow"},
        f"{url}/article?http",
        f"{secure.url}/page/2",
        {"url": BEHIND_PROXY, "meta": {"proxy": url.replace("//", "//user:secret@")}},
    ]
    return crawl(requests, settings=RENDER | {"WEBCONTENT_IGNORE_CERTIFICATES": True})


def test_the_crawl_ends_clean(done):
    done.check()


def test_page_methods_and_init_callback_of_a_user_work_in_their_order(done, server):
    """Traps 4 and 29: also where an image hangs; boxes and screenshot are of the page as the methods left it."""
    first, second = done.response(f"{server.url}/click"), done.response(f"{server.url}/click-hang")
    assert first["text"].rstrip().endswith("clickedhello true")
    assert first["meta"]["greeted"] is True
    assert second["text"].rstrip().endswith("clicked")
    assert all(response["boxes"] and response["screenshot"] for response in (first, second))


def test_a_failing_page_method_costs_the_rendering_but_not_the_page(done, server):
    """Trap 29: there is a warning, and the page comes without the browser."""
    assert done.response(f"{server.url}/article?without-button")["page_flags"] == ["render-failed"]
    assert "The page method" in done.log


@pytest.mark.skipif(IS_THREADED, reason="the page's methods can't be awaited in Scrapy's loop")
def test_a_page_that_the_user_asks_for_is_handed_over_and_left_open(done, server):
    """Trap 28: it comes beside boxes and screenshot, and is the user's to close."""
    response = done.response(f"{server.url}/article?held")
    assert response["held"] == [False, "Storm closes the harbour"]
    assert response["boxes"]
    assert response["screenshot"]


def test_copied_meta_mixes_no_results(done, server):
    """Trap 15: requests that carry a response's whole meta get pages of their own."""
    for number in range(5):
        response = done.response(f"{server.url}/page/{number}")
        assert response["headers"]["x-page"] == str(number)
        assert response["title"] == f"Page {number}"
        assert response["boxes"][0][10] == len(f"Page {number}")
        assert response["screenshot"]


def test_http_and_https_share_one_browser(done, server, secure):
    """Trap 21: and one driver."""
    responses = [done.response(url) for url in (f"{server.url}/article?http", f"{secure.url}/page/2")]
    assert [response["title"] for response in responses] == ["Storm closes the harbour", "Page 2"]
    assert all(response["boxes"] for response in responses)
    assert done.stats["webcontent/browsers"] == 1
    assert done.state["drivers"] == 1


def test_the_browser_uses_the_proxy_that_scrapy_would(done, server):
    """A page that only the proxy can reach; its password goes to no site."""
    assert done.response(BEHIND_PROXY)["title"] == "Page 7"
    assert done.response(BEHIND_PROXY)["boxes"]
    assert all("authorization" not in headers for _, headers in server.asked)
