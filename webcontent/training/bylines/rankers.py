"""The ranker of one field: fitted on pages, applied to pages, and as a part of the ONNX graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, helper
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from webcontent.evaluation.folds import fold_of
from webcontent.extractors.decoding import sigmoid
from webcontent.fields.names.context import BUCKETS, SLOTS
from webcontent.fields.names.features import FEATURES
from webcontent.training.common.export import make_graph
from webcontent.training.common.trees import fit_boosters, mean_raw_scores, tree_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import lightgbm as lgb
    from numpy.typing import NDArray
    from onnx import ModelProto, NodeProto

    from webcontent.training.bylines.samples import BylineSample
    from webcontent.training.bylines.settings import Settings

STEPS = 256
"""Weights are multiples of 1/256, so that their sums are exact in float32, in whatever order a runtime adds them."""
LARGEST = 8
"""Up to here float16 holds these multiples exactly."""
INNER_SALT = "inner"
"""Makes the inner folds differ from the outer ones."""


@dataclass(slots=True, frozen=True)
class Ranker:
    """A regression over the words around candidates, and trees over their features and its score."""

    weights: NDArray[np.float32]
    """[BUCKETS]; the first one is 0."""
    boosters: list[lgb.Booster]

    def raw(self, features: NDArray[np.float32], context: NDArray[np.int64]) -> NDArray[np.float64]:
        """Log-odds of candidates."""
        columns = np.column_stack((features, self.weights[context].sum(axis=1, dtype=np.float32)))
        return mean_raw_scores(self.boosters, columns)

    def probabilities(self, samples: Sequence[BylineSample]) -> dict[str, NDArray[np.float64]]:
        """By page, the probabilities of its candidates."""
        features = np.concatenate([sample.features for sample in samples])
        scores = sigmoid(self.raw(features, np.concatenate([sample.context for sample in samples])))
        cuts = np.cumsum([len(sample.keys) for sample in samples])[:-1]
        return {sample.id: part for sample, part in zip(samples, np.split(scores, cuts), strict=True)}


def fit(samples: Sequence[BylineSample], name: str, settings: Settings) -> Ranker:
    """The ranker of a field, from the pages whose gold has it."""
    used = [sample for sample in samples if name in sample.gold and sample.keys]
    features, context = (np.concatenate([getattr(sample, part) for sample in used]) for part in ("features", "context"))
    labels = np.concatenate([sample.labels(name) for sample in used])
    page_weights = [settings.composed_weight if sample.form else settings.weights.get(sample.corpus, 1.0) for sample in used]
    counts = [len(sample.keys) for sample in used]
    row_weights = np.repeat(page_weights, counts)
    folds = np.repeat([fold_of(sample.site + INNER_SALT, settings.inner_folds) for sample in used], counts)
    score = np.zeros(len(labels), np.float32)
    for fold in range(settings.inner_folds):
        inner = _word_weights(context[folds != fold], labels[folds != fold], row_weights[folds != fold], settings)
        score[folds == fold] = inner[context[folds == fold]].sum(axis=1, dtype=np.float32)
    columns = np.column_stack((features, score))
    rising = [int(feature in settings.rising.get(name, ())) for feature in FEATURES]
    parameters = {**settings.parameters, "monotone_constraints": [*rising, 1]} if any(rising) else settings.parameters
    seeds = range(settings.seed, settings.seed + settings.models)
    boosters = fit_boosters(columns, labels, row_weights, parameters, settings.trees, seeds)
    return Ranker(_word_weights(context, labels, row_weights, settings), boosters)


def _word_weights(
    context: NDArray[np.int64], labels: NDArray[np.bool_], row_weights: NDArray[np.float64], settings: Settings
) -> NDArray[np.float32]:
    """The weights of a logistic regression over the hashes. Its intercept is left out: trees do not need it."""
    rows, slots = np.nonzero(context)
    ones = np.ones(len(rows), np.float32)
    table = sparse.csr_matrix((ones, (rows, context[rows, slots])), shape=(len(context), BUCKETS))
    table.sum_duplicates()
    regression = LogisticRegression(
        C=settings.inverse_penalty, solver="liblinear", max_iter=settings.iterations, random_state=settings.seed
    )
    weights = regression.fit(table, labels, row_weights).coef_[0]
    return np.asarray(np.round(np.clip(weights, -LARGEST, LARGEST) * STEPS) / STEPS, np.float32)


def onnx_of_rankers(rankers: Mapping[str, Ranker], name: str) -> ModelProto:
    """One graph: `features` float32 [n, features] and `context` int64 [n, SLOTS] -> for each field probabilities float32 [n, 1]."""
    nodes = [node for field, ranker in rankers.items() for node in _nodes(field, ranker)]
    constants: dict[str, NDArray[Any]] = {"last_axis": np.array([1], np.int64)}
    constants |= {f"{field}_half": ranker.weights.astype(np.float16) for field, ranker in rankers.items()}
    inputs, outputs = {"features": [None, len(FEATURES)], "context": [None, SLOTS]}, {field: [None, 1] for field in rankers}
    return make_graph(name, nodes, inputs, outputs, constants, types={"context": TensorProto.INT64})


def _nodes(field: str, ranker: Ranker) -> list[NodeProto]:
    """The nodes of a ranker: the sum of the words' weights as one more feature, then the trees."""
    columns = f"{field}_columns"
    return [
        helper.make_node("Cast", [f"{field}_half"], [f"{field}_weights"], to=TensorProto.FLOAT),
        helper.make_node("Gather", [f"{field}_weights", "context"], [f"{field}_words"]),
        helper.make_node("ReduceSum", [f"{field}_words", "last_axis"], [f"{field}_score"], keepdims=1),
        helper.make_node("Concat", ["features", f"{field}_score"], [columns], axis=1),
        *tree_nodes(ranker.boosters, columns, f"{field}_raw"),
        helper.make_node("Sigmoid", [f"{field}_raw"], [field]),
    ]
