"""Source, authors and editors that a page shows."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from tests.fields.pages import CHINESE, ENGLISH, signals_of, titled
from webcontent.fields.names import find_bylines
from webcontent.fields.names.ranking import Option, author_probabilities
from webcontent.fields.names.value import choose_authors
from webcontent.fields.titles import find_titles

TITLE = "<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>"
TITEL = "<title>浮冰阻断渡轮</title><h1>浮冰阻断渡轮</h1>"

MAGAZINE = f"""<header class="masthead"><a class="brand" href="/en/">Egret Bay <em>Weekend</em></a>
<nav><a href="/">首页</a><a href="/yaowen/">要闻</a><a href="/en/">English</a><a href="/login">登录</a></nav></header>
<main><article><header class="opening"><h1>浮冰阻断渡轮</h1>
<p class="byline"><span class="author">撰文 何田 苏以宁</span> <time>2024年3月5日 下午3:05</time></p></header>
<div class="prose">{CHINESE}</div></article></main>"""


def test_several_people_are_no_source_without_its_label():
    """Though the model takes the line beside the date for one."""
    bylines = find_bylines(*titled(f"<title>浮冰阻断渡轮</title>{MAGAZINE}"))
    assert [candidate.value for candidate in bylines.sources if candidate.value is not None] == []
    assert bylines.authors[0].value == ["何田", "苏以宁"]


AGREED = '<meta name="author" content="Ann Lee"><meta name="author" content="Bo Reed">'


@pytest.mark.parametrize(
    ("html", "authors"),
    [
        (f"{AGREED}{TITLE}<p>By Ann Lee and Bo Reed</p>{ENGLISH}", ["Ann Lee", "Bo Reed"]),
        (f"{AGREED}{TITLE}<p>By Bo Reed and Ann Lee</p>{ENGLISH}", ["Bo Reed", "Ann Lee"]),
        (f"{AGREED}{TITLE}<p>By Ann Lee</p>{ENGLISH}", None),
        (f"{AGREED}{TITLE}<p>By Ann Lee and Cy Moss</p>{ENGLISH}", None),
        (f"{AGREED}{TITLE}<p>By Ann Lee and Bo Reed. Source: Reuters</p>{ENGLISH}", None),
        (f"{AGREED}{TITLE}{ENGLISH}", None),
        (f"{TITLE}<p>By Ann Lee and Bo Reed</p>{ENGLISH}", None),
    ],
)
def test_nothing_is_ranked_where_declared_and_shown_authors_agree(html: str, authors: list[str] | None):
    """The model is not even loaded then."""
    models = Mock()
    models.load.side_effect = RuntimeError("the model is asked")
    if authors is None:
        with pytest.raises(RuntimeError, match="the model is asked"):
            find_bylines(*titled(html), models)
    else:
        assert find_bylines(*titled(html), models).authors[0].value == authors


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
        (f"{TITEL}<p>2024-03-05 14:22 <span>海峡新闻网</span></p>{CHINESE}<p>来源 : 虎嗅报</p>", "虎嗅报"),
        (f'{TITEL}<p><span>我是左岸</span> <span class="meta_nickname"><a>左岸读书</a></span></p>{CHINESE}', "左岸读书"),
        (f"{TITEL}<p>2024-03-05 14:22 聯合報／ 記者<a>沈能元</a>／台北即時報導</p>{CHINESE}", "聯合報"),
        (f"{TITEL}<p>来源：界面新闻 郑萃颖</p>{CHINESE}", "界面新闻"),
        (f"{TITEL}<p>2024-03-05 14:22</p>{CHINESE}<p>来源：网络</p>", None),
        (
            f"{TITEL}<p>2024-03-05</p><p>来源：</p><p>十多年前，渡轮第一次停航的时候，两岸的居民全靠绕行，盼望冰封早日解除，今年冬天也是如此。</p>{CHINESE}",
            None,
        ),
    ],
)
def test_the_source_is_what_the_page_names(html: str, source: str | None):
    """By its exact name; the site's own name is none."""
    candidates = find_bylines(*titled(html)).sources
    assert (candidates[0].value if candidates else None) == source


def article(author: object, **more: object) -> str:
    """JSON-LD of an article by somebody."""
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", "author": author, **more})}</script>'


