"""Marks are settled here: what needs a browser or the corpora is skipped where there is none, and fails in CI."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from webcontent.evaluation.corpora import corpora_folder

BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome", "msedge")
PLAYWRIGHTS_OWN = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    has_browser = any(map(shutil.which, BROWSERS)) or any(PLAYWRIGHTS_OWN.glob("chromium*"))
    for item in items:
        if item.get_closest_marker("browser") and not has_browser and not os.environ.get("CI"):
            item.add_marker(pytest.mark.skip(reason="no browser: .venv/bin/playwright install --with-deps chromium"))
        if item.get_closest_marker("corpora") and not corpora_folder().is_dir():
            item.add_marker(pytest.mark.skip(reason="no corpora beside the checkout"))
