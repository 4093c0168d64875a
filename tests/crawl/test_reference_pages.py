"""Pages that wait for a reference page."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import time
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import OUR_PROJECT, start_scrapy
from tests.extractors.ngfv.drawn import drawn
from tests.extractors.ngfv.test_positions import page
from webcontent.crawl import reference_pages as module
from webcontent.crawl.pipelines import ExtractionPipeline
from webcontent.crawl.reference_pages import ReferencePages
from webcontent.crawl.workers import WorkerPool
from webcontent.demo.expected import expected_items
from webcontent.document.parsing import Document
from webcontent.items import Article, Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

URL = "https://example.org"


# Pages that wait


def document_of(number: int, host: str = "example.org", **options: Any) -> Document:
    return Document.from_page(drawn(page(number), url=f"https://{host}/{number}.html", **options))


def run(scenario: Callable[[ReferencePages], Any], monkeypatch: pytest.MonkeyPatch, *, is_stuck: bool = False) -> Any:
    """The result of a scenario in a crawl."""
    crawler = get_crawler()
    threads = WorkerPool(crawler, 1)
    reference_pages = ReferencePages(crawler, threads)
    monkeypatch.setattr(module, "INTERVAL_S", 0.01)
    monkeypatch.setattr(reference_pages, "_is_stuck", lambda: is_stuck)

    async def bounded() -> Any:
        return await asyncio.wait_for(scenario(reference_pages), 60)

    try:
        return asyncio.run(bounded())
    finally:
        assert not reference_pages.waiting
        threads.close()


async def until(condition: Callable[[], Any]) -> None:
    while not condition():  # noqa: ASYNC110  (nothing signals the condition)
        await asyncio.sleep(0.005)


def test_the_first_page_waits_for_the_second(monkeypatch: pytest.MonkeyPatch):
    """Each is the reference page of the other."""

    async def scenario(reference_pages: ReferencePages) -> Any:
        first = asyncio.create_task(reference_pages.find(document_of(1), "article"))
        await until(lambda: reference_pages.waiting)
        second = await reference_pages.find(document_of(2), "article")
        return await first, second

    first, second = run(scenario, monkeypatch)
    assert [tree.url for tree in first] == [f"{URL}/2.html"]
    assert [tree.url for tree in second] == [f"{URL}/1.html"]


def test_only_pages_of_the_same_site_and_type_end_the_wait(monkeypatch: pytest.MonkeyPatch):
    """A page of another site and a listing go on waiting. Subdomains belong to one site."""

    async def scenario(reference_pages: ReferencePages) -> Any:
        tasks = [
            asyncio.create_task(reference_pages.find(document, page_type))
            for document, page_type in (
                (document_of(1), "article"), (document_of(2, "example.com"), "article"), (document_of(3), "list"),
            )
        ]  # fmt: skip
        await until(lambda: reference_pages.waiting == 3)
        await reference_pages.find(document_of(4, "news.example.org"), "article")
        found = await tasks[0]
        assert not tasks[1].done()
        assert not tasks[2].done()
        monkeypatch.setattr(reference_pages, "_is_stuck", lambda: True)
        return found, await tasks[1], await tasks[2]

    found, *others = run(scenario, monkeypatch)
    assert [tree.url for tree in found] == ["https://news.example.org/4.html"]
    assert others == [(), ()]


def test_no_page_waits_for_ever(monkeypatch: pytest.MonkeyPatch):
    """All waits end when the crawl has nothing else to do, or ends."""

    async def scenario(reference_pages: ReferencePages) -> Any:
        return await asyncio.gather(*(reference_pages.find(document_of(number, f"example{number}.org"), "article") for number in range(4)))

    assert run(scenario, monkeypatch, is_stuck=True) == [()] * 4


def test_a_page_waits_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch):
    """Also in a crawl that has other things to do."""
    monkeypatch.setattr(module, "MAX_WAIT_S", 0.05)
    assert run(lambda reference_pages: reference_pages.find(document_of(1), "article"), monkeypatch) == ()


def test_a_watch_that_fails_ends_all_waits(monkeypatch: pytest.MonkeyPatch):
    """Another version of Scrapy may lack the attributes that it reads. Each page notices it in its turn."""

    async def scenario(reference_pages: ReferencePages) -> Any:
        monkeypatch.setattr(reference_pages, "_is_stuck", lambda: 1 / 0)
        pages = (reference_pages.find(document_of(number, f"example{number}.org"), "article") for number in range(2))
        return await asyncio.gather(*pages, return_exceptions=True)

    assert [type(found) for found in run(scenario, monkeypatch)] == [ZeroDivisionError] * 2


def test_pages_without_boxes_do_not_wait(monkeypatch: pytest.MonkeyPatch):
    """Nor do pages without a URL."""

    async def scenario(reference_pages: ReferencePages) -> Any:
        plain, nowhere = document_of(1), document_of(2)
        plain.boxes, nowhere.url = None, None
        return await reference_pages.find(plain, "article"), await reference_pages.find(nowhere, "article")

    assert run(scenario, monkeypatch) == ((), ())


# In the pipeline


def pipeline_items(pages: list[Page], **settings: Any) -> list[Any]:
    """The items of pages that reach the pipeline at the same time, without a crawl."""
    crawler = get_crawler(
        settings_dict={"WEBCONTENT_ROUTES": {"article": "ngfv", "list": "ngfv"}, "WEBCONTENT_SITE_HISTORY": False, **settings}
    )
    crawler.spider = crawler._create_spider("test")

    async def all_items() -> list[Any]:
        pipeline = ExtractionPipeline.from_crawler(crawler)
        return await asyncio.wait_for(asyncio.gather(*map(pipeline.process_item, pages)), 100)

    try:
        return asyncio.run(all_items())
    finally:
        WorkerPool.of(crawler, 1).close()


def test_pages_become_items():
    """Pages of one site are compared with each other. A page that is alone is read by the default extractor and flagged."""
    pages = [drawn(page(number), url=f"{URL}/{number}.html") for number in (1, 2, 3)]
    alone = drawn(page(4), url="https://example.com/4.html")
    items = pipeline_items([*pages, alone])
    assert all(isinstance(item, Article) for item in items)
    assert [item.flags for item in items] == [[], [], [], ["no-reference-page"]]
    assert {item.extractor for item in items} == {"ngfv"}
    assert items[0].body.startswith("Story 1, part 0")


def test_more_sites_than_pages_in_flight():
    """Waiting pages take no capacity from those that end their wait."""
    pages = [drawn(page(number), url=f"https://example{number % 8}.org/{number}.html") for number in range(16)]
    assert [item.flags for item in pipeline_items(pages, WEBCONTENT_THREADS=1)] == [[]] * 16


def test_a_failure_costs_the_reference_page_not_the_item(monkeypatch: pytest.MonkeyPatch):
    """The default extractor reads the page."""

    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(ReferencePages, "find", broken)
    (item,) = pipeline_items([drawn(page(1), url=f"{URL}/1.html")])
    assert item.flags == ["no-reference-page"]
    assert "Story 1, part 0" in item.body


# Real crawls

ROUTES = ("-s", 'WEBCONTENT_ROUTES={"article": "ngfv"}')


def stats_of(log: str) -> dict[str, str]:
    """The stats that Scrapy logs at the end."""
    return dict(re.findall(r"'([\w/-]+)': ('?[\w.-]+'?)", log[log.rindex("Dumping Scrapy stats") :]))


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
    assert not [(item["url"], item["flags"]) for item in shown if item["flags"]]
    bodies = {path: item["body"] for path, item in expected.items()}
    assert [item["url"] for item in shown if item["body"] != bodies["/" + item["url"].split("/", 3)[3]]] == []


@pytest.mark.browser
def test_an_interrupted_crawl_loses_no_page(tmp_path: Path):
    """Ctrl-C half way: every page that was fetched and classified becomes an item."""
    log = tmp_path / "log.txt"
    feed = tmp_path / "items.jsonl"
    process = start_scrapy(
        *("crawl", "demo", "-O", str(feed), *ROUTES, "-s", "LOG_LEVEL=DEBUG", "-s", f"LOG_FILE={log}"),
        cwd=tmp_path,
        env=OUR_PROJECT,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 200
        while (
            process.poll() is None
            and time.monotonic() < deadline
            and (not log.exists() or log.read_text("utf-8").count("Crawled (200)") < 12)
        ):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    stats = stats_of(log.read_text("utf-8"))
    assert stats["finish_reason"] == "'shutdown'"
    assert int(stats["webcontent/reference_pages/waits"]) >= 1
    assert int(stats["webcontent/pages"]) == int(stats["item_scraped_count"]) == len(feed.read_text("utf-8").splitlines())
