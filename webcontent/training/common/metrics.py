"""Metrics of main text on pages whose sites were not trained on: by corpus, kind and language, and the reliability of scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from webcontent.extractors.decoding import calibrated_probability
from webcontent.training.common.settings import corpus_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.common.samples import PageSample

    Features = NDArray[np.float64]
    """[pages, features]"""
    Values = NDArray[np.float64]

GOOD_F1 = 0.9
"""The score of a page is the probability that the word F1 of its body is above this."""
ALL = "all"
"""Name of the group that holds all pages of a corpus."""
LEAST_PAGES = 20
"""A kind or a language with fewer pages in a corpus has no row of its own."""
SCORE_EDGES = np.linspace(0, 1, 11)
"""Edges of the bins in which scores are compared with the share of good pages."""
REGULARIZATION = 0.1
"""scikit-learn's C."""
MAX_ITERATIONS = 5000
CERTAIN_LOGIT = 9.0
"""Log-odds where all training pages have the same target."""
GRID_POINTS, CURVE_POINTS, SMOOTHING_POINTS = 21, 201, 11
"""Points of the stored correction, of the curve that it is sampled from, and of the moving average over that curve."""
LEAST_PROBABILITY = 0.01
"""A corrected probability is never closer to 0 or 1."""
UNCORRECTED = {"raw": [0.0, 1.0], "corrected": [0.0, 1.0]}
"""The correction that changes nothing, while none is learned."""


def groups_of(samples: Sequence[PageSample]) -> dict[tuple[str, str], list[int]]:
    """Places of samples by corpus and group: all pages, and each kind and language of many pages that is not the whole corpus."""
    groups: dict[tuple[str, str], list[int]] = {}
    for place, sample in enumerate(samples):
        for name in (ALL, sample.kind, sample.language[:2].lower()):
            if name:
                groups.setdefault((sample.corpus, name), []).append(place)
    return {
        (corpus, name): places
        for (corpus, name), places in groups.items()
        if name == ALL or LEAST_PAGES <= len(places) < len(groups[corpus, ALL])
    }


def f1_metrics(f1: NDArray[np.float64], scores: NDArray[np.float64], folds: NDArray[np.int64]) -> dict[str, float]:
    """Metrics of a group of pages: mean word F1, its standard deviation over the folds (`spread`), share above GOOD_F1, mean score."""
    by_fold = [float(f1[folds == fold].mean()) for fold in np.unique(folds)]
    return {"f1": float(f1.mean()), "spread": float(np.std(by_fold)), "good": float((f1 > GOOD_F1).mean()), "score": float(scores.mean())}


def metrics_by_group(samples: Sequence[PageSample], f1: Values, scores: Values, folds: int) -> list[dict[str, Any]]:
    """A row for each corpus, and for each kind of page and language of many pages: word F1, its spread over folds, score."""
    fold = np.array([sample.fold(folds) for sample in samples])
    return [
        {"corpus": corpus, "pages": name, "count": len(places), **f1_metrics(f1[places], scores[places], fold[places])}
        for (corpus, name), places in groups_of(samples).items()
    ]


def reliability(is_right: NDArray[np.bool_], scores: Values, edges: Values = SCORE_EDGES) -> list[dict[str, float]]:
    """For each bin of the scores that has pages: its lower edge, number of pages, mean score, share of right pages."""
    bins = np.clip(np.searchsorted(edges, scores, "right") - 1, 0, len(edges) - 2)
    return [
        {"from": float(edges[n]), "pages": int(part.sum()), "score": float(scores[part].mean()), "good": float(is_right[part].mean())}
        for n in range(len(edges) - 1)
        if (part := bins == n).any()
    ]


def calibration_error(rows: Sequence[Mapping[str, float]]) -> float:
    """Expected calibration error of a `reliability` table: mean distance of score and share of right pages, weighted by pages."""
    pages = sum(row["pages"] for row in rows)
    return sum(abs(row["score"] - row["good"]) * row["pages"] for row in rows) / max(1, pages)


