"""The demo site from end to end: a crawl in a process of its own, every field of every item compared with what the site says."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

import webcontent
from webcontent.crawl.config import Config
from webcontent.crawl.output.csv import COLUMNS
from webcontent.demo.expected import expected_items
from webcontent.demo.server import DemoServer
from webcontent.demo.site import list_pages
from webcontent.demo.stories import load_stories
from webcontent.items import Article, Listing, Page

PROJECT = Path(webcontent.__file__).parents[1]
BASE = "http://127.0.0.1:8000"
EXPECTED = expected_items(BASE)
COMPARED = [(path, field) for path, item in EXPECTED.items() for field in item]
OF_THE_MOMENT = {"score", "page_type_score", "extractor", "evidence", "fetched_at", "fingerprint"}


def crawl(folder: Path, feed: str) -> subprocess.CompletedProcess[str]:
    """`scrapy crawl demo` as a user calls it, with its feed in `folder`."""
    environment = {
        **os.environ,
        "SCRAPY_SETTINGS_MODULE": "webcontent.crawl.settings",
        "PYTHONPATH": str(PROJECT),
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, "-m", "scrapy", "crawl", "demo", "-O", feed]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=300, check=False)


def at_base(item: dict) -> dict:
    """An item of a crawl, its server's port replaced by that of BASE."""
    origin = "http://" + urlsplit(item["url"]).netloc
    return json.loads(json.dumps(item).replace(origin, BASE))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One crawl for all tests: its output, and its items by path."""
    folder = tmp_path_factory.mktemp("demo")
    done = crawl(folder, "items.jsonl")
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines() if (folder / "items.jsonl").exists() else []
    done.items = [at_base(json.loads(line)) for line in lines]
    done.by_path = {urlsplit(item["url"]).path: item for item in done.items}
    return done


@pytest.mark.browser
class TestCrawl:
    def test_ends_well(self, demo):
        """No error, no warning, nothing but the table."""
        assert demo.returncode == 0, demo.stderr
        assert "ERROR" not in demo.stderr
        assert "Traceback" not in demo.stderr

    def test_every_page_gives_one_item(self, demo):
        """Nothing is lost, nothing comes twice, and what robots.txt forbids was not asked for."""
        assert sorted(urlsplit(item["url"]).path for item in demo.items) == sorted(EXPECTED)

    @pytest.mark.parametrize(("path", "field"), COMPARED, ids=[f"{path}-{field}" for path, field in COMPARED])
    def test_field(self, demo, path: str, field: str):
        """The crawl finds what the page says."""
        assert demo.by_path[path][field] == EXPECTED[path][field]

    @pytest.mark.parametrize("path", EXPECTED)
    def test_fields_of_the_moment(self, demo, path: str):
        """Scores are chances, the time of the fetch has an offset, and evidence stays out of feeds."""
        item = demo.by_path[path]
        assert 0.5 <= item["score"] <= 1
        assert 0.5 <= item["page_type_score"] <= 1
        assert item["extractor"] == Config.from_settings({}).routes[item["type"]]
        assert not item["evidence"]
        assert datetime.fromisoformat(item["fetched_at"]).tzinfo
        assert re.fullmatch("[0-9a-f]{16}", item["fingerprint"])

    @pytest.mark.parametrize("path", EXPECTED)
    def test_no_other_field(self, demo, path: str):
        """Every field of an item is compared somewhere here."""
        kind = Article if EXPECTED[path]["type"] == "article" else Listing
        assert set(demo.by_path[path]) == {field.name for field in fields(kind)} == set(EXPECTED[path]) | OF_THE_MOMENT

    def test_prints_a_table(self, demo):
        """The last line counts, and a line before it names each story's time."""
        *rows, last = demo.stdout.strip().splitlines()
        assert last == f"{len(list_pages())} lists, {len(load_stories())} articles"
        assert all(any(story.time in row for row in rows) for story in load_stories())


@pytest.mark.browser
def test_csv_opens_in_a_spreadsheet(tmp_path: Path):
    """Both files begin with the mark of UTF-8, have their fixed columns, and the Chinese is right."""
    done = crawl(tmp_path, "a.csv")
    assert done.returncode == 0, done.stderr
    for name, kind, count in (("a.csv", Article, len(load_stories())), ("a.listings.csv", Listing, len(list_pages()))):
        assert (tmp_path / name).read_bytes().startswith(b"\xef\xbb\xbf")
        with (tmp_path / name).open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) == count
        assert tuple(rows[0]) == COLUMNS[kind]
        for row in rows:
            expected = EXPECTED[urlsplit(row["url"]).path]
            assert row["title"] == expected["title"]
            nested = "authors" if kind is Article else "entries"
            assert [*json.loads(row[nested])] == at_port(expected[nested], row["url"])


def at_port(values: list, url: str) -> list:
    """Expected values, with the origin of `url` in place of BASE."""
    return json.loads(json.dumps(values).replace(BASE, "http://" + urlsplit(url).netloc))


class TestServer:
    def test_serves_every_page(self):
        """Each page of the expectation answers, and so does all that it loads from its own host."""
        with DemoServer() as server:
            for path in [*EXPECTED, "/robots.txt"]:
                with urlopen(server.url + path) as answer:
                    text = answer.read().decode()
                for address in re.findall(r'(?:src|href)="(/(?:static|pictures|data)/[^"]+)"', text):
                    with urlopen(server.url + address) as part:
                        assert part.status == 200

    def test_logs_what_was_asked(self):
        """Tests see which pages a crawl asked for."""
        with DemoServer() as server:
            urlopen(server.url + "/robots.txt").close()
            assert server.requested == ["/robots.txt"]

    def test_stops(self):
        """A stopped server leaves no listener behind, and may be stopped again."""
        server = DemoServer()
        server.start()
        server.stop()
        server.stop()
        with pytest.raises(OSError, match="refused"):
            urlopen(server.url)


class TestSite:
    def test_has_what_it_promises(self):
        """24 stories, half of them Chinese, three designs, two channels of more than one page."""
        stories = load_stories()
        assert len(stories) == 24
        assert [story.channel for story in stories].count("zh") == 12
        assert {story.design for story in stories} == {"classic", "magazine", "script"}
        assert [page.language for page in list_pages()[1:]].count("zh") > 1
        assert [page.language for page in list_pages()[1:]].count("en") > 1

    @pytest.mark.parametrize("story", load_stories(), ids=lambda story: story.slug)
    def test_stories_read_like_stories(self, story):
        """Several paragraphs, something else than paragraphs, and related news."""
        kinds = [part.kind for part in story.parts]
        assert kinds.count("paragraph") >= 3
        assert "subhead" in kinds
        assert {"list", "steps", "table", "quote"} & set(kinds)
        assert len(story.related) == 3
        assert story not in story.related

    @pytest.mark.parametrize("story", [story for story in load_stories() if story.design == "script"], ids=lambda story: story.slug)
    def test_the_script_design_is_an_empty_shell(self, story):
        """Without a browser there is no story in it."""
        with DemoServer() as server, urlopen(server.url + story.path) as answer:
            page = Page(url=answer.url, html=answer.read())
        assert story.title not in page.html.decode()
        assert len(re.sub(rb"<[^>]+>|\s", b"", page.html)) < 200
