"""Probabilities of blocks -> the blocks that are taken as main text, and the confidence in that choice. Several extractors share this."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.floating[Any]]

PAGE_FEATURES = (
    "expected_f1", "margin", "log_taken", "log_blocks", "taken_share", "doubt_inside", "doubt_outside", "top", "log_expected",
    "log_certain",
)  # fmt: skip
"""Features of a choice of blocks, from which the probability that it is right is learned."""
CERTAIN = 0.7
"""Blocks of a higher probability count as certain (`log_certain`)."""
MAX_LOGIT = 40.0
"""Beyond this a logistic function is 0 or 1 in float64."""


def decode(probabilities: Numbers, words: Numbers) -> NDArray[np.bool_]:
    """The blocks whose choice has the highest expected F1: those of the highest probabilities, as many as raise it.

    A prefix of the blocks in order of probability is best where block labels are independent. Its F1 is estimated by
    2 * (right words) / (taken words + all words of main text), each expected. `words`: per block.
    """
    chosen = np.zeros(len(probabilities), np.bool_)
    if not len(probabilities):
        return chosen
    expected = probabilities.astype(np.float64) * words
    order = np.argsort(-probabilities, kind="stable")
    value = 2 * np.cumsum(expected[order]) / (np.cumsum(words[order]) + expected.sum())
    chosen[order[: int(np.argmax(value)) + 1]] = True
    return chosen


def best_run(probabilities: Numbers, lengths: NDArray[np.integer[Any]], run: float, weight: float) -> tuple[int, int]:
    """The run [i, j) with the largest sum of (length + `weight`) * (probability - `run`).

    `weight` makes short lines count, so that many of them end a text.
    """
    sums = np.concatenate(([0.0], np.cumsum((lengths + weight) * (probabilities.astype(np.float64) - run))))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    return int(np.argmin(sums[: end + 1])), end


def expected_f1(probabilities: Numbers, lengths: NDArray[np.integer[Any]], chosen: NDArray[np.bool_]) -> float:
    """Expected F1 of the chosen lines, counted in characters: 0 to 1."""
    expected = probabilities.astype(np.float64) * lengths
    return round(min(1.0, float(2 * expected[chosen].sum() / max(1e-9, lengths[chosen].sum() + expected.sum()))), 4)


def calibrated(raw: float, table: dict[str, Any]) -> float:
    """The probability that the body's F1 exceeds 0.9, interpolated from pairs of `raw` scores and their `corrected` probabilities."""
    return round(float(np.interp(raw, table["raw"], table["corrected"])), 4)


def page_features(probabilities: Numbers, words: Numbers, chosen: NDArray[np.bool_]) -> list[float]:
    """PAGE_FEATURES of a choice of blocks."""
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
        float(np.log1p(words[p > CERTAIN].sum())),
    ]


def calibrated_probability(features: list[float], learned: dict[str, Any]) -> float:
    """A logistic regression on page features, then a monotone correction.

    `learned`: `weights` and `bias` of the regression; `raw` and `corrected`, pairs of probabilities before and after the correction.
    """
    logit = float(np.dot(features, learned["weights"])) + learned["bias"]
    return calibrated(1 / (1 + np.exp(-np.clip(logit, -MAX_LOGIT, MAX_LOGIT))), learned)
