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


def test_a_cookie_of_a_rendered_page_reaches_later_requests_of_its_jar_and_of_no_other(tmp_path, server):
    """Plain and rendered ones; cookies of a header and of a script."""
    found = seen_by(tmp_path, server.url, [1, 2], [("/set-cookie", True), ("/by-script", True), ("/echo", False), ("/echo/page", True)])
    for jar, seen in found.items():
        for path in ("/echo", "/echo/page"):
            assert "flavour=plain" in seen[path]
            assert [f"script={other}" in seen[path] for other in (jar, 3 - jar)] == [True, False]


def test_a_cookie_of_a_plain_response_reaches_rendered_pages_and_what_they_load(tmp_path, server):
    (seen,) = seen_by(tmp_path, server.url, [1], [("/set-cookie", False), ("/loads-it", True)]).values()
    assert "flavour=plain" in seen["/loads-it"]


def test_a_request_that_the_browser_does_not_send_says_so(tmp_path, server):
    spider = SPIDER.format(url=server.url, jars=[1], steps=[("/echo", True)]).replace("dont_filter=True", "dont_filter=True, method='POST'")
    (tmp_path / "spider.py").write_text(spider)
    done = scrapy("runspider", "spider.py", cwd=tmp_path)
    assert "is fetched without the browser, which sends no POST requests" in done.stderr
