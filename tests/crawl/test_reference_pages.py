"""Pages that are compared with earlier pages of their site."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import OUR_PROJECT, start_scrapy
from tests.extractors.ngfv.drawn import drawn
from tests.extractors.ngfv.test_positions import page
from webcontent.crawl.pipelines import ExtractionPipeline
from webcontent.crawl.workers import WorkerPool
from webcontent.demo.expected import expected_items
from webcontent.extractors.ngfv.reference_pages import Sites
from webcontent.items import Article, Listing, Page

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://example.org"


def pipeline_items(pages: list[Page], **settings: Any) -> list[Any]:
    """The items of pages that reach the pipeline one after the other, without a crawl."""
    crawler = get_crawler(
        settings_dict={"WEBCONTENT_ROUTES": {"article": "ngfv", "list": "ngfv"}, "WEBCONTENT_SITE_HISTORY": False, **settings}
    )
    crawler.spider = crawler._create_spider("test")

    async def all_items() -> list[Any]:
        pipeline = ExtractionPipeline.from_crawler(crawler)
        return [await pipeline.process_item(page) for page in pages]

    try:
        return asyncio.run(all_items())
    finally:
        WorkerPool.of(crawler).close()


def test_pages_become_items():
    """Pages are compared with earlier ones of their site and type. The first one is read by the default extractor and flagged."""
    pages = [drawn(page(number), url=f"{URL}/{number}.html") for number in (1, 2, 3)]
    pages += [drawn(page(4), url="https://example.com/4.html"), drawn(page(5), url="https://news.example.org/5.html"), Page(html="<p>x")]
    items = pipeline_items(pages)
    assert all(isinstance(item, Article) for item in items[:5])
    assert [item.flags for item in items[:5]] == [["no-reference-page"], [], [], ["no-reference-page"], []]
    assert isinstance(items.pop(), (Article, Listing))  # a page without boxes
    assert {item.extractor for item in items} == {"ngfv"}
    assert items[0].body.startswith("Story 1, part 0")


def test_a_failure_costs_the_reference_page_not_the_item(monkeypatch: pytest.MonkeyPatch):
    """The default extractor reads the page."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Sites, "find", broken)
    (item,) = pipeline_items([drawn(page(1), url=f"{URL}/1.html")])
    assert item.flags == ["no-reference-page"]
    assert "Story 1, part 0" in item.body


# Real crawls

ROUTES = ("-s", 'WEBCONTENT_ROUTES={"article": "ngfv"}')


@pytest.mark.browser
def test_every_page_of_a_crawl_becomes_an_item(tmp_path: Path):
    """The demo site: all articles have the text of the site, and each is compared with others."""
    process = start_scrapy("crawl", "demo", "-O", str(tmp_path / "items.jsonl"), *ROUTES, cwd=tmp_path, env=OUR_PROJECT)
    _, log = process.communicate(timeout=300)
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    expected = expected_items("http://127.0.0.1:8000")
    assert len(items) == len(expected), log[-3000:]
    stories = [item for item in items if item["type"] == "article"]
    assert {item["extractor"] for item in stories} == {"ngfv"}
    shown = [item for item in stories if "render-failed" not in item["flags"]]  # a loaded machine may not show all in time
    assert len(shown) > len(stories) / 2
    flagged = [item["flags"] for item in shown if item["flags"]]
    assert flagged == [["no-reference-page"]] * len(flagged)
    assert len(flagged) <= 4  # the first page of each design
    bodies = {path: item["body"] for path, item in expected.items()}
    assert [item["url"] for item in shown if item["body"] != bodies["/" + item["url"].split("/", 3)[3]]] == []
