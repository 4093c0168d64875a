"""What is wrong is one sentence that names it, under Scrapy's own commands, too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawls import OUR_PROJECT, article, scrapy, serve
from tests.crawl.servers import free_port
from webcontent.crawl.config import RequestOptions

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.process

SPIDER = """
import os
import scrapy

class Own(scrapy.Spider):
    name = "own"

    async def start(self):
        for number, options in enumerate([{"rendr": True}, {"render": "yes"}, {"extractor": "nobody"}, {"full_size": 2}, True, {"rendr": 1}]):
            yield scrapy.Request(f"{os.environ['SITE']}/{number}", meta={"webcontent": options})

    def parse(self, response):
        pass
"""
WRONG_OPTIONS = (
    f" has no option 'rendr'; there are {', '.join(RequestOptions({}).names)}.",
    '["render"] is \'yes\'; it takes True, False or "auto".',
    "[\"extractor\"] is 'nobody'; it takes the name of an extractor: awce, bpnn, fusion, nemtf, ngfv, web2text.",
    '["full_size"] is 2; it takes True or False.',
    f" is True; it takes a dict of options: {', '.join(RequestOptions({}).names)}.",
)
"""What the log says of the options of the spider above, in their order."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh `scrapy startproject` with the add-on and a spider."""
    folder = tmp_path_factory.mktemp("own")
    assert scrapy("startproject", "own", str(folder), cwd=folder).returncode == 0
    with (folder / "own" / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(
            'ADDONS = {"webcontent.Addon": 300}\nWEBCONTENT_AUTO = True\nTELNETCONSOLE_ENABLED = REMOTE_CONTROL_ENABLED = False\n'
        )
        settings.write("ROBOTSTXT_OBEY = False\nDOWNLOAD_DELAY = 0\n")
    (folder / "own" / "spiders" / "own.py").write_text(SPIDER)
    return folder


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ("WEBCONTENT_RENDER=yes", "WEBCONTENT_RENDER is 'yes'; it takes True, False or \"auto\"."),
        (
            "WEBCONTENT_BROWSER=/nowhere/chrome",
            "WEBCONTENT_BROWSER is '/nowhere/chrome'; it takes the path of an executable, a name on PATH",
        ),
        ("WEBCONTENT_MODELS=nowhere", "The folder of models 'nowhere' does not exist."),
        ("WEBCONTENT_CRAWL_STATE=redis://127.0.0.1:{port}/0", "No Redis server answers at redis://127.0.0.1:{port}/0"),
        ('FEEDS={{"/proc/items.jsonl": {{"format": "jsonlines"}}}}', "The feed /proc/items.jsonl can't be written: "),
    ],
)
def test_settings_that_cannot_be_used(setting: str, sentence: str, project: Path):
    """`scrapy crawl` of anybody's spider ends with code 1, and the last line says why."""
    port = free_port()
    done = scrapy("crawl", "own", "-s", setting.format(port=port), cwd=project, env={"SITE": "http://127.0.0.1:9"})
    assert done.returncode == 1
    assert f"[webcontent] CRITICAL: {sentence.format(port=port)}" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("urls=http://127.0.0.1:9/", "page=5"), "'page' is no option of a seed; there are allow, deny, depth, pages and days."),
        (("urls=nofile.txt",), "'nofile.txt' is neither an http(s) address nor a file."),
        (("urls=",), "The spider needs addresses to begin with: -a urls=URL[,URL|FILE]."),
    ],
)
def test_spider_arguments_that_cannot_be_used(arguments: tuple[str, ...], sentence: str, tmp_path: Path):
    options = [part for argument in arguments for part in ("-a", argument)]
    done = scrapy("crawl", "seeds", *options, cwd=tmp_path, env=OUR_PROJECT)
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_options_of_requests_that_cannot_be_used(project: Path):
    """Each is named once, with what it takes, and has no effect on the page's item."""
    with serve({f"/{number}": article(f"Page {number}") for number in range(6)}) as site:
        options = ("-s", "WEBCONTENT_RENDER=False", "-L", "ERROR", "-O", "items.jsonl")
        done = scrapy("crawl", "own", *options, cwd=project, env={"SITE": site.url})
    lines = [line.partition("ERROR: ")[2] for line in done.stderr.splitlines()]
    assert [line.partition(" It is ignored")[0] for line in lines] == [f'request.meta["webcontent"]{end}' for end in WRONG_OPTIONS]
    items = [json.loads(line) for line in (project / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sorted(item["title"] for item in items) == [f"Page {number}" for number in range(6)]


def test_folders_of_commands(tmp_path: Path):
    """`inspect -o` creates the folder of its file, as `extract -o` does; `extract --check` names a folder that is not there."""
    (tmp_path / "page.html").write_text(article("A bridge"), encoding="utf-8")
    done = scrapy("inspect", "page.html", "-o", "new/folder/a.html", "-s", "WEBCONTENT_RENDER=False", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert "A bridge" in (tmp_path / "new" / "folder" / "a.html").read_text(encoding="utf-8")
    done = scrapy("extract", "--check", "nodir", cwd=tmp_path)
    assert done.returncode == 2
    assert "There is no folder 'nodir'" in done.stderr
