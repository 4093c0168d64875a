"""The crawl of the demo site from end to end: every field of every item is compared with the article files."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.crawl.crawls import OUR_PROJECT, scrapy
from webcontent.crawl.config import Config
from webcontent.crawl.output.csv import COLUMNS
from webcontent.demo.article_files import load_articles
from webcontent.demo.expected import expected_items
from webcontent.demo.site import list_pages
from webcontent.demo.spider import iter_table
from webcontent.items import Article, Listing

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

BASE = "http://127.0.0.1:8000"
EXPECTED = expected_items(BASE)
OF_THE_MOMENT = {"score", "page_type_score", "extractor", "evidence", "fetched_at", "fingerprint"}


def crawl(folder: Path, *feeds: str) -> subprocess.CompletedProcess[str]:
    """`scrapy crawl demo` as a user calls it, with its feeds in `folder`."""
    return scrapy("crawl", "demo", *(word for feed in feeds for word in ("-O", feed)), cwd=folder, env=OUR_PROJECT, timeout_s=300)


def at_base(item: dict) -> dict:
    """An item of a crawl, its server's port replaced by that of BASE."""
    origin = "http://" + urlsplit(item["url"]).netloc
    return json.loads(json.dumps(item).replace(origin, BASE))


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One crawl for all tests: its output, its folder, and its items by path."""
    folder = tmp_path_factory.mktemp("demo")
    process = crawl(folder, "items.jsonl", "a.csv")
    process.folder = folder
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines() if (folder / "items.jsonl").exists() else []
    process.items = [at_base(json.loads(line)) for line in lines]
    process.by_path = {urlsplit(item["url"]).path: item for item in process.items}
    return process


@pytest.mark.browser
class TestCrawl:
    def test_ends_well(self, demo):
        """No error, no warning, nothing but the table."""
        assert demo.returncode == 0, demo.stderr
        assert "ERROR" not in demo.stderr
        assert "Traceback" not in demo.stderr

    def test_every_page_gives_one_item(self, demo):
        """Nothing is lost or repeated, and pages that robots.txt forbids were not requested."""
        assert sorted(urlsplit(item["url"]).path for item in demo.items) == sorted(EXPECTED)

    def test_fields(self, demo):
        """Each item holds what its page shows."""
        shown = {(path, field): (demo.by_path[path][field], item[field]) for path, item in EXPECTED.items() for field in item}
        assert {name: (value, expected) for name, (value, expected) in shown.items() if value != expected} == {}

    def test_fields_of_the_moment(self, demo):
        """Scores are probabilities, the time of the fetch has an offset, and evidence stays out of feeds."""
        for item in demo.items:
            assert 0.5 <= item["score"] <= 1
            assert 0.5 <= item["page_type_score"] <= 1
            assert item["extractor"] == Config.from_settings({}).routes[item["type"]]
            assert not item["evidence"]
            assert datetime.fromisoformat(item["fetched_at"]).tzinfo
            assert re.fullmatch("[0-9a-f]{16}", item["fingerprint"])

    def test_no_other_field(self, demo):
        """Every field of an item is compared somewhere here."""
        for path, expected in EXPECTED.items():
            kind = Article if expected["type"] == "article" else Listing
            assert set(demo.by_path[path]) == {field.name for field in fields(kind)} == set(expected) | OF_THE_MOMENT

    def test_prints_a_table(self, demo):
        """The last line counts the items, and each article's time is in a line before it."""
        *rows, last = demo.stdout.strip().splitlines()
        assert last == f"{len(list_pages())} lists, {len(load_articles())} articles"
        assert all(any(article.time in row for row in rows) for article in load_articles())


@pytest.mark.parametrize(
    ("source", "publisher", "shown"),
    [("Agency", "The Paper", "Agency"), (None, "The Paper", "The Paper (publisher)"), ("Agency", None, "Agency"), (None, None, "")],
)
def test_the_table_shows_a_publisher_where_no_source_is_known(source: str | None, publisher: str | None, shown: str):
    """It is marked, since it is no source."""
    item = Article(title="A bridge", time="2026-03-05", source=source, publisher=publisher, body="Text")
    _, row, _ = iter_table([item])
    assert row.split("2026-03-05")[1].removesuffix("4").strip() == shown


@pytest.mark.browser
def test_csv_opens_in_a_spreadsheet(demo):
    """Both files begin with a UTF-8 BOM, have their fixed columns, and the Chinese is right."""
    assert demo.returncode == 0, demo.stderr
    for name, kind, count in (("a.csv", Article, len(load_articles())), ("a.listings.csv", Listing, len(list_pages()))):
        assert (demo.folder / name).read_bytes().startswith(b"\xef\xbb\xbf")
        with (demo.folder / name).open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) == count
        assert tuple(rows[0]) == COLUMNS[kind]
        for row in rows:
            expected = EXPECTED[urlsplit(row["url"]).path]
            assert row["title"] == expected["title"]
            if kind is Article:
                assert row["authors"] == "; ".join(expected["authors"])
            else:
                assert json.loads(row["entries"]) == at_port(expected["entries"], row["url"])


def at_port(values: list, url: str) -> list:
    """Expected values, with the origin of `url` in place of BASE."""
    return json.loads(json.dumps(values).replace(BASE, "http://" + urlsplit(url).netloc))
