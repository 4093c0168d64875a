"""Which of the many titles of a page is its title, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fields.pages import CHINESE, ENGLISH, signals_of
from webcontent.fields.titles import TitleAnchor, find_titles

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals


def best_title(signals: PageSignals) -> str:
    return find_titles(signals)[0][0].value


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
        (
            f"<title>Ice stops the ferry</title><article><h2>The night</h2>{ENGLISH}<h2>The morning</h2>{ENGLISH}</article>",
            "Ice stops the ferry",
        ),
        (f"<title>浮冰阻断渡轮 第二版 海峡新闻网</title><p>浮冰阻断渡轮</p>{CHINESE}", "浮冰阻断渡轮"),
        (
            "<title>新闻</title><p><a href=/>首页</a> <a href=/b>新闻</a></p><div><p>海峡浮冰阻断渡轮三天，两岸居民只得绕行。</p></div>",
            "新闻",
        ),
    ],
    ids=[
        "h1",
        "site name in h1",
        "chinese",
        "title element alone",
        "og:title",
        "kicker in h1",
        "headings of sections",
        "spaces in a chinese title element",
        "first-sentence",
    ],
)
def test_the_title_is_the_storys_without_the_sites_name(html: str, title: str) -> None:
    """Places that agree win over the site's name, wherever it stands."""
    assert best_title(signals_of(html)) == title


def test_every_candidate_says_where_it_was_seen() -> None:
    """Evidence: value, origin, place, score; best first."""
    candidates, _ = find_titles(signals_of(f"<title>Ice stops the ferry | The Sound</title><h1>Ice stops the ferry</h1>{ENGLISH}"))
    assert candidates[0].xpath == "/html/body/h1"
    assert [candidate.score for candidate in candidates] == sorted((candidate.score for candidate in candidates), reverse=True)
    assert "The Sound" in {candidate.value for candidate in candidates}


@pytest.mark.parametrize(
    ("headings", "agrees"),
    [
        ("<h1>Ice stops the ferry</h1>", True),
        ("<h1>Weather</h1><h2>Ice stops the ferry</h2>", True),
        ("<h1>Weather</h1><h3>Ice stops the ferry</h3>", False),
    ],
    ids=["first level", "second level", "third level"],
)
def test_a_heading_that_a_declared_title_agrees_with_is_not_ranked(headings: str, agrees: bool) -> None:
    """Only one of the first two levels."""
    html = f'<meta property="og:title" content="Ice stops the ferry"><title>The Sound</title>{headings}{ENGLISH}'
    best, *others = find_titles(signals_of(html))[0]
    assert best.value == "Ice stops the ferry"
    assert (best.score == 1, {other.score for other in others} == {0}) == (agrees, agrees)


def test_a_page_without_text_has_no_title() -> None:
    """Nothing is made up."""
    candidates, anchor = find_titles(signals_of(""))
    assert candidates == []
    assert (anchor.block, anchor.key) == (None, None)


def test_the_name_of_the_site_in_a_sidebar_is_no_title() -> None:
    """A page of a single-page application has the site's name as its title element and as a first-level heading of its menu."""
    menu = "<aside><h1><a href='/story.html'>Sound Notes</a></h1><ul><li>Ice<li>Boats</ul></aside>"
    html = f"<title>Sound Notes</title><main>{menu}<section><article><h1>No ferry today</h1>{ENGLISH}</article></section></main>"
    assert best_title(signals_of(html)) == "No ferry today"


def test_a_declared_heading_in_a_sidebar_is_the_title() -> None:
    """The box about the subject of a page has its name; the frame has another first-level heading."""
    head = '<title>No ferry today - Sound Notes</title><meta name="twitter:title" content="No ferry today - Sound Notes">'
    html = f"{head}<main><aside><h1>No ferry today</h1></aside>{ENGLISH}</main><div><h1>Fan Feed</h1></div>"
    assert best_title(signals_of(html)) == "No ferry today"


def test_a_heading_in_a_sidebar_is_the_title_where_there_is_no_other() -> None:
    """Some designs put the head of a story beside it."""
    html = f"<title>No ferry today</title><main><aside><h1>No ferry today</h1></aside><article>{ENGLISH}</article></main>"
    assert best_title(signals_of(html)) == "No ferry today"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (f"<title>Ice stops the ferry</title><p>Menu</p><h1>Ice stops the ferry</h1>{ENGLISH}", "Ice stops the ferry"),
        (
            f'<meta property="og:title" content="Ice stops the old ferry"><h2>Ice stops the old ferry again</h2>{ENGLISH}',
            "Ice stops the old ferry again",
        ),
    ],
    ids=["heading", "declared title, longer heading"],
)
def test_the_anchor_is_the_block_that_shows_the_title(html: str, text: str) -> None:
    """Its own heading, else the first heading that shares its text."""
    signals = signals_of(html)
    _, anchor = find_titles(signals)
    assert anchor.block is not None
    assert signals.blocks.texts[anchor.block] == text


def test_a_title_that_no_block_shows_has_a_key_and_no_block() -> None:
    """Finders of other fields then measure from the body."""
    _, anchor = find_titles(signals_of(f"<title>Ice stops the ferry</title>{ENGLISH}"))
    assert (anchor.block, anchor.key) == (None, "icestopstheferry")


@pytest.mark.parametrize(("chars", "blocks"), [(200, range(5, 50)), (201, range(0))])
def test_lines_about_an_article_are_short_and_near_its_title(chars: int, blocks: range) -> None:
    """From the fifteenth block before it to the twenty-ninth behind it."""
    anchor = TitleAnchor(signals_of(f"<p>{'x' * chars}</p>" * 60), 20)
    assert [block for block, _ in anchor.lines()] == [*blocks]
