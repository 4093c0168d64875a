"""Inspections: the item of a crawl, the results of other extractors, the time of each stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.crawls import TEXTS
from tests.inspect.pages import FIRST, make_page
from webcontent.inspect.html import html
from webcontent.inspect.inspection import inspect_page
from webcontent.inspect.text import block_lines, comparison, preparation_lines, summary

if TYPE_CHECKING:
    from webcontent.inspect.inspection import Inspection
    from webcontent.pipeline import Options


def test_every_stage_has_its_time(inspection: Inspection):
    """The stages are in their order, without the time for opening the models."""
    assert list(inspection.stages) == ["reading", "blocks", "page type", "extraction", "fields"]
    assert all(ms > 0 for ms in inspection.stages.values())


def test_the_item_is_that_of_a_crawl(inspection: Inspection):
    """It has all its evidence."""
    assert (inspection.result.item.title, inspection.result.item.time) == ("The bridge opens in May", "2024-03-05T14:22")
    assert inspection.result.item.body.splitlines() == list(TEXTS)
    assert inspection.result.item.evidence["title"][0].xpath == "/html/body/article/h1"


@pytest.mark.parametrize(
    "rows",
    [
        [[]],
        [5],
        [["/html"]],
        [["/html", "p", "a", "b", "c", "d", 0, 0, "", "", 5, 5, 0, 0, 0]],
        [["/html", "p", float("nan"), 1, 1, 1, 16, 400, "", "", 5, 5, 0, 0, 0]],
        [["/html", "p", 1, 1, float("inf"), 1, 16, 400, "", "", 5, 5, 0, 0, 0]],
        [[None] * 15],
    ],
)
def test_damaged_boxes_are_left_out(options: Options, rows: list[Any]):
    """Boxes come from a page, or from a file that a user edited."""
    page = make_page()
    page.boxes = rows
    inspection = inspect_page(page, options)
    assert inspection.places.text_boxes() == []
    assert html(inspection)


def test_the_error_of_an_extractor_is_shown(inspection: Inspection):
    """The item is made without the extractor's result."""
    broken = inspection.results[2]
    assert broken.error == "RuntimeError: no result today"
    assert broken.item.title == "The bridge opens in May"


def test_items_are_shown_side_by_side(inspection: Inspection):
    """A column for each extractor, a line for each field that one of them has; then what the body of each lacks."""
    head, *rows = comparison(inspection.results)
    assert head.split()[:3] == [result.name for result in inspection.results]
    assert [row for row in rows if row.startswith("title ")] == [
        " ".join(["title".ljust(14), *["The bridge opens in May".ljust(48)] * 3]).rstrip()
    ]
    assert len(rows[rows.index("body of broken:") :]) == 1 + len(TEXTS)  # this extractor has failed


def test_text_shows_the_page_type_the_item_and_each_block(inspection: Inspection):
    """The first two lines sum up the page. Each block has a line with its label, its score and its text, except noise of 0.00."""
    page_type, item = summary(inspection)
    assert page_type.startswith(f"{inspection.page_type.type} ({inspection.page_type.kind}), score ")
    assert item.endswith(" · The bridge opens in May")
    lines = list(block_lines(inspection))
    plain = [i for i in range(len(inspection.result.labels)) if inspection.result.is_plain_noise(i)]
    assert plain
    assert len(lines) == len(inspection.result.labels) - len(plain) + 1
    assert lines[-1] == f"and {len(plain)} blocks of noise with the score 0.00, which -o page.html lists"
    (line,) = [line for line in lines if TEXTS[0][:40] in line]
    assert line.startswith(f"body     {inspection.result.block_score(FIRST):.2f}")


def test_fifty_rows_of_the_preparation_are_shown():
    assert len(list(preparation_lines({"clicked": [f"button {n}" for n in range(80)]}))) == 50
