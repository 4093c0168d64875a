"""Moves numbers of the package and counts those that the fast tests notice: `python -m benchmarks mutation --count 20`.

Draws names that are bound to numbers outside of training, evaluation and demo, and moves one number of each by a third in a copy of the
checkout. It is noticed if a test fails or takes too long. A first run of all fast tests tells which test files call functions of which
modules. Those that call the modules that name the number run first, the files with the fewest modules before the others. The rest of the
fast tests run only where these notice nothing, and with `--quick` not at all.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import CodeType, FrameType

CHECKOUT = Path(__file__).parents[1]
NOT_COPIED = (".git", ".venv*", ".*_cache", ".hypothesis", ".cache", ".work", "__pycache__", "build", "dist", "site")
LITERAL = ast.Constant | ast.UnaryOp | ast.unaryop | ast.BinOp | ast.operator | ast.Tuple | ast.List | ast.Set | ast.Dict | ast.Call
MAKERS = ("range", "frozenset", "set", "tuple", "list", "dict")
"""Functions that may be called in an expression of literals."""
MAP_FOLDER = "WEBCONTENT_MUTATION_MAP"
"""The environment variable that names the folder where the first run of the tests leaves what they call."""


class Literal(NamedTuple):
    """A number in a module: its name, and the line and bytes that hold it."""

    path: str
    name: str
    line: int
    start: int
    end: int
    value: float


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, move the numbers one after the other, print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="numbers that are drawn (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10_000), help="draws the same numbers again (default: a new one)")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="these tests only (default: those of `make test-fast`)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one run of the tests (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="only the tests that call the modules that name a number")
    parser.add_argument("--map", type=Path, metavar="FILE", help="which test files call which modules: read if it exists, else written")
    options = parser.parse_args(words)
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(CHECKOUT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
        command = [sys.executable, *fast_options(copy), "-x", "-q", "-p", "no:cacheprovider"]
        if options.map and options.map.is_file():
            called = json.loads(options.map.read_text())
        else:
            called = called_modules([*command, "-n", "2", *options.tests], copy, options.timeout)
        if options.map:
            options.map.write_text(json.dumps(called))
        noticed = 0
        for literal, value in draw(numbers(copy), options.count, options.seed):
            file = copy / literal.path
            source = file.read_bytes()
            file.write_bytes(spliced(source, literal, value))
            near = near_tests(called, users(copy, literal))
            runs = [[*command, "-n", "0", *near]] if near else []
            if not options.quick:
                runs.append([*command, "-n", "2", *(f"--ignore={path}" for path in near), *options.tests])
            failure = next(filter(None, (first_failure(run, copy, options.timeout) for run in runs)), "")
            file.write_bytes(source)
            noticed += failure != ""
            print(f"{literal.path}:{literal.line} {literal.name} {literal.value} -> {value}: {failure or 'not noticed'}", flush=True)
    print(f"{noticed} of {options.count} are noticed (seed {options.seed}).")


def fast_options(checkout: Path) -> list[str]:
    """The options of `make test-fast`."""
    makefile = (checkout / "Makefile").read_text(encoding="utf-8")
    return [word for line in re.findall(r"^(?:PYTEST|FAST) = (.*)$", makefile, re.MULTILINE) for word in shlex.split(line)]


def numbers(checkout: Path) -> list[list[Literal]]:
    """The literals of each name of the product that is bound to numbers, in the order of files and lines."""
    paths = sorted(path.relative_to(checkout) for path in (checkout / "webcontent").rglob("*.py"))
    product = [path.as_posix() for path in paths if path.parts[1] not in {"training", "evaluation", "demo"}]
    return [found for path in product for found in numbers_in(path, (checkout / path).read_text(encoding="utf-8"))]


def numbers_in(path: str, source: str) -> Iterator[list[Literal]]:
    """The literals of each name of a module and of its classes that is bound to literals with a number among them."""
    tree = ast.parse(source)
    for body in [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]:
        for node in body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and (value := node.value):
                name = node.targets[0] if isinstance(node, ast.Assign) else node.target
                pairs = [(name, value)]
                if isinstance(name, ast.Tuple) and isinstance(value, ast.Tuple):
                    pairs = list(zip(name.elts, value.elts, strict=True))
                found = ([Literal(path, ast.unparse(target), *place) for place in places(bound)] for target, bound in pairs)
                yield from filter(None, found)


def places(value: ast.expr) -> list[tuple[int, int, int, float]]:
    """Line, bounds and value of the numbers in an expression of literals, without keys of dicts; none where something else stands in it."""
    nodes = list(ast.walk(value))
    keys = {key for node in nodes if isinstance(node, ast.Dict) for key in node.keys}
    if not all(isinstance(node, LITERAL | ast.expr_context) or (isinstance(node, ast.Name) and node.id in MAKERS) for node in nodes):
        return []
    constants = [node for node in nodes if isinstance(node, ast.Constant) and node not in keys]
    return [(c.lineno, c.col_offset, c.end_col_offset or 0, c.value) for c in constants if type(c.value) is int or type(c.value) is float]


def draw(population: Sequence[Sequence[Literal]], count: int, seed: int) -> list[tuple[Literal, float]]:
    """Names at random: one literal of each, and its value moved by a third."""
    generator = random.Random(seed)
    literals = [generator.choice(found) for found in generator.sample(population, min(count, len(population)))]
    return [(literal, moved(literal.value, generator.choice((-1, 1)))) for literal in literals]


def moved(value: float, sign: int) -> float:
    """A third more or less: of integers at least 1, of 0.0 a third."""
    if isinstance(value, int):
        return value + sign * max(1, round(abs(value) / 3))
    return float(f"{value + sign * (abs(value) or 1) / 3:.6g}")


def spliced(source: bytes, literal: Literal, value: float) -> bytes:
    """A module's code with another value in place of the literal."""
    *before, line = (lines := source.split(b"\n"))[: literal.line]
    return b"\n".join([*before, line[: literal.start] + repr(value).encode() + line[literal.end :], *lines[literal.line :]])


