"""`scrapy report`: one page about the items of a crawl."""

from __future__ import annotations

import gzip
import json
import pickle
from argparse import Namespace
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

import lxml.html
import pytest
from scrapy.exceptions import UsageError

from tests.crawl.crawls import scrapy
from webcontent.crawl.commands.report import ReportCommand
from webcontent.inspect.items.report import ItemCounts, report_html
from webcontent.items import Article, Entry, Listing

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '</title><script>alert(1)</script><img src=x onerror="alert(1)">\ud800'


def counts_of(*items: Article | Listing) -> ItemCounts:
    counts = ItemCounts()
    for item in items:
        counts.add(asdict(item))
    return counts


def test_items_are_counted():
    """Sites, types, languages, flags, missing fields and scores are counted."""
    counts = counts_of(
        Article(url="http://a.example.com/1", title="x", time="2024-03-05T14:22", body="b", language="zh", score=0.95, fetched_at="2026-01-01T03:00:00+00:00"),
        Article(url="http://a.example.com/2", body="b", language="zh", flags=["truncated"], score=1.0),
        Listing(url="http://b.example.org/", entries=[Entry("x", "y")], score=0.1),
    )  # fmt: skip
    assert (counts.items, dict(counts.by["type"]), dict(counts.by["flag"])) == (3, {"article": 2, "list": 1}, {"truncated": 1})
    assert {name: site["article"] + site["list"] for name, site in counts.sites.items()} == {"example.com": 2, "example.org": 1}
    assert counts.by["language"] == {"zh": 2, "none": 1}
    assert (counts.missing["article"]["title"], counts.missing["article"]["body"], counts.missing["list"]["entries"]) == (1, 0, 0)
    assert counts.by["score"] == {"0.9": 1, "1.0": 1, "0.1": 1}


def test_the_items_with_the_lowest_scores_are_shown():
    """The lowest score comes first. The number of items is limited."""
    counts = counts_of(
        *(Article(url=f"http://a.example.com/{number}", title=f"Title {number}", score=number / 100) for number in range(100))
    )
    root = lxml.html.fromstring(report_html(counts, ["items.jsonl"]))
    assert [node.text for node in root.iterfind(".//li//a")] == [f"Title {number}" for number in range(20)]


def test_a_publisher_stands_for_a_missing_source_and_is_marked():
    """In the lines of the items and among the missing fields, where a page without either is told apart."""
    with_source = Article(url="http://a.example.com/1", source="Agency", publisher="The Paper")
    counts = counts_of(with_source, Article(url="http://a.example.com/2", publisher="The Herald"), Article(url="http://a.example.com/3"))
    text = lxml.html.fromstring(report_html(counts, ["items.jsonl"])).text_content()
    assert "· Agency" in text
    assert "· The Herald (publisher)" in text
    assert "The Paper" not in text
    assert (counts.missing["article"]["source"], counts.missing["article"]["source (publisher known)"]) == (1, 1)


def test_nothing_of_an_item_runs():
    """Everything is escaped, no link leads to a script, and the page loads nothing."""
    counts = counts_of(
        Article(url="javascript:alert(1)", title=HOSTILE, body=HOSTILE, language=HOSTILE, kind=HOSTILE, flags=[HOSTILE], extractor=HOSTILE),
        Article(url=f"http://a.example.com/{HOSTILE}", title="x", time=HOSTILE),
    )
    html = report_html(counts, [HOSTILE])
    root = lxml.html.fromstring(html.encode("utf-8", "replace"))
    assert not root.xpath("//script|//img|//iframe|//link|//@onerror|//@src")
    assert all(href.startswith("http") for href in root.xpath("//a/@href"))
    assert "default-src 'none'" in html


