"""An inspection by three extractors, of which the last one fails."""

from __future__ import annotations

import pytest

from tests.inspect.pages import NAV, make_page
from webcontent.inspect.inspection import Inspection, inspect_page
from webcontent.pipeline import Options


@pytest.fixture(scope="session")
def options() -> Options:
    return Options(extractors={"broken": "tests.inspect.pages:Broken"}, evidence=True)


@pytest.fixture(scope="session")
def inspection(options: Options) -> Inspection:
    """The first link of its navigation is noise beyond doubt, whatever the model of the day gives it."""
    inspection = inspect_page(make_page(), options, ["awce", "broken"])
    scores = inspection.result.extraction.scores
    assert scores is not None
    scores[NAV] = 0.001
    return inspection
