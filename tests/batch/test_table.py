"""Arrow tables in and out."""

from __future__ import annotations

from dataclasses import fields

import pytest

import webcontent
from tests.batch.warc_records import page
from tests.crawl.crawls import listing
from webcontent import batch, pipeline
from webcontent.items import Article, Image, Listing

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'webcontent[parquet]'")
SCHEMA, extract_table, table_from_items = batch.SCHEMA, batch.extract_table, batch.table_from_items

LIST = listing("News", {f"/news/{n}.html": f"Headline number {n} about something that happened" for n in range(20)})
BATCH = pa.RecordBatch.from_pydict(
    {
        "id": [7, 8, 9],
        "url": ["http://example.com/1.html", "http://example.com/", None],
        "html": [page(1), LIST.encode(), None],
    }
)


def test_there_is_one_row_per_page_in_order():
    """Articles and lists are in one table. Null is an empty page."""
    items = extract_table(BATCH)
    assert isinstance(items, pa.RecordBatch)
    assert items.schema == SCHEMA
    article, listing_row, empty = items.to_pylist()
    assert (article["type"], article["title"], article["url"]) == ("article", "Storm 1", "http://example.com/1.html")
    assert (listing_row["type"], len(listing_row["entries"]), listing_row["body_html"]) == ("list", 20, None)
    assert (empty["url"], "empty" in empty["flags"]) == (None, True)


def test_the_rows_are_those_of_extract():
    """The values are the same."""
    item = webcontent.extract(page(1), url="http://example.com/1.html")
    (row,) = extract_table(BATCH.slice(0, 1)).to_pylist()
    assert {name: row[name] for name in ("title", "body", "body_html", "score", "fingerprint", "authors", "language")} == {
        name: getattr(item, name) for name in ("title", "body", "body_html", "score", "fingerprint", "authors", "language")
    }


@pytest.mark.parametrize("html_type", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()], ids=str)
def test_a_table_gives_a_table(html_type):
    """Ray passes tables in chunks, with text as string or binary. Kept columns come first."""
    table = pa.Table.from_batches([BATCH.slice(0, 1), BATCH.slice(0, 1)])
    table = table.set_column(2, "html", table.column("html").cast(pa.string()).cast(html_type))
    items = extract_table(table, keep=["id"])
    assert isinstance(items, pa.Table)
    assert items.schema.names == ["id", *SCHEMA.names]
    assert items.column("id").to_pylist() == [7, 7]
    assert items.column("title").to_pylist() == ["Storm 1", "Storm 1"]


def test_no_rows():
    assert extract_table(BATCH.slice(0, 0)).num_rows == 0


def test_the_columns_are_the_fields_of_both_classes():
    """Only the evidence is left out."""
    names = {field.name for kind in (Article, Listing) for field in fields(kind)} - {"evidence"}
    assert set(SCHEMA.names) == names


def test_values_that_arrow_can_not_represent():
    """A lone surrogate and a width beyond 32 bits do not cost the row."""
    item = Article(title="half \ud83d", images=[Image(url="http://example.com/a.png", width=10**12, height=3)])
    (row,) = table_from_items([item]).to_pylist()
    assert row["title"] == "half ?"
    assert row["images"] == [{"url": "http://example.com/a.png", "caption": None, "width": None, "height": 3, "credit": None}]


def test_a_page_on_which_a_stage_fails_keeps_its_row(monkeypatch):
    """The page is read as an article, with page_type_score 0."""
    real = pipeline.classify_document

    def failing(document, **options):
        if "Storm 1" in document.text:
            raise RuntimeError("a fault of ours")
        return real(document, **options)

    monkeypatch.setattr(pipeline, "classify_document", failing)
    article, listing_row, _ = extract_table(BATCH).to_pylist()
    assert (article["url"], article["type"], article["page_type_score"]) == ("http://example.com/1.html", "article", 0.0)
    assert "1: The harbour was closed" in article["body"]
    assert listing_row["type"] == "list"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: extract_table([page(1)]), TypeError, "batch is list; it takes a pyarrow RecordBatch or Table"),
        (lambda: extract_table(BATCH.select(["url"])), ValueError, "The batch has no column 'html'. It has: url."),
        (lambda: extract_table(BATCH, keep=["name"]), ValueError, "The batch has no column 'name'."),
        (lambda: extract_table(BATCH, keep=["url"]), ValueError, "keep names 'url', which is a column of the items"),
        (lambda: extract_table(BATCH.select(["id"]).rename_columns(["html"])), ValueError, "The column 'html' is of type int64"),
        (lambda: extract_table(BATCH, extractor="awc"), ValueError, "No extractor is named 'awc'."),
    ],
    ids=["not a batch", "no html", "no such column", "a column of the items", "numbers", "no such extractor"],
)
def test_wrong_arguments_are_named(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert message in str(raised.value)


def test_the_extractor_can_be_named():
    assert extract_table(BATCH.slice(0, 1), extractor="awce").column("extractor").to_pylist() == ["awce"]
