"""Features of title candidates."""

from __future__ import annotations

from tests.fields.pages import ENGLISH, signals_of
from webcontent.fields.titles.candidates import title_groups
from webcontent.fields.titles.features import title_features
from webcontent.fields.titles.ranking import MODEL
from webcontent.models import SHIPPED


def test_the_models_features_are_those_of_the_code() -> None:
    """It reads each by its name."""
    assert set(SHIPPED.load(MODEL).config["features"]) == set(_features_of(f"<h1>Ice stops the ferry</h1>{ENGLISH}", "Ice stops the ferry"))


def test_a_headline_shares_words_with_the_text_and_a_section_links():
    """What tells a headline without any markup from the names of sections and sites."""
    page = '<ul><li><a href="/">Local sports wire</a></ul><p>Old harbour freezes</p><p>Local sports wire</p>'
    text = "<p>The old harbour freezes in most winters, and the ships wait outside until it thaws, the captain of the port said.</p>" * 4
    row = _features_of(f"{page}{text}", "Old harbour freezes")
    other = _features_of(f"{page}{text}", "Local sports wire")
    assert (row["in_text"], row["links_with_it"]) == (1, 0)
    assert other["in_text"] == 0
    assert other["links_with_it"] == 1


def _features_of(html: str, text: str) -> dict[str, float]:
    signals = signals_of(html)
    groups = title_groups(signals)
    return title_features(signals, groups)[[group.text for group in groups].index(text)]
