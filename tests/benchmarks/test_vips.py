"""The benchmark of visual blocks runs on small input."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import vips
from tests.extractors.ngfv.drawn import drawn
from tests.extractors.ngfv.test_positions import page


def test_synthetic_pages_have_as_many_boxes_as_asked_for():
    """And many blocks to find."""
    rows = vips.synthetic_rows(500)
    assert len(rows) == 500
    assert rows == vips.synthetic_rows(500)
    root = vips.vips.visual_blocks(rows)
    assert root is not None
    assert len(vips.segments(root)) > 50


def test_speed_is_measured(monkeypatch: pytest.MonkeyPatch):
    """A line a size."""
    monkeypatch.setattr(vips, "BOXES", (50, 100))
    monkeypatch.setattr(vips, "RUNS", 1)
    lines = vips.speed_report().splitlines()
    assert [line.split("|")[1].strip() for line in lines[-2:]] == ["50", "100"]


def test_weights_are_fitted_to_what_was_marked():
    """Two pages of a story beside a list: marked blocks are whole, what holds several of them is not."""
    pytest.importorskip("sklearn", reason="a regression fits them; the extra `train` brings it")
    rows = drawn(page(1)).boxes or []
    blocks = [{"xpath": f"/html/body/{path}"} for path in ("div[1]", "div[2]/div[1]", "div[2]/div[2]", "div[3]")]
    record = {"id": "a", "site": "a", "boxes": rows, "gold": {"blocks": blocks}}
    sample = vips._sample(record)
    mixed = {
        sample.structure.layout.xpaths[members[0]]: share
        for members, share in zip(sample.structure.members, sample.mixed, strict=True)
        if len(members) == 1
    }
    assert mixed["/html/body"] > 0.1
    assert mixed["/html/body/div[2]/div[1]"] == 0
    weights, bias = vips.fit([sample] * 5)
    assert len(weights) == len(vips.vips.CUES)
    assert np.isfinite([*weights, bias]).all()
