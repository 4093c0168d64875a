"""Lines before and behind an article's text."""

from __future__ import annotations

import pytest

from webcontent.fields.body.edges import edge_lines, is_closing_line

TEXT = ["连日低温之后，海峡里的浮冰仍未散去。", "老渡轮第三天停航，两岸居民只得绕行。", "商贩的鱼获积压在码头。"]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ([], ["责任编辑：李四"]),
        ([], ["文、图/张三", "2020年12月31日", "责任编辑：李四"]),
        ([], ["（供稿：张三 拍摄：李四）"]),
        ([], ["采访、作者：张三"]),
        ([], ["来源：新报", "版权所有 违者必究"]),
        (["渡轮停在码头。 新报记者 张三 摄"], []),
        (["来源：新报 张三"], []),
        ([], ["来源：新报、晚报", "本期精彩回顾", "外国网友热议：还要等多久？", "ID：haixia-com"]),
        ([], ["版权作品，未经新报网书面授权，严禁转载。"]),
        ([], ["文章综合自：新报、晚报等"]),
        ([], ["延伸閱讀：渡輪為何停航"]),
        ([], ["相关文章:"]),
        (["原标题：渡轮停航，两岸居民怎么办？"], []),
        (["图像来源，通讯社"], []),
        (["渡轮停在码头。（船公司提供）"], []),
        (["The ferry lies at the quay. Photo: Ada Byron"], []),
        ([], ["（撰稿：张三、李四；摄影：王五）", "图1.船长致开幕辞", "图2.会议合影"]),
        ([], []),
    ],
)
def test_bylines_and_captions_at_the_edges_are_left_out(before: list[str], behind: list[str]):
    """Nothing of the text is."""
    lines = [*before, *TEXT, *behind]
    dropped = set(edge_lines(lines))
    assert [line for place, line in enumerate(lines) if place not in dropped] == TEXT


@pytest.mark.parametrize(
    "ending",
    [
        "某市教育局",
        "2024年4月24日",
        "他说：“很好。”",
        "商贩的鱼获积压在码头。（记者：张三）",
        "联系电话：62181513",
    ],
)
def test_a_text_ends_with_its_last_line(ending: str):
    """Signing offices, dates of notices, signatures inside the last paragraph."""
    assert not list(edge_lines([*TEXT, ending]))


@pytest.mark.parametrize("dateline", ["本网讯 记者 张三", "【本報訊】", "（记者李四／报道）", "新报网某市12月26日电"])
def test_a_report_begins_with_its_dateline(dateline: str):
    """Kickers and captions before it are left out."""
    lines = ["渡轮停在码头。", "【海峡】", f"{dateline} {TEXT[0]}", *TEXT[1:]]
    assert list(edge_lines(lines)) == [0, 1]


def test_a_paragraph_before_a_dateline_is_kept():
    """The dateline of a second report, behind the text of the first."""
    lines = [TEXT[0] * 3, f"本网讯 {TEXT[1]}", TEXT[2]]
    assert not list(edge_lines(lines))


def test_a_question_of_the_reporter_begins_an_interview():
    """Labels before the text have names behind them, no sentences."""
    assert not list(edge_lines(["记者：渡轮何时再开？", *TEXT]))


def test_a_short_text_is_kept():
    """Two lines are never an edge."""
    assert not list(edge_lines(["来源：新报", "责任编辑：李四"]))


def test_a_long_line_is_a_paragraph():
    """Whatever it begins with."""
    assert not is_closing_line(f"编辑：{'很长的一段话，' * 20}")