@pytest.mark.parametrize(
    ("html", "authors"),
    [
        (article({"@type": "Organization", "name": "Barnes & Noble"}), ["Barnes & Noble"]),
        (article({"@type": "Person", "name": "Byron, Ada"}), ["Ada Byron"]),
        (article("Byron, Ada"), ["Ada Byron"]),
        (article("Se&aacute;n O&#39;Brien"), ["Seán O'Brien"]),
        (article({"@type": "Person", "givenName": "Ada", "familyName": "Byron"}), ["Ada Byron"]),
        (article("Ada Byron").replace('"NewsArticle"', '["Thing", "NewsArticle"]'), ["Ada Byron"]),
        ('<meta name="citation_author" content="Byron, Ada"><meta name="citation_author" content="Doe, Jane">', ["Ada Byron", "Jane Doe"]),
        ('<meta name="author" content="Se&amp;aacute;n O&amp;#39;Brien">', ["Seán O'Brien"]),
        ('<div itemprop="author"><meta itemprop="name" content="Ada Byron"></div>', ["Ada Byron"]),
        ('<div typeof="Article"><p property="author"><span property="name">Ada Byron</span></p></div>', ["Ada Byron"]),
        ('<div typeof="schema:Article"><p rel="schema:author"><b property="schema:name">Ada Byron</b></p></div>', ["Ada Byron"]),
    ],
)
def test_declared_authors_have_whole_names(html: str, authors: list[str]) -> None:
    """In JSON-LD, meta elements, microdata and RDFa."""
    assert find_bylines(*titled(f"{TITLE}{html}{ENGLISH}")).authors[0].value == authors


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
        (f"{TITEL}<p>来源：新报 作者：记者 郑晨子</p>{CHINESE}", ["郑晨子"]),
        (f"{TITEL}{CHINESE}<p>文：周洋、李奇 图：马丽 编辑：王珏</p>", ["周洋", "李奇"]),
        (f"{TITEL}<p>作者：质量审评处</p>{CHINESE}", ["质量审评处"]),
        (f"{TITEL}<p>編輯 <a>樓冠陞</a> 報導</p>{CHINESE}", ["樓冠陞"]),
        (f'<title>浮冰阻断渡轮 - 新報網</title><meta name="author" content="新報網">{TITEL[TITEL.index("<h1>"):]}<p>文／王小明</p>{CHINESE}', ["王小明"]),
        (f'<script type="application/ld+json">{{"@type":"NewsArticle","author":"Grant Tinsley, PhD"}}</script>{TITLE}<p>By Grant Tinsley, PhD</p>{ENGLISH}', ["Grant Tinsley"]),
        (f"{TITLE}{ENGLISH}<p>Pool photo by Andy Wong</p>", []),
        (f"{TITEL}{CHINESE}<p>渡轮明天复航，两岸居民松了一口气。（李 迪 陈 科）</p>", ["李 迪", "陈 科"]),
        (f"{TITEL}<p>技术咨询：15100000000（易先生）</p>{CHINESE}", []),
        (f"{TITEL}{CHINESE}<p>【关闭窗口】</p>", []),
        (f'<meta name="author" content="北岸观察"><meta property="og:article:author" content="北岸观察">{TITEL}<p>原创 <span>北岸观察</span> <span>北岸</span></p>{CHINESE}', ["北岸观察"]),
        (f"{TITEL}<p>渡轮停航。（路透社）</p>{CHINESE}", ["路透社"]),
        (f'<meta name="author" content="Ferry\'s Log">{TITEL}{CHINESE}<p><span>文章作者</span> <span>Ferry\'s Log</span></p>', ["Ferry's Log"]),
        (f"{TITEL}{CHINESE}<p>（撰稿：巨秉刚、李奇；摄影：马丽）</p>", ["巨秉刚", "李奇"]),
    ],
)  # fmt: skip
def test_authors_are_those_who_wrote(html: str, authors: list[str]):
    """Editors and photographers are none; several names come apart, in the order of the page."""
    candidates = find_bylines(*titled(html)).authors
    assert (candidates[0].value if candidates else []) == authors


def test_the_author_may_stand_in_a_box_below_the_comments():
    """Far behind the text, where no other line is read."""
    texts = CHINESE.count("<p>")
    html = f"{TITEL}{CHINESE}{'<p>这条航线冬天常停。</p>' * 40}<p><b>文章作者</b> <i>左岸读书</i></p>"
    signals = signals_of(html, labels=[0, *[1] * texts, *[0] * 41])
    assert find_bylines(signals, find_titles(signals)[1]).authors[0].value == ["左岸读书"]


@pytest.mark.parametrize(
    ("html", "editors"),
    [
        (f"{TITEL}{CHINESE}<p>（责任编辑：张三、李四）</p>", ["张三", "李四"]),
        (f"{TITEL}<p>作者：王五 编辑：赵六</p>{CHINESE}", ["赵六"]),
        (f"{TITLE}{ENGLISH}<p>Edited by Jane Doe</p>", ["Jane Doe"]),
        (f"{TITLE}{ENGLISH}<p>Redaktion: Erika Muster</p>", ["Erika Muster"]),
        (f"{TITEL}{CHINESE}<p>编辑</p><p>酒驾</p>", []),
        (f"{TITEL}<p>作者：郑义 人气：35</p>{CHINESE}<p>责任编辑：郑义</p>", ["郑义"]),
        (f"{TITEL}{CHINESE}<p><a>王介村</a>/<a>編輯</a></p>", ["王介村"]),
        (f"{TITEL}{CHINESE}<p>责任编辑：王小明_NN1234</p>", ["王小明"]),
        (f"{TITEL}<p>編輯 <a>樓冠陞</a> 報導</p>{CHINESE}", []),
    ],
)
def test_editors_stand_behind_their_label(html: str, editors: list[str]):
    """A button "编辑" is no label."""
    candidates = find_bylines(*titled(html)).editors
    assert (candidates[0].value if candidates else []) == editors


