"""Metrics of main text on pages whose sites were not trained on: by corpus, kind and language, and the reliability of scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.training.common.settings import corpus_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.common.samples import PageSample

GOOD_F1 = 0.9
"""The score of a page is the probability that the word F1 of its body is above this."""
ALL = "all"
"""Name of the group that holds all pages of a corpus."""
LEAST_PAGES = 20
"""A kind or a language with fewer pages in a corpus has no row of its own."""
SCORE_BINS = 10
"""Bins of equal width in which scores are compared with the share of good pages."""


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
    return {
        "f1": float(f1.mean()),
        "spread": float(np.std(by_fold)),
        "good": float((f1 > GOOD_F1).mean()),
        "score": float(scores.mean()),
    }


def reliability(f1: NDArray[np.float64], scores: NDArray[np.float64]) -> list[dict[str, float]]:
    """For each bin of the scores: number of pages, mean score, share of pages whose F1 is above GOOD_F1."""
    bins = np.minimum(SCORE_BINS - 1, (scores * SCORE_BINS).astype(int))
    parts = [bins == number for number in range(SCORE_BINS)]
    return [
        {"pages": int(part.sum()), "score": float(scores[part].mean()), "good": float((f1[part] > GOOD_F1).mean())}
        for part in parts
        if part.any()
    ]


def calibration_error(rows: Sequence[Mapping[str, float]]) -> float:
    """Expected calibration error of a `reliability` table: mean distance of score and share of good pages, weighted by pages."""
    pages = sum(row["pages"] for row in rows)
    return sum(abs(row["score"] - row["good"]) * row["pages"] for row in rows) / max(1, pages)


def write_predictions(folder: Path, corpus: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes the predictions for a corpus as the evaluator reads them: FOLDER/<corpus>.jsonl, an object with the page's id on each line."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / f"{corpus_name(corpus)}.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")


def by_corpus(samples: Sequence[PageSample], rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows (one for each sample) by the sample's corpus."""
    groups: dict[str, list[Any]] = {}
    for sample, row in zip(samples, rows, strict=True):
        groups.setdefault(sample.corpus, []).append(row)
    return groups
