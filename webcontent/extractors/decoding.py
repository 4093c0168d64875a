"""Probabilities of blocks -> the blocks that are taken as main text, and the confidence in that choice. Several extractors share this."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features.second_stage import CERTAIN, TINY
from webcontent.document.features.stories import LEAST_COPIED_WORDS
from webcontent.document.text import body_text
from webcontent.extraction import BODY, NOISE, Extraction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

    Numbers = NDArray[np.floating[Any]]

PAGE_FEATURES = (
    "expected_f1", "margin", "log_taken", "log_blocks", "taken_share", "doubt_inside", "doubt_outside", "top", "log_expected",
    "log_certain",
)  # fmt: skip
"""Features of a choice of blocks, from which the probability that it is right is learned."""
SCENARIOS = 16
"""Quantiles of what the blocks of a page share, over which expected F1 is averaged."""
UNLIKELY = 0.01
"""Blocks of no higher probability are not chosen where others are likelier."""
CERTAIN_COPY = 0.75
"""A copy of a higher probability is wanted twice as a rule."""
_QUANTILES = np.array([NormalDist().inv_cdf((place + 0.5) / SCENARIOS) for place in range(SCENARIOS)])


def extraction_of(blocks: Blocks, chosen: NDArray[np.bool_], **found: Any) -> Extraction:
    """The extraction whose body is the chosen blocks; `found`: its other fields."""
    return Extraction(body=body_text(blocks, chosen), labels=np.where(chosen, BODY, NOISE).astype(np.int8), **found)


def decode(probabilities: Numbers, words: Numbers, spread: float = 0.0) -> NDArray[np.bool_]:
    """The blocks whose choice has the highest expected F1: those of the highest probabilities, as many as raise it.

    A prefix of the blocks in order of probability is best where block labels are independent. Its F1 is estimated by
    2 * (right words) / (taken words + all words of main text), each expected. `words`: per block. `spread`: standard deviation of what
    the log-odds of a page's blocks share; F1 is then the mean over SCENARIOS.
    """
    chosen = np.zeros(len(probabilities), np.bool_)
    if not len(probabilities):
        return chosen
    likely = np.flatnonzero(probabilities > UNLIKELY)
    places = likely if len(likely) else np.arange(len(probabilities))
    order = places[np.argsort(-probabilities[places], kind="stable")]
    expected = _scenarios(probabilities[order], spread) * words[order]
    others = float(np.dot(probabilities, words) - np.dot(probabilities[order], words[order]))
    all_expected = expected.sum(axis=1, keepdims=True) + others
    value = (2 * np.cumsum(expected, axis=1) / (np.cumsum(words[order]) + all_expected)).mean(axis=0)
    chosen[order[: int(np.argmax(value)) + 1]] = True
    return chosen


def _scenarios(probabilities: Numbers, spread: float) -> NDArray[np.float64]:
    """The probabilities of blocks if the page has more or less main text than they say: float64 [scenarios, blocks].

    A model errs on all blocks of a page together: a grid of products is main text as a whole, or none of it. The log-odds of all blocks are
    moved together, by the quantiles of a normal distribution. They are stretched before, so that the mean of a block stays near its
    probability (the logistic-normal approximation of MacKay 1992).
    """
    p = probabilities.astype(np.float64)
    if not spread:
        return p[None]
    with np.errstate(divide="ignore"):  # of a probability of 0 or 1
        logits = (np.log(p) - np.log1p(-p)) * np.sqrt(1 + np.pi * spread**2 / 8)
    scenarios: NDArray[np.float64] = sigmoid(logits + spread * _QUANTILES[:, None])
    return scenarios


def without_copies(probabilities: Numbers, texts: Sequence[str], words: Numbers, paths: NDArray[np.integer[Any]]) -> Numbers:
    """The probabilities, 0 for repeated texts that people would not want twice: copies for small screens, excerpts, quotes of posts.

    A copy has another path of tags and classes than the likelier blocks of its text, and a probability below CERTAIN_COPY. Repeated texts
    of one path are mostly notes and steps that belong to each place. `words`, `paths`: per block.
    """
    lowered = probabilities.copy()
    kept: dict[str, set[int]] = {}
    candidates = np.flatnonzero((words >= LEAST_COPIED_WORDS) & (probabilities > UNLIKELY))
    for place in candidates[np.argsort(-probabilities[candidates], kind="stable")].tolist():
        path, of_text = int(paths[place]), kept.setdefault(texts[place], set())
        if of_text and path not in of_text and probabilities[place] < CERTAIN_COPY:
            lowered[place] = 0
        else:
            of_text.add(path)
    return lowered


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
    return round(min(1.0, float(2 * expected[chosen].sum() / max(TINY, lengths[chosen].sum() + expected.sum()))), 4)


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
        2 * inside / max(TINY, taken + inside + outside),
        float((np.abs(2 * p - 1) * words).sum() / max(1.0, total)),
        float(np.log1p(taken)),
        float(np.log1p(len(p))),
        taken / max(1.0, total),
        1 - inside / max(TINY, taken),
        outside / max(TINY, inside + outside),
        float(p.max(initial=0)),
        float(np.log1p(expected.sum())),
        float(np.log1p(words[p > CERTAIN].sum())),
    ]


def calibrated_probability(features: list[float], learned: dict[str, Any]) -> float:
    """A logistic regression on page features, then a monotone correction.

    `learned`: `weights` and `bias` of the regression; `raw` and `corrected`, pairs of probabilities before and after the correction.
    """
    return calibrated(float(sigmoid(np.float64(np.dot(features, learned["weights"]) + learned["bias"]))), learned)


def sigmoid(logit: Any) -> Any:
    """The probability of log-odds, of one number or of an array."""
    return (1 + np.tanh(np.asarray(logit) / 2)) / 2
