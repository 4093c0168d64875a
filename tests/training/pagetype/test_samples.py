"""The pages of the page type models: what is trained on, and what stays in one fold."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from webcontent.training.pagetype.samples import Samples, screen_samples
from webcontent.training.snapshots import SNAPSHOT


def test_a_large_site_is_learned_from_no_more_than_a_design():
    """Of 400 pages of a site snapshot 40 are trained on, spread evenly; all are evaluated. Split by page, each is its own group."""
    pages = [{"id": str(i), "type": "article", "family": "large", "kind": SNAPSHOT} for i in range(400)]
    samples = screen_samples(pages)
    assert np.flatnonzero(samples.is_learned).tolist() == list(range(0, 400, 10))
    assert len(set(samples.column("site"))) == 1
    by_page = screen_samples(pages, "page")
    assert all(by_page.is_learned)
    assert len(set(by_page.column("site"))) == 400


def test_folds_keep_groups_together():
    """No family is both trained on and tested."""
    samples = Samples()
    for i in range(60):
        samples.add({"id": str(i), "type": "article"}, "own", f"family{i % 12}", "own")
    for _, rows, tested in samples.splits(4):
        groups = samples.column("site")
        assert not set(groups[rows]) & set(groups[tested])
        assert len(rows) + len(tested) == 60
