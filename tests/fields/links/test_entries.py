"""The entries of a list page."""

from __future__ import annotations

import pytest

from tests.fields.links.lists import LIST, record
from tests.fields.pages import CHINESE, listing_of


def test_records_have_title_address_and_time() -> None:
    """Entries stand in page order."""
    entries = listing_of(LIST).entries
    assert [(entry.title, entry.url, entry.time) for entry in entries][:2] == [
        ("Story number 1 of the harbour", "https://news.example/story/1", "2024-05-01"),
        ("Story number 2 of the harbour", "https://news.example/story/2", "2024-05-02"),
    ]
    assert len(entries) == 6


def test_navigation_rankings_and_footer_are_left_out() -> None:
    """Entries come from the main list only."""
    nav = "<nav><ul><li><a href=/x1>The harbour and its people</a></li><li><a href=/x2>The town and its people</a></li></ul></nav>"
    side = (
        "<div class=sidebar><ol>"
        + "".join(f"<li><a href=/hot/{n}>A story that everybody reads {n}</a></li>" for n in range(9))
        + "</ol></div>"
    )
    foot = "<footer><a href=/about>About this newspaper</a><a href=/imprint>Imprint of this paper</a></footer>"
    assert {entry.url.split("/")[3] for entry in listing_of(nav + LIST + side + foot).entries} == {"story"}


def test_a_truncated_title_is_completed() -> None:
    """The title attribute of the link has the whole."""
    html = "".join(f'<li><a href="/s/{n}" title="The long title of story number {n}">The long title of ...</a></li>' for n in range(4))
    assert listing_of(f"<ul>{html}</ul>").entries[0].title == "The long title of story number 0"


def test_a_record_may_be_covered_by_a_link_without_text() -> None:
    """The title is then the heading of the record."""
    html = "".join(f"<article><a href=/s/{n}></a><div><h3>The story of pier {n}</h3></div></article>" for n in range(4))
    assert [entry.title for entry in listing_of(f"<main>{html}</main>").entries][:2] == ["The story of pier 0", "The story of pier 1"]


def test_a_link_may_wrap_the_whole_record() -> None:
    """The heading inside the link is the title; the rest gives summary and time."""
    html = "".join(
        f"<a href=/s/{n}><h3>The story of pier {n}</h3><p>What happened at the pier in the night of the storm.</p><p>2024-05-0{n}</p></a>"
        for n in range(1, 4)
    )
    entry = listing_of(f"<main>{html}</main>").entries[0]
    assert (entry.title, entry.summary, entry.time) == (
        "The story of pier 1",
        "What happened at the pier in the night of the storm.",
        "2024-05-01",
    )


def test_summary_source_and_image() -> None:
    """They are taken from the record where it shows them."""
    html = "".join(
        f"<div class=item><img src=/i/{n}.jpg><h2><a href=/s/{n}>第{n}号码头的故事</a></h2><p>风暴之夜码头上发生的事情，至今没有人说得清楚，只有灯塔还亮着。</p><p>来源：新报 2024-05-0{n}</p></div>"
        for n in range(1, 4)
    )
    entry = listing_of(f"<main>{html}</main>").entries[0]
    assert (entry.source, entry.image, entry.time) == ("新报", "https://news.example/i/1.jpg", "2024-05-01")
    assert entry.summary == "风暴之夜码头上发生的事情，至今没有人说得清楚，只有灯塔还亮着。"


def test_a_missing_year_is_that_of_the_address() -> None:
    """`05-03` beside a link to /2022/05/03/ is in 2022."""
    html = "".join(f"<li><a href=/2022/05/0{n}/x>The story of pier number {n}</a> <span>05-0{n}</span></li>" for n in range(1, 5))
    assert listing_of(f"<ul>{html}</ul>", fetched_at=None).entries[0].time == "2022-05-01"


@pytest.mark.parametrize("count", [1, 2])
def test_a_last_page_may_have_one_or_two_records(count: int) -> None:
    """A heading, a date and a summary make a record of an element that stands alone."""
    nav = (
        "<nav><a href=/x1>The harbour and its people</a><a href=/x2>The town and its people</a><a href=/x3>The sea and its people</a></nav>"
    )
    posts = "".join(
        f"<article><h2><a href=/s/{n}>The story of pier {n}</a></h2><p>2024-05-0{n + 1}</p><p>What happened at the pier in the storm.</p></article>"
        for n in range(count)
    )
    assert len(listing_of(f"{nav}<main>{posts}</main>").entries) == count


def test_years_of_an_archive_are_one_list() -> None:
    """Lists in the same markup belong together."""
    html = f"<h2>2024</h2><ul class=a>{record(1)}{record(2)}</ul><h2>2023</h2><ul class=a>{record(3)}{record(4)}</ul>"
    assert len(listing_of(html).entries) == 4


def test_a_page_without_links_has_none() -> None:
    """There are no entries without links."""
    assert listing_of(CHINESE).entries == []
