"""CSV files of items."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.extensions.feedexport import ItemFilter

from webcontent.crawl.output.csv import COLUMNS, CsvExporter, split_csv_feeds
from webcontent.crawl.output.files import LineFile
from webcontent.formats.table import guarded, guarded_json, unguarded
from webcontent.items import Article, Entry, Image, Link, Listing

if TYPE_CHECKING:
    from pathlib import Path

FULL = Article(
    url="http://example.com/1",
    title="大桥开工",
    time="2024-03-05T14:22",
    source="Reuters",
    authors=["张三", "Lee"],
    body="第一段\n“第二段”, with a comma",
    related=[Link("另一条", "http://example.com/2", "2024-03-04")],
    images=[Image("http://example.com/1.jpg", caption="桥")],
    score=0.5,
)


@dataclass
class Foreign:
    name: str
    tags: list[str]


def exported(*items: object, before: bytes = b"", **options: object) -> bytes:
    """The bytes of a file to which the items were exported."""
    file = io.BytesIO()
    file.write(before)
    exporter = CsvExporter(file, **{"encoding": "utf-8", **options})
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue()


def rows(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("item_class", [Article, Listing])
def test_every_field_has_its_column(item_class: type):
    """The table of columns and the contract name the same fields."""
    assert sorted(COLUMNS[item_class]) == sorted(part.name for part in fields(item_class))


def test_columns_have_their_documented_order():
    """Not in the order of the class, and the same for every file."""
    header = exported(FULL).decode("utf-8-sig").splitlines()[0]
    assert tuple(header.split(",")) == COLUMNS[Article]


def test_a_file_begins_with_a_bom():
    """Without it spreadsheet programs read Chinese in the code page of the machine."""
    data = exported(FULL)
    assert data.startswith(b"\xef\xbb\xbfurl,")
    assert data.count(b"\xef\xbb\xbf") == 1


def test_text_is_read_back_unchanged():
    """Commas, quotes, line breaks and Chinese."""
    row = rows(exported(FULL))[0]
    assert (row["title"], row["body"], row["score"]) == (FULL.title, FULL.body, "0.5")


def test_nested_values_are_json():
    """Readable JSON, not Python's notation."""
    row = rows(exported(FULL))[0]
    assert json.loads(row["related"]) == [{"title": "另一条", "url": "http://example.com/2", "time": "2024-03-04"}]
    assert "另一条" in row["related"]


def test_names_are_joined():
    """Lists of plain texts are read by people, who have no use for brackets and quotes."""
    row = rows(exported(replace(FULL, flags=["paywall", "truncated"])))[0]
    assert (row["authors"], row["flags"]) == ("张三; Lee", "paywall; truncated")
    assert rows(exported(Article(authors=["=1+1", "Lee"])))[0]["authors"] == "'=1+1; Lee"


@pytest.mark.parametrize(
    ("time", "written"),
    [
        ("2024", "2024"),
        ("2024-03-05", "2024-03-05"),
        ("2024-03-05T14:22", "2024-03-05 14:22"),
        ("2024-03-05T14:22:08+08:00", "2024-03-05 14:22:08"),
        ("2024-03-05T14:22:08.123456Z", "2024-03-05 14:22:08"),
        ("2024-03-05T14", "2024-03-05T14"),
    ],
)
def test_times_are_those_of_spreadsheet_programs(time: str, written: str):
    """They recognize a date, a blank and a clock, and nothing with an offset. Other columns are not touched."""
    row = rows(exported(Article(title=time, time=time, modified=time, fetched_at=time)))[0]
    assert [row[name] for name in ("title", "time", "modified", "fetched_at")] == [time, written, written, written]


def test_missing_values_are_empty_cells():
    """None and empty lists alike."""
    row = rows(exported(Article(url="http://example.com/")))[0]
    assert (row["title"], row["authors"], row["body"], row["evidence"]) == ("", "", "", "")


def test_entries_of_a_listing_are_json():
    """A Listing has columns of its own."""
    item = Listing(url="http://example.com/", entries=[Entry("标题", "http://example.com/1")])
    row = rows(exported(item))[0]
    assert tuple(row) == COLUMNS[Listing]
    assert json.loads(row["entries"])[0]["title"] == "标题"


@pytest.mark.parametrize("title", ["=HYPERLINK(1)", "+1", "-1", "@x", "\tx", "＝1", "＠x"])
def test_no_cell_is_a_formula(title: str):
    """Text of a page that a spreadsheet program would run stays text."""
    assert rows(exported(Article(title=title)))[0]["title"] == f"'{title}"


FORMULAS = [
    "=1+cmd",
    "The plan;=1+cmd",
    "a\t=1",
    "a|=1",
    'a; "=1',
    "Text\n=HYPERLINK(1)",
    "Text;\n\n  ＝1",
    "'=1",
    "\t=1",
    '"=1";"=1"',
    "a;-1",
]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONE])
@pytest.mark.parametrize("text", FORMULAS)
def test_no_reader_sees_a_formula(text: str, delimiter: str, quoting: int):
    """Whatever it splits at, in texts, in lists of names and in nested values."""
    item = Article(url="http://example.com/", title=text, authors=["Lee", text], body=text, related=[Link(text, "http://example.com/2")])
    lines = io.StringIO(exported(item).decode("utf-8-sig"), newline="")
    cells = [cell for row in csv.reader(lines, delimiter=delimiter, quoting=quoting) for cell in row]
    assert not [cell for cell in cells if cell.lstrip('" \t\r').startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))]


