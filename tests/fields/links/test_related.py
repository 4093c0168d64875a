"""Links that a page offers as related to its article."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, article_of

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"


@pytest.mark.parametrize(
    "heading",
    ["相关新闻", "相关阅读：", "延伸閱讀", "Related articles", "More on this story", "Mehr zum Thema", "À lire aussi", "関連記事"],
)
def test_links_under_such_a_heading_are_related(heading: str) -> None:
    """Headings are known in the usual languages."""
    html = f"{TITLE}{ENGLISH}<h3>{heading}</h3><ul><li><a href=/a>The first other story</a></li><li><a href=/b>The second other story</a></li></ul>"
    assert [link.url for link in article_of(html).related] == ["https://news.example/a", "https://news.example/b"]


@pytest.mark.parametrize("heading", ["热门排行", "Most read", "猜你喜欢", "最新文章"])
def test_links_under_rankings_and_feeds_are_not_related(heading: str) -> None:
    """They are offered to all readers, or to this one, whatever the article."""
    html = f"{TITLE}{ENGLISH}<h3>{heading}</h3><ul><li><a href=/a>The first other story</a></li><li><a href=/b>The second other story</a></li></ul>"
    assert article_of(html).related == []


def test_related_links_end_at_the_next_heading() -> None:
    """Links below the next heading belong to that one."""
    html = f"{TITLE}{ENGLISH}<div><h3>Related</h3><p><a href=/a>The first other story</a></p><h3>Most read</h3><p><a href=/b>The second other story</a></p></div>"
    assert [link.title for link in article_of(html).related] == ["The first other story"]


def test_a_line_in_the_text_may_offer_a_related_link() -> None:
    """A line such as "Read more: ..." has a link of its own."""
    html = f"{TITLE}{ENGLISH}<p>Read more: <a href=/a>The first other story</a></p>{ENGLISH}"
    assert [link.title for link in article_of(html).related] == ["The first other story"]


def test_links_that_lead_nowhere_are_left_out() -> None:
    """Scripts, the page itself and invalid addresses are no related links."""
    html = f"{TITLE}{ENGLISH}<h3>Related</h3><a href='javascript:x()'>One of the stories</a><a href='http://[bad'>Two of the stories</a><a href='/story.html'>This very story</a><a href=/a>The other story</a>"
    assert [link.url for link in article_of(html).related] == ["https://news.example/a"]


@pytest.mark.parametrize(
    ("first", "second", "addresses"),
    [
        ("Recommended", "Related articles", ["b"]),
        ("Recommended", "Keep reading", ["a", "b"]),
        ("Related articles", "See also", ["a", "b"]),
    ],
    ids=["generic-and-related", "generic-alone", "both-related"],
)
def test_generic_headings_count_where_there_is_no_other(first: str, second: str, addresses: list[str]) -> None:
    """Sites also set "recommended" over what they want read."""
    html = f"{TITLE}{ENGLISH}<div><h3>{first}</h3><a href=/a>The first other story</a></div><div><h3>{second}</h3><a href=/b>The second other story</a></div>"
    assert [link.url for link in article_of(html).related] == [f"https://news.example/{name}" for name in addresses]


def test_a_second_list_far_behind_the_body_is_left_out() -> None:
    """It belongs to something else on the page."""
    near = "<div><h3>Related</h3><a href=/a>The first other story</a></div>"
    far = "<div><h3>See also</h3><a href=/b>The second other story</a></div>"
    html = f"{TITLE}{ENGLISH}{near}{'<p>Advertisement</p>' * 40}{far}"
    assert [link.url for link in article_of(html).related] == ["https://news.example/a"]


def test_related_links_in_navigation_are_left_out() -> None:
    """A menu may be called "related topics"."""
    html = f"{TITLE}{ENGLISH}<nav><h3>Related topics</h3><a href=/a>The harbour and the town</a></nav>"
    assert article_of(html).related == []


def test_of_records_only_the_headings_are_related() -> None:
    """The other links of a record lead to its section or its comments."""
    html = "".join(f"<div><a href=/section>Harbour news</a><h4><a href=/{n}>Another story, number {n}</a></h4></div>" for n in (1, 2))
    assert [link.url for link in article_of(f"{TITLE}{ENGLISH}<div><h3>Related</h3>{html}</div>").related] == [
        "https://news.example/1",
        "https://news.example/2",
    ]


def test_a_date_beside_a_link_is_its_time() -> None:
    """In the block of the link, or alone in the next one."""
    html = "<li><a href=/a>The first other story</a> (2024-05-01)</li><li><a href=/b>The second other story</a><p>2024-05-02</p></li>"
    assert [link.time for link in article_of(f"{TITLE}{ENGLISH}<h3>Related</h3><ul>{html}</ul>").related] == ["2024-05-01", "2024-05-02"]
