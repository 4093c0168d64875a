"""Features of title candidates."""

from __future__ import annotations

from tests.fields.pages import ENGLISH, signals_of
from webcontent.fields.titles.candidates import title_groups
from webcontent.fields.titles.features import FEATURES, title_features
from webcontent.fields.titles.ranking import MODEL
from webcontent.models import SHIPPED


def test_the_models_features_are_those_of_the_code() -> None:
    """A model trained on other columns would rank at random."""
    assert SHIPPED.load(MODEL).config["features"] == list(FEATURES)


def test_features_have_a_row_a_candidate_and_a_column_a_name() -> None:
    """float32 [candidates, features]."""
    signals = signals_of(f"<title>Ice stops the ferry | The Sound</title><h1>Ice stops the ferry</h1>{ENGLISH}")
    groups = title_groups(signals)
    assert title_features(signals, groups).shape == (len(groups), len(FEATURES))
