"""How much an inspection shows: a size that it does, beside one that it cuts; and what a night must differ by to be named."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from tests.inspect.test_nights import USUAL, nights
from webcontent.document.parsing import Document
from webcontent.inspect import inspection
from webcontent.inspect.html import _block, _candidates
from webcontent.inspect.items.nights import changes
from webcontent.inspect.markup import cell_text, path_tail
from webcontent.inspect.places import Places
from webcontent.inspect.text import preparation_lines, side_by_side
from webcontent.items import Article, Candidate, Page

if TYPE_CHECKING:
    from collections.abc import Callable


def places(blocks: int) -> int:
    return len(Places(Document.from_page(Page(html="<p>x" * blocks))).paths)


def tonight(curve: str, number: float) -> bool:
    return curve in {change.curve for change in changes([*nights(14), {**USUAL, curve: number}])}


def block_text(chars: int) -> bool:
    shown = Mock()
    shown.document.blocks = Mock(texts=["x" * chars], hidden=[False], noscript=[False])
    shown.result.labels, shown.places.paths = ["body"], ["/p"]
    return f">{'x' * chars}<" in _block(shown, 0)


LIMITS: dict[str, tuple[Callable[[int], object], int, int] | tuple[Callable[[float], object], float, float]] = {
    "characters of a button": (lambda n: "x" * n in next(preparation_lines({"clicked": ["x" * n]})), 120, 121),
    "buttons": (lambda n: len(list(preparation_lines({"clicked": ["x"] * n}))) == n, 50, 51),
    "characters of a column": (lambda n: any("x" * n in line for line in side_by_side({"a": Article(title="x" * n)})), 48, 49),
    "characters of a cell": (lambda n: cell_text("x" * n) == "x" * n, 240, 241),
    "characters of a block": (block_text, 2000, 2001),
    "steps of a path": (lambda n: path_tail("/a" * n).count("›") == n - 1, 3, 4),
    "blocks": (lambda n: places(n) == n, 4000, 4001),
    "failures of a night": (lambda n: tonight("failed", n), 9.7, 9.55),
    "length of a night's articles": (lambda n: tonight("length", n), 79_350, 79_500),
}  # fmt: skip
"""What -> whether it is so, a size at which it is, and the next one at which it is not."""


@pytest.mark.parametrize("name", LIMITS)
def test_inspections_have_their_limits(name: str):
    holds, size, beyond = LIMITS[name]
    assert (bool(holds(size)), bool(holds(beyond))) == (True, False)


def test_stages_are_timed_in_milliseconds(monkeypatch: pytest.MonkeyPatch):
    times = iter((1.0, 3.5))
    monkeypatch.setattr(inspection, "perf_counter", lambda: next(times))
    stages: dict[str, float] = {}
    with inspection._timer(stages, "classify"):
        pass
    assert stages == {"classify": 2500}


def test_a_candidate_without_a_score_shows_none():
    shown = Mock(places=Mock(find=lambda xpath: ()))
    shown.result.item.evidence = {"title": [Candidate("A", "h1"), Candidate("B", "h1", score=0.5)]}
    assert ["candidate-score" in row for row in _candidates(shown, "title")] == [False, True]
