"""Lines before and behind an article's text."""

from __future__ import annotations

import pytest

from webcontent.fields.body_edges import edge_lines, is_closing_line

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
        ([], []),
    ],
)
def test_bylines_and_captions_at_the_edges_are_left_out(before: list[str], behind: list[str]):
    """Nothing of the text is."""
    lines = [*before, *TEXT, *behind]
    dropped = set(edge_lines(lines))
    assert [line for place, line in enumerate(lines) if place not in dropped] == TEXT


@pytest.mark.parametrize(
    "ending", ["某市教育局", "2024年4月24日", "他说：“很好。”", "商贩的鱼获积压在码头。（记者：张三）", "联系电话：62181513"]
)
def test_a_text_ends_with_its_last_line(ending: str):
    """Signing offices, dates of notices, signatures inside the last paragraph."""
    assert not list(edge_lines([*TEXT, ending]))


def test_a_short_text_is_kept():
    """Two lines are never an edge."""
    assert not list(edge_lines(["来源：新报", "责任编辑：李四"]))


def test_a_long_line_is_a_paragraph():
    """Whatever it begins with."""
    assert not is_closing_line(f"编辑：{'很长的一段话，' * 20}")
