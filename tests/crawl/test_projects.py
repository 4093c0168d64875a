"""Other people's projects: a fresh `scrapy startproject` with spiders that know nothing of us, and our add-on."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import STYLED, Site, article, listing, scrapy, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.process

SETTINGS = """
ADDONS = {"webcontent.Addon": 300}
WEBCONTENT_AUTO = True
WEBCONTENT_RENDER = False
TELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False
DOWNLOAD_DELAY = 0
ROBOTSTXT_OBEY = False
"""
SPIDERS = """
import os
import scrapy
from webcontent.crawl.rendering.chromium import launch_options
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule, SitemapSpider

SITE = os.environ["SITE"]

class Rules(CrawlSpider):
    name = "rules"
    start_urls = [SITE + "/"]
    rules = [Rule(LinkExtractor(allow="/story"), callback="parse_story", follow=True), Rule(LinkExtractor(allow="/list"))]

    def parse_story(self, response):
        yield {"own": response.css("title::text").get()}

class Map(SitemapSpider):
    name = "map"
    sitemap_urls = [SITE + "/sitemap.xml"]
    sitemap_rules = [("/story", "parse_story")]
    custom_settings = {"WEBCONTENT_EVIDENCE": True, "WEBCONTENT_EMIT": ["article"], "WEBCONTENT_ROUTES": {"article": "awce"}}

    def parse_story(self, response):
        pass

class Off(scrapy.Spider):
    name = "off"
    start_urls = [SITE + "/story1.html"]
    custom_settings = {"WEBCONTENT_ENABLED": False}

    def parse(self, response):
        yield {"own": response.css("title::text").get()}

class Requests(scrapy.Spider):
    name = "requests"
    custom_settings = {"WEBCONTENT_AUTO": False}

    async def start(self):
        import webcontent
        for extractor in ("awce", "fusion"):
            url = f"{SITE}/story1.html?{extractor}"
            yield scrapy.Request(url, meta={"webcontent": {"extractor": extractor}}, callback=self.yield_page)

    def yield_page(self, response):
        import webcontent
        yield webcontent.Page.from_response(response)

class Browser(scrapy.Spider):
    name = "browser"
    custom_settings = {
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "DOWNLOAD_HANDLERS": {"http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"},
        "WEBCONTENT_RENDER": "auto",
        "PLAYWRIGHT_LAUNCH_OPTIONS": launch_options(None),
    }

    async def start(self):
        from scrapy_playwright.page import PageMethod
        methods = [PageMethod("wait_for_selector", "h1"), PageMethod("evaluate", "document.title = 'By a script'")]
        meta = {"playwright": True, "playwright_include_page": True, "playwright_page_methods": methods}
        yield scrapy.Request(SITE + "/story1.html", meta=meta)

    async def parse(self, response):
        page = response.meta["playwright_page"]
        yield {"own": await page.title()}
        await page.close()

class AtOnce(scrapy.Spider):
    name = "at_once"
    custom_settings = {"WEBCONTENT_RENDER": "auto", "CONCURRENT_REQUESTS": 60, "CONCURRENT_REQUESTS_PER_DOMAIN": 60}

    async def start(self):
        for number in range(30):
            meta = {"playwright": True, "playwright_include_page": True, "playwright_context": "odd" if number % 2 else "even"}
            yield scrapy.Request(f"{SITE}/story{number % 8}.html?own={number}", self.parse_own, meta=meta)
            yield scrapy.Request(f"{SITE}/story{number % 8}.html?{number}", self.parse_rendered, meta={"webcontent": {"render": True}})

    async def parse_own(self, response):
        yield {"own": response.url.partition("own=")[2]}
        await response.meta["playwright_page"].close()

    def parse_rendered(self, response):
        pass
"""
POET = """
import os
import attrs
import scrapy
import webcontent
import zyte_common_items
from web_poet import WebPage, field
from webcontent import Article, Listing, PageType

SITE = os.environ["SITE"]
ON = {"ADDONS": {"scrapy_poet.Addon": 200, "webcontent.Addon": 300}, "WEBCONTENT_AUTO": False}

@attrs.define
class StoryPage(WebPage):
    article: Article

    @field
    def name(self):
        return self.article.title

    @field
    def words(self):
        return len(self.article.body.split())

class Poet(scrapy.Spider):
    name = "poet"
    custom_settings = ON

    async def start(self):
        for path, callback in (("/story1.html", self.parse_article), ("/", self.parse_list), ("/story2.html", self.parse_page),
                               ("/story3.html", self.parse_zyte)):
            yield scrapy.Request(SITE + path, callback=callback)

    def parse_article(self, response, article: Article, page_type: PageType):
        assert page_type.type == "article"
        yield article

    def parse_list(self, response, listing: Listing):
        yield listing

    async def parse_page(self, response, page: StoryPage):
        yield await page.to_item()

    def parse_zyte(self, response, article: zyte_common_items.Article, navigation: zyte_common_items.ArticleNavigation):
        yield {"headline": article.headline, "navigation": type(navigation).__name__}
