"""A crawl's memory of its sites: the setting, the stats, the restart."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import article, crawl_seeds, listing, serve
from tests.crawl.test_pipelines import crawler_with, run
from webcontent.api import extract
from webcontent.crawl.pipelines import ExtractionPipeline, PageTypePipeline
from webcontent.crawl.site_history import FILE, CrawlHistory
from webcontent.history import prior as memory
from webcontent.history.store import SiteHistory
from webcontent.items import Article, Page
from webcontent.models import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

NAMES = ("Harvest", "Ferry", "Market", "Winter")
PAGES = [Page(url=f"http://town.example/{name}", html=article(f"{name} news"), fetched_at="2025-01-01T00:00:00+00:00") for name in NAMES]


def crawler_with_job(folder: Path) -> Crawler:
    crawler = get_crawler(settings_dict={"JOBDIR": str(folder)})
    crawler.spider = crawler._create_spider("test")
    return crawler


def stat(crawler: Crawler, name: str) -> int:
    return crawler.stats.get_value(f"webcontent/{name}", 0)


def test_later_pages_are_read_with_what_earlier_ones_showed():
    """All but the first page of a site."""
    crawler = crawler_with()
    other = Page(url="http://other.example/", html=article("Elsewhere"))
    run(crawler, [*PAGES, other])
    assert stat(crawler, "with_history") == 3
    assert CrawlHistory.of(crawler).sites.find("http://town.example/").count == 4


def test_switched_off_each_page_stands_for_itself():
    """WEBCONTENT_SITE_HISTORY False: no memory, the items of `extract`."""
    crawler = crawler_with(SITE_HISTORY=False)
    items = run(crawler, PAGES)
    assert CrawlHistory.of(crawler) is None
    assert stat(crawler, "with_history") == 0
    for page, item in zip(PAGES, items, strict=True):
        alone = extract(page.html, url=page.url, fetched_at=page.fetched_at)
        assert (item.body, item.title, item.score) == (alone.body, alone.title, alone.score)


def test_a_missing_model_ends_the_crawl_before_page_one(monkeypatch):
    """Not at the second page."""

    def missing(name: str) -> None:
        raise ModelError(f"{name} is missing")

    monkeypatch.setattr("webcontent.crawl.site_history.load_model", missing)
    with pytest.raises(ModelError, match=memory.MODEL):
        ExtractionPipeline.from_crawler(crawler_with())


def test_a_page_whose_memory_fails_is_an_item_all_the_same(monkeypatch):
    """The border where a page may not stop a crawl."""

    def broken(*arguments: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("webcontent.history.host.HostProfile.learn", broken)
    crawler = crawler_with()
    [item] = run(crawler, PAGES[:1])
    assert isinstance(item, Article)
    assert item.title == "Harvest news"
    assert stat(crawler, "errors/extraction") == 1


def test_what_was_learned_is_there_after_a_restart(tmp_path):
    """With a JOBDIR, and only there."""

    def crawled(pages: list[Page]) -> Crawler:
        crawler = crawler_with_job(tmp_path / "job")
        run(crawler, pages, PageTypePipeline, ExtractionPipeline)
        asyncio.run(CrawlHistory.of(crawler)._close())
        return crawler

    crawled(PAGES[:2])
    second = crawled(PAGES[2:])
    assert stat(second, "with_history") == 2
    assert stat(second, "sites") == 1
    assert SiteHistory.load(tmp_path / "job" / FILE).find("http://town.example/").count == 4


def test_a_job_that_can_not_be_written_costs_the_memory_not_the_crawl(tmp_path, caplog):
    """A file stands where the folder should be."""
    own = CrawlHistory.of(crawler_with_job(tmp_path / "job"))
    (tmp_path / "taken").write_text("")
    own.path = tmp_path / "taken" / "sites.npz"
    asyncio.run(own._close())
    assert "can't be written" in caplog.text


def test_a_crawl_with_a_job_leaves_its_memory(tmp_path):
    """A whole crawl of a loopback site: the file is there when it is over, and holds the site."""
    pages = {"/": listing("Town news", {f"/{name}.html": f"{name} news of this week" for name in NAMES})}
    with serve(pages | {f"/{name}.html": article(f"{name} news of this week") for name in NAMES}) as site:
        items = crawl_seeds(f"{site.url}/", tmp_path, "-s", f"JOBDIR={tmp_path / 'job'}")
        stored = SiteHistory.load(tmp_path / "job" / FILE)
        assert len(items) == 5
        assert stored.find(site.url).count == 4
