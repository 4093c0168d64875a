"""The recipes of docs/scrapy.md: a page object that corrects an Article, and an extractor that wraps the default one."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import CHECKOUT, scrapy, serve
from tests.site_files.pages import TITLES, story_html

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process
BLOCKS = re.findall(r"```python\n(.*?)```", (CHECKOUT / "docs" / "scrapy.md").read_text(encoding="utf-8"), re.DOTALL)
SPIDER = """
import attrs, scrapy, webcontent
from web_poet import WebPage, field

class News(scrapy.Spider):
    name = "news"
    custom_settings = {"ADDONS": {"scrapy_poet.Addon": 200, "webcontent.Addon": 300}, "WEBCONTENT_RENDER": False}

    async def start(self):
        yield scrapy.Request(self.url)

"""


@pytest.mark.skipif(not find_spec("scrapy_poet"), reason="scrapy-poet is not installed: pip install 'webcontent[poet]'")
def test_a_page_object_corrects_an_article(tmp_path: Path):
    (block,) = [block for block in BLOCKS if "base: webcontent.Article" in block]
    page_object, parse = block.split("# a spider\n")
    code = SPIDER.replace("class News", f"{page_object}\n\nclass News") + "".join(f"    {line}\n" for line in parse.splitlines())
    (tmp_path / "news.py").write_text(code, encoding="utf-8")
    with serve({"/news/1.html": story_html(1)}) as site:
        done = scrapy("runspider", "news.py", "-a", f"url={site.url}/news/1.html", "-O", "items.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (item,) = map(json.loads, (tmp_path / "items.jsonl").read_text().splitlines())
    assert item["title"] == TITLES[1]
    assert "Part 1." in item["body"]


def test_an_extractor_wraps_the_default_one(tmp_path: Path):
    (block,) = [block for block in BLOCKS if "class WithKicker" in block]
    code, settings = block.split("# settings.py\n")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "__init__.py").touch()
    (tmp_path / "project" / "extractors.py").write_text(code, encoding="utf-8")
    (tmp_path / "project" / "settings.py").write_text(f'{settings}\nADDONS = {{"webcontent.Addon": 300}}\n', encoding="utf-8")
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = project.settings\n")
    (tmp_path / "page.html").write_text(story_html(1))
    done = scrapy("extract", "page.html", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    item = json.loads(done.stdout)
    assert (item["title"], item["extractor"]) == (TITLES[1], "with-kicker")
    assert "Part 1." in item["body"]
