"""Labelled pages, their folds, and the figures of a page type model on pages that it has not seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.evaluation.folds import fold_of
from webcontent.items import KINDS, LIST_KINDS
from webcontent.pagetype.classify import logit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Edges of the bins in which scores are compared with the share that is right."""


@dataclass
class Samples:
    """Labelled pages in corpus order. `group` is what stays in one fold: a family or a site."""

    ids: list[str] = field(default_factory=list)
    corpus: list[str] = field(default_factory=list)
    group: list[str] = field(default_factory=list)
    slices: list[str] = field(default_factory=list)
    """Where figures are given apart: kind of design, or the corpus."""
    lang: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    """One of KINDS, "" where the corpus only says article or list."""
    article: list[int] = field(default_factory=list)
    learned: list[bool] = field(default_factory=list)
    """False: the page is judged, but never learned from."""

    def add(self, record: dict[str, Any], corpus: str, group: str, part: str) -> None:
        kind = record["type"]
        self.ids.append(record["id"])
        self.corpus.append(corpus)
        self.group.append(group)
        self.slices.append(part)
        self.lang.append(record.get("lang") or "")
        self.kinds.append(kind if corpus == "wcxb-dev" else "")
        self.article.append(int(kind not in LIST_KINDS and kind != "list"))
        self.learned.append(True)

    @property
    def labels(self) -> NDArray[np.int64]:
        return np.array(self.article, dtype=np.int64)

    def splits(self, folds: int) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.intp]]]:
        """Number of the fold, rows to learn from, rows to test on."""
        fold = np.array([fold_of(group, folds) for group in self.group])
        for number in range(folds):
            yield number, np.flatnonzero((fold != number) & self.learned), np.flatnonzero(fold == number)

    def only(self, wanted: NDArray[np.bool_]) -> Samples:
        """The pages marked true."""
        rows = np.flatnonzero(wanted).tolist()
        return Samples(**{name: [getattr(self, name)[row] for row in rows] for name in vars(self)})


def judge(samples: Samples, article: NDArray[np.float64], folds: int) -> dict[str, Any]:
    """Accuracy over all, by fold, type, slice, language; calibration. `article`: probabilities for pages not learned from."""
    labels, right = samples.labels, (article >= 0.5) == (samples.labels == 1)
    fold = np.array([fold_of(group, folds) for group in samples.group])
    by_fold = [float(right[fold == number].mean()) for number in range(folds) if (fold == number).any()]
    score = np.maximum(article, 1 - article)
    return {
        "pages": len(labels),
        "groups": len(set(samples.group)),
        "accuracy": _mean(right),
        "spread": float(np.std(by_fold)),
        "by_fold": by_fold,
        "articles": _mean(right[labels == 1]),
        "lists": _mean(right[labels == 0]),
        "always article": _mean(labels == 1),
        "by_slice": _by(samples.slices, right),
        "by_language": _by(samples.lang, right, least=14),
        "calibration": calibration_table(score, right),
        "calibration_error": calibration_error(score, right),
    }


def _mean(values: NDArray[Any]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _by(names: Sequence[str], right: NDArray[np.bool_], least: int = 1) -> dict[str, list[float]]:
    """Pages and accuracy by name, most frequent first."""
    array = np.array(names)
    return {name: [count, _mean(right[array == name])] for name, count in Counter(names).most_common() if count >= least}


def calibration_table(score: NDArray[np.float64], right: NDArray[np.bool_]) -> list[list[float]]:
    """By bins of the score: from, to, pages, mean score, share right."""
    rows = []
    for low, high in pairwise(BINS):
        inside = (score >= low) & ((score < high) | (high == 1.0))
        if inside.any():
            rows.append([low, high, int(inside.sum()), _mean(score[inside]), _mean(right[inside])])
    return rows


def calibration_error(score: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """Mean distance of score and share right, over the bins, weighted by pages."""
    return float(sum(count * abs(said - found) for _, _, count, said, found in calibration_table(score, right)) / max(len(score), 1))


def calibrate(article: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[float, float]:
    """Scale and shift of the log-odds that make the probabilities true."""
    scale, shift = fit_weights(np.array([[logit(value)] for value in article.tolist()]), labels)
    return round(float(scale), 4), round(float(shift), 4)


def judge_kinds(samples: Samples, article: NDArray[np.float64], kind: NDArray[np.float64]) -> dict[str, Any]:
    """Accuracy of the kinds where the corpus gives them; the kind is chosen among those of the type, as at run time."""
    rows = np.flatnonzero([bool(name) for name in samples.kinds])
    lists = np.array([name in LIST_KINDS for name in KINDS])
    allowed = np.where((article[rows] >= 0.5)[:, None], ~lists, lists)
    found = np.where(allowed, kind[rows], -1).argmax(axis=1)
    wanted = np.array([KINDS.index(samples.kinds[row]) for row in rows])
    confusion = np.zeros((len(KINDS), len(KINDS)), int)
    np.add.at(confusion, (wanted, found), 1)
    return {"kinds": float((found == wanted).mean()), "kind_pages": len(rows), "kind_confusion": confusion.tolist()}


def fit_weights(said: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """One weight a part (none below zero) and a constant: logistic regression over the log-odds."""
    from sklearn.linear_model import LogisticRegression

    used = np.ones(said.shape[1], bool)
    while True:
        model = LogisticRegression(C=0.3).fit(said[:, used], labels)
        if (model.coef_[0] >= 0).all() or used.sum() == 1:
            break
        used[np.flatnonzero(used)[model.coef_[0] < 0]] = False
    weights = np.zeros(said.shape[1] + 1)
    weights[:-1][used], weights[-1] = model.coef_[0], model.intercept_[0]
    return weights
