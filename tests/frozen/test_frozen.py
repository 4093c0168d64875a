"""A number that moves changes what a model is given, or the item of a page that is a little larger or smaller than it says."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.frozen.pages import of_extractor, of_golden_pages, of_series, stored
from tests.frozen.series import SERIES, sizes

STORED = stored()
golden = cache(of_golden_pages)


@pytest.mark.parametrize("name", STORED["golden"])
def test_models_are_given_what_they_learned_from(name: str):
    """The columns of golden pages, and the scores of candidates. After a change that is meant: `python -m tests.frozen`."""
    actual, frozen = golden()[name], STORED["golden"][name]
    assert actual.keys() == frozen.keys()
    assert [part for part in frozen if not _same(actual[part], frozen[part])] == []


def _same(one: list[float], other: list[float]) -> Any:
    return len(one) == len(other) and one == pytest.approx(other, rel=2e-3, abs=2e-3)


@pytest.mark.parametrize("name", SERIES)
def test_items_of_growing_pages_stay_the_same(name: str):
    """Named are the sizes whose item differs. After a change that is meant: `python -m tests.frozen`."""
    pairs = zip(sizes(name), of_series(name), STORED["series"][name], strict=True)
    assert [size for size, actual, frozen in pairs if actual != frozen] == []


@pytest.mark.parametrize("name", STORED["extractors"])
def test_extractors_make_the_same_of_growing_pages(name: str):
    """Named are the series and the places of sizes that differ."""
    frozen = STORED["extractors"][name]
    differing = [
        (series, place)
        for series, rows in of_extractor(name).items()
        for place, (row, own) in enumerate(zip(rows, frozen[series], strict=True))
        if [value for value in row if isinstance(value, str)] != [value for value in own if isinstance(value, str)]
        or [value for value in row if not isinstance(value, str)] != pytest.approx([v for v in own if not isinstance(v, str)], abs=2e-3)
    ]
    assert differing == []