def users(checkout: Path, literal: Literal) -> set[str]:
    """The module of a number, and those that import its name."""
    module = literal.path.removesuffix(".py").replace("/", ".")
    found = {literal.path}
    for path in (checkout / "webcontent").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        if literal.name in source and any(
            isinstance(node, ast.ImportFrom) and node.module == module and literal.name in {alias.name for alias in node.names}
            for node in ast.walk(ast.parse(source))
        ):
            found.add(path.relative_to(checkout).as_posix())
    return found


def near_tests(called: Mapping[str, Sequence[str]], modules: set[str]) -> list[str]:
    """The test files that call functions of some modules; those first that call the fewest modules in all."""
    return sorted((test for test, own in called.items() if modules.intersection(own)), key=lambda test: (len(called[test]), test))


# ------------------------------------------------------------------------------- a plugin of pytest, and what it leaves
def called_modules(command: Sequence[str], checkout: Path, timeout: float) -> dict[str, list[str]]:
    """By test file, the modules of the package whose functions its tests call. Ends the program where a test fails."""
    with tempfile.TemporaryDirectory() as folder:
        failure = first_failure([*command, "-p", "benchmarks.mutation"], checkout, timeout, {MAP_FOLDER: folder})
        if failure:
            sys.exit(f"The tests must pass before numbers are moved: {failure}")
        called: dict[str, set[str]] = defaultdict(set)
        for part in Path(folder).iterdir():
            for test, modules in json.loads(part.read_text()).items():
                called[test].update(modules)
    return {test: sorted(modules) for test, modules in called.items()}


_codes: set[CodeType] = set()
_called: dict[str, set[str]] = defaultdict(set)


def _trace(frame: FrameType, event: str, argument: object) -> None:
    """Notes a function that is called; lines are not traced."""
    _codes.add(frame.f_code)


def pytest_runtest_logstart() -> None:
    """Before a test, with its fixtures."""
    _codes.clear()
    sys.settrace(_trace)
    threading.settrace(_trace)


def pytest_runtest_logfinish(nodeid: str) -> None:
    """After a test."""
    sys.settrace(None)
    threading.settrace(None)
    names = (code.co_filename.rpartition("/webcontent/")[2] for code in _codes if "/webcontent/" in code.co_filename)
    _called[nodeid.partition("::")[0]].update(f"webcontent/{name}" for name in names)


def pytest_sessionfinish() -> None:
    """At the end of each process of a run."""
    Path(os.environ[MAP_FOLDER], str(os.getpid())).write_text(json.dumps({test: sorted(own) for test, own in _called.items()}))


def first_failure(command: Sequence[str], folder: Path, timeout: float, variables: Mapping[str, str] | None = None) -> str:
    """The first test that fails, "timeout" after so many seconds, "" if all pass. `variables`: added to the environment."""
    environment = {**os.environ, **(variables or {})}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        output = process.communicate(timeout=timeout)[0]
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "timeout"
    if process.returncode in {0, 5}:  # 5: there are no tests
        return ""
    return next((line.split(" - ")[0] for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))), output[-200:])
