"""The benchmarks of visual blocks and of NGFV run on small input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks import ngfv, vips
from tests.document.drawn import drawn
from tests.document.test_positions import page, story
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import _drawn_boxes
from webcontent.extractors.ngfv import Ngfv
from webcontent.items import Page

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def sample(number: int, group: str = "a") -> ngfv.Sample:
    gold = "\n".join(Document.from_page(Page(html=story(number))).blocks.texts)
    return ngfv.Sample(group, Document.from_page(drawn(page(number), url=f"http://example.org/{number}")), gold)


def test_synthetic_pages_have_as_many_boxes_as_asked_for():
    """And many blocks to find."""
    rows = vips.synthetic_rows(500)
    assert len(rows) == 500
    assert rows == vips.synthetic_rows(500)
    root = vips.vips.visual_blocks(rows)
    assert root is not None
    assert len(root.segments()) > 50


def test_speed_is_measured(monkeypatch: pytest.MonkeyPatch):
    """A line a size."""
    monkeypatch.setattr(vips, "BOXES", (50, 100))
    monkeypatch.setattr(vips, "TIMES", 1)
    lines = vips.speed_report().splitlines()
    assert [line.split("|")[1].strip() for line in lines[-2:]] == ["50", "100"]


def test_weights_are_fitted_to_what_was_marked():
    """Two pages of a story beside a list: marked blocks are whole, what holds several of them is not."""
    rows = drawn(page(1)).boxes or []
    blocks = [{"xpath": f"/html/body/{path}"} for path in ("div[1]", "div[2]/div[1]", "div[2]/div[2]", "div[3]")]
    record = {"id": "a", "site": "a", "boxes": rows, "gold": {"blocks": blocks}}
    made = vips._sample(record)
    mixed = {
        made.structure.layout.xpaths[members[0]]: share
        for members, share in zip(made.structure.members, made.mixed, strict=True)
        if len(members) == 1
    }
    assert mixed["/html/body"] > 0.1
    assert mixed["/html/body/div[2]/div[1]"] == 0
    weights, bias = vips.fit([made] * 5)
    assert len(weights) == len(vips.vips.CUES)
    assert np.isfinite([*weights, bias]).all()


def test_boxes_of_the_corpus_are_as_our_browser_lists_them():
    """Backgrounds come from what stands around; what only holds others is left out."""
    row = dict.fromkeys(("x", "y", "w", "h", "font_size", "font_weight", "background_image", "own", "len", "link", "media"), 0)
    row |= {"tag": "p", "color": "#000000", "display": "block", "out_of_flow": "", "border": "", "visible": 1, "background": ""}
    rows = [row | {"xpath": "/html/body", "background": "#123456", "len": 9}, row | {"xpath": "/html/body/div/p", "own": 9, "len": 9}]
    ((xpath, *_, background, own, _, _, _, _, _, _, _, _, _),) = _drawn_boxes(rows)
    assert (xpath, background, own) == ("/html/body/div/p", "#123456", 9)


def test_ngfv_is_measured():
    """Each page against the next, and as a crawl would meet them."""
    groups = ngfv._grouped([sample(1), sample(2), sample(3), sample(4, "b")])
    assert list(groups) == ["a"]
    for companions in (ngfv._next_one, ngfv._as_in_a_crawl):
        assert ngfv.measure(groups, Ngfv(), companions)["a"] == [1.0, 1.0, 1.0]
    assert ngfv.measure(groups, Ngfv(literal=True, corrected=False), ngfv._next_one)["a"][0] < 1
    assert "pairs of pages a second" in ngfv.speed_report(groups)


def test_the_threshold_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A picture of the sweep."""
    monkeypatch.setattr(ngfv, "ETAS", (0.01, 0.1))
    ngfv._draw(ngfv._grouped([sample(1), sample(2)]), {}, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
