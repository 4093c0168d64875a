"""Bodies of corpora that mark them in another way."""

from __future__ import annotations

import pytest

from webcontent.training.common.labels import between, gold_body, without_head

TEXT = "The ferry stopped in the ice on Monday morning, and all of the forty people on board had to wait."


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"Ice stops the ferry\nBy Jane Doe\nMay 1, 2024\n{TEXT}", TEXT),
        (f"{TEXT}\nShort.", f"{TEXT}\nShort."),
        (f"Is it the end of the ferry?\n{TEXT}", TEXT),
        ("Only a headline", "Only a headline"),
        ("", ""),
    ],
)
def test_headline_and_byline_are_removed(body: str, expected: str) -> None:
    """As far as the first lines are short and no sentences; the last line stays."""
    assert without_head(body) == expected


def test_a_body_between_its_edges() -> None:
    """Blocks of links between them are left out; white space does not count."""
    texts = ["首页", "大桥 开工了，今天上午。", "相关阅读", "明年 通车。", "版权所有"]
    assert between(texts, [1.0, 0.0, 0.9, 0.0, 0.0], "大桥开工了", "明年通车。") == "大桥 开工了，今天上午。\n明年 通车。"
    assert between(texts, [0.0] * 5, "没有的", "明年通车。") is None
    assert between(texts, [0.0] * 5, "大桥开工了", "没有的") is None


def test_a_page_without_gold_has_no_body() -> None:
    """Only corpora with headlines in their bodies lose the first lines."""
    assert gold_body("own", {"gold": {"title": "A"}}, [], []) is None
    assert gold_body("own", {"gold": {"body": "A\nB"}}, [], []) == "A\nB"
    assert gold_body("dragnet-dev", {"gold": {"body": f"A\n{TEXT}"}}, [], []) == TEXT
