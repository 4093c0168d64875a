"""What a test needs decides when it is skipped; its markers decide what `make test-fast` leaves out.

A test that needs a browser or the corpora is skipped where there is none; in CI a missing browser is an error.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from webcontent.evaluation.corpora import corpora_folder

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "msedge")
PLAYWRIGHTS_OWN = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
HERE = Path(__file__).parent
os.environ.setdefault("OMP_NUM_THREADS", "1")  # test processes share the cores, and threads of tiny models wait for each other


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    has_browser = any(map(shutil.which, BROWSERS)) or any(PLAYWRIGHTS_OWN.glob("chromium*"))
    has_corpora = corpora_folder().is_dir()
    for item in items:
        if item.path.is_relative_to(HERE / "training"):
            item.add_marker("training")
        if item.get_closest_marker("browser") and not has_browser and not os.environ.get("CI"):
            item.add_marker(pytest.mark.skip(reason="no browser: .venv/bin/playwright install --with-deps chromium"))
        if item.get_closest_marker("corpora") and not has_corpora:
            item.add_marker(pytest.mark.skip(reason="no corpora beside the checkout"))
