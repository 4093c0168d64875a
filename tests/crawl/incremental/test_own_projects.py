"""Nights of other people's projects: what their pipelines, classes and callbacks make of items decides nothing about what is new."""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import Site, article, listing, scrapy, serve

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.process

STORIES = {f"/story{n}.html": f"Headline number {n} about something that happened" for n in range(4)}
SETTINGS = """
ADDONS = {"webcontent.Addon": 300}
WEBCONTENT_RENDER = False
WEBCONTENT_CRAWL_STATE = "sqlite:///state.db"
TELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False
DOWNLOAD_DELAY = 0
ROBOTSTXT_OBEY = False
"""
SPIDERS = """
import os
from dataclasses import dataclass, field
import attrs
import scrapy
import webcontent
from itemadapter import ItemAdapter
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

SITE = os.environ["SITE"]

@dataclass(slots=True, kw_only=True, repr=False)
class Story(webcontent.Article):
    comments: int | None = None
    tags: list[str] = field(default_factory=list)

@attrs.define
class Headline:
    text: str

class Canonical:
    def process_item(self, item):
        item.url = "https://canonical.example/" + str(abs(hash(item.url)))
        return item

class Renamed:
    def process_item(self, item):
        return {"headline": item.title} if item.type == "article" else item

class Enriched:
    def process_item(self, item):
        if item.type == "list":
            return item
        values = {name: getattr(item, name) for name in item.__dataclass_fields__}
        return Story(**values, comments=3, tags=["a", "b"])

class Unknown:
    def process_item(self, item):
        ItemAdapter(item)["project"] = 7
        return item

class Rules(CrawlSpider):
    start_urls = [SITE + "/"]
    rules = [Rule(LinkExtractor(allow="/story"))]
    pipeline = None

    @classmethod
    def update_settings(cls, settings):
        super().update_settings(settings)
        settings.set("WEBCONTENT_AUTO", cls.pipeline is not None, "spider")
        if cls.pipeline:
            settings.set("ITEM_PIPELINES", {cls.pipeline: 800}, "spider")

class ByCanonical(Rules):
    name, pipeline = "canonical", Canonical

class ByRenamed(Rules):
    name, pipeline = "renamed", Renamed

class ByEnriched(Rules):
    name, pipeline = "enriched", Enriched

class ByUnknown(Rules):
    name, pipeline = "unknown", Unknown

class Callback(Rules):
    name = "callback"
    rules = [Rule(LinkExtractor(allow="/story"), callback="parse_story")]

    def parse_story(self, response):
        yield Headline(response.css("h1::text").get())
        yield webcontent.extract(response.text, url=response.url)

class Keeps:
    async def process_spider_output(self, response, result):
        async for output in result:
            if isinstance(output, scrapy.Request):
                yield output

class Kept(Rules):
    name, pipeline = "kept", Unknown
    custom_settings = {"SPIDER_MIDDLEWARES": {Keeps: 500}}
"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serve({"/": listing("News", STORIES), **{path: article(title) for path, title in STORIES.items()}}) as site:
        yield site


@pytest.fixture(scope="module")
def new_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `scrapy startproject` makes it, with the spiders above."""
    folder = tmp_path_factory.mktemp("project")
    assert scrapy("startproject", "theirs", str(folder), cwd=folder).returncode == 0
    with (folder / "theirs" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    (folder / "theirs" / "spiders" / "own.py").write_text(SPIDERS)
    return folder


@pytest.fixture
def project(new_project: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_project, tmp_path, dirs_exist_ok=True)


def night(spider: str, site: Site, project: Path, *arguments: str, feed: str = "items.jsonl") -> subprocess.CompletedProcess[str]:
    site.asked.clear()
    done = scrapy("crawl", spider, "-O", feed, *arguments, cwd=project, env={"SITE": site.url})
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    return done


def items(project: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project / "items.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("spider", ["canonical", "renamed", "enriched", "callback"])
def test_every_article_is_delivered_once(spider: str, site: Site, project: Path):
    """Also where a pipeline changes or drops the address, and where a callback makes the article itself."""
    night(spider, site, project)
    first = items(project)
    assert len([item for item in first if item.get("type", "article") == "article" and "text" not in item]) == len(STORIES)
    site.pages["/story9.html"] = article("A new headline of this night")
    site.pages["/"] = listing("News", STORIES | {"/story9.html": "A new headline of this night"})
    night(spider, site, project)
    assert [path for path in site.asked if path.startswith("/story")] == ["/story9.html"]
    assert sum("night" in str(item.get("title") or item.get("headline")) for item in items(project)) == 1
    night(spider, site, project)
    assert [path for path in site.asked if path.startswith("/story")] == []
    assert not [item for item in items(project) if "headline" in item or item.get("type") == "article"]


def test_own_fields_are_stored_everywhere(site: Site, project: Path):
    """In the database, in CSV and in Parquet, by the same crawl."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    arguments = ("-O", "items.parquet", "-O", "items.csv", "-s", "WEBCONTENT_DATABASE=sqlite:///items.db")
    night("enriched", site, project, *arguments)
    with closing(sqlite3.connect(project / "items.db")) as database:
        rows = database.execute("select comments, tags from articles").fetchall()
    assert rows == [(3, '["a", "b"]')] * len(STORIES)
    with (project / "items.csv").open(encoding="utf-8-sig", newline="") as file:
        assert [(row["comments"], row["tags"]) for row in csv.DictReader(file)] == [("3", "a; b")] * len(STORIES)
    stories = [row for row in parquet.read_table(project / "items.parquet").to_pylist() if row["type"] == "article"]
    assert [(row["comments"], row["tags"]) for row in stories] == [(3, ["a", "b"])] * len(STORIES)


def test_other_classes_are_stored_beside_ours(site: Site, project: Path):
    """Each in a table of its own."""
    night("callback", site, project, "-s", "WEBCONTENT_DATABASE=sqlite:///items.db")
    with closing(sqlite3.connect(project / "items.db")) as database:
        assert sorted(row[0] for row in database.execute("select text from items_headline")) == sorted(STORIES.values())
        assert database.execute("select count(*) from articles").fetchone() == (len(STORIES),)


def test_an_unknown_field_costs_no_item(site: Site, project: Path):
    """It is named once for each class."""
    done = night("unknown", site, project)
    assert len(items(project)) == len(STORIES) + 1
    assert done.stderr.count("Article has no field 'project'") == 1


def test_records_that_are_left_over_are_named_once(site: Site, project: Path):
    """A spider middleware keeps the pages."""
    done = night("kept", site, project)
    assert items(project) == []
    assert done.stderr.count(f"{len(STORIES) + 1} pages are not recorded") == 1
