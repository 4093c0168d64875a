"""Cookies go both ways between Scrapy's jars and the browser, and no jar sees another's; of a session only its sites see something."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawl import server as served
from tests.crawl.crawls import scrapy
from tests.crawl.server import TEXT, hostile_server, page, script

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

SPIDER = """
import json
import scrapy

class Cookies(scrapy.Spider):
    name = "cookies"
    custom_settings = {{"ADDONS": {{"webcontent.Addon": 500}}, "WEBCONTENT_AUTO": False, "WEBCONTENT_RENDER": "auto", "LOG_LEVEL": "INFO"}}

    async def start(self):
        for jar in {jars}:
            yield self.ask(list({steps}), jar, {{}})

    def ask(self, steps, jar, seen):
        path, renders = steps[0]
        meta = {{"webcontent": {{"render": renders}}, "cookiejar": jar, "rest": steps[1:], "seen": seen, "path": path}}
        return scrapy.Request("{url}" + path + f"?{{jar}}-{{len(steps)}}", meta=meta, dont_filter=True)

    def parse(self, response):
        seen, rest = {{**response.meta["seen"], response.meta["path"]: response.text}}, response.meta["rest"]
        if rest:
            yield self.ask(rest, response.meta["cookiejar"], seen)
        else:
            print("SEEN " + json.dumps([response.meta["cookiejar"], seen]))
"""
PAGES = {
    "/by-script": page(TEXT + script("document.cookie = 'script=' + location.search.slice(1, 2) + '; path=/'")),
    "/loads-it": page(TEXT + script("fetch('/echo/data').then(answer => answer.text()).then(text => document.body.append(text))")),
}


def seen_by(tmp_path: Path, url: str, jars: list[object], steps: list[tuple[str, bool]]) -> dict[object, dict[str, str]]:
    (tmp_path / "spider.py").write_text(SPIDER.format(url=url, jars=jars, steps=steps))
    done = scrapy("runspider", "spider.py", cwd=tmp_path)
    found = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("SEEN ")]
    assert len(found) == len(jars), done.stderr[-3000:]
    return dict(found)


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(served, "PAGES", served.PAGES | PAGES)
    with hostile_server() as server:
        yield server


@pytest.mark.parametrize("path", ["/set-cookie", "/by-script"])
def test_a_cookie_of_a_rendered_page_reaches_later_plain_requests_of_its_jar(tmp_path, server, path):
    found = seen_by(tmp_path, server.url, [1, 2], [(path, True), ("/echo", False)])
    for jar, seen in found.items():
        assert ("flavour=plain" if path == "/set-cookie" else f"script={jar}") in seen["/echo"]
        assert f"script={3 - jar}" not in seen["/echo"]


def test_a_jar_does_not_send_another_ones_cookies(tmp_path, server):
    found = seen_by(tmp_path, server.url, [1, 2], [("/by-script", True), ("/echo", True)])
    assert {jar: [f"script={other}" in seen["/echo"] for other in (1, 2)] for jar, seen in found.items()} == {
        1: [True, False],
        2: [False, True],
    }


def test_a_cookie_of_a_plain_response_reaches_rendered_pages_and_what_they_load(tmp_path, server):
    (seen,) = seen_by(tmp_path, server.url, [1], [("/set-cookie", False), ("/loads-it", True)]).values()
    assert "flavour=plain" in seen["/loads-it"]


def test_a_request_that_the_browser_does_not_send_says_so(tmp_path, server):
    spider = SPIDER.format(url=server.url, jars=[1], steps=[("/echo", True)]).replace("dont_filter=True", "dont_filter=True, method='POST'")
    (tmp_path / "spider.py").write_text(spider)
    done = scrapy("runspider", "spider.py", cwd=tmp_path)
    assert "is fetched without the browser, which sends no POST requests" in done.stderr
