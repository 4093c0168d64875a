"""Markers are set here: what a test needs decides when it is skipped, and which tests `make test-fast` leaves out.

A test that needs a browser or the corpora is skipped where there is none; in CI a missing browser is an error.
"""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from webcontent.evaluation.corpora import corpora_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "msedge")
PLAYWRIGHTS_OWN = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
HERE = Path(__file__).parent
OWN_PACKAGES = ("tests", "benchmarks")
"""A test starts a process if it, a fixture of it, or a function of these packages that one of them uses names `subprocess`."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    has_browser = any(map(shutil.which, BROWSERS)) or any(PLAYWRIGHTS_OWN.glob("chromium*"))
    has_corpora = corpora_folder().is_dir()
    for item in items:
        if item.path.is_relative_to(HERE / "training"):
            item.add_marker("training")
        if any(map(starts_process, functions_of(item))):
            item.add_marker("process")
        if item.get_closest_marker("browser") and not has_browser and not os.environ.get("CI"):
            item.add_marker(pytest.mark.skip(reason="no browser: .venv/bin/playwright install --with-deps chromium"))
        if item.get_closest_marker("corpora") and not has_corpora:
            item.add_marker(pytest.mark.skip(reason="no corpora beside the checkout"))


def functions_of(item: pytest.Item) -> Iterator[Callable[..., Any]]:
    """The function of a test, and those of its fixtures."""
    if isinstance(item, pytest.Function):
        yield item.function
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            yield from (definition.func for definition in definitions)


@cache
def starts_process(function: Any) -> bool:
    """Whether a function or class names `subprocess`, or uses another one of our packages that does."""
    return any(map(names_subprocess, reachable(function)))


def reachable(start: Any) -> list[FunctionType]:
    """A function, or the methods of a class, and all functions of our packages that they use."""
    seen: list[FunctionType] = []
    waiting = [start]
    while waiting:
        current = inspect.unwrap(waiting.pop())
        if isinstance(current, type):
            waiting += [method for method in vars(current).values() if isinstance(method, FunctionType)]
        elif isinstance(current, FunctionType) and current not in seen and current.__module__.startswith(OWN_PACKAGES):
            seen.append(current)
            waiting += [current.__globals__[name] for name in names_in(current.__code__) if name in current.__globals__]
    return seen


def names_subprocess(function: FunctionType) -> bool:
    return any(function.__globals__.get(name) is subprocess for name in names_in(function.__code__))


def names_in(code: CodeType) -> set[str]:
    """All names that a function uses, with those of functions inside of it."""
    inner = (names_in(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*inner)