@pytest.mark.parametrize("text", [*FORMULAS, "It's; '=1", "plain", ""])
def test_what_guards_a_cell_is_taken_away_again(text: str):
    """By our own readers; nested values are JSON with the same content."""
    assert unguarded(guarded(text)) == text
    assert json.loads(guarded_json(json.dumps([text, -1]))) == [text, -1]


@dataclass(slots=True, kw_only=True, repr=False)
class Story(Article):
    """An article with fields of a project's own."""

    comments: int | None = None
    tags: list[str] = field(default_factory=list)


def test_own_fields_of_a_subclass_are_the_last_columns():
    """The rules for articles hold for them, too."""
    data = exported(Story(title="=1", time="2024-03-05T14:22", comments=7, tags=["a", "b"]), Article(title="Two"))
    first, second = rows(data)
    assert list(first)[-2:] == ["comments", "tags"]
    assert (first["title"], first["time"], first["comments"], first["tags"]) == ("'=1", "2024-03-05 14:22", "7", "a; b")
    assert (second["title"], second["comments"]) == ("Two", "")


def test_rows_that_are_added_have_the_columns_of_the_file(tmp_path: Path):
    """Those of a version or a class that has other fields would shift them."""
    path = tmp_path / "items.csv"
    path.write_bytes(b"title,url\r\nOne,http://example.com/1\r\n")
    file = LineFile(str(path), "a")
    exporter = CsvExporter(file, encoding="utf-8")
    exporter.start_exporting()
    exporter.export_item(Story(url="http://example.com/2", title="Two", comments=7))
    exporter.finish_exporting()
    file.close()
    assert path.read_bytes() == b"title,url\r\nOne,http://example.com/1\r\nTwo,http://example.com/2\r\n"


def test_fields_without_a_column_are_named_once(caplog: pytest.LogCaptureFixture):
    """The first item decides the columns."""
    assert [row["title"] for row in rows(exported(FULL, Story(title="Two", comments=1), Story(title="Three")))] == [
        FULL.title,
        "Two",
        "Three",
    ]
    (record,) = caplog.records
    assert record.getMessage().endswith("these fields of Story, because it has the columns of its first items: comments, tags.")


def test_rows_that_are_appended_get_no_second_header():
    """Nor a second BOM."""
    first = exported(FULL)
    both = exported(FULL, before=first)
    assert both.startswith(first)
    assert [row["title"] for row in rows(both)] == ["大桥开工", "大桥开工"]


def test_lone_surrogates_cost_no_item():
    """A character that no encoding can represent becomes a question mark."""
    assert rows(exported(Article(title="a\ud800b")))[0]["title"] == "a?b"


def test_another_encoding_is_kept():
    """A feed in GB 18030 has no BOM."""
    data = exported(FULL, encoding="gb18030")
    assert data.startswith(b"url,")
    assert "大桥开工" in data.decode("gb18030")


def test_a_feed_may_name_its_own_columns():
    """The feed's setting wins."""
    assert list(rows(exported(FULL, fields_to_export=["title", "url"]))[0]) == ["title", "url"]


def test_other_items_are_written_as_scrapy_writes_them():
    """No BOM, no JSON: the exporter also writes a project's own items."""
    assert exported(Foreign("=a", ["b", "c"])) == b'name,tags\r\n=a,"b,c"\r\n'


def test_a_csv_feed_becomes_one_feed_per_class():
    """The options of the feed go to both."""
    feeds = split_csv_feeds({"out/a.csv": {"format": "csv", "overwrite": True}})
    assert list(feeds) == ["out/a.csv", "out/a.listings.csv", "out/a.articles.csv", "out/a.others.csv"]
    assert all(feed["overwrite"] for feed in feeds.values())
    assert feeds["out/a.listings.csv"]["item_classes"] == [Listing]


def accepting(items: list[Any], **options: Any) -> list[list[str]]:
    """For each item, the files that take it."""
    feeds = split_csv_feeds({"a.csv": {"format": "csv", **options}})
    filters = {uri: feed.get("item_filter", ItemFilter)(feed) for uri, feed in feeds.items()}
    return [[uri for uri, taker in filters.items() if taker.accepts(item)] for item in items]


def test_each_item_is_in_one_file_whatever_comes_first():
    """The first item decides what the main file holds, so that a project's own spiders write what they did."""
    listing = Listing(url="https://example.org/")
    assert accepting([FULL, {"a": 1}, listing, FULL]) == [["a.csv"], ["a.others.csv"], ["a.listings.csv"], ["a.csv"]]
    assert accepting([listing, {"a": 1}, FULL]) == [["a.listings.csv"], ["a.csv"], ["a.articles.csv"]]
    assert accepting([{"a": 1}, FULL], fields=["url"]) == [["a.csv"], ["a.csv"]]


@pytest.mark.parametrize(
    ("uri", "options"),
    [
        ("a.jsonl", {"format": "jsonlines"}),
        ("a.csv", {"format": "json"}),
        ("a.csv", {"item_classes": ["project.items.Mine"]}),
        ("a.csv", {"item_filter": "project.Filter"}),
        ("stdout:", {"format": "csv"}),
    ],
)
def test_other_feeds_stay_as_they_are(uri: str, options: dict):
    """Other formats, feeds that select their items, and standard output."""
    assert split_csv_feeds({uri: options}) == {uri: options}
