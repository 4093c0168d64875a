"""Which of the many titles of a page is its title."""

from __future__ import annotations

import pytest

from tests.fields.pages import CHINESE, ENGLISH, clues_of
from webcontent.fields.titles import FIGURES, MODEL, find_titles, site_names, tail_of_title, title_figures, title_groups
from webcontent.models import SHIPPED


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (f"<title>Ice stops the ferry | The Sound</title><h1>Ice stops the ferry</h1>{ENGLISH}", "Ice stops the ferry"),
        (
            f"<title>Ice stops the ferry - The Sound</title><div class=logo><h1>The Sound</h1></div><h2>Ice stops the ferry</h2>{ENGLISH}",
            "Ice stops the ferry",
        ),
        (f"<title>浮冰阻断渡轮_海峡新闻网</title><h1>浮冰阻断渡轮</h1>{CHINESE}", "浮冰阻断渡轮"),
        (f"<title>Ice stops the ferry</title>{ENGLISH}", "Ice stops the ferry"),
        (
            f'<meta property="og:title" content="Ice stops the ferry"><title>Ice stops the ferry - News - The Sound</title>{ENGLISH}',
            "Ice stops the ferry",
        ),
        (
            '<meta property="og:title" content="Ice stops the ferry"><title>Ice stops the ferry | The Sound</title>'
            "<h1><span>Winter on the coast</span> <span>Ice stops the ferry</span></h1>" + ENGLISH,
            "Ice stops the ferry",
        ),
        (f"<title>浮冰阻断渡轮 第二版 海峡新闻网</title><p>浮冰阻断渡轮</p>{CHINESE}", "浮冰阻断渡轮"),
    ],
    ids=["h1", "site name in h1", "chinese", "title element alone", "og:title", "kicker in h1", "spaces in a chinese title element"],
)
def test_the_title_is_the_storys_without_the_sites_name(html: str, title: str) -> None:
    """Places that agree win over the site's name, wherever it stands."""
    assert find_titles(clues_of(html, titled=False))[0].value == title


def test_every_candidate_says_where_it_was_seen() -> None:
    """Evidence: value, origin, place, score; best first."""
    found = find_titles(clues_of(f"<title>Ice stops the ferry | The Sound</title><h1>Ice stops the ferry</h1>{ENGLISH}", titled=False))
    assert found[0].xpath == "/html/body/h1"
    assert [candidate.score for candidate in found] == sorted((candidate.score for candidate in found), reverse=True)
    assert "The Sound" in {candidate.value for candidate in found}


def test_a_page_without_text_has_no_title() -> None:
    """Nothing is made up."""
    assert find_titles(clues_of("", titled=False)) == []


@pytest.mark.parametrize(
    ("title", "tail"),
    [
        ("A story - The Paper", "The Paper"),
        ("A story | News | The Paper", "The Paper"),
        ("A story", None),
        ("Another story - The Paper", None),
    ],
)
def test_what_stands_behind_the_title_is_the_sites_name(title: str, tail: str | None) -> None:
    """Only where the rest is the title itself."""
    assert tail_of_title(title, "astory") == tail


def test_the_site_is_named_by_meta_tags_and_address() -> None:
    """Plain names."""
    assert {"thesound", "news", "newsexample"} <= site_names(
        clues_of('<meta property="og:site_name" content="The Sound">', url="https://www.news.example/a")
    )


def test_the_models_features_are_those_of_the_code() -> None:
    """A model trained on other columns would rank by chance."""
    assert SHIPPED.load(MODEL).config["features"] == list(FIGURES)


def test_figures_have_a_row_a_candidate_and_a_column_a_name() -> None:
    """float32 [candidates, figures]."""
    signals = clues_of(f"<title>Ice stops the ferry | The Sound</title><h1>Ice stops the ferry</h1>{ENGLISH}", titled=False)
    groups = title_groups(signals)
    assert title_figures(signals, groups).shape == (len(groups), len(FIGURES))


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
    groups = title_groups(clues_of(f"<title>A</title>{heading}{ENGLISH}", titled=False))
    assert any(group.text == part and "h1 part" in group.origins for group in groups)


def test_the_name_of_the_site_in_a_sidebar_is_no_title() -> None:
    """A page of a single-page application has the site's name as its title element and as a first-level heading of its menu."""
    menu = "<aside><h1><a href='/story.html'>Sound Notes</a></h1><ul><li>Ice<li>Boats</ul></aside>"
    html = f"<title>Sound Notes</title><main>{menu}<section><article><h1>No ferry today</h1>{ENGLISH}</article></section></main>"
    assert find_titles(clues_of(html, titled=False))[0].value == "No ferry today"


def test_a_heading_in_a_sidebar_is_the_title_where_there_is_no_other() -> None:
    """Some designs put the head of a story beside it."""
    html = f"<title>No ferry today</title><main><aside><h1>No ferry today</h1></aside><article>{ENGLISH}</article></main>"
    assert find_titles(clues_of(html, titled=False))[0].value == "No ferry today"
