"""The default: a learned block model for every kind of page and language.

Each block gets a probability of being main text from boosted trees, a second stage looks again with what the first said of
everything around the block. What is answered is the set of blocks with the highest expected F1, or nothing, where an empty
answer is the better bet (shells that scripts fill).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features import (
    CLASS_NAME_FEATURES,
    FEATURES,
    SCORE_FEATURES,
    FeatureContext,
    block_groups,
    class_name_features,
    class_name_tokens,
    features,
    score_features,
)
from webcontent.document.text import body_text
from webcontent.extraction import BODY, NO_CONTEXT, NOISE, Extraction, PageContext
from webcontent.history.prior import with_history

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

    Numbers = NDArray[np.floating[Any]]

MODEL = "fusion_v1"
MAX_BLOCKS = 15_000
"""A page of more blocks is not worth the model's time: its running text is taken, by a rule of lengths and links."""
EMPTY = 0.5
"""Nothing is answered where that is more likely right than not."""
LEAST_RECALLED = 0.2
"""Of the words that the page alone would give: where a site's memory leaves less, its pages are too much alike to learn from."""
FIRST, ALL = len(FEATURES) + len(CLASS_NAME_FEATURES), len(FEATURES) + len(CLASS_NAME_FEATURES) + len(SCORE_FEATURES)
"""Columns of the first stage, and of both."""
PAGE_FIGURES = (
    "expected_f1", "margin", "log_taken", "log_blocks", "taken_share", "doubt_inside", "doubt_outside", "top", "log_expected",
    "log_certain",
)  # fmt: skip
"""What the trust in an answer is learned from."""


class Fusion:
    """Main text by two stages of boosted trees over block features."""

    name = "fusion"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL) -> None:
        self.model_name = model

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        if not len(document.blocks):
            return _nothing(document, np.zeros(0, np.float32), 1.0)
        frame = FeatureContext(document)
        if frame.count > MAX_BLOCKS:
            return _running_text(document, frame)
        model = context.models.load(self.model_name)
        alone = block_probabilities(document, frame, model)
        if context.host is None or context.is_list:
            return _answer(document, frame, alone, model)
        recalled = with_history(context.host, document, alone, frame.words, context.models)
        if recalled is alone:
            return _answer(document, frame, alone, model)
        extraction = _answer(document, frame, recalled, model)
        if _words_taken(extraction, frame) < LEAST_RECALLED * frame.words[decode(alone, frame.words)].sum():
            extraction = _answer(document, frame, alone, model)
        extraction.page_scores = alone
        return extraction


def _answer(document: Document, frame: FeatureContext, probabilities: NDArray[np.float32], model: Model) -> Extraction:
    chosen = decode(probabilities, frame.words)
    figures = page_figures(probabilities, frame.words, chosen)
    empty = chance(figures, model.config["empty"])
    if empty > EMPTY:
        return _nothing(document, probabilities, empty)
    return _extraction(document, probabilities, chosen, chance(figures, model.config["trust"]))


def block_probabilities(document: Document, frame: FeatureContext, model: Model) -> NDArray[np.float32]:
    """Probability of each block to be main text: float32 [blocks]."""
    x = np.zeros((frame.count, ALL), np.float32)
    x[:, : len(FEATURES)] = features(document, frame)
    x[:, len(FEATURES) : FIRST] = class_name_features(class_name_tokens(frame), model.config["names"])
    first = model.run(features=x, second=np.array(False))[0][:, 0]
    x[:, FIRST:] = score_features(block_groups(frame), first)
    second: NDArray[np.float32] = model.run(features=x, second=np.array(True))[0][:, 0]
    return second


def _words_taken(extraction: Extraction, frame: FeatureContext) -> float:
    assert extraction.labels is not None
    return float(frame.words[extraction.labels == BODY].sum())


def decode(probabilities: Numbers, words: Numbers) -> NDArray[np.bool_]:
    """The blocks whose choice has the highest expected F1: those of the highest probabilities, as many as pay.

    A prefix of the blocks in order of probability is best where block labels are independent; its F1 is estimated by
    2 * (right words) / (taken words + all words that are main text), each expected.
    """
    chosen = np.zeros(len(probabilities), np.bool_)
    if not len(probabilities):
        return chosen
    expected = probabilities.astype(np.float64) * words
    order = np.argsort(-probabilities, kind="stable")
    value = 2 * np.cumsum(expected[order]) / (np.cumsum(words[order]) + expected.sum())
    chosen[order[: int(np.argmax(value)) + 1]] = True
    return chosen


def page_figures(probabilities: Numbers, words: Numbers, chosen: NDArray[np.bool_]) -> list[float]:
    """PAGE_FIGURES of an answer."""
    p = probabilities.astype(np.float64)
    expected = p * words
    total, taken = float(words.sum()), float(words[chosen].sum())
    inside, outside = float(expected[chosen].sum()), float(expected[~chosen].sum())
    return [
        2 * inside / max(1e-9, taken + inside + outside),
        float((np.abs(2 * p - 1) * words).sum() / max(1.0, total)),
        float(np.log1p(taken)),
        float(np.log1p(len(p))),
        taken / max(1.0, total),
        1 - inside / max(1e-9, taken),
        outside / max(1e-9, inside + outside),
        float(p.max(initial=0)),
        float(np.log1p(expected.sum())),
        float(np.log1p(words[p > 0.7].sum())),
    ]


def chance(figures: list[float], learned: dict[str, Any]) -> float:
    """A logistic regression on the page figures, then a monotone correction (pairs of raw and corrected chances)."""
    logit = float(np.dot(figures, learned["weights"])) + learned["bias"]
    raw = 1 / (1 + np.exp(-np.clip(logit, -40, 40)))
    return round(float(np.interp(raw, learned["raw"], learned["corrected"])), 4)


def _extraction(document: Document, probabilities: NDArray[np.float32], chosen: NDArray[np.bool_], score: float) -> Extraction:
    return Extraction(
        labels=np.where(chosen, BODY, NOISE).astype(np.int8),
        scores=probabilities,
        body=body_text(document.blocks, chosen),
        score=score,
    )


def _nothing(document: Document, probabilities: NDArray[np.float32], score: float) -> Extraction:
    """No main text: a page that scripts would fill, or one that has none."""
    has_scripts = next(document.root.iter("script"), None) is not None
    chosen = np.zeros(len(probabilities), np.bool_)
    extraction = _extraction(document, probabilities, chosen, score if len(probabilities) else 0.0)
    extraction.flags.add("not-rendered" if has_scripts else "empty")
    return extraction


def _running_text(document: Document, frame: FeatureContext) -> Extraction:
    """The answer for pages of too many blocks: all running text."""
    extraction = _extraction(document, frame.is_good.astype(np.float32), frame.is_good, 0.1)
    extraction.flags.add("truncated")
    return extraction
