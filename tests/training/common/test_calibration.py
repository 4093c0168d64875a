"""Probabilities for whole pages, and the metrics that they are compared with."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from webcontent.extractors.decoding import calibrated
from webcontent.training.common.metrics import (
    calibration_error,
    correct_scores,
    f1_metrics,
    groups_of,
    out_of_fold_probabilities,
    page_probabilities,
    reliability,
)
from webcontent.training.common.samples import PageSample

RANDOM = np.random.default_rng(0)
FOLDS = np.arange(400) % 5


@pytest.mark.parametrize("monotone", [False, True])
def test_probabilities_are_out_of_fold_and_calibrated(monotone):
    """A feature that tells the target gives probabilities near the observed shares; kept pages alone are learned from."""
    features = RANDOM.normal(size=(400, 2))
    targets = RANDOM.random(400) < 1 / (1 + np.exp(-3 * features[:, 0]))
    is_kept = FOLDS != 4
    probabilities, model = out_of_fold_probabilities(features, targets, FOLDS, is_kept, monotone=monotone)
    high = probabilities > 0.8
    assert targets[high].mean() > 0.8
    assert targets[probabilities < 0.2].mean() < 0.4
    assert model["weights"][0] > 1 > abs(model["weights"][1])
    assert len(model["raw"]) == len(model["corrected"]) == (21 if monotone else 2)
    assert np.corrcoef(probabilities, page_probabilities(features, model))[0, 1] > 0.95


def test_a_constant_target_needs_no_regression():
    """All pages are alike: the probability is near 1."""
    features = RANDOM.normal(size=(20, 2))
    probabilities, _ = out_of_fold_probabilities(features, np.ones(20, bool), FOLDS[:20], np.ones(20, bool), monotone=False)
    assert (probabilities > 0.99).all()


def test_raw_scores_are_corrected_to_probabilities():
    """Scores that are too high become the share of good pages; the correction is monotone, and its error is measured out of fold."""
    raw = RANDOM.uniform(0.5, 1, 400)
    f1 = np.where(RANDOM.random(400) < (raw - 0.5) * 2, 0.95, 0.5)
    table = correct_scores(raw, f1, FOLDS)
    assert table["pages"] == 400
    assert (np.diff(table["corrected"]) >= 0).all()
    assert (np.diff(table["raw"]) > 0).all()
    assert table["error"] < 0.1 < calibration_error(reliability(f1 > 0.9, raw))
    assert calibrated(0.55, table) < 0.3
    assert calibrated(0.98, table) > 0.7


def test_reliability_compares_scores_with_what_is_right():
    """Scores of 0.94 that are right half the time are off by 0.44, by whatever bins; 1 is in the last one."""
    is_right = np.array([True, False] * 5)
    rows = reliability(is_right, np.full(10, 0.94))
    assert rows == [{"from": 0.9, "pages": 10, "score": pytest.approx(0.94), "good": 0.5}]
    assert calibration_error(rows) == pytest.approx(0.44)
    assert reliability(is_right, np.ones(10), np.array([0.5, 0.95, 1])) == [{"from": 0.95, "pages": 10, "score": 1, "good": 0.5}]


def test_metrics_are_means_with_their_spread_over_folds():
    """Two folds of different quality."""
    metrics = f1_metrics(np.array([1.0, 1.0, 0.5, 0.5]), np.array([0.9, 0.9, 0.4, 0.4]), np.array([0, 0, 1, 1]))
    assert metrics == {"f1": 0.75, "spread": 0.25, "good": 0.5, "score": pytest.approx(0.65)}


def test_kinds_and_languages_of_many_pages_are_groups():
    """Not of few pages, and not where they are the whole corpus."""
    samples = [PageSample(id=str(i), corpus="c", site="s", kind="forum" if i < 20 else "", language="en-GB") for i in range(30)]
    samples += [PageSample(id="x", corpus="other", site="s", kind="forum")]
    assert {key: len(places) for key, places in groups_of(samples).items()} == {("c", "all"): 30, ("c", "forum"): 20, ("other", "all"): 1}
