"""Labels of blocks from gold text, and the word F1 of a choice of blocks."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.evaluation.scores import word_f1
from webcontent.training.common.labels import GoldMatch


@pytest.mark.parametrize(
    ("texts", "gold", "labels"),
    [
        (["menu", "two words here", "footer"], "two words here", [0, 1, 0]),
        (["same line", "body text", "same line"], "body text same line", [0, 1, 1]),
        (["half of this"], "half of", [2 / 3]),
        (["新闻报道", "首页"], "新闻报", [0.75, 0]),
        (["menu", "..."], "", [0, 0]),
        ([], "text", []),
    ],
    ids=["one block", "order decides between copies", "part of a block", "Chinese by character", "empty gold", "empty page"],
)
def test_labels_are_shares_of_the_common_subsequence(texts, gold, labels):
    """A block's label is the share of its words that the gold has in this order."""
    assert GoldMatch(texts, gold).labels.tolist() == pytest.approx(labels)


@pytest.mark.parametrize(
    ("gold", "chosen", "f1"),
    [
        ("a b", [True, False], 1.0),
        ("a b", [True, True], 2 / 3),
        ("a b", [False, False], 0.0),
        ("", [False, False], 1.0),
        ("", [True, False], 0.0),
    ],
)
def test_f1_is_that_of_the_evaluator(gold, chosen, f1):
    """Multisets of words; both empty is right, one empty is wrong."""
    match = GoldMatch(["a b", "c d"], gold)
    assert match.f1(np.array(chosen)) == pytest.approx(f1)
    text = " ".join(text for text, taken in zip(["a b", "c d"], chosen, strict=True) if taken)
    assert word_f1(text, gold)[0] == pytest.approx(f1)
