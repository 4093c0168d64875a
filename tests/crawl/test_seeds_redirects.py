"""`scrapy crawl seeds` on sites that redirect: feeds, sitemaps, robots.txt, and links that lead elsewhere."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from tests.crawl.crawls import article, crawl_seeds, listing, serve
from webcontent.crawl.commands.extract import PagesSpider
from webcontent.crawl.commands.inspect import InspectSpider
from webcontent.crawl.spiders.seeds import SeedsSpider
from webcontent.demo.spider import DemoSpider

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy import Spider

STORIES = [f"/2024/story-{n}/" for n in range(1, 11)]
TITLES = {path: f"Headline {path} about something that happened" for path in STORIES}
NAMED_FEED = '<link rel="alternate" type="application/rss+xml" href="/feed">'
PADDING = "<!-- " + "x" * 1000 + " -->"
XML = {"Content-Type": "application/xml"}


def moved(target: str) -> tuple[int, dict[str, str], str]:
    return 301, {"Location": target}, ""


def feed(paths: Iterable[str]) -> tuple[int, dict[str, str], str]:
    items = "".join(f"<item><link>{path}</link></item>" for path in paths)
    return 200, {**XML, "ETag": f'"{len(items)}"'}, f'<rss version="2.0"><channel>{items}</channel></rss>'


def sitemap(paths: Iterable[str], padding: int = 0) -> str:
    urls = "".join(f"<url><loc>{path}</loc></url>" for path in paths)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{PADDING * padding}{urls}</urlset>'


def paths(items: list[dict[str, Any]]) -> set[str]:
    return {urlsplit(item["url"]).path for item in items}


@pytest.mark.process
def test_sources_behind_redirects_are_read(tmp_path: Path):
    """Three articles are linked, three are in the feed, three in a sitemap of 11 MB, packed, which robots.txt need not name. Later runs find what the feed adds."""
    pages: dict[str, Any] = {path: article(title) for path, title in TITLES.items()}
    pages |= {
        "/": listing("News", {path: TITLES[path] for path in STORIES[:3]}).replace("</head>", NAMED_FEED + "</head>"),
        "/feed": moved("/feed/"),
        "/feed/": feed(STORIES[3:6]),
        "/robots.txt": moved("/robots/"),
        "/robots/": (200, {"Content-Type": "text/plain"}, "User-agent: *\nAllow: /"),
        "/sitemap.xml": moved("/wp-sitemap.xml"),
        "/wp-sitemap.xml": (200, XML, "<sitemapindex><sitemap><loc>/posts.xml.gz</loc></sitemap></sitemapindex>"),
        "/posts.xml.gz": moved("/wp-sitemap-posts.xml.gz"),
        "/wp-sitemap-posts.xml.gz": (200, {"Content-Type": "application/gzip"}, gzip.compress(sitemap(STORIES[6:9], 11_000).encode())),
    }
    state = ("-s", f"WEBCONTENT_CRAWL_STATE=sqlite:///{tmp_path / 'state.db'}")
    with serve(pages) as site:
        assert paths(crawl_seeds(site.url, tmp_path, *state)) == {"/", *STORIES[:9]}
        site.pages["/feed/"] = feed(STORIES[3:7])  # nothing new, but read again
        assert crawl_seeds(site.url, tmp_path, *state) == []
        site.pages["/feed/"] = feed(STORIES[3:])
        assert paths(crawl_seeds(site.url, tmp_path, *state)) == {STORIES[9]}


@pytest.mark.process
def test_no_request_leaves_the_site(tmp_path: Path):
    """A redirected link is followed within the site only; a seed may move, with its feeds and sitemaps."""
    with serve({STORIES[0]: article("Elsewhere")}) as other, serve({}) as new, serve({}) as old:
        new.pages |= {
            "/": listing("News", {"/away": "A headline that leads to another site", STORIES[1]: TITLES[STORIES[1]]}),
            "/away": moved(other.url + STORIES[0]),
            "/robots.txt": (200, {}, f"Sitemap: {new.url}/sitemap.xml"),
            "/sitemap.xml": (200, XML, sitemap(new.url + path for path in STORIES[2:4])),
            **{path: article(TITLES[path]) for path in STORIES[1:4]},
        }
        old.pages |= {"/": moved(f"{new.url}/"), "/robots.txt": moved(f"{new.url}/robots.txt")}
        items = crawl_seeds(old.url, tmp_path)
        assert other.asked == []
    assert paths(items) == {"/", *STORIES[1:4]}


@pytest.mark.parametrize("spider", [SeedsSpider, DemoSpider, PagesSpider, InspectSpider])
def test_no_setting_of_a_spider_is_lost_when_a_command_starts_it(spider: type[Spider]):
    """A command makes the crawler and then merges the project's settings into its settings, where equal priorities win."""
    project = Settings()
    project.setmodule("webcontent.crawl.settings")
    crawler = get_crawler(spider, settings_dict={})
    for settings in (Settings(), project):
        crawler.settings = settings.copy()
        spider.update_settings(crawler.settings)
        before = {name: (crawler.settings[name], crawler.settings.getpriority(name)) for name in crawler.settings}
        crawler.settings.update(settings)
        assert {name: (crawler.settings[name], crawler.settings.getpriority(name)) for name in crawler.settings} == before
