"""Page items in, Article and Listing items out."""

from __future__ import annotations

import asyncio
import gc
import logging
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import TEXTS, article, listing
from webcontent.crawl.pipelines import ExtractionPipeline, PageTypePipeline
from webcontent.crawl.pipelines.classify import PageReadings
from webcontent.crawl.workers import WorkerPool
from webcontent.items import Article, Listing, Page
from webcontent.models import ModelError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

STORY = Page(url="http://example.com/story.html", html=article("A bridge"))
INDEX = Page(
    url="http://example.com/",
    html=listing("News", {f"/news/{n}.html": f"Headline number {n} about something that happened" for n in range(20)}),
)
PNG = b"\x89PNG\r\n\x1a\n" + b"not really an image"


@dataclass
class Foreign:
    name: str


def crawler_with(**settings: Any) -> Crawler:
    """A crawler that has begun, as far as pipelines see it; settings without their prefix."""
    crawler = get_crawler(settings_dict={f"WEBCONTENT_{name}": value for name, value in settings.items()})
    crawler.spider = crawler._create_spider("test")
    return crawler


def copied(page: Page) -> Page:
    return pickle.loads(pickle.dumps(page))


def run(crawler: Crawler, items: list[Any], *pipelines: type, break_in: Any = None) -> list[Any]:
    """What comes out of the pipelines, in order; a DropItem stands for an item that was dropped."""
    chain = [pipeline.from_crawler(crawler) for pipeline in pipelines or (PageTypePipeline, ExtractionPipeline)]
    if break_in:
        break_in(chain)

    async def through(item: Any) -> Any:
        try:
            for pipeline in chain:
                item = await pipeline.process_item(item)
        except DropItem as dropped:
            return dropped
        return item

    async def all_items() -> list[Any]:
        return [await through(copied(item) if isinstance(item, Page) else item) for item in items]

    try:
        return asyncio.run(all_items())
    finally:
        WorkerPool.of(crawler).close()


def test_an_article_and_a_list_become_items_of_their_classes():
    """The page's type decides the class."""
    story, index = run(crawler_with(), [STORY, INDEX])
    assert isinstance(story, Article)
    assert (story.url, story.title, story.type) == (STORY.url, "A bridge", "article")
    assert all(text in story.body for text in TEXTS)
    assert isinstance(index, Listing)
    assert [entry.url for entry in index.entries] == [f"http://example.com/news/{n}.html" for n in range(20)]


def test_other_items_pass_untouched():
    """A project's own items are none of ours, whatever their class."""
    items = [Foreign("a"), {"url": "http://example.com/"}, Article(url="http://example.com/", body="of someone else")]
    out = run(crawler_with(EMIT=["list"], DUPLICATES="drop"), items)
    assert all(before is after for before, after in zip(items, out, strict=True))


def test_the_first_pipeline_keeps_the_page():
    """Between the two a project's pipeline sees the Page as the spider made it; its type is kept beside it, as long as it exists."""
    crawler = crawler_with()
    (page,) = run(crawler, [STORY], PageTypePipeline)
    assert page == STORY
    reading = PageReadings.of(crawler).find(page)
    assert reading is not None
    assert reading.page_type.type == "article"
    assert reading.document is not None
    del page, reading
    gc.collect()
    assert PageReadings.of(crawler)._by_id == {}


def test_extraction_alone_classifies_too():
    """A project that switched PageTypePipeline off gets the same items, counted once."""
    crawler = crawler_with()
    (item,) = run(crawler, [STORY], ExtractionPipeline)
    assert item.title == "A bridge"
    assert crawler.stats.get_value("webcontent/pages") == 1


def test_the_order_of_the_pipelines_does_not_matter():
    """Extraction first leaves nothing for the other to do."""
    out = run(crawler_with(), [STORY, Foreign("a")], ExtractionPipeline, PageTypePipeline)
    assert [type(item) for item in out] == [Article, Foreign]


def test_items_say_when_their_page_was_fetched():
    """With the offset, so that feeds of several machines agree."""
    (item,) = run(crawler_with(), [STORY])
    assert item.fetched_at.endswith("+00:00")
    (item,) = run(crawler_with(), [Page(html="<p>x", fetched_at="2024-03-05T14:22:00+08:00")])
    assert item.fetched_at == "2024-03-05T14:22:00+08:00"


