"""The address of a list's next page."""

from __future__ import annotations

import pytest

from tests.fields.links.lists import LIST
from tests.fields.pages import listing_of


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ("<link rel=next href=/page/2>", "/page/2"),
        ("<a href=/page/2>下一页</a>", "/page/2"),
        ("<a href=/page/2>Next »</a>", "/page/2"),
        ("<a href=/page/2>Older posts</a>", "/page/2"),
        ("<div><span class=current>1</span><a href=/page/2>2</a><a href=/page/3>3</a></div>", "/page/2"),
        ("<ul><li><a href=/page/1>1</a></li><li class=active><a href=/page/2>2</a></li><li><a href=/page/3>3</a></li></ul>", "/page/3"),
        ("<div><a href=/page/1>1</a><a href=/page/2>2</a><strong>3</strong></div>", None),
        ("<a href='javascript:next()'>下一页</a>", None),
        ("<a href=/story/9>下一篇：另一个故事</a>", None),
        ("", None),
    ],
    ids=[
        "head",
        "chinese",
        "english",
        "older",
        "pager",
        "pager-of-list-items",
        "last-page",
        "script",
        "next-article",
        "none",
    ],
)
def test_the_next_page_is_where_the_pager_leads(html: str, address: str | None) -> None:
    """It is found by rel, by word and by number; it is never a script and never the next article."""
    found = listing_of(LIST + html).next_page
    assert found == (f"https://news.example{address}" if address else None)