def option(key: str, **more: Any) -> Option:
    """A person who may be the author."""
    return Option(**{"key": key, "may_be_author": True, "is_person": True, **more})


@pytest.mark.parametrize(("probabilities", "chosen"), [([0.1, 0.2], [0]), ([0.1, 0.6], [1])])
def test_whom_json_ld_calls_the_author_is_it_where_nobody_else_is(probabilities: list[float], chosen: list[int]):
    """A desk that the model doubts, and another name."""
    assert choose_authors([option("desk", is_person=False, is_last_resort=True), option("jane")], probabilities) == chosen


@pytest.mark.parametrize(("person", "left"), [(0.36, [0.36, 0.0]), (0.34, [0.34, 0.9])])
def test_an_organization_is_no_author_beside_a_person(person: float, left: list[float]):
    """The Associated Press beside Jane Doe, who is probable enough to be the author."""
    assert author_probabilities([option("janedoe"), option("press", is_person=False, is_organization=True)], [person, 0.9]) == left


@pytest.mark.parametrize(("other", "best"), [(0.45, 0), (0.55, 1)])
def test_a_label_gives_a_name_half_of_all_probability(other: float, best: int):
    """It stands behind who is likelier, and before who is not."""
    scores = author_probabilities([option("janedoe", is_author=True), option("bobray")], [0.1, other])
    assert int(np.argmax(scores)) == best


@pytest.mark.parametrize(
    ("scores", "chosen"), [([0.36], [0]), ([0.34], []), ([0.36, 0.21], [0, 1]), ([0.36, 0.19], [0]), ([0.19, 0.21], [])]
)
def test_authors_are_probable_and_further_ones_of_the_same_list_less(scores: list[float], chosen: list[int]):
    """Jane Doe and Bob Ray, whom the rules find together."""
    assert choose_authors([option(key, list=1) for key in ("janedoe", "bobray")[: len(scores)]], scores) == chosen


@pytest.mark.parametrize(("other", "score", "chosen"), [("toddbates", 0.21, [1]), ("toddbates", 0.19, [0]), ("janetodd", 0.3, [0])])
def test_a_single_word_gives_way_to_the_name_that_begins_with_it(other: str, score: float, chosen: list[int]):
    """Todd, and Todd Bates with some probability."""
    assert choose_authors([option("todd", is_person=False), option(other)], [0.9, score]) == chosen


def test_on_chinese_pages_nobody_is_the_author_because_of_json_ld_alone():
    """Editors and platforms stand there."""
    office = '<script type="application/ld+json">{"@type":"NewsArticle","author":{"@type":"Organization","name":"海峡新闻网"}}</script>'
    assert authors_of(f"{office}{TITEL}{CHINESE}") == []


def test_step_by_step_names_no_author():
    """The word before the label stands behind it, too."""
    assert authors_of(f"<title>Ferries: Step by Step Guide</title><h1>Ferries: Step by Step Guide</h1>{ENGLISH}") == []


def authors_of(html: str) -> list[str]:
    candidates = find_bylines(*titled(html)).authors
    return candidates[0].value if candidates else []


def test_candidates_that_were_not_chosen_are_evidence():
    """With their probabilities, lower than that of the value."""
    candidates = find_bylines(*titled(f"{TITEL}<p>2024-03-05 14:22 来源：新报 海峡 作者：张三</p>{CHINESE}")).sources
    scores = [candidate.score for candidate in candidates]
    assert len(candidates) > 1
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@pytest.mark.parametrize("html", [f"{TITEL}<p>行情播报</p>{CHINESE}", f"{TITLE}<p>Daily Notes</p>{ENGLISH}"])
def test_of_a_field_without_value_the_evidence_has_the_rejected_candidates(html: str):
    """Behind an empty first candidate, whose score is the probability that the page names nobody."""
    found = find_bylines(*titled(html))
    for candidates, empty in ((found.sources, None), (found.authors, [])):
        assert not candidates or candidates[0].value == empty
        assert not candidates or candidates[0].score == pytest.approx(1 - candidates[1].score)
    assert any(len(candidates) > 1 for candidates in found[:2])