def test_emit_names_the_types_that_come_out():
    """The others are dropped, quietly."""
    out = run(crawler_with(EMIT=["article"]), [STORY, INDEX])
    assert [type(item) for item in out] == [Article, DropItem]
    assert out[1].log_level == "DEBUG"


@pytest.mark.parametrize(
    ("setting", "classes", "flags"),
    [
        ("keep", [Article, Article, Article], [[], [], []]),
        ("flag", [Article, Article, Article], [[], ["duplicate"], []]),
        ("drop", [Article, DropItem, Article], None),
    ],
)
def test_duplicates(setting: str, classes: list[type], flags: list[list[str]] | None):
    """The same text under another address."""
    again = Page(url="http://example.com/print.html", html=STORY.html)
    other = Page(url="http://example.com/other.html", html=article("A tunnel").replace("bridge", "tunnel").replace("river", "mountain"))
    crawler = crawler_with(DUPLICATES=setting)
    out = run(crawler, [STORY, again, other])
    assert [type(item) for item in out] == classes
    assert crawler.stats.get_value("webcontent/duplicates", 0) == (setting != "keep")
    if flags is not None:
        assert [[flag for flag in item.flags if flag == "duplicate"] for item in out] == flags


def test_evidence_is_left_out_unless_asked_for():
    """It is larger than the item."""
    assert run(crawler_with(), [STORY])[0].evidence == {}
    evidence = run(crawler_with(EVIDENCE=True), [STORY])[0].evidence
    assert evidence["title"][0].value == "A bridge"


def test_a_screenshot_is_stored_and_its_path_kept(tmp_path: Path):
    """Once for each image, in the folder of the setting."""
    page = copied(STORY)
    page.screenshot = PNG
    (item,) = run(crawler_with(SCREENSHOT_STORE=str(tmp_path / "shots")), [page])
    assert Path(item.screenshot).read_bytes() == PNG
    assert Path(item.screenshot).suffix == ".png"
    assert Path(item.screenshot).is_relative_to(tmp_path / "shots")


def test_a_store_that_fails_costs_only_the_screenshot(tmp_path: Path):
    """A folder that can't be made, a full disk."""
    (tmp_path / "file").write_text("in the way")
    page = copied(STORY)
    page.screenshot = PNG
    crawler = crawler_with(SCREENSHOT_STORE=str(tmp_path / "file"))
    (item,) = run(crawler, [page])
    assert (item.title, item.screenshot) == ("A bridge", None)
    assert crawler.stats.get_value("webcontent/errors/store") == 1


def test_a_full_disk_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """By one sentence without a traceback, whatever the number of pages; the stat counts them all."""

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webcontent.saved_pages.archive._write", full)
    crawler = crawler_with(SAVE=str(tmp_path / "saved"))
    items = run(crawler, [copied(STORY), Page(url="http://town.example/2", html=STORY.html)])
    assert [item.title for item in items] == ["A bridge", "A bridge"]
    assert crawler.stats.get_value("webcontent/errors/save") == 2
    assert [message.partition(" failed: ")[2] for message in caplog.messages if " failed: " in message] == [
        "No space left on device. The crawl goes on; further pages with the same failure are only counted."
    ]
    assert "Traceback" not in caplog.text
    assert list((tmp_path / "saved").iterdir()) == []  # nothing half written


def test_the_first_thousand_pages_of_a_crawl_are_saved(tmp_path: Path):
    crawler = crawler_with(SAVE=str(tmp_path / "saved"))
    pages = [Page(url=f"http://town{number}.example/", html=STORY.html) for number in range(2)]
    run(crawler, pages, break_in=lambda chain: setattr(chain[1], "saved", 999))
    assert crawler.stats.get_value("webcontent/saved") == 1


def test_a_store_of_an_unknown_scheme_stops_the_crawl():
    """The message names the setting."""
    with pytest.raises(ValueError, match="WEBCONTENT_SCREENSHOT_STORE is 'http://x/'"):
        run(crawler_with(SCREENSHOT_STORE="http://x/"), [])


def broken(*arguments: object, **named: object) -> None:
    raise RuntimeError("broken on purpose")


