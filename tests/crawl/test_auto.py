"""WEBCONTENT_AUTO: the pages of any spider become items."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import article, listing, scrapy, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crawl.crawls import Site

pytestmark = pytest.mark.process

# A spider of somebody who knows nothing of us, with our add-on in its settings.
SPIDER = """
import scrapy
from webcontent import Page

class Theirs(scrapy.Spider):
    name = "theirs"
    custom_settings = {{
        "ADDONS": {{"webcontent.Addon": 300}},
        "WEBCONTENT_AUTO": {auto},
        "WEBCONTENT_RENDER": False,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
    }}

    async def start(self):
        for path, callback in {{
            "/": self.parse,
            "/own": self.with_page,
            "/fails": self.fails,
            "/fails-later": self.fails_later,
            "/gone": self.parse,
            "/data": self.parse,
            "/nothing": self.nothing,
        }}.items():
            yield scrapy.Request(self.url + path, callback)
        yield scrapy.Request(self.url + "/off", self.parse, meta={{"webcontent": {{"auto": False}}}})

    def parse(self, response):
        yield {{"theirs": response.url}}

    def with_page(self, response):
        yield Page.from_response(response)
        yield {{"theirs": response.url}}

    def fails(self, response):
        raise RuntimeError("a bug of theirs")

    def fails_later(self, response):
        yield {{"theirs": response.url}}
        raise RuntimeError("another bug of theirs")

    def nothing(self, response):
        return None
"""


@pytest.fixture
def site() -> Iterator[Site]:
    pages: dict[str, Any] = {path: article(f"A story at {path}") for path in ("/own", "/fails", "/fails-later", "/nothing", "/off")}
    pages["/"] = listing("News", {f"/{n}.html": f"Headline number {n} about something that happened" for n in range(12)})
    pages["/gone"] = (404, {}, "<title>Not found</title>")
    pages["/data"] = (200, {"Content-Type": "application/json"}, "{}")
    with serve(pages) as site:
        yield site


def crawl(site: Site, folder: Path, *arguments: str, auto: bool) -> tuple[list[dict[str, Any]], str]:
    """All items, and the log."""
    (folder / "theirs.py").write_text(SPIDER.format(auto=auto))
    done = scrapy("runspider", "theirs.py", "-a", f"url={site.url}", "-O", "items.jsonl", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()], done.stderr


def test_every_html_response_becomes_one_item(site: Site, tmp_path: Path):
    """Also where the callback gives nothing, yields the page itself, or fails; not what is no HTML, what the spider does not get, nor
    where the request says so. A CSV file has the columns of its first item: items of another kind lose none of their fields to that."""
    items, log = crawl(site, tmp_path, "-O", "items.csv", auto=True)
    pages = Counter(item["url"].removeprefix(site.url) for item in items if "type" in item)
    assert pages == {"/": 1, "/own": 1, "/fails": 1, "/fails-later": 1, "/nothing": 1}
    assert sum("theirs" in item for item in items) == 5
    assert log.count("RuntimeError: a bug of theirs") == 1
    assert log.count("RuntimeError: another bug of theirs") == 1
    assert "'spider_exceptions/RuntimeError': 2" in log
    assert "spider_exceptions/HttpError" not in log
    rows = []
    for path in sorted(tmp_path.glob("*.csv")):
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows += csv.DictReader(file)
    assert sum(bool(row.get("theirs")) for row in rows) == 5
    assert sum(row.get("type") == "article" and bool(row["title"] and row["body"]) for row in rows) == 4
    assert sum(row.get("type") == "list" for row in rows) == 1
    assert "dropped fields" not in log


def test_without_it_only_the_pages_that_a_spider_yields(site: Site, tmp_path: Path):
    """And everything else as Scrapy does it."""
    items, _ = crawl(site, tmp_path, auto=False)
    assert [item["url"].removeprefix(site.url) for item in items if "type" in item] == ["/own"]
    assert sum("theirs" in item for item in items) == 5
