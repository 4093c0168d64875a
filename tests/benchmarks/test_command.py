"""`python -m benchmarks`: every benchmark is listed, explains itself and has a name of its own."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import benchmarks
from benchmarks import __main__ as command

FOLDER = Path(benchmarks.__file__).parent
HELPERS = {"__init__", "__main__", "crawl_process", "hanging_server", "page_server", "report"}
"""Modules that are no benchmarks."""


def test_help_lists_every_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    """One line each."""
    command.main(["--help"])
    text = capsys.readouterr().out
    assert all(f"  {name} " in text for name in command.BENCHMARKS)


def test_every_module_is_listed_or_a_helper() -> None:
    """A new benchmark needs an entry."""
    modules = {path.stem for path in [*FOLDER.glob("*.py"), *FOLDER.glob("papers/*.py")]}
    modules |= {path.parent.name for path in FOLDER.glob("*/__main__.py")}
    assert modules - HELPERS == set(command.BENCHMARKS)


@pytest.mark.parametrize("name", [*command.BENCHMARKS, "crawl_process"])
def test_a_benchmark_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its help repeats what it measures and how it is called."""
    module = import_module(f"benchmarks.{command.PLACES.get(name, name)}")
    with pytest.raises(SystemExit) as end:
        module.main(["--help"])
    assert end.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"usage: python -m benchmarks {name}" in text or f"usage: python -m benchmarks.{name}" in text
    assert (module.__doc__ or "").split()[0] in text


def test_quality_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    """Options without a name are those of `quality`."""
    with pytest.raises(SystemExit):
        command.main(["--systems", "nosuch"])
    assert "--systems names 'nosuch'" in capsys.readouterr().err


def test_an_unknown_benchmark_is_named() -> None:
    """With those that there are."""
    with pytest.raises(SystemExit, match=r"There is no benchmark 'nosuch'\. There are: quality, "):
        command.main(["nosuch"])
