"""Crawls with other reactors, and Scrapy's own commands that use pipelines."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import article, scrapy, serve

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

SPIDER = """
import scrapy
from webcontent import Page

class Own(scrapy.Spider):
    name = "own"

    async def start(self):
        yield scrapy.Request(self.url, callback=self.story)

    def story(self, response):
        yield Page.from_response(response)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    assert scrapy("startproject", "own", str(tmp_path), cwd=tmp_path).returncode == 0
    with (tmp_path / "own" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write('\nADDONS = {"webcontent.Addon": 300}\nTELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = ROBOTSTXT_OBEY = False\n')
    (tmp_path / "own" / "spiders" / "own.py").write_text(SPIDER)
    return tmp_path


@pytest.mark.parametrize("reactor", ["", "twisted.internet.selectreactor.SelectReactor"])
def test_without_asyncio_one_sentence_says_so(reactor: str, project: Path):
    done = scrapy("crawl", "own", "-a", "url=http://127.0.0.1:9/", "-s", f"TWISTED_REACTOR={reactor}", "-L", "ERROR", cwd=project)
    (line,) = done.stderr.splitlines()
    assert "CRITICAL: webcontent needs asyncio, and TWISTED_REACTOR names another reactor" in line
    assert done.returncode == 1


def test_without_a_reactor_nothing_is_rendered_and_the_log_says_so(project: Path):
    """Pages still become items."""
    pytest.importorskip("scrapy.core.downloader.handlers._aiohttp", reason="of Scrapy 2.19", exc_type=ImportError)
    with serve({"/": article("A bridge")}) as site:
        options = ("-s", "TWISTED_REACTOR_ENABLED=False", "-s", "WEBCONTENT_RENDER=True", "-L", "WARNING")
        done = scrapy("crawl", "own", "-a", f"url={site.url}/", *options, "-O", "items.jsonl", cwd=project)
    assert "TWISTED_REACTOR_ENABLED is False, and a browser needs Twisted's reactor: pages are not rendered." in done.stderr.splitlines()[0]
    (item,) = map(json.loads, (project / "items.jsonl").read_text(encoding="utf-8").splitlines())
    assert item["title"] == "A bridge"
    assert "not-rendered" in item["flags"]


def test_scrapy_parse_waits_for_its_pipelines(project: Path):
    """It closes the crawl as soon as the callback has ended."""
    with serve({"/": article("A bridge")}) as site:
        options = ("-s", "WEBCONTENT_RENDER=False", "-s", "WEBCONTENT_DATABASE=sqlite:///items.db")
        done = scrapy("parse", "--pipelines", "-c", "story", "--spider", "own", f"{site.url}/", *options, cwd=project)
    assert "cannot schedule new futures" not in done.stderr
    assert "failed:" not in done.stderr
    with sqlite3.connect(project / "items.db") as database:
        assert database.execute("select title from articles").fetchall() == [("A bridge",)]


def test_scrapy_parse_prints_the_item_that_the_pipelines_make(project: Path):
    """With a feed on standard output, as the documentation says; without it, Scrapy prints the Page that the callback yields."""
    with serve({"/": article("A bridge")}) as site:
        options = ("--noitems", "--nolinks", "-o", "-:jsonl", "-s", "WEBCONTENT_RENDER=False", "-s", "WEBCONTENT_CRAWL_STATE=")
        # By itself: the command makes a deprecation warning of Scrapy's, which `crawls.scrapy` takes for an error.
        command = (sys.executable, "-m", "scrapy", "parse", "-c", "story", "--spider", "own", f"{site.url}/", *options)
        done = subprocess.run(command, cwd=project, capture_output=True, encoding="utf-8", check=True)
    (item,) = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert item["title"] == "A bridge"
    assert "boxes" not in done.stdout
