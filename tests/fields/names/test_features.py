"""Features of candidates, by their names."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tests.fields.pages import ENGLISH, titled
from webcontent.fields.names.candidates import byline_groups
from webcontent.fields.names.context import context_hashes
from webcontent.fields.names.features import FEATURES, byline_features
from webcontent.fields.names.ranking import MODEL
from webcontent.models import SHIPPED

PAGE = f'<meta name="author" content="Bob Ray"><title>Ice stops the ferry</title><h1>Ice stops the ferry</h1><p>By Jane Doe</p>{ENGLISH}'


def test_columns_are_those_that_the_model_names() -> None:
    """In any order: a model that was trained with another one is fed rightly."""
    signals, anchor = titled(PAGE)
    groups = byline_groups(signals, anchor)
    features = byline_features(signals, anchor, groups, (), FEATURES)
    assert features.shape == (len(groups), len(FEATURES))
    assert np.array_equal(byline_features(signals, anchor, groups, (), FEATURES[::-1]), features[:, ::-1])


def test_the_shipped_model_knows_all_features() -> None:
    """Its config stores their order."""
    assert set(SHIPPED.load(MODEL).config["features"]) == set(FEATURES)


def test_declared_and_shown_candidates_have_the_same_features() -> None:
    """What only meta elements name stands nowhere on the page."""
    signals, anchor = titled(PAGE)
    groups = {group.text: group for group in byline_groups(signals, anchor)}
    names = ("declared authors", "atoms", "author_label", "title_distance", "form", "tag", "person")
    shown, declared = byline_features(signals, anchor, [groups["Jane Doe"], groups["Bob Ray"]], (), names).tolist()
    assert shown[:5] == [0, 1, 1, 1, 0]
    assert declared == [1, 0, 0, 60, -1, -1, 1]


def hashes_of(html: str) -> list[int]:
    signals, anchor = titled(f"<title>Ice stops the ferry</title><h1>Ice stops the ferry</h1>{html}{ENGLISH}")
    groups = byline_groups(signals, anchor)
    return context_hashes(signals, groups)[[group.text for group in groups].index("Jane Doe")].tolist()


@pytest.mark.parametrize("form", ["places", "classes"])
def test_the_first_two_places_and_three_classes_of_a_name_count(form: str) -> None:
    """A class of one word is two tokens, one of them with its prefix."""
    words = ("alpha", "beta", "gamma", "delta", "epsilon")
    places = ["".join(f"<p class={word}>By Jane Doe</p>" for word in words[:count]) for count in range(1, 5)]
    classes = [f"<p class='{' '.join(words[:count])}'>By Jane Doe</p>" for count in range(2, 6)]
    hashes = map(hashes_of, places if form == "places" else classes)
    assert [one == other for one, other in pairwise(hashes)] == [False, True, True]
