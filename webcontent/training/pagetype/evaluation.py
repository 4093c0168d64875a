"""Metrics of a page type model on pages that it did not see, and the files in which a run keeps its results."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from tqdm import tqdm

from webcontent.items import KINDS, LIST_KINDS
from webcontent.pagetype.classify import PARTS, logit
from webcontent.training.common.metrics import calibration_error, reliability
from webcontent.training.pagetype.samples import Samples, TypeSample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


EDGES = np.array((0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0))
"""Edges of the bins in which scores are compared with the share of right answers."""
LEAST_LANGUAGE_PAGES = 14
"""A language with fewer pages has no row of its own."""
REGULARIZATION = 0.3
"""scikit-learn's C of the logistic regression over log-odds."""


def evaluate(samples: Samples, article: NDArray[np.float64], folds: int) -> dict[str, Any]:
    """Metrics over all pages, and under `screens` over those without the site snapshots, where there are both.

    `article`: probabilities of pages that were not trained on.
    """
    metrics, is_screen = _metrics(samples, article, folds), ~samples.is_snapshot
    if is_screen.any() and not is_screen.all():
        metrics["screens"] = _metrics(samples.only(is_screen), article[is_screen], folds)
    return metrics


def _metrics(samples: Samples, article: NDArray[np.float64], folds: int) -> dict[str, Any]:
    """Accuracy over all pages, by fold, type, part and language; calibration."""
    labels, is_right = samples.labels, (article >= 0.5) == (samples.labels == 1)
    fold = samples.folds(folds)
    by_fold = [float(is_right[fold == number].mean()) for number in range(folds) if (fold == number).any()]
    score = np.maximum(article, 1 - article)
    return {
        "pages": len(labels),
        "groups": len({row.site for row in samples.rows}),
        "accuracy": _mean(is_right),
        "spread": float(np.std(by_fold)),
        "by_fold": by_fold,
        "articles": _mean(is_right[labels == 1]),
        "lists": _mean(is_right[labels == 0]),
        "always article": _mean(labels == 1),
        "by_slice": _accuracy_by((row.part for row in samples.rows), is_right),
        "by_language": _accuracy_by((row.language for row in samples.rows), is_right, least=LEAST_LANGUAGE_PAGES),
        "calibration": (rows := reliability(is_right, score, EDGES)),
        "calibration_error": calibration_error(rows),
    }


def _mean(values: NDArray[Any]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _accuracy_by(names: Iterable[str], is_right: NDArray[np.bool_], least: int = 1) -> dict[str, list[float]]:
    """Number of pages and accuracy by name, most frequent first."""
    array = np.array(list(names))
    return {name: [count, _mean(is_right[array == name])] for name, count in Counter(array.tolist()).most_common() if count >= least}


def kind_metrics(samples: Samples, article: NDArray[np.float64], kinds: NDArray[np.float64]) -> dict[str, Any]:
    """Accuracy of the kinds where the corpus states them. As at run time, the kind is chosen among those of the type."""
    rows = np.flatnonzero([bool(row.kind) for row in samples.rows])
    is_list = np.array([name in LIST_KINDS for name in KINDS])
    is_allowed = np.where((article[rows] >= 0.5)[:, None], ~is_list, is_list)
    predicted = np.where(is_allowed, kinds[rows], -1).argmax(axis=1)
    gold = np.array([KINDS.index(samples.rows[row].kind) for row in rows])
    confusion = np.zeros((len(KINDS), len(KINDS)), int)
    np.add.at(confusion, (gold, predicted), 1)
    return {"kinds": float((predicted == gold).mean()), "kind_pages": len(rows), "kind_confusion": confusion.tolist()}


def article_metrics(samples: Samples, article: NDArray[np.float64], corpora: Sequence[str]) -> dict[str, list[float]]:
    """Of each corpus of articles alone: pages, and the share that is classified as article."""
    places = {name: samples.is_of([name]) for name in corpora}
    return {name: [int(rows.sum()), _mean(article[rows] >= 0.5)] for name, rows in places.items()}


def calibrate(article: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[float, float]:
    """Scale and shift of the log-odds that calibrate the probabilities."""
    scale, shift = fit_weights(np.array([[logit(value)] for value in article.tolist()]), labels)
    return round(float(scale), 4), round(float(shift), 4)


def fit_weights(logits: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """A weight for each part (none below zero) and a constant: logistic regression over log-odds."""
    is_used = np.ones(logits.shape[1], bool)
    while True:
        model = LogisticRegression(C=REGULARIZATION).fit(logits[:, is_used], labels)
        is_negative = model.coef_[0] < 0
        if not is_negative.any() or is_used.sum() == 1:
            break
        if is_negative.all():
            is_negative[model.coef_[0].argmax()] = False
        is_used[np.flatnonzero(is_used)[is_negative]] = False
    weights = np.zeros(logits.shape[1] + 1)
    weights[:-1][is_used], weights[-1] = model.coef_[0], model.intercept_[0]
    return weights


def store_probabilities(folder: Path, model: str, samples: Samples, article: NDArray[np.float64]) -> None:
    """Keeps the probabilities of pages that a model was not trained on: the combination is fitted to them."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("id", "corpus", "site", "part", "language", "is_article", "is_learned")
    columns: dict[str, Any] = {name: samples.column(name) for name in names}
    np.savez(folder / f"{model}.npz", article=article, **columns)


def read_probabilities(folder: Path) -> tuple[Samples, NDArray[np.float64], NDArray[np.bool_]]:
    """Log-odds [pages, parts] of pages that the parts were not trained on, and whether each of them is known."""
    stored = {}
    for part in PARTS:
        path = folder / f"{'pixels' if part == 'picture' else part}.npz"
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing. Train the other models first: python -m webcontent.training.pagetype")
        stored[part] = np.load(path)
    pages = stored["dom"]
    rows = {page: row for row, page in enumerate(pages["id"].tolist())}
    logits, is_known = np.zeros((len(rows), len(PARTS))), np.zeros((len(rows), len(PARTS)), bool)
    for column, part in enumerate(PARTS):
        places = [rows[page] for page in stored[part]["id"].tolist()]
        logits[places, column] = [logit(value) for value in stored[part]["article"].tolist()]
        is_known[places, column] = True
    names = [name for name in pages.files if name != "article"]
    values = zip(*(pages[name].tolist() for name in names), strict=True)
    return Samples([TypeSample(**dict(zip(names, row, strict=True))) for row in values]), logits, is_known


def report(name: str, metrics: dict[str, Any]) -> None:
    """Writes the main metrics to the terminal."""
    if "screens" in metrics:
        report(f"{name}, screens", metrics["screens"])
    shown = ", ".join(
        f"{key} {metrics[key]:.4f}" for key in ("accuracy", "articles", "lists", "calibration_error", "kinds") if key in metrics
    )
    tqdm.write(f"{name}: {metrics['pages']} pages of {metrics['groups']} groups, {shown}", file=sys.stderr)
