"""`scrapy report`: one page about the items of a crawl."""

from __future__ import annotations

import gzip
import json
from argparse import Namespace
from dataclasses import asdict
from typing import TYPE_CHECKING

import lxml.html
import pytest
from scrapy.exceptions import UsageError

from tests.crawl.crawls import scrapy
from webcontent.crawl.commands.report import ReportCommand
from webcontent.inspect.report import EXAMPLES, Summary, page
from webcontent.items import Article, Entry, Listing

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = '</title><script>alert(1)</script><img src=x onerror="alert(1)">\ud800'


def summary_of(*items: Article | Listing) -> Summary:
    summary = Summary()
    for item in items:
        summary.add(asdict(item))
    return summary


def test_items_are_counted_by_what_they_are():
    """Sites, types, languages, flags, missing fields, scores, hours."""
    summary = summary_of(
        Article(url="http://a.example.com/1", title="x", time="2024-03-05T14:22", body="b", language="zh", score=0.95, fetched_at="2026-01-01T03:00:00+00:00"),
        Article(url="http://a.example.com/2", body="b", language="zh", flags=["truncated"], score=1.0),
        Listing(url="http://b.example.org/", entries=[Entry("x", "y")], score=0.1),
    )  # fmt: skip
    assert (summary.count, dict(summary.by["type"]), dict(summary.by["flag"])) == (3, {"article": 2, "list": 1}, {"truncated": 1})
    assert {name: site.count for name, site in summary.sites.items()} == {"example.com": 2, "example.org": 1}
    assert summary.by["language"] == {"zh": 2, "none": 1}
    assert (summary.missing["article"]["title"], summary.missing["article"]["body"], summary.missing["list"]["entries"]) == (1, 0, 0)
    assert (summary.scores[9], summary.scores[1]) == (2, 1)
    assert (summary.published_hours[14], summary.fetched_hours[3], dict(summary.days)) == (1, 1, {"2024-03-05": 1})


def test_the_least_sure_items_are_shown():
    """Lowest score first, and no more than fit."""
    summary = summary_of(
        *(Article(url=f"http://a.example.com/{number}", title=f"Title {number}", score=number / 100) for number in range(100))
    )
    root = lxml.html.fromstring(page(summary, ["items.jsonl"]))
    assert [node.text for node in root.iterfind(".//li//a")] == [f"Title {number}" for number in range(EXAMPLES)]


def test_nothing_of_a_page_runs():
    """Everything is escaped, no link leads to a script, and the page asks for nothing from elsewhere."""
    summary = summary_of(
        Article(url="javascript:alert(1)", title=HOSTILE, body=HOSTILE, language=HOSTILE, kind=HOSTILE, flags=[HOSTILE], extractor=HOSTILE),
        Article(url=f"http://a.example.com/{HOSTILE}", title="x", time=HOSTILE),
    )
    html = page(summary, [HOSTILE])
    root = lxml.html.fromstring(html.encode("utf-8", "replace"))
    assert not root.xpath("//script|//img|//iframe|//link|//@onerror|//@src")
    assert all(href.startswith("http") for href in root.xpath("//a/@href"))
    assert "default-src 'none'" in html


def test_the_command_writes_the_page(tmp_path: Path):
    """Of several files, gzipped or not; lines that are no items are counted."""
    line = json.dumps(asdict(Article(url="http://a.example.com/1", title="大桥开工", score=0.5)))
    (tmp_path / "a.jsonl").write_text(f"{line}\nhalf a li\n", encoding="utf-8")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(f"{line}\n[]\n".encode()))
    done = scrapy("report", "a.jsonl", "b.jsonl.gz", "-o", "out.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "2 items: out.html\n"), done.stderr
    html = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "大桥开工" in html
    assert "lines that are no items: 2" in html


@pytest.mark.parametrize(
    ("arguments", "page", "message"),
    [
        ([], "x.html", "Give at least one file of items"),
        (["none.jsonl"], "x.html", "'none.jsonl' can't be read: No such file"),
        (["empty.jsonl"], "x.html", "empty.jsonl: no items; the command reads JSON lines"),
        (["items.jsonl"], "none/x.html", "'none/x.html' can't be written"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    arguments: list[str], page: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """No file, no items, no place for the page."""
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "items.jsonl").write_text('{"url": "http://a.example.com/"}\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message):
        ReportCommand().run(arguments, Namespace(page=page))
