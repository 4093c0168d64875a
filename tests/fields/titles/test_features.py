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


def test_a_headline_shares_words_with_the_text_and_a_section_links():
    """What tells a headline without any markup from the names of sections and sites."""
    page = '<ul><li><a href="/">Local sports wire</a></ul><p>Old harbour freezes</p><p>Local sports wire</p>'
    text = "<p>The old harbour freezes in most winters, and the ships wait outside until it thaws, the captain of the port said.</p>" * 4
    row = _features_of(f"{page}{text}", "Old harbour freezes")
    other = _features_of(f"{page}{text}", "Local sports wire")
    assert (row["in_text"], row["links_with_it"]) == (1, 0)
    assert other["in_text"] == 0
    assert other["links_with_it"] == 1


def test_font_sizes_are_read_in_pixels():
    """Of <font> and of styles, also around the block's own element."""
    for start, end, size in (
        ('<font size="5">', "</font>", 24),
        ('<span style="color:red;font-size:18pt">', "</span>", 24),
        ('<b style="font-size: 20px">', "</b>", 20),
        ("<b>", "</b>", -1),
    ):
        assert _features_of(f"<p>{start}Ice stops the ferry{end}</p>{ENGLISH}", "Ice stops the ferry")["font_size"] == size


def test_captions_stand_beside_pictures():
    """By the element around both, by its class, and by a picture's other text."""
    page = f'<div class="photo"><img src="a.png" alt="The ferry in the ice"><p>The ferry in the ice</p></div>{ENGLISH}'
    row = _features_of(page, "The ferry in the ice")
    assert row["alt"] == row["picture"] == row["caption_class"] == 1
    plain = _features_of(f"<p>The ferry in the ice</p>{ENGLISH}", "The ferry in the ice")
    assert plain["alt"] == plain["picture"] == plain["caption_class"] == 0


def _features_of(html: str, text: str) -> dict[str, float]:
    signals = signals_of(html)
    groups = title_groups(signals)
    place = [group.text for group in groups].index(text)
    return dict(zip(FEATURES, title_features(signals, groups)[place].tolist(), strict=True))
