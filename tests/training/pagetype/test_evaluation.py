"""Metrics of the page type models, and the files in which a run keeps its results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("torch")

from webcontent.items import KINDS
from webcontent.pagetype.classify import logit
from webcontent.training.pagetype.evaluation import (
    evaluate,
    fit_weights,
    kind_metrics,
    read_probabilities,
    store_probabilities,
)
from webcontent.training.pagetype.samples import Samples
from webcontent.training.snapshots import SNAPSHOT

if TYPE_CHECKING:
    from pathlib import Path


def test_weights_of_a_part_that_errs_are_not_negative():
    """A part whose log-odds are opposite to the labels gets no weight; one of several such parts is kept."""
    labels = np.array([0, 1] * 50)
    logits = np.stack([labels * 4.0 - 2, 2 - labels * 4.0], axis=1) + np.random.default_rng(0).normal(0, 1, (100, 2))
    weights = fit_weights(logits, labels)
    assert weights[0] > 0
    assert weights[1] == 0
    assert np.count_nonzero(fit_weights(-logits[:, [0, 0]], labels)[:-1]) == 1


def test_log_odds_are_bounded():
    """No single model has unlimited influence."""
    assert logit(1.0) == pytest.approx(8, abs=0.01)
    assert logit(0.0) == pytest.approx(-8, abs=0.01)
    assert logit(0.5) == 0


def test_the_site_snapshots_have_metrics_apart(tmp_path: Path):
    """All pages together, and the screens alone; the kind is chosen among those of the type."""
    samples = Samples()
    samples.add({"id": "a", "type": "article"}, "screens", "one", "theme")
    samples.add({"id": "b", "type": "list"}, "screens", "two", SNAPSHOT)
    samples.add({"id": "c", "type": "forum"}, "wcxb-dev", "three", "wcxb-dev")
    metrics = evaluate(samples, np.array([0.9, 0.8, 0.7]), 5)
    assert metrics["accuracy"] == pytest.approx(2 / 3)
    assert metrics["screens"]["accuracy"] == 1
    kinds = np.zeros((3, len(KINDS)))
    kinds[:, KINDS.index("listing")], kinds[:, KINDS.index("forum")] = 0.6, 0.4
    assert kind_metrics(samples, np.array([0.9, 0.8, 0.7]), kinds)["kinds"] == 1


def test_probabilities_are_kept_for_the_combination(tmp_path: Path):
    """Pages that a part was not evaluated on lack it."""
    samples = Samples()
    for number in range(3):
        samples.add({"id": str(number), "type": "article"}, "screens", f"site{number}", "theme")
    for name in ("pixels", "layout", "dom"):
        own = samples if name == "dom" else samples.only(np.array([True, False, True]))
        store_probabilities(tmp_path, name, own, np.full(len(own), 0.9))
    again, logits, is_known = read_probabilities(tmp_path)
    assert again == samples
    assert is_known.tolist() == [[True] * 3, [False, False, True], [True] * 3]
    assert logits[0].tolist() == pytest.approx([np.log(9)] * 3)
