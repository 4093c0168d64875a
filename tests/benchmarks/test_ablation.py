"""The parts that `python -m benchmarks ablation` leaves out, and what stands in for them."""

from __future__ import annotations

import sys
import types

import pytest

from benchmarks import ablation
from benchmarks.ablation import Part

SOURCE = """
LIMIT = 30
NAMES = ("a", "b")

def repaired(rows: list[int], limit: int) -> list[int]:
    return rows[:limit]

def is_long(text: str) -> bool:
    return len(text) > LIMIT

def found(text: str) -> str | None:
    return text or None

def rows_of(text: str) -> list[int]:
    return [len(text)]

def do(text: str) -> None:
    print(text)

class Page:
    def __init__(self) -> None:
        self.text = "x"

    @property
    def size(self) -> int:
        return len(self.text)

    def merged(self, rows: list[int]) -> list[int]:
        return [*rows, 1]
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    path = tmp_path / "part.py"
    path.write_text(SOURCE)
    module = types.ModuleType("webcontent_part")
    module.__file__ = str(path)
    exec(SOURCE, module.__dict__)
    user = types.ModuleType("webcontent_user")
    user.is_long = module.is_long
    for each in (module, user):
        monkeypatch.setitem(sys.modules, each.__name__, each)
    return module


def test_parts(module):
    """Numbers a third larger and smaller; functions by what they return: first argument, nothing, empty, both of two."""
    assert [str(part).removeprefix("webcontent_part.") for part in ablation.parts_of("webcontent_part")] == [
        "LIMIT = 40",
        "LIMIT = 20",
        "repaired returns its argument",
        "is_long = False",
        "is_long = True",
        "found = None",
        "rows_of = []",
        "do = None",
        "Page.size = 0",
        "Page.merged returns its argument",
    ]
    assert [part.value for part in ablation.parts_of("webcontent_part:is_long")] == [False, True]


def test_a_part_is_left_out_wherever_it_is_used(module):
    ablation.leave_out(Part("webcontent_part", "is_long", True))
    assert module.is_long("")
    assert sys.modules["webcontent_user"].is_long("")
    ablation.leave_out(Part("webcontent_part", "repaired", None, returns_argument=True))
    assert module.repaired([1, 2], 1) == [1, 2]
    ablation.leave_out(Part("webcontent_part", "Page.merged", None, returns_argument=True))
    ablation.leave_out(Part("webcontent_part", "Page.size", 0))
    assert module.Page().merged([2]) == [2]
    assert module.Page().size == 0
    ablation.leave_out(Part("webcontent_part", "LIMIT", 20))
    assert module.LIMIT == 20


def test_changes_of_metrics_are_means_over_the_pages_that_have_them():
    pages = [{"type": "article", "gold": {"title": "A", "authors": ["B", "C"]}}, {"type": "article", "gold": {"title": "D"}}]
    before = [{"title": "A", "authors": ["B", "C"]}, {"title": "D"}]
    after = [{"title": "A", "authors": ["B"]}, {"title": "E"}]
    assert ablation.differences(pages, before, after) == "authors -333.3, title -500.0"
    assert ablation.differences(pages, before, before) == "none"
