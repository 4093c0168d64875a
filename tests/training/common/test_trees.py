"""LightGBM's trees as ONNX graphs."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("lightgbm")

import lightgbm as lgb

from webcontent.extractors.decoding import sigmoid
from webcontent.training.common.export import open_graph
from webcontent.training.common.trees import mean_raw_scores, onnx_of_boosters, onnx_of_classifiers, onnx_of_stages

SETTINGS = {"objective": "cross_entropy", "num_leaves": 7, "verbose": -1, "num_threads": 1, "feature_fraction": 0.5}


@pytest.fixture(scope="module")
def x() -> np.ndarray:
    """Values that are on thresholds of the trees, too."""
    return np.random.default_rng(0).integers(0, 9, (400, 6)).astype(np.float32) / np.float32(3)


@pytest.fixture(scope="module")
def boosters(x: np.ndarray) -> list:
    y = 1 / (1 + np.exp(-(x[:, 0] - x[:, 1] * x[:, 2])))
    return [lgb.train({**SETTINGS, "seed": seed}, lgb.Dataset(x, y), 20) for seed in range(3)]


def test_the_graph_of_two_stages_equals_lightgbm(x: np.ndarray, boosters: list):
    """The same probabilities to 1e-4."""
    first, second, _ = boosters
    model = open_graph(onnx_of_stages(first, second, 6, name="test"))
    for place, booster in enumerate((first, second)):
        probabilities = model.run(features=x, second=np.array(bool(place)))[0][:, 0]
        assert np.abs(probabilities - sigmoid(mean_raw_scores([booster], x))).max() < 1e-4


@pytest.mark.parametrize("raw", [False, True])
def test_the_graph_of_one_stage_equals_lightgbm(x: np.ndarray, boosters: list, raw: bool):
    """As probabilities, or as raw scores."""
    outputs = open_graph(onnx_of_boosters(boosters, 6, name="test", raw=raw)).run(features=x)[0][:, 0]
    scores = mean_raw_scores(boosters, x)
    assert np.abs(outputs - (scores if raw else sigmoid(scores))).max() < 1e-4


def test_classifiers_share_one_graph(x: np.ndarray):
    """Of two classes the second one's probabilities, of more classes all of them."""
    labels, kinds = (x[:, 0] > x[:, 1]).astype(int), (x[:, 2] * 3).astype(int) % 3
    models = {
        "article": lgb.LGBMClassifier(n_estimators=5, verbose=-1).fit(x, labels),
        "kinds": lgb.LGBMClassifier(n_estimators=5, verbose=-1).fit(x, kinds),
    }
    article, by_kind = open_graph(onnx_of_classifiers(models, 6)).run(features=x)
    assert np.abs(article - models["article"].predict_proba(x)[:, 1]).max() < 1e-4
    assert np.abs(by_kind - models["kinds"].predict_proba(x)).max() < 1e-4
