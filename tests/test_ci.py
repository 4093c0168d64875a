"""The workflow of the forge and the Makefile agree."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
MAKEFILE = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
WORKFLOW = (CHECKOUT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


def variable(name: str) -> str:
    """The value of a variable of the Makefile."""
    match = re.search(rf"^{name} = (.*)$", MAKEFILE, re.MULTILINE)
    assert match is not None
    return match[1]


def test_windows_runs_the_fast_tests_of_the_makefile():
    """Its command is written out there, because the Makefile's folders are those of other systems."""
    assert f"python {variable('PYTEST')} -n 2 {variable('FAST')}\n" in WORKFLOW


def test_the_targets_that_are_called_exist():
    """Each word after `make` that is no option is a target."""
    words = [word for line in re.findall(r"run: make (.*)$", WORKFLOW, re.MULTILINE) for word in line.split()]
    assert words
    assert [word for word in words if not re.search(rf"^{word}:", MAKEFILE, re.MULTILINE)] == []
