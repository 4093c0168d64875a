"""Proxies of the user's for rendered pages, and the delay that AutoThrottle finds."""

from __future__ import annotations

import re

import pytest

from tests.crawl.rendered import WITHOUT_PIPELINES, crawl
from tests.crawl.server import free_port, hostile_server

pytestmark = pytest.mark.browser

RENDER = {"ITEM_PIPELINES": WITHOUT_PIPELINES, "WEBCONTENT_RENDER": True, "DOWNLOAD_TIMEOUT": 60}
SECRET = "pass-word-of-the-proxy"
ENCODED = "dXNlcjpwYXNzLXdvcmQtb2YtdGhlLXByb3h5"
"""user:SECRET in base64."""
WITHOUT_PROXY_MIDDLEWARE = {"scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": None}


@pytest.mark.parametrize("middlewares", [{}, WITHOUT_PROXY_MIDDLEWARE])
def test_the_password_of_a_proxy_is_in_no_log_line_and_no_error(middlewares):
    """Of a proxy that works, that refuses, that speaks no TLS, that is away, and of an unknown kind; at the level DEBUG."""
    with hostile_server() as server:
        address = server.url.partition("//")[2]
        proxies = {
            "http://works.invalid/page/1": f"http://user:{SECRET}@{address}",
            "https://tunnel.invalid/": f"http://user:{SECRET}@{address}",
            "http://tls.invalid/": f"https://user:{SECRET}@{address}",
            "http://away.invalid/": f"http://user:{SECRET}@127.0.0.1:{free_port()}",
            "http://unknown.invalid/": f"ftp://user:{SECRET}@{address}",
            "http://127.0.0.2/": f"http://user:{SECRET}@{address}",
        }
        requests = [{"url": url, "meta": {"proxy": proxy}} for url, proxy in proxies.items()]
        settings = {**RENDER, "LOG_LEVEL": "DEBUG", "DOWNLOADER_MIDDLEWARES": middlewares}
        done = crawl(requests, settings=settings)
        asked = [path for path, _ in server.asked]
    assert done.response("http://works.invalid/page/1")["title"] == "Page 1"
    assert done.response("http://works.invalid/page/1")["boxes"]
    assert {error["url"] for error in done.errors} == set(proxies) - {"http://works.invalid/page/1"}
    assert "http://works.invalid/page/1" in asked
    shown = done.log + repr(done.errors)
    assert SECRET not in shown
    assert ENCODED not in shown


def test_a_proxy_of_the_launch_options_is_used():
    with hostile_server() as server:
        options = {"proxy": {"server": server.url, "username": "user", "password": SECRET}}
        done = crawl(["http://works.invalid/page/1"], settings={**RENDER, "LOG_LEVEL": "DEBUG", "PLAYWRIGHT_LAUNCH_OPTIONS": options})
    assert done.response("http://works.invalid/page/1")["title"] == "Page 1"
    assert ENCODED not in done.log


def test_users_of_one_proxy_have_contexts_of_their_own():
    """Many providers choose the address, and keep the session, by the name of the user."""
    with hostile_server() as server:
        address = server.url.partition("//")[2]
        requests = [{"url": f"http://works.invalid/page/{user}", "meta": {"proxy": f"http://{user}:{SECRET}@{address}"}} for user in "abc"]
        done = crawl(requests, settings=RENDER)
    assert sorted(response["title"] for response in done.responses) == ["Page a", "Page b", "Page c"]
    assert done.stats["webcontent/contexts"] == 3


def test_a_server_that_asks_for_the_password_of_a_proxy_gets_none():
    """Nor does it end the login of other pages."""
    with hostile_server() as server:
        urls = [f"{server.url}{path}" for path in ("/page/1", "/asks-as-a-proxy", "/page/2", "/page/3")]
        done = crawl(urls, settings={**RENDER, "CONCURRENT_REQUESTS_PER_DOMAIN": 1})
        assert not [path for path, headers in server.asked if "proxy-authorization" in headers]
    assert sorted(response["title"] for response in done.responses) == ["Page 1", "Page 2", "Page 3"]
    assert all(response["boxes"] for response in done.responses)
    assert done.error(f"{server.url}/asks-as-a-proxy") == "HttpError"


def test_autothrottle_follows_the_server_and_not_the_rendering():
    """Each page waits seconds for an image that never comes; the server itself answers at once."""
    with hostile_server() as server:
        throttled = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_DEBUG": True, "AUTOTHROTTLE_START_DELAY": 3}
        done = crawl([f"{server.url}/hang-image?{number}" for number in range(3)], settings={**RENDER, **throttled})
    delays = [int(delay) for delay in re.findall(r"delay: +(\d+) ms", done.log)]
    assert len(delays) == 3
    assert delays[-1] < delays[0] < 3000
