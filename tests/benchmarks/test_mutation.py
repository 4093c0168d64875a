"""The drawing and moving of `python -m benchmarks mutation`: which numbers there are, and what takes their place."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from benchmarks import mutation

SOURCE = '''"""年"""
LEAST, MOST = 3, -.5
"""Both."""
SCORES: dict[str, float] = {"年": 0.9, "b": 1}
LENGTHS = {3: "a"}
YEARS = frozenset(range(1990, 2031))
DAY = 24 * 60
COUNT = len("2024")
NAME = "x"
IS_ON = True


class Limits:
    bytes: int = 10_000_000
    names = ()


def local() -> None:
    within = 7
'''


NUMBERS = list(mutation.numbers_in("m.py", SOURCE))


def test_names_of_modules_and_classes_that_are_bound_to_numbers_are_found():
    """No computed values, texts, keys and names of functions."""
    assert {found[0].name: [literal.value for literal in found] for found in NUMBERS} == {
        "LEAST": [3],
        "MOST": [0.5],
        "SCORES": [0.9, 1],
        "YEARS": [1990, 2031],
        "DAY": [24, 60],
        "bytes": [10_000_000],
    }


@pytest.mark.parametrize(
    ("value", "more", "less"),
    [(9, 12, 6), (1, 2, 0), (0, 1, -1), (0.9, 1.2, 0.6), (0.0, 0.333333, -0.333333), (1e-9, 1.33333e-9, 6.66667e-10)],
)
def test_a_number_moves_by_a_third(value: float, more: float, less: float):
    assert (mutation.moved(value, 1), mutation.moved(value, -1)) == (more, less)


def test_a_seed_draws_the_same_moves():
    """Another one draws others; no name is drawn twice."""
    drawn = mutation.draw(NUMBERS, 3, seed=1)
    assert drawn == mutation.draw(NUMBERS, 3, seed=1)
    assert drawn != mutation.draw(NUMBERS, 3, seed=2)
    assert len({literal.name for literal, _ in mutation.draw(NUMBERS, 100, seed=1)}) == len(NUMBERS)


def constants(source: str) -> list[float]:
    """All numbers of a module, in their order."""
    return [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and type(node.value) in {int, float}]


def test_only_the_drawn_literal_changes():
    """Also behind characters of several bytes."""
    for literal, value in (move for seed in range(20) for move in mutation.draw(NUMBERS, 6, seed)):
        changed = constants(mutation.spliced(SOURCE.encode(), literal, value).decode())
        assert [pair for pair in zip(constants(SOURCE), changed, strict=True) if pair[0] != pair[1]] == [(literal.value, value)]


def test_numbers_of_the_product_are_read(tmp_path: Path):
    """Not those of training."""
    for name in ("fields/times/ranking.py", "training/common.py"):
        path = tmp_path / "webcontent" / name
        path.parent.mkdir(parents=True)
        path.write_text("LIMIT = 1\n")
    assert [found[0].path for found in mutation.numbers(tmp_path)] == ["webcontent/fields/times/ranking.py"]


def test_the_nearest_tests_run_first():
    """Those that call a module, first the files that call few others."""
    called = {"tests/a.py": ["m.py", "n.py", "o.py"], "tests/b.py": ["m.py"], "tests/c.py": ["n.py"]}
    assert mutation.near_tests(called, {"m.py"}) == ["tests/b.py", "tests/a.py"]
    assert mutation.near_tests(called, {"x.py"}) == []


def test_who_imports_a_number_uses_it(tmp_path: Path):
    """By its name, on one line or several."""
    sources = {
        "a.py": "LEAST = 1\n",
        "b.py": "from webcontent.a import LEAST, MOST\n",
        "c.py": "from webcontent.a import (\n    LEAST,\n)\n",
        "d.py": "from webcontent.a import MOST\nfrom webcontent.e import LEAST\n",
    }
    (tmp_path / "webcontent").mkdir()
    for name, source in sources.items():
        (tmp_path / "webcontent" / name).write_text(source)
    literal = mutation.Literal("webcontent/a.py", "LEAST", 1, 8, 9, 1)
    assert mutation.users(tmp_path, literal) == {f"webcontent/{name}" for name in ("a.py", "b.py", "c.py")}


@pytest.mark.process
def test_the_first_run_tells_which_modules_a_test_calls(tmp_path: Path):
    """Functions that run, not modules that are imported."""
    (tmp_path / "webcontent").mkdir()
    (tmp_path / "benchmarks").symlink_to(Path(mutation.__file__).parent)
    (tmp_path / "webcontent" / "__init__.py").touch()
    (tmp_path / "webcontent" / "one.py").write_text("def one(): return 1\n")
    (tmp_path / "webcontent" / "other.py").write_text("def other(): return 1\n")
    (tmp_path / "test_a.py").write_text("from webcontent import one, other\ndef test_one(): assert one.one() == 1\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    assert mutation.called_modules(command, tmp_path, 60) == {"test_a.py": ["webcontent/one.py"]}


@pytest.mark.process
def test_a_failing_test_is_named_and_a_slow_one_ends(tmp_path: Path):
    (tmp_path / "test_a.py").write_text("import time\ndef test_fast(): assert False\ndef test_slow(): time.sleep(60)\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k"]
    assert mutation.first_failure([*command, "fast"], tmp_path, 60) == "FAILED test_a.py::test_fast"
    assert mutation.first_failure([*command, "slow"], tmp_path, 5) == "timeout"
    assert mutation.first_failure([*command, "nosuch"], tmp_path, 60) == ""
