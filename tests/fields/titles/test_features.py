"""Features of title candidates."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, signals_of
from webcontent.fields.titles.candidates import title_groups
from webcontent.fields.titles.features import title_features
from webcontent.fields.titles.ranking import MODEL
from webcontent.models import SHIPPED


def test_the_models_features_are_those_of_the_code() -> None:
    """Of candidates that are shown and that are not; a model trained on other features would rank at random."""
    signals = signals_of(f"<title>Ice stops the ferry | The Sound</title><h1>Ice stops the ferry</h1>{ENGLISH}")
    rows = title_features(signals, title_groups(signals))
    assert {frozenset(row) for row in rows} == {frozenset(SHIPPED.load(MODEL).config["features"])}


def test_a_headline_shares_words_with_the_text():
    """What tells a headline without any markup from the names of sections and sites: three words of four, of the text's first 3,000 characters."""
    text = "<p>The old harbour freezes in most winters, and the ships wait outside until it thaws, the captain of the port said.</p>" * 4
    page = f"<p>Harbour freezes, ships sink</p><p>Local sports wire</p>{text}"
    assert _features_of(page, "Harbour freezes, ships sink")["in_text"] == 0.75
    assert _features_of(page, "Local sports wire")["in_text"] == 0
    for count, share in ((18, 1), (32, 0)):
        late = (
            text[: text.index("</p>") + 4] * count
            + "<p>An unforeseen icebreaker came at last, and the people on both of the shores were very glad to see it.</p>"
        )
        assert _features_of(f"<p>Unforeseen icebreaker</p>{late}", "Unforeseen icebreaker")["in_text"] == share


@pytest.mark.parametrize(("lines", "distance"), [(0, 1), (3, 4), (4, 5)])
def test_a_date_stands_behind_a_headline(lines: int, distance: int):
    """At most four blocks; a date in a long line is none."""
    page = f"<p>Old harbour freezes</p>{'<p>Section</p>' * lines}<p>5 May 2024</p>{ENGLISH}"
    assert _features_of(page, "Old harbour freezes")["date_behind"] == distance


@pytest.mark.parametrize(("words", "distance"), [(20, 1), (30, 5)])
def test_a_long_line_is_no_date_line(words: int, distance: int):
    """Of more than 120 characters."""
    page = f"<p>Old harbour freezes</p><p>5 May 2024 {'ice ' * words}</p>{ENGLISH}"
    assert _features_of(page, "Old harbour freezes")["date_behind"] == distance


@pytest.mark.parametrize(("name", "holds"), [("The", 0), ("Sound", 1)])
def test_short_names_of_the_site_are_not_looked_for(name: str, holds: int):
    """Three letters are in many titles."""
    page = f'<meta property="og:site_name" content="{name}"><p>The ferry of the Sound</p>{ENGLISH}'
    assert _features_of(page, "The ferry of the Sound")["holds_site"] == holds


def _features_of(html: str, text: str) -> dict[str, float]:
    signals = signals_of(html)
    groups = title_groups(signals)
    place = [group.text for group in groups].index(text)
    return title_features(signals, groups)[place]