@pytest.mark.parametrize("stage", ["reading", "pagetype", "extraction", "assembly"])
def test_a_failure_costs_no_item(stage: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    """Whatever fails: an item with the address leaves, a stat counts, one line names the page."""

    def break_in(pipelines: list[Any]) -> None:
        targets = {"reading": "Document.from_page", "pagetype": "classify_document", "extraction": "load_extractor", "assembly": "assemble"}
        monkeypatch.setattr(f"webcontent.pipeline.{targets[stage]}", broken)

    crawler = crawler_with()
    with caplog.at_level(logging.ERROR):
        (item,) = run(crawler, [STORY], break_in=break_in)
    assert item.url == STORY.url
    assert crawler.stats.get_value(f"webcontent/errors/{stage}") == 1
    lines = [line for line in caplog.messages if line.startswith(stage)]
    assert lines == [f"{stage} of {STORY.url} failed: RuntimeError: broken on purpose"]
    assert crawler.stats.get_value(f"webcontent/items/{type(item).__name__}") == 1


def test_an_unknown_extractor_of_one_request_costs_no_item():
    """A request's mark may name any extractor; the page keeps its fields."""
    page = copied(STORY)
    page.meta["extractor"] = "nobody"
    crawler = crawler_with()
    (item,) = run(crawler, [page])
    assert item.title == "A bridge"
    assert crawler.stats.get_value("webcontent/errors/extraction") == 1


def test_a_page_longer_than_the_limit_is_cut():
    """And says so."""
    (item,) = run(crawler_with(MAX_BYTES=1000), [Page(url=STORY.url, html=STORY.html.encode() + b"<p>never read" * 1000)])
    assert "truncated" in item.flags
    assert "never read" not in item.body


def test_a_missing_model_stops_the_crawl_before_page_one(tmp_path: Path):
    """With a message that names the file."""
    with pytest.raises(ModelError, match=r"nowhere.*is missing"):
        run(crawler_with(PAGE_TYPE_MODEL=str(tmp_path / "nowhere")), [])


def test_a_wrong_extractor_stops_the_crawl_before_page_one():
    """With the names that there are."""
    with pytest.raises(ValueError, match=r"'nobody'.*There are: awce"):
        run(crawler_with(ROUTES={"article": "nobody"}), [])


def test_stats_count_every_decision():
    """One line of the README each."""
    crawler = crawler_with()
    run(crawler, [STORY, INDEX, Page(url="http://example.com/empty.html")])
    stats = {name.removeprefix("webcontent/"): value for name, value in crawler.stats.get_stats().items() if name.startswith("webcontent/")}
    assert (stats["pages"], stats["type/article"], stats["type/list"]) == (3, 2, 1)
    assert (stats["items/Article"], stats["items/Listing"], stats["flags/empty"]) == (2, 1, 1)
    assert sum(value for name, value in stats.items() if name.startswith("kind/")) == 3
    assert sum(value for name, value in stats.items() if name.startswith("extractor/")) == 3
    assert {"ms/reading", "ms/pagetype", "ms/extraction"} <= set(stats)


def test_pages_in_flight_are_bounded():
    """A download waits while the threads have more pages than they can take; it goes on when there is capacity."""
    crawler = crawler_with(THREADS=1)
    workers = WorkerPool.of(crawler)

    async def scenario() -> list[str]:
        events = []

        async def download() -> None:
            await workers.wait_for_capacity()
            events.append("download")

        with workers.page(), workers.page(), workers.page(), workers.page():
            waiting = asyncio.create_task(download())
            await asyncio.sleep(0.01)
            events.append("pages done")
        await waiting
        return events

    assert asyncio.run(scenario()) == ["pages done", "download"]
    workers.close()


def test_work_leaves_the_event_loop_free():
    """A slow job does not hold up the reactor's thread."""
    crawler = crawler_with(THREADS=1)
    workers = WorkerPool.of(crawler)

    async def scenario() -> int:
        from time import sleep

        job = asyncio.create_task(workers.run("slow", sleep, 0.2))
        turns = 0
        while not job.done():
            await asyncio.sleep(0.005)
            turns += 1
        return turns

    assert asyncio.run(scenario()) > 5
    assert crawler.stats.get_value("webcontent/ms/slow") >= 200
    workers.close()
