"""The weighted sum of the page type models."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from webcontent.training.common import export
from webcontent.training.pagetype.combination import combiner_graph


def test_the_combiner_picks_the_weights_of_what_is_present():
    """Row 1 for the first part, row 2 for the second, row 3 for both."""
    weights = np.array([[0, 0, 0], [1, 0, 0.5], [0, 2, 0], [1, 1, -1]], np.float32)
    graph = export.open_graph(combiner_graph(weights))
    logits = np.array([[3, 9], [9, 1], [1, 2]], np.float32)
    present = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    logits_used = np.array([3.5, 2.0, 2.0])
    assert np.allclose(graph.run(logits=logits, present=present)[0], 1 / (1 + np.exp(-logits_used)), atol=1e-6)