@pytest.mark.process
def test_the_command_writes_the_page(tmp_path: Path):
    """It reads several files, gzipped or not, and counts the lines that are not items."""
    line = json.dumps(asdict(Article(url="http://a.example.com/1", title="大桥开工", score=0.5)))
    (tmp_path / "a.jsonl").write_text(f"{line}\nhalf a li\n", encoding="utf-8")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(f"{line}\n[]\n".encode()))
    done = scrapy("report", "a.jsonl", "b.jsonl.gz", "-o", "out.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "2 items: out.html\n"), done.stderr
    html = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "大桥开工" in html
    assert "lines that are not items: 2" in html


@pytest.mark.parametrize(
    ("arguments", "output", "message"),
    [
        ([], "x.html", "Give at least one file of items"),
        (["none.jsonl"], "x.html", "'none.jsonl' can't be read: No such file"),
        (["empty.jsonl"], "x.html", "empty.jsonl: no items. The command reads JSON lines"),
        (["items.jsonl"], "items.jsonl/x.html", "'items.jsonl/x.html' can't be written"),
        (["items.db"], "x.html", "items.db can't be read as a database: file is not a database"),
        (["damaged.jsonl.gz"], "x.html", "damaged.jsonl.gz is a damaged gzip file"),
    ],
)
def test_errors_are_one_sentence(arguments: list[str], output: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Causes are a missing file, a file without items, and an output that can't be written."""
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "items.jsonl").write_text('{"url": "http://a.example.com/"}\n')
    (tmp_path / "items.db").write_bytes(b"SQLite format 3\x00 and nothing else")
    (tmp_path / "damaged.jsonl.gz").write_bytes(gzip.compress(b'{"url": "http://a.example.com/"}\n' * 9999)[:-20])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message):
        ReportCommand().run(arguments, Namespace(output=output, state=None))


STORIES = (
    Article(
        url="http://a.example.com/1",
        title="大桥开工",
        time="2024-03-05T14:22+08:00",
        authors=["Lee", "Li"],
        body="One, two.\nThree.",
        language="zh",
        score=0.5,
        flags=["paywall", "truncated"],
        fetched_at="2024-03-06T01:02:03+00:00",
    ),
    Article(url="http://b.example.org/2", title="[Two]", body="x", score=0.25, fetched_at="2024-03-06T01:02:04+00:00"),
    Listing(url="http://a.example.com/", title="News", entries=[Entry("x", "http://a.example.com/1")], score=1.0),
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with STORIES in each format, as a crawl writes them."""
    folder = tmp_path_factory.mktemp("stories")
    names = ["items.jsonl", "items.csv", *(["items.parquet"] if find_spec("pyarrow") else [])]
    settings = {"ADDONS": {"webcontent.Addon": 300}, "WEBCONTENT_RENDER": False, "LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False}
    settings |= {"WEBCONTENT_DATABASE": "sqlite:///items.db", "FEEDS": {name: {} for name in names}}
    code = f"""
import pickle

from scrapy import Spider

class Stories(Spider):
    name = "stories"
    custom_settings = {settings!r}

    async def start(self):
        for item in pickle.loads({pickle.dumps(STORIES)!r}):
            yield item
"""
    (folder / "stories.py").write_text(code, encoding="utf-8")
    done = scrapy("runspider", "stories.py", "-L", "ERROR", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.mark.process
@pytest.mark.parametrize("name", ["items.jsonl", "items.csv", "items.parquet", "items.db"])
def test_every_format_gives_the_same_report(name: str, written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What a crawl writes, the command reads: of a CSV file, that of the lists too."""
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    before, output = sorted(written.iterdir()), tmp_path / "new" / "report.html"
    ReportCommand().run([str(written / name)], Namespace(output=str(output), state=None))
    assert sorted(written.iterdir()) == before  # SQLite leaves nothing behind
    assert capsys.readouterr().out == f"3 items: {output}\n"
    html = output.read_text(encoding="utf-8")
    start, offset = '<div class="facts">', "" if name.endswith(".csv") else "+08:00"
    expected = report_html(counts_of(*STORIES), []).replace("+08:00", offset)  # CSV files have no offsets
    assert html.partition(start)[1:] == expected.partition(start)[1:]


@pytest.mark.parametrize("value", [5, "truncated", {"truncated": 1}, True, None, [5, None, {}]])
def test_values_of_a_wrong_type_end_no_report(value: object):
    """A file of items may come from anywhere."""
    counts = ItemCounts()
    names = ("flags", "score", "title", "url", "body", "time", "fetched_at", "kind", "language", "type", "extractor", "authors", "entries")
    for name in names:
        counts.add({"url": "http://a.example.com/1", "title": "x", name: value})
    assert counts.items == len(names)
    assert "<h1>" in report_html(counts, ["items.jsonl"])
