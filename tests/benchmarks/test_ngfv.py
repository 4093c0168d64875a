"""The benchmark of ngfv runs on small input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks import ngfv
from tests.extractors.ngfv.drawn import drawn
from tests.extractors.ngfv.test_positions import page, story
from webcontent.document.parsing import Document
from webcontent.extractors.ngfv.extractor import Ngfv
from webcontent.items import Page

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def sample(number: int, group: str = "a") -> ngfv.Sample:
    gold = "\n".join(Document.from_page(Page(html=story(number))).blocks.texts)
    return ngfv.Sample(group, Document.from_page(drawn(page(number), url=f"http://example.org/{number}")), gold)


def test_ngfv_is_measured():
    """Each page against the next, and as a crawl would meet them."""
    groups = ngfv._grouped([sample(1), sample(2), sample(3), sample(4, "b")])
    assert list(groups) == ["a"]
    for reference_pages in (ngfv.next_page, ngfv.as_in_a_crawl):
        assert ngfv.measure(groups, Ngfv(), reference_pages)["a"] == [1.0, 1.0, 1.0]
    assert ngfv.measure(groups, Ngfv(literal=True, corrected=False), ngfv.next_page)["a"][0] < 1
    assert "pairs of pages a second" in ngfv.speed_report(groups)


def test_the_threshold_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A picture of the sweep."""
    monkeypatch.setattr(ngfv, "ETAS", (0.01, 0.1))
    ngfv._draw(ngfv._grouped([sample(1), sample(2)]), {}, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
