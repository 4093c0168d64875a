"""The weighted sum of the page type models."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from webcontent.training.common import export
from webcontent.training.pagetype.combination import best_combination, combiner_graph


def test_the_combiner_picks_the_weights_of_what_is_present():
    """Row 1 for the first part, row 2 for the second, row 3 for both."""
    weights = np.array([[0, 0, 0], [1, 0, 0.5], [0, 2, 0], [1, 1, -1]], np.float32)
    graph = export.open_graph(combiner_graph(weights))
    logits = np.array([[3, 9], [9, 1], [1, 2]], np.float32)
    present = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    logits_used = np.array([3.5, 2.0, 2.0])
    assert np.allclose(graph.run(logits=logits, present=present)[0], 1 / (1 + np.exp(-logits_used)), atol=1e-6)


def test_a_part_that_adds_nothing_to_another_gets_no_weight():
    """Of two parts and both together the one with the lowest loss on unseen pages counts; alone each counts for itself."""
    labels = np.array([1, 0, 1, 0])
    article = np.array([[np.nan] * 4, [0.9, 0.1, 0.9, 0.1], [0.6, 0.4, 0.4, 0.6], [0.8, 0.2, 0.7, 0.3]])
    assert [best_combination(mask, article, labels) for mask in range(4)] == [0, 1, 2, 1]
