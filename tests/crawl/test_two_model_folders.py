"""Crawls with different folders of models run side by side in one process."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import TEXTS, article, python, serve
from webcontent.models import SHIPPED

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

MODEL = "bpnn_v1"
CRAWLS = """
import json, sys
import scrapy
from scrapy import signals
from scrapy.crawler import AsyncCrawlerProcess
from webcontent import Page

site, folders = json.loads(sys.argv[1])
bodies = {name: [] for name in folders}

class PageSpider(scrapy.Spider):
    name = "pages"

    async def start(self):
        for number in range(6):
            yield scrapy.Request(f"{site}/{number}.html")

    def parse(self, response):
        yield Page.from_response(response)

process = AsyncCrawlerProcess({"TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False})
for name, folder in folders.items():
    spider = type(name, (PageSpider,), {"custom_settings": {
        "ADDONS": {"webcontent.Addon": 300},
        "WEBCONTENT_RENDER": False,
        "WEBCONTENT_ROUTES": {"article": "bpnn", "list": "bpnn"},
        "WEBCONTENT_MODELS": folder,
    }})
    crawler = process.create_crawler(spider)
    crawler.signals.connect(lambda item, name=name: bodies[name].append(item.body), signal=signals.item_scraped, weak=False)
    process.crawl(crawler)
process.start()
print("BODIES " + json.dumps(bodies))
"""
"""Crawls that run at the same time, one per folder; prints the bodies of each."""


def copied_model(folder: Path, **config: object) -> str:
    """A folder with a copy of MODEL whose configuration has other values."""
    target = folder / MODEL
    shutil.copytree(SHIPPED.find_folder(MODEL), target)
    path = target / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **config}), encoding="utf-8")
    return str(folder)


def test_each_crawl_uses_the_models_of_its_own_folder(tmp_path: Path):
    """The second folder's model calls no line a body; the third crawl has no folder and uses the package's models."""
    decoding = SHIPPED.load(MODEL).config["decoding"]
    folders = {
        "same": copied_model(tmp_path / "same"),
        "strict": copied_model(tmp_path / "strict", decoding={**decoding, "line": 2.0}),
        "shipped": None,
    }
    with serve({f"/{number}.html": article(f"Story {number}") for number in range(6)}) as site:
        done = python(CRAWLS, json.dumps([site.url, folders]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr, done.stderr[-3000:]
    bodies = json.loads(done.stdout.rpartition("BODIES ")[2])
    assert {name: len(texts) for name, texts in bodies.items()} == {"same": 6, "strict": 6, "shipped": 6}
    assert sorted(bodies["same"]) == sorted(bodies["shipped"])
    assert all(any(text in body for text in TEXTS) for body in bodies["same"])
    assert bodies["strict"] == [""] * 6
