"""Who published a text first."""

from __future__ import annotations

import pytest

from tests.fields.pages import CHINESE, ENGLISH, titled
from webcontent.fields.sources import find_sources

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"
TITEL = "<title>浮冰阻断渡轮</title><h1>浮冰阻断渡轮</h1>"


@pytest.mark.parametrize(
    ("html", "source"),
    [
        (f"{TITEL}<p>2024-03-05 14:22 来源：新报 作者：张三</p>{CHINESE}", "新报"),
        (f"{TITEL}<p>稿源： 新报网</p>{CHINESE}", "新报网"),
        (f"{TITEL}<p>2024年03月05日 14:22 新报 我有话说(13人参与)</p>{CHINESE}", "新报"),
        (f"{TITLE}<p>Source: Reuters</p>{ENGLISH}", "Reuters"),
        (f'<meta property="og:site_name" content="The Sound">{TITLE}{ENGLISH}', "The Sound"),
        (f"<title>Ice stops the ferry - The Sound</title><h1>Ice stops the ferry</h1>{ENGLISH}", "The Sound"),
        (f"{TITLE}{ENGLISH}", None),
    ],
)
def test_the_source_is_named_or_it_is_the_site(html: str, source: str | None) -> None:
    """来源, its place beside the time, else the site's name."""
    candidates = find_sources(*titled(html))
    assert (candidates[0].value if candidates else None) == source
