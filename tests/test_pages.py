"""The documentation as a whole."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]


@pytest.mark.process
@pytest.mark.skipif(not find_spec("mkdocs"), reason="mkdocs is not installed: pip install 'webcontent[docs]'")
def test_the_documentation_builds(tmp_path: Path):
    """Without a warning: every link leads to a page and to a heading that are there."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "machines.html").is_file()


def test_no_placeholder_is_left():
    """Words in capitals that stand for a figure still to come."""
    for page in (CHECKOUT / "docs").glob("*.md"):
        assert "_FIGURES" not in page.read_text(encoding="utf-8"), page.name
