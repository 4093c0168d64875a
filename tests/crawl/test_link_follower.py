"""Which links a crawl follows."""

from __future__ import annotations

import asyncio

from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from webcontent.crawl.discovery.links import HEADLINE, NEXT_PAGE, PrioritizedLink
from webcontent.crawl.discovery.seedlist import Scope, Seed
from webcontent.crawl.spiders.link_follower import LinkFollower


def test_a_crawl_follows_links_in_scope_once():
    """On the seed's site, within its depth, each URL once. Next pages don't count as a step."""
    followed: set[str] = set()

    def is_new(url: str) -> bool:
        return url not in followed and not followed.add(url)

    seeds = [Seed("http://example.com/", Scope(depth=1))]
    follower = LinkFollower(seeds, is_new, StatsCollector(get_crawler()))
    links = [PrioritizedLink(url, HEADLINE) for url in ("http://example.com/a", "http://example.org/b", "http://example.com/a")]
    links.append(PrioritizedLink("http://example.com/?page=2", NEXT_PAGE))

    def chosen(depth: int) -> list[tuple[str, int]]:
        entries = asyncio.run(follower.choose(links, 0, "example.com", depth, None))
        return [(entry.url, entry.depth) for entry in entries]

    assert chosen(0) == [("http://example.com/a", 1), ("http://example.com/?page=2", 0)]
    followed.clear()
    assert chosen(1) == [("http://example.com/?page=2", 1)]