def write_predictions(folder: Path, corpus: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes the predictions for a corpus as the evaluator reads them: FOLDER/<corpus>.jsonl, an object with the page's id on each line."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / f"{corpus_name(corpus)}.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")


def store_rows(folder: Path, samples: Sequence[PageSample], rows: Sequence[Mapping[str, Any]]) -> None:
    """Writes a file of predictions for each corpus; `rows`: one for each sample."""
    for corpus in dict.fromkeys(sample.corpus for sample in samples):
        write_predictions(folder, corpus, [row for sample, row in zip(samples, rows, strict=True) if sample.corpus == corpus])


def out_of_fold_probabilities(
    features: Features, targets: NDArray[np.bool_], folds: NDArray[np.int64], is_kept: NDArray[np.bool_], *, monotone: bool
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Probabilities of a target for each page, from regressions that did not see the page's fold, and the model of all kept pages.

    `is_kept`: the pages that are learned from. `monotone`: also learn a monotone correction. The model is a dictionary with `weights`,
    `bias`, and the correction as pairs `raw` and `corrected`, as the extractors read it.
    """
    raw = np.zeros(len(features))
    for fold in np.unique(folds):
        training, tested = is_kept & (folds != fold), folds == fold
        raw[tested] = page_probabilities(features[tested], _logistic_regression(features[training], targets[training]))
    model = _logistic_regression(features[is_kept], targets[is_kept])
    if not monotone:
        return raw, model
    corrected = np.zeros(len(features))
    for fold in np.unique(folds):
        training, tested = is_kept & (folds != fold), folds == fold
        corrected[tested] = np.interp(raw[tested], *_monotone_curve(raw[training], targets[training]))
    grid, values = _monotone_curve(raw[is_kept], targets[is_kept])
    return corrected, {**model, "raw": grid.round(4).tolist(), "corrected": values.round(4).tolist()}


def page_probabilities(features: Features, model: dict[str, Any]) -> NDArray[np.float64]:
    """The probabilities of many pages, as the extractors compute that of one page."""
    return np.array([calibrated_probability(row.tolist(), model) for row in features])


def _logistic_regression(features: Features, targets: NDArray[np.bool_]) -> dict[str, Any]:
    """A logistic regression whose weights apply to the features without scaling."""
    if targets.all() or not targets.any():
        return _model(np.zeros(features.shape[1]), CERTAIN_LOGIT if targets.all() else -CERTAIN_LOGIT)
    mean, deviation = features.mean(axis=0), np.maximum(1e-6, features.std(axis=0))
    regression = LogisticRegression(C=REGULARIZATION, max_iter=MAX_ITERATIONS).fit((features - mean) / deviation, targets)
    weights = regression.coef_[0] / deviation
    return _model(weights, float(regression.intercept_[0] - weights @ mean))


def _model(weights: NDArray[np.float64], bias: float) -> dict[str, Any]:
    return {"weights": weights.tolist(), "bias": bias, **UNCORRECTED}


def _monotone_curve(raw: NDArray[np.float64], targets: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A monotone curve from raw to observed probabilities, on an even grid."""
    curve = IsotonicRegression(out_of_bounds="clip").fit(raw, targets).predict(np.linspace(0, 1, CURVE_POINTS))
    padded = np.pad(curve, SMOOTHING_POINTS // 2, mode="edge")
    smooth = np.convolve(padded, np.full(SMOOTHING_POINTS, 1 / SMOOTHING_POINTS), "valid")
    step = (CURVE_POINTS - 1) // (GRID_POINTS - 1)
    return np.linspace(0, 1, GRID_POINTS), np.clip(smooth[::step], LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)


def correct_scores(raw: Values, f1: Values, folds: NDArray[np.int64]) -> dict[str, Any]:
    """The correction of raw scores to the probability that the F1 is above GOOD_F1.

    The result has `raw` and `corrected`, as the extractors read them, the number of `pages`, and the expected calibration `error` of
    corrections that were learned without the page's fold.
    """
    is_good = f1 > GOOD_F1
    scores = np.zeros(len(raw))
    for fold in np.unique(folds):
        others, tested = folds != fold, folds == fold
        scores[tested] = np.interp(raw[tested], *_monotone_curve(raw[others], is_good[others])) if others.any() else raw[tested]
    points, values = _monotone_curve(raw, is_good)
    error = calibration_error(reliability(is_good, scores))
    return {"raw": points.round(3).tolist(), "corrected": values.round(3).tolist(), "pages": len(raw), "error": error}
