"""The site history of a crawl: the setting, the stats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import article
from tests.crawl.test_pipelines import crawler_with, run
from webcontent.api import extract
from webcontent.crawl.pipelines import ExtractionPipeline
from webcontent.crawl.pipelines.extract import CrawlHistory
from webcontent.history.prior import MODEL
from webcontent.items import Article, Page
from webcontent.models import Model, ModelError, ModelRegistry

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

NAMES = ("Harvest", "Ferry", "Market", "Winter")
PAGES = [Page(url=f"http://town.example/{name}", html=article(f"{name} news"), fetched_at="2025-01-01T00:00:00+00:00") for name in NAMES]


def stat(crawler: Crawler, name: str) -> int:
    return crawler.stats.get_value(f"webcontent/{name}", 0)


def test_later_pages_are_read_with_the_history_of_their_host():
    """All but the first page of a host."""
    crawler = crawler_with()
    other = Page(url="http://other.example/", html=article("Elsewhere"))
    run(crawler, [*PAGES, other])
    assert stat(crawler, "site_history/pages") == 3
    assert CrawlHistory.of(crawler).history.find("http://town.example/").count == 4


def test_without_history_each_page_is_read_alone():
    """With WEBCONTENT_SITE_HISTORY False the items are those of `extract`."""
    crawler = crawler_with(SITE_HISTORY=False)
    items = run(crawler, PAGES)
    assert stat(crawler, "site_history/pages") == 0
    for page, item in zip(PAGES, items, strict=True):
        alone = extract(page.html, url=page.url, fetched_at=page.fetched_at)
        assert (item.body, item.title, item.score) == (alone.body, alone.title, alone.score)


def test_a_missing_model_ends_the_crawl_before_its_first_page(monkeypatch):
    """Not at the second page, which is the first to need it."""

    def without_history(registry: ModelRegistry, name: str) -> Model:
        if name == MODEL:
            raise ModelError(f"{name} is missing")
        return load(registry, name)

    load = ModelRegistry.load
    monkeypatch.setattr(ModelRegistry, "load", without_history)
    with pytest.raises(ModelError, match=MODEL):
        ExtractionPipeline.from_crawler(crawler_with())


def test_a_page_whose_history_fails_is_still_an_item(monkeypatch):
    """The border where a page may not stop a crawl."""

    def broken(*arguments: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("webcontent.history.host.HostProfile.learn", broken)
    crawler = crawler_with()
    [item] = run(crawler, PAGES[:1])
    assert isinstance(item, Article)
    assert item.title == "Harvest news"
    assert stat(crawler, "errors/history") == 1
