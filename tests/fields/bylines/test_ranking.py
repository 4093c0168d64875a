"""Source, authors and editors that a page shows."""

from __future__ import annotations

import pytest

from tests.fields.pages import CHINESE, ENGLISH, titled
from webcontent.fields.bylines import find_bylines

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"
TITEL = "<title>浮冰阻断渡轮</title><h1>浮冰阻断渡轮</h1>"


@pytest.mark.parametrize(
    ("html", "source"),
    [
        (f"{TITEL}<p>2024-03-05 14:22 来源：新报 作者：张三</p>{CHINESE}", "新报"),
        (f"{TITEL}<p>2024-03-05 14:22 来源：<a>新京报</a> <a>举报</a></p>{CHINESE}", "新京报"),
        (f"{TITEL}<p>发布时间：2024-03-05 稿源： 新报网 点击：35</p>{CHINESE}", "新报网"),
        (f"{TITLE}<p>Source: Reuters</p>{ENGLISH}", "Reuters"),
        (f'<meta property="og:site_name" content="The Sound">{TITLE}{ENGLISH}', None),
        (f"<title>浮冰阻断渡轮_海峡新闻网</title><h1>浮冰阻断渡轮</h1><p>2024-03-05 14:22</p>{CHINESE}", None),
        (f"{TITLE}{ENGLISH}", None),
    ],
)
def test_the_source_is_what_the_page_names(html: str, source: str | None):
    """By its exact name; the site's own name is none."""
    candidates = find_bylines(*titled(html)).sources
    assert (candidates[0].value if candidates else None) == source


@pytest.mark.parametrize(
    ("html", "authors"),
    [
        (f"{TITEL}<p>2024-03-05 来源：新报 作者：张三</p>{CHINESE}", ["张三"]),
        (f"{TITEL}<p>本报讯（记者 张三 李四）海峡浮冰未散，渡轮第三天停航，两岸往来全靠绕行。</p>{CHINESE}", ["张三", "李四"]),
        (f"{TITEL}<p>〔記者王小明／台北報導〕海峽浮冰未散，渡輪第三天停航，兩岸往來全靠繞行。</p>{CHINESE}", ["王小明"]),
        (f"{TITEL}{CHINESE}<p>责任编辑：张三</p>", []),
        (f'<meta name="author" content="张三">{TITEL}{CHINESE}<p>责任编辑：张三</p>', []),
        (f"{TITEL}{CHINESE}<p>记者 张三 摄</p>", []),
        (f'{TITLE}<p>By <a rel="author" href="/people/jane">Jane Doe</a> and <a rel="author" href="/people/bob">Bob Ray</a></p>{ENGLISH}', ["Jane Doe", "Bob Ray"]),
        (f"{TITLE}{ENGLISH}", []),
    ],
)  # fmt: skip
def test_authors_are_those_who_wrote(html: str, authors: list[str]):
    """Editors and photographers are none; several names come apart, in the order of the page."""
    candidates = find_bylines(*titled(html)).authors
    assert (candidates[0].value if candidates else []) == authors


@pytest.mark.parametrize(
    ("html", "editors"),
    [
        (f"{TITEL}{CHINESE}<p>（责任编辑：张三、李四）</p>", ["张三", "李四"]),
        (f"{TITEL}<p>作者：王五 编辑：赵六</p>{CHINESE}", ["赵六"]),
        (f"{TITLE}{ENGLISH}<p>Edited by Jane Doe</p>", ["Jane Doe"]),
        (f"{TITLE}{ENGLISH}<p>Redaktion: Erika Muster</p>", ["Erika Muster"]),
        (f"{TITEL}{CHINESE}<p>编辑</p><p>酒驾</p>", []),
    ],
)
def test_editors_stand_behind_their_label(html: str, editors: list[str]):
    """A button "编辑" is no label."""
    candidates = find_bylines(*titled(html)).editors
    assert (candidates[0].value if candidates else []) == editors


def test_candidates_that_were_not_chosen_are_evidence():
    """With their probabilities, lower than that of the value."""
    candidates = find_bylines(*titled(f"{TITEL}<p>2024-03-05 14:22 来源：新报 海峡 作者：张三</p>{CHINESE}")).sources
    scores = [candidate.score for candidate in candidates]
    assert len(candidates) > 1
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
