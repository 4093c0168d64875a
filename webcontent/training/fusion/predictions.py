"""From block probabilities to bodies and scores, out of fold, and their metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.extractors.decoding import PAGE_FEATURES
from webcontent.extractors.fusion import EMPTY, choose_blocks
from webcontent.training.common.calibration import out_of_fold_probabilities
from webcontent.training.common.metrics import GOOD_F1, by_corpus, f1_metrics, groups_of, reliability, write_predictions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.fusion.samples import FusionSample
    from webcontent.training.fusion.stages import BlockRows


@dataclass(slots=True)
class Predictions:
    """Out-of-fold predictions for pages, a row for each sample."""

    chosen: list[NDArray[np.bool_]]
    """Blocks of the body; none where an empty body is more probable."""
    f1: NDArray[np.float64]
    """Word F1 of the body; NaN where there is no gold body."""
    score: NDArray[np.float64]
    """Calibrated probability that the F1 of the body is above GOOD_F1."""


def predict_pages(
    samples: Sequence[FusionSample], rows: BlockRows, probabilities: NDArray[np.float32], folds: int
) -> tuple[Predictions, dict[str, Any]]:
    """The predictions, and the two page models (`empty` and `score` of config.json) of all pages."""
    choices = [_choice(sample, probabilities[part]) for sample, part in zip(samples, rows.slices, strict=True)]
    chosen, features = [blocks for blocks, _ in choices], np.array([values for _, values in choices])
    fold = np.array([sample.fold(folds) for sample in samples])
    has_gold = np.array([sample.match is not None and sample.groups is not None for sample in samples])
    is_gold_empty = np.array([sample.match is not None and not sample.match.gold_counts.sum() for sample in samples])
    empty, empty_model = out_of_fold_probabilities(features, is_gold_empty, fold, has_gold, monotone=False)
    for i in np.flatnonzero(empty > EMPTY).tolist():
        chosen[i] = np.zeros(len(samples[i]), np.bool_)
    f1 = np.array([s.match.f1(blocks) if s.match else np.nan for s, blocks in zip(samples, chosen, strict=True)])
    has_body = np.array([bool(blocks.any()) for blocks in chosen])
    score, score_model = out_of_fold_probabilities(features, f1 > GOOD_F1, fold, has_gold & has_body, monotone=True)
    score = np.where(has_body, score, np.where(has_gold, empty, 0.0))
    return Predictions(chosen, f1, score), {"empty": empty_model, "score": score_model}


def chosen_blocks(sample: FusionSample, probabilities: NDArray[np.float32]) -> NDArray[np.bool_]:
    """The blocks of the body before the choice of empty bodies."""
    return _choice(sample, probabilities)[0]


def _choice(sample: FusionSample, probabilities: NDArray[np.float32]) -> tuple[NDArray[np.bool_], list[float]]:
    """The blocks of the body before the choice of empty bodies, and PAGE_FEATURES."""
    if not sample.groups:
        return np.zeros(0, np.bool_), [0.0] * len(PAGE_FEATURES)
    return choose_blocks(probabilities, sample.texts, sample.groups.words, sample.groups.groups["path"])


# -------------------------------------------------------------------------------------------------------------- metrics
def metrics_by_group(samples: Sequence[FusionSample], predictions: Predictions, folds: int) -> list[dict[str, Any]]:
    """A row for each corpus, and for each kind of page and language of many pages: word F1, its spread over folds, score.

    Corpora with snippets instead of bodies have the F1 of the snippets.
    """
    fold = np.array([sample.fold(folds) for sample in samples])
    rows = []
    for (corpus, name), places in groups_of(samples).items():
        row: dict[str, Any] = {"corpus": corpus, "pages": name, "count": len(places)}
        if any(samples[i].match is None for i in places):
            right, wrong, missed = np.sum([snippet_counts(samples[i], predictions.chosen[i]) for i in places], axis=0)
            row["snippets"] = 2 * right / (2 * right + wrong + missed)
        else:
            row |= f1_metrics(predictions.f1[places], predictions.score[places], fold[places])
        rows.append(row)
    return rows


def snippet_counts(sample: FusionSample, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Numbers of wanted snippets in the body, of unwanted snippets in it, and of wanted snippets that are missing."""
    body = " ".join(" ".join(sample.texts[i].split()) for i in np.flatnonzero(chosen))
    right, wrong = (sum(" ".join(snippet.split()) in body for snippet in snippets) for snippets in sample.snippets)
    return np.array([right, wrong, len(sample.snippets[0]) - right])


def score_reliability(samples: Sequence[FusionSample], predictions: Predictions) -> list[dict[str, float]]:
    """The reliability of the scores of pages with a gold body."""
    has_gold = np.array([sample.match is not None for sample in samples])
    return reliability(predictions.f1[has_gold], predictions.score[has_gold])


def stage_f1(samples: Sequence[FusionSample], rows: BlockRows, probabilities: NDArray[np.float32]) -> dict[str, float]:
    """Mean word F1 of each corpus before the choice of empty bodies."""
    values: dict[str, list[float]] = {}
    for sample, part in zip(samples, rows.slices, strict=True):
        if sample.match is not None:
            values.setdefault(sample.corpus, []).append(sample.match.f1(chosen_blocks(sample, probabilities[part])))
    return {corpus: float(np.mean(f1)) for corpus, f1 in values.items()}


def store_predictions(folder: Path, samples: Sequence[FusionSample], predictions: Predictions) -> None:
    """Writes a file for each corpus, as the evaluator reads it."""
    rows = []
    for sample, chosen, score in zip(samples, predictions.chosen, predictions.score, strict=True):
        body = "\n".join(sample.texts[i] for i in np.flatnonzero(chosen))
        rows.append({"id": sample.id, "body": body, "score": round(float(score), 4)})
    for corpus, own in by_corpus(samples, rows).items():
        write_predictions(folder, corpus, own)