"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    stories = {f"/story{n}.html": f"Headline number {n} about something that happened" for n in range(8)}
    pages: dict[str, Any] = {path: article(path.strip("/").partition(".")[0], head=STYLED) for path in stories}
    pages["/"] = listing("News", {**stories, "/list2.html": "More of the news that there were"})
    pages["/list2.html"] = listing("Older news", stories)
    with serve(pages) as site:
        site.pages["/sitemap.xml"] = (
            200,
            {"Content-Type": "application/xml"},
            '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
            + "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in stories)
            + "</urlset>",
        )
        yield site


@pytest.fixture(scope="module")
def project(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `scrapy startproject` makes it, with the spiders above."""
    folder = tmp_path_factory.mktemp("theirs")
    assert scrapy("startproject", "theirs", str(folder), cwd=folder).returncode == 0
    with (folder / "theirs" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    (folder / "theirs" / "spiders" / "own.py").write_text(SPIDERS)
    if find_spec("scrapy_poet"):
        (folder / "theirs" / "spiders" / "poet.py").write_text(POET)
    return folder


@pytest.fixture
def crawl(project: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a spider of the project; gives its items."""
    monkeypatch.setenv("SITE", site.url)

    def crawl(spider: str) -> list[dict[str, Any]]:
        done = scrapy("crawl", spider, "-O", f"{spider}.jsonl", cwd=project, timeout_s=300)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        return [json.loads(line) for line in (project / f"{spider}.jsonl").read_text(encoding="utf-8").splitlines()]

    return crawl


STORIES = [f"story{n}" for n in range(8)]


def test_a_crawl_spider(crawl):
    """Its own items come as ever, and beside them an item of each page that it saw, each once."""
    items = crawl("rules")
    assert sorted(item["own"] for item in items if "own" in item) == STORIES
    assert sorted(item["title"] for item in items if item.get("type") == "article") == STORIES
    assert sorted(item["title"] for item in items if item.get("type") == "list") == ["News", "Older news"]


def test_a_sitemap_spider_with_settings_of_its_own(crawl):
    """`custom_settings`: another extractor, evidence, articles only; the sitemap itself is no page."""
    items = crawl("map")
    assert sorted(item["title"] for item in items) == STORIES
    assert {item["extractor"] for item in items} == {"awce"}
    assert all(item["evidence"]["title"] for item in items)


def test_a_spider_that_wants_none_of_it(crawl):
    assert crawl("off") == [{"own": "story1"}]


def test_the_shell_makes_no_items(project: Path, site: Site):
    """Its pages are for the user to look at; an item of each would be made, and the shell would end in the middle of it."""
    done = scrapy("shell", f"{site.url}/story1.html", "-c", "response.css('title::text').get()", cwd=project, env={"SITE": site.url})
    assert (done.returncode, done.stdout.strip()) == (0, "story1")
    assert "Scraped" not in done.stderr
    assert "shutdown" not in done.stderr


def test_the_log_has_one_line_of_each_item(project: Path, site: Site):
    """At level DEBUG, which is Scrapy's default, whatever the length of the text."""
    done = scrapy("crawl", "requests", cwd=project, env={"SITE": site.url})
    assert done.returncode == 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("<Article")]
    assert len(lines) == 2
    assert all(line.startswith(f"<Article 'story1' {site.url}/story1.html") and len(line) < 200 for line in lines)


def test_settings_by_request(crawl):
    """`meta["webcontent"]`."""
    items = crawl("requests")
    assert {item["url"].partition("?")[2]: item["extractor"] for item in items} == {"awce": "awce", "fusion": "fusion"}


@pytest.mark.browser
def test_a_playwright_spider(crawl):
    """Its page methods run, the page is its own to close, and the item is made of what the browser showed."""
    items = crawl("browser")
    assert [item["own"] for item in items if "own" in item] == ["By a script"]
    (item,) = (item for item in items if "own" not in item)
    assert (item["type"], item["title"]) == ("article", "story1")


@pytest.mark.browser
def test_a_spider_without_download_handlers_asks_for_thirty_pages_at_once(crawl):
    """Its own requests are answered from the first on, while the add-on renders thirty others; each of the sixty pages is an item."""
    items = crawl("at_once")
    assert sorted(int(item["own"]) for item in items if "own" in item) == list(range(30))
    assert sorted(item["title"] for item in items if "own" not in item) == sorted(
        f"story{number % 8}" for number in range(30) for _ in "ab"
    )


@pytest.mark.skipif(not find_spec("scrapy_poet"), reason="scrapy-poet is not installed: pip install 'webcontent[poet]'")
def test_items_are_injected(crawl):
    """Into callbacks and page objects: our classes and those of zyte-common-items, whatever type the page has."""
    items = crawl("poet")
    assert len(items) == 4
    (story,) = (item for item in items if item.get("type") == "article")
    assert (story["title"], story["evidence"]) == ("story1", {})
    (news,) = (item for item in items if item.get("type") == "list")
    assert len(news["entries"]) == 9
    (page,) = (item for item in items if "name" in item)
    assert page["name"] == "story2"
    assert page["words"] > 50
    assert {"headline": "story3", "navigation": "ArticleNavigation"} in items
