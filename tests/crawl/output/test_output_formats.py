"""`-o` and `-O` take our formats wherever our items are made; other projects keep Scrapy's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import article, scrapy, serve

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

SPIDER = """
import os
import scrapy
import webcontent

class Stories(scrapy.Spider):
    name = "stories"
    start_urls = [os.environ.get("SITE", "")]

    def parse(self, response):
        yield webcontent.Page.from_response(response)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh project with a spider."""
    folder = tmp_path_factory.mktemp("formats")
    assert scrapy("startproject", "fresh", str(folder), cwd=folder).returncode == 0
    (folder / "fresh" / "spiders" / "stories.py").write_text(SPIDER)
    with (folder / "fresh" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write("WEBCONTENT_RENDER = ROBOTSTXT_OBEY = False\nDOWNLOAD_DELAY = 0\n")
    return folder


def test_extract_writes_them_anywhere(tmp_path: Path):
    (tmp_path / "page.html").write_text(article("A bridge"), encoding="utf-8")
    done = scrapy("extract", "page.html", "-o", "x.parquet", "-o", "x.rss", "-s", "WEBCONTENT_RENDER=False", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert_has_bridge(tmp_path)


def test_projects_with_the_addon_write_them(project: Path):
    with serve({"/1.html": article("A bridge")}) as site:
        options = ("-s", 'ADDONS={"webcontent.Addon": 300}', "-s", "LOG_LEVEL=ERROR")
        done = scrapy("crawl", "stories", "-O", "x.parquet", "-O", "x.rss", *options, cwd=project, env={"SITE": f"{site.url}/1.html"})
    assert (done.returncode, done.stderr) == (0, "")
    assert_has_bridge(project)


def test_other_projects_keep_their_formats(project: Path):
    """Without the add-on, nothing would fill such a file."""
    done = scrapy("crawl", "stories", "-o", "y.rss", cwd=project)
    assert done.returncode == 2
    assert "Unrecognized output format 'rss'" in done.stderr


def assert_has_bridge(folder: Path) -> None:
    assert "<title>A bridge</title>" in (folder / "x.rss").read_text(encoding="utf-8")
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(folder / "x.parquet")["title"].to_pylist() == ["A bridge"]
