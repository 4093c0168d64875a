"""Which siblings of a page are records, and which group of them looks most like its list."""

from __future__ import annotations

import pytest

from tests.fields.links.lists import LIST
from tests.fields.pages import URL
from webcontent.document.parsing import Document
from webcontent.fields.links.anchors import Anchors
from webcontent.fields.links.record_groups import RecordGroup, find_record_groups
from webcontent.items import Page


def groups_of(html: str) -> list[RecordGroup]:
    return find_record_groups(Anchors(Document.from_page(Page(url=URL, html=html))))


def test_a_list_is_one_group() -> None:
    """Its records are the list items, with title and date."""
    (group,) = groups_of(LIST)
    assert (group.key, len(group.records)) == ("li", 6)
    assert all(record.has_time and not record.in_heading for record in group.records)


@pytest.mark.parametrize(
    "html",
    [
        "<div><p>Words without a link in them</p><p>Words without a link in them</p></div>",
        "<div><p><a href=/a>The same story again</a></p><p><a href=/a>The same story again</a></p></div>",
        "<ul><li><a href=/a>A</a></li><li><a href=/b>B</a></li></ul>",
        "<ul><li><a href=/a>A lonely link to a story</a></li></ul>",
    ],
    ids=["no-links", "one-address", "short-texts", "only-child"],
)
def test_siblings_that_lead_to_no_articles_are_no_records(html: str) -> None:
    """A record leads to an address of its own, with a title."""
    assert groups_of(html) == []


def test_an_element_with_several_titles_is_no_record() -> None:
    """The records are inside of it."""
    column = "<div>" + "".join(f"<p><a href=/{{0}}{n}>The story of pier {n}</a></p>" for n in range(4)) + "</div>"
    groups = groups_of(column.format("a") + column.format("b"))
    assert [(group.key, len(group.records)) for group in groups] == [("p", 4), ("p", 4)]


@pytest.mark.parametrize(("between", "count"), [(38, 0), (39, 3)])
def test_the_first_forty_links_of_a_record_decide_whether_it_has_one_title(between: int, count: int) -> None:
    rows = (
        "<p><a href=/{0}>The story of pier {0}</a>" + "<a href=/tag>x</a>" * between + "<a href=/b{0}>The story of boat {0}</a></p>",
    ) * 3
    html = "".join(row.format(number) for number, row in enumerate(rows))
    assert [len(group.records) for group in groups_of(html) if group.key == "p"] == ([count] if count else [])


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("<p><a href=/a{0}>The story of pier {0}</a></p>", "<p><a href=/b{0}>The story of pier {0}</a> 2024-05-0{0}</p>"),
        ("<p><a href=/a{0}>The story of pier {0}</a></p>", "<p><a href=/b{0}>The story of pier {0}</a> and what came of it</p>"),
        ("<p><a href=/a{0}>The story of pier {0}</a></p>", "<h3><a href=/b{0}>The story of pier {0}</a></h3>"),
        ("<p><a href=/a{0}>Pier {0}</a></p>", "<p><a href=/b{0}>The story of pier {0}</a></p>"),
        ("<nav><p><a href=/a{0}>The story of pier {0}</a></p></nav>", "<p><a href=/b{0}>The story of pier {0}</a></p>"),
        ("<p class=hotlist><a href=/a{0}>The story of pier {0}</a></p>", "<p><a href=/b{0}>The story of pier {0}</a></p>"),
    ],
    ids=["date", "text", "heading", "title", "navigation", "class"],
)
def test_the_best_group_looks_most_like_a_list_of_articles(worse: str, better: str) -> None:
    """Titles, headings, dates and text count; navigation and rankings do not."""
    html = "".join(f"<div>{''.join(row.format(n) for n in range(1, 5))}</div>" for row in (worse, better))
    assert {record.anchor.href[:2] for record in groups_of(html)[0].records} == {"/b"}


def test_records_may_differ_in_the_number_of_a_class() -> None:
    """post-12 and post-13 are the same class."""
    html = "".join(f"<div class='post-{n}'><a href=/{n}>The story of pier {n}</a></div>" for n in range(4))
    other = "<div class=offer>Words without a link in them</div>" * 3
    groups = groups_of(f"<main>{html}{other}</main>")
    assert [(group.key, len(group.records)) for group in groups] == [("div.post-", 4)]
