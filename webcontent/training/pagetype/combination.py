"""The combination of the page type models: a weighted sum of their log-odds, with weights for each set of parts that a page has."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper

from webcontent.extractors.decoding import sigmoid
from webcontent.pagetype.classify import DEFAULT_MODEL, PARTS
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.pagetype.card import LABELS, SHOWN_COMBINATIONS, default_card
from webcontent.training.pagetype.evaluation import evaluate, fit_weights, read_probabilities, report
from webcontent.training.pagetype.samples import page_checksums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.training.pagetype.samples import Samples
    from webcontent.training.pagetype.settings import Run


def train_default(run: Run) -> None:
    """Fits the weights to the out-of-fold probabilities of the parts, and writes the model folder."""
    started = time.monotonic()
    samples, logits, is_known = read_probabilities(run.work)
    parts = list(PARTS)
    fitted, article = fit_combinations(samples, logits, is_known, run.settings.folds)
    names = {combination_name(number, parts): number for number in range(1, len(fitted))}
    metrics = {}
    for name, number in names.items():
        is_whole = ~np.isnan(article[number])
        metrics[name] = evaluate(samples.only(is_whole), article[number][is_whole], run.settings.folds)
    numbers = (is_known.astype(int) << np.arange(len(parts))).sum(axis=1)
    expected = np.array([weighted(row, fitted[number]) for row, number in zip(logits, numbers, strict=True)])
    inputs = {"logits": logits.astype(np.float32), "present": is_known.astype(np.float32)}
    graph = combiner_graph(fitted)
    weights = {name: [round(float(weight), 3) for weight in fitted[number]] for name, number in names.items()}
    data = dict(page_checksums(run))
    settings = {"seed": run.settings.seed, "folds": run.settings.folds}
    cost = {**export.graph_cost(graph, {name: array[:1] for name, array in inputs.items()}), "seconds": time.monotonic() - started}
    export.save_model(
        run.out / DEFAULT_MODEL,
        graph,
        inputs=inputs,
        expected=[expected],
        libraries=("scikit-learn",),
        config={"parts": parts, "labels": LABELS, "combinations": weights, "settings": settings, "data": data, "metrics": metrics},
        card=default_card(DataFacts.of(samples.rows, data), settings, metrics, weights, cost),
    )
    for name in SHOWN_COMBINATIONS:
        report(f"default, {name}", metrics[name])


def fit_combinations(
    samples: Samples, logits: NDArray[np.float64], is_known: NDArray[np.bool_], folds: int
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Weights [combinations, parts + 1], the last one the constant, and the probabilities that weights fitted to other folds give
    [combinations, pages], NaN where a page lacks a part. The number of a combination has a bit for each part."""
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
    return weights, article


def combination_name(number: int, parts: Sequence[str]) -> str:
    """The names of the parts of a combination."""
    return " + ".join(part for place, part in enumerate(parts) if number >> place & 1)


def weighted(logits: NDArray[np.float64], weights: NDArray[Any]) -> Any:
    """Probability of `article`; the last weight is the constant."""
    return sigmoid(logits @ weights[:-1] + weights[-1])


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
