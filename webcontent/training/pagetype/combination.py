"""The combination of the page type models: a weighted sum of their log-odds, with weights for each set of parts that a page has."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from webcontent.pagetype.classify import DEFAULT_MODEL, PARTS
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.cost import graph_cost
from webcontent.training.pagetype.card import LABELS, SHOWN_COMBINATIONS, default_card
from webcontent.training.pagetype.evaluation import evaluate, fit_weights, read_probabilities, report
from webcontent.training.pagetype.samples import page_checksums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.training.pagetype.samples import Samples
    from webcontent.training.pagetype.settings import Run


@dataclass(slots=True)
class Combinations:
    """The weights of each combination of parts, and what they give for pages that they were not fitted to.

    The number of a combination has a bit for each part.
    """

    weights: NDArray[np.float32]
    """[combinations, parts + 1]; the last column holds the constants."""
    article: NDArray[np.float64]
    """[combinations, pages]; NaN where a page lacks a part."""


def train_default(run: Run) -> None:
    """Fits the weights to the out-of-fold probabilities of the parts, and writes the model folder."""
    started = time.monotonic()
    samples, logits, is_known = read_probabilities(run.work)
    parts = list(PARTS)
    combinations = fit_combinations(samples, logits, is_known, run.settings.folds)
    names = {combination_name(number, parts): number for number in range(1, len(combinations.weights))}
    metrics = {name: _evaluate(samples, combinations.article[number], run.settings.folds) for name, number in names.items()}
    numbers = (is_known.astype(int) << np.arange(len(parts))).sum(axis=1)
    expected = np.array([weighted(row, combinations.weights[number]) for row, number in zip(logits, numbers, strict=True)])
    inputs = {"logits": logits.astype(np.float32), "present": is_known.astype(np.float32)}
    graph = combiner_graph(combinations.weights)
    weights = {name: [round(float(weight), 3) for weight in combinations.weights[number]] for name, number in names.items()}
    data = dict(page_checksums(run))
    settings = {"seed": run.settings.seed, "folds": run.settings.folds}
    cost = {**graph_cost(graph, {name: array[:1] for name, array in inputs.items()}), "seconds": time.monotonic() - started}
    export.save_model(
        run.out / DEFAULT_MODEL,
        graph,
        inputs=inputs,
        expected=[expected],
        libraries=("scikit-learn",),
        config={
            "parts": parts,
            "labels": LABELS,
            "combinations": weights,
            "settings": settings,
            "data": data,
            "metrics": metrics,
        },
        card=default_card(DataFacts.of(samples.rows, data), settings, metrics, weights, cost),
    )
    for name in SHOWN_COMBINATIONS:
        report(f"default, {name}", metrics[name])


def _evaluate(samples: Samples, article: NDArray[np.float64], folds: int) -> dict[str, Any]:
    is_known = ~np.isnan(article)
    return evaluate(samples.only(is_known), article[is_known], folds)


def fit_combinations(samples: Samples, logits: NDArray[np.float64], is_known: NDArray[np.bool_], folds: int) -> Combinations:
    """The weights of each combination. A part that adds nothing to others gets no weight: see `fit_weights`."""
    labels, is_learned, fold = samples.labels, samples.is_learned, samples.folds(folds)
    count = logits.shape[1]
    weights = np.zeros((2**count, count + 1), np.float32)
    article = np.full((2**count, len(labels)), np.nan)
    for number in range(1, 2**count):
        parts = [part for part in range(count) if number >> part & 1]
        rows = np.flatnonzero(is_known[:, parts].all(axis=1))
        for tested_fold in range(folds):
            tested, others = rows[fold[rows] == tested_fold], rows[(fold[rows] != tested_fold) & is_learned[rows]]
            article[number, tested] = weighted(logits[tested][:, parts], fit_weights(logits[others][:, parts], labels[others]))
        learned = rows[is_learned[rows]]
        weights[number, [*parts, count]] = fit_weights(logits[learned][:, parts], labels[learned])
    return Combinations(weights, article)


def combination_name(number: int, parts: Sequence[str]) -> str:
    """The names of the parts of a combination."""
    return " + ".join(part for place, part in enumerate(parts) if number >> place & 1)


def weighted(logits: NDArray[np.float64], weights: NDArray[Any]) -> Any:
    """Probability of `article`; the last weight is the constant."""
    return 1 / (1 + np.exp(-(logits @ weights[:-1] + weights[-1])))


def combiner_graph(weights: NDArray[np.float32]) -> onnx.ModelProto:
    """Inputs `logits` and `present`, float32 [n, parts]; output `article`, float32 [n]. The parts present choose the row of weights."""
    parts = weights.shape[1] - 1
    constants = {
        "powers": (2 ** np.arange(parts)).astype(np.float32)[:, None],
        "weights": np.ascontiguousarray(weights[:, :-1]),
        "constants": np.ascontiguousarray(weights[:, -1]),
        "last": np.array([1], dtype=np.int64),
    }
    nodes = [
        helper.make_node("MatMul", ["present", "powers"], ["mask_column"]),
        helper.make_node("Squeeze", ["mask_column", "last"], ["mask_float"]),
        helper.make_node("Cast", ["mask_float"], ["mask"], to=TensorProto.INT64),
        helper.make_node("Gather", ["weights", "mask"], ["row_weights"]),
        helper.make_node("Gather", ["constants", "mask"], ["constant"]),
        helper.make_node("Mul", ["logits", "row_weights"], ["products"]),
        helper.make_node("ReduceSum", ["products", "last"], ["sum"], keepdims=0),
        helper.make_node("Add", ["sum", "constant"], ["log_odds"]),
        helper.make_node("Sigmoid", ["log_odds"], ["article"]),
    ]
    inputs = {"logits": [None, parts], "present": [None, parts]}
    return export.make_graph("weighted sum", nodes, inputs, {"article": [None]}, constants)
