"""Metrics of a page against its gold, and their means."""

from __future__ import annotations

from typing import Any

import pytest

from webcontent.evaluation.scores import half_width, mean, page_metrics, plain, snippet_f1, word_f1

TEXT = "The council said that it would build a new bridge over the river before the end of next year. "


def record(**gold: Any) -> dict[str, Any]:
    return {"id": "p1", "type": "article", "gold": gold}


@pytest.mark.parametrize(
    ("text", "gold", "f1"),
    [
        ("a b c", "a b c", 1.0),
        ("A, b; c!", "a b c", 1.0),
        ("a b", "a b c d", 2 / 3),
        ("a a", "a", 2 / 3),
        ("", "", 1.0),
        ("", "a", 0.0),
        ("a", "", 0.0),
        ("a", "b", 0.0),
        ("新闻正文", "新闻全文", 0.75),
    ],
)
def test_word_f1_counts_words_or_chinese_characters(text: str, gold: str, f1: float) -> None:
    """Multisets of lower-case words; both empty is right, one empty is wrong."""
    assert word_f1(text, gold)[0] == pytest.approx(f1)


@pytest.mark.parametrize(
    ("text", "gold", "f1"),
    [
        ("one two three", {"with": ["one  two"], "without": ["menu"]}, 1.0),
        ("one two menu", {"with": ["one two"], "without": ["menu"]}, 2 / 3),
        ("one", {"with": ["one", "two"]}, 2 / 3),
        ("nothing", {"without": ["menu"]}, 1.0),
        ("menu", {"without": ["menu"]}, 0.0),
        ("", {"with": ["one"]}, 0.0),
    ],
)
def test_snippets_have_to_be_in_the_text_or_out_of_it(text: str, gold: dict[str, Any], f1: float) -> None:
    """White space does not count."""
    assert snippet_f1(text, gold) == pytest.approx(f1)


def test_only_what_the_gold_has_is_evaluated() -> None:
    """Titles are compared without case and punctuation, times by their day."""
    extracted = {"title": "a  Bridge!", "time": "2024-03-05T14:22", "body": TEXT, "type": "article"}
    assert page_metrics(extracted, record(title="A bridge", time="2024-03-05")) == {"title": 1.0, "date": 1.0, "type": 1.0}
    assert page_metrics({}, record(body=TEXT)) == {"f1": 0.0, "precision": 0.0, "recall": 0.0}
    assert plain("Ａ b-C") == "abc"


def test_sources_are_compared_by_a_part_and_related_links_by_their_addresses() -> None:
    page = {**record(source="The Paper", related=[{"url": "/x"}]), "url": "https://s.example/"}
    assert page_metrics({"source": "Paper", "related": [{"url": "http://s.example/x#top"}]}, page) == {"source": 1.0, "related": 1.0}
    assert page_metrics({"source": "P", "related": [{"url": "/x"}, {"url": "/y"}]}, page) == {
        "source": 0.0,
        "related": pytest.approx(2 / 3),
    }
    assert page_metrics({}, {**record(related=[]), "url": None}) == {"related": 1.0}


def test_means_leave_out_pages_without_the_metric() -> None:
    """None where no page has it."""
    rows = [{"f1": 1.0}, {"f1": 0.0}, {}]
    assert mean(rows, "f1") == 0.5
    assert mean(rows, "title") is None
    assert half_width(rows, "f1") == pytest.approx(1.96 * 0.5)
