"""Places in which a title may stand."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, signals_of
from webcontent.fields.titles.candidates import clean_title, title_groups


@pytest.mark.parametrize(
    ("heading", "part"),
    [
        ("<h1><span>Coast</span>: Ice stops the ferry</h1>", "Ice stops the ferry"),
        ("<h1><span>Coast</span><br>Ice stops the ferry</h1>", "Ice stops the ferry"),
        ("<h1>Ice stops the ferry <small>The Sound</small></h1>", "Ice stops the ferry"),
        ("<h1><a><b>Coast</b> Ice stops the ferry</a></h1>", "Ice stops the ferry"),
    ],
)
def test_a_heading_without_its_first_or_last_part_is_a_candidate(heading: str, part: str) -> None:
    """Kickers and names of sites stand in elements or lines of their own."""
    groups = title_groups(signals_of(f"<title>A</title>{heading}{ENGLISH}"))
    assert any(group.text == part and "h1 part" in group.origins for group in groups)


def test_places_with_the_same_title_are_one_candidate() -> None:
    """In the form that the reader sees."""
    html = (
        f'<meta property="og:title" content="ICE STOPS THE FERRY"><title>Ice stops the ferry</title><h1>Ice stops the ferry!</h1>{ENGLISH}'
    )
    group = next(group for group in title_groups(signals_of(html)) if group.key == "icestopstheferry")
    assert group.text == "Ice stops the ferry!"
    assert {"og:title", "title", "h1"} <= set(group.origins)
    assert group.level == 1


@pytest.mark.parametrize(("text", "title"), [(" Two \n words ¶ ", "Two words"), ("soft\xadhyphen", "softhyphen"), ("» Title «", "Title")])
def test_marks_around_a_title_are_dropped(text: str, title: str) -> None:
    """Anchors and arrows that pages hang on a heading."""
    assert clean_title(text) == title
