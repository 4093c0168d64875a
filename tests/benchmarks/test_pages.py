"""The benchmarks of single pages run on small input."""

from __future__ import annotations

import pytest

from benchmarks import page_lengths, page_steps
from webcontent.document.parsing import Document
from webcontent.items import Page


@pytest.mark.corpora
def test_steps_are_measured_one_by_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each step beside lxml alone, and the page type from a screenshot."""
    monkeypatch.setattr(page_steps, "CORPORA", page_steps.CORPORA[1:])  # the first takes seconds to unpack
    page_steps.main(["--limit", "2"])
    report = capsys.readouterr().out
    for step in ("lxml alone", "blocks", "page type from the DOM", "extractor awce", "fields and item", "screenshot alone"):
        assert f"| {step} |" in report


def test_pages_have_as_many_blocks_as_asked_for() -> None:
    """Three of four are text, one is a link."""
    blocks = Document.from_page(Page(html=page_lengths.page_of(200))).blocks
    assert len(blocks) == 200
    assert sum(text.startswith("link ") for text in blocks.texts) == 50


def test_time_is_measured_by_length(capsys: pytest.CaptureFixture[str]) -> None:
    """A line per extractor and length."""
    page_lengths.main(["awce", "--blocks", "20", "40"])
    lines = capsys.readouterr().out.strip().splitlines()
    assert [line.split(" | ")[:2] for line in lines[2:]] == [["| awce", "20"], ["| awce", "40"]]
