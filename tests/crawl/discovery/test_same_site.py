"""Requests that a redirect has led to another site."""

from __future__ import annotations

import asyncio

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.test import get_crawler

from webcontent.crawl.discovery.same_site import SameSiteMiddleware, SeedIsFull, has_left_site
from webcontent.crawl.discovery.seedlist import PageBudget, Seed
from webcontent.crawl.meta import DEPTH, SEED, SITE, SKIP_IF_GONE


@pytest.mark.parametrize(
    ("url", "site", "depth", "left"),
    [
        ("https://www.example.com/b", "example.com", 1, False),
        ("https://other.example.org/", "example.com", 1, True),
        ("https://other.example.org/", "example.com", 0, False),
        ("http://192.168.0.1/", "example.com", 0, True),
        ("http://localhost/", "example.com", 0, True),
        ("http://127.0.0.1:9000/", "127.0.0.1:8000", 0, False),
        ("http://127.0.0.1:9000/", "127.0.0.1:8000", 1, True),
    ],
    ids=["same site", "redirected away", "seed moved", "seed into the local network", "seed to localhost", "private seed", "another port"],
)
def test_redirects_do_not_lead_out_of_the_site(url: str, site: str, depth: int, left: bool):
    """Only a seed may move, and never from the internet into the local network."""
    assert has_left_site(url, {SITE: site, DEPTH: depth}) is left


def middleware_of(budget: PageBudget) -> SameSiteMiddleware:
    crawler = get_crawler()
    crawler.spider = crawler._create_spider("test")
    crawler.spider.budget = budget
    return SameSiteMiddleware.from_crawler(crawler)


def test_requests_of_full_seeds_are_left_to_the_next_run():
    """Other seeds go on; requests of other spiders pass."""
    budget = PageBudget([Seed("http://example.com/", pages=1), Seed("http://example.org/")], 0)
    budget.count_page(0)
    middleware = middleware_of(budget)
    with pytest.raises(SeedIsFull):
        asyncio.run(middleware.process_request(Request("http://example.com/1", meta={SITE: "example.com", DEPTH: 1, SEED: 0})))
    asyncio.run(middleware.process_request(Request("http://example.org/1", meta={SITE: "example.org", DEPTH: 1, SEED: 1})))
    asyncio.run(middleware.process_request(Request("http://example.net/1")))


def test_requests_to_another_site_are_stopped_and_counted():
    middleware = middleware_of(PageBudget([Seed("http://example.com/")], 0))
    with pytest.raises(IgnoreRequest, match="outside of the site"):
        asyncio.run(middleware.process_request(Request("http://example.org/1", meta={SITE: "example.com", DEPTH: 1, SEED: 0})))
    assert middleware.stats.get_value("seeds/offsite") == 1


def test_sources_of_a_seed_have_a_budget():
    """Of bytes. Those that wait then are left out; pages and other seeds go on."""
    budget = PageBudget([Seed("http://example.com/"), Seed("http://example.org/")], 0)
    middleware = middleware_of(budget)
    budget.source_bytes[0] += 150_000_000
    source = {SITE: "example.com", DEPTH: 0, SEED: 0, SKIP_IF_GONE: True}
    asyncio.run(middleware.process_request(Request("http://example.com/map.xml", meta=source)))
    budget.source_bytes[0] += 100_000_000
    with pytest.raises(SeedIsFull):
        asyncio.run(middleware.process_request(Request("http://example.com/map.xml", meta=source)))
    asyncio.run(middleware.process_request(Request("http://example.com/1", meta={SITE: "example.com", DEPTH: 1, SEED: 0})))
    asyncio.run(middleware.process_request(Request("http://example.org/map.xml", meta={**source, SITE: "example.org", SEED: 1})))
