"""A page that opens windows, frames and dialogs without end costs the other sites of a crawl nothing, through the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import OUR_PROJECT, article, listing, scrapy, serve

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser

WAYS = {
    "/windows": "setInterval(() => { for (let n = 0; n < 50; n++) open('/window/' + n, '_blank', 'noopener') }, 0)",
    "/links": "setInterval(() => { for (const link of document.links) { link.target = '_blank'; link.click() } }, 0)",
    "/frames": "for (let n = 0; n < 3000; n++) document.body.append(Object.assign(document.createElement('iframe'), { src: '/frame' + n }))",
    "/dialogs": "for (;;) { alert(1); confirm(2); prompt(3) }",
}
STORIES = {f"/story/{number}": f"A story of the harbour, number {number}" for number in range(6)}
SETTINGS = {"WEBCONTENT_RENDER": True, "AUTOTHROTTLE_ENABLED": False, "DOWNLOAD_TIMEOUT": 15, "WEBCONTENT_CRAWL_STATE": ""}


def harvest(tmp_path: Path, *seeds: str, **settings: object):
    options = [part for name, value in {**SETTINGS, **settings}.items() for part in ("-s", f"{name}={value}")]
    done = scrapy("harvest", *seeds, "-o", "items.jsonl", *options, cwd=tmp_path, env=OUR_PROJECT)
    file = tmp_path / "items.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else [], done


def test_the_other_sites_of_a_crawl_are_rendered(tmp_path):
    hostile = {path: article(path, links=f"<a href='/else'>Else</a><script>{code}</script>") for path, code in WAYS.items()}
    links = {path: f"A story of the town that is at {path}" for path in WAYS}
    stories = {path: article(title) for path, title in STORIES.items()}
    with serve({"/": listing("Hostile", links), **hostile}) as bad, serve({"/": listing("News", STORIES), **stories}) as good:
        items, done = harvest(tmp_path, bad.url, good.url)
        assert not [path for path in bad.asked if path.startswith("/window/")]
    found = {item["title"]: item.get("flags") or [] for item in items if item["url"].startswith(good.url)}
    assert set(STORIES.values()) <= set(found), done.stderr[-3000:]
    assert not any("render-failed" in found[title] for title in STORIES.values())


def test_a_crawl_of_such_pages_ends_when_it_is_told_to(tmp_path):
    links = {f"/{number}": f"A story of the town, number {number}" for number in range(200)}
    hostile = {path: article(path, links=f"<script>{WAYS['/windows']}; {WAYS['/dialogs']}</script>") for path in links}
    with serve({"/": listing("Hostile", links), **hostile}) as bad:
        _, done = harvest(tmp_path, bad.url, CLOSESPIDER_TIMEOUT=5, LOG_LEVEL="INFO")
    assert "closespider_timeout" in done.stderr, done.stderr[-3000:]
