"""What a page says about itself."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, signals_of
from webcontent.document.text import node_text
from webcontent.extraction import BODY, NOISE
from webcontent.fields.page_signals import collapse, plain


def test_headings_are_in_order_of_level() -> None:
    """Empty ones are left out; a heading of several lines is one text."""
    signals = signals_of("<h2>Two</h2><h1>One<br>more</h1><h1></h1><h3>Three</h3><h5>Five</h5>")
    assert [(heading.level, heading.text) for heading in signals.headings] == [(1, "One more"), (2, "Two"), (3, "Three")]


@pytest.mark.parametrize("count", [59, 60, 61])
def test_of_headings_without_end_the_first_sixty_are_looked_at(count: int) -> None:
    assert len(signals_of("".join(f"<h2>Part {number}</h2>" for number in range(count))).headings) == min(count, 60)


@pytest.mark.parametrize(
    ("class_name", "fields"),
    [
        ("post-date", ("time",)),
        ("entry-byline", ("authors",)),
        ("article-source", ("source",)),
        ("last-updated-date", ("time", "modified")),
        ("comment-date", ()),
        ("timeline", ()),
        ("candidate", ()),
        ("wrapper", ()),
    ],
)
def test_classes_name_fields(class_name: str, fields: tuple[str, ...]) -> None:
    """Words that only look like it, and dates of comments, name none."""
    signals = signals_of(f'<div class="{class_name}">x</div><p>y</p>')
    assert [names for _, names in signals.field_rows] == ([fields] if fields else [])


def test_a_section_with_many_blocks_names_no_field() -> None:
    """Its class is about what it holds."""
    assert signals_of(f'<div class="news-updates">{"<p>x</p>" * 20}</div>').field_rows == []


def test_the_body_is_that_of_the_labels() -> None:
    """Without labels it is the running text."""
    html = f"<p>Menu</p>{ENGLISH}<p>Footer</p>"
    assert signals_of(html).body == (1, 3)
    assert signals_of(html, labels=[NOISE, NOISE, BODY, NOISE, BODY]).body == (2, 4)
    assert signals_of(html, labels=[NOISE] * 5).body == (1, 3)
    assert signals_of("<p>Menu</p>").body is None


def test_running_text_is_in_the_smallest_element_that_holds_most_of_it() -> None:
    """A teaser with a sentence beside it is left out."""
    html = f"<aside>{ENGLISH.split('</p>')[0]}</p></aside><main>{ENGLISH}</main>"
    assert signals_of(html).running == (1, 3)


@pytest.mark.parametrize(("linked", "last"), [(7, 4), (8, 3)])
def test_running_text_has_three_words_per_linked_word_and_more(linked: int, last: int) -> None:
    line = f"<p><a href=/x>{'link ' * linked}</a>{'word ' * (24 - linked)}</p>"
    assert signals_of(f"<p>Menu</p>{ENGLISH}{line}<p>Footer</p>").running == (1, last)


@pytest.mark.parametrize(
    ("html", "url", "day_first"),
    [
        ("<html lang=en>", "https://news.example/", False),
        ("<html lang=en-US>", "https://news.example/", False),
        ("<html lang=en>", "https://news.example.co.uk/a", True),
        ("<html lang=en-GB>", "https://news.example/", True),
        ("<html lang=de>", "https://news.example/", True),
        ("<p>", "https://news.example/", False),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_region(html: str, url: str, day_first: bool) -> None:
    """By language and top-level domain."""
    assert signals_of(f"{html}{ENGLISH}", url=url).dates.day_first is day_first


@pytest.mark.parametrize(
    ("title", "is_han"), [("浮冰阻断渡轮", True), ("渡し船が欠航", False), ("Ice stops the ferry", False)], ids=["zh", "ja", "en"]
)
def test_chinese_pages_have_chinese_titles(title: str, is_han: bool) -> None:
    """Kana make a title Japanese."""
    assert signals_of(f"<title>{title}</title>{ENGLISH}").is_han is is_han


def test_the_fetch_time_may_be_unknown() -> None:
    """Then relative times are not counted, and the present is only a bound."""
    assert not signals_of(ENGLISH, fetched_at=None).dates.relative
    assert signals_of(ENGLISH, fetched_at="2024-06-10T12:00:00+08:00").dates.relative
    assert signals_of(ENGLISH, fetched_at="no time").dates.now.tzinfo is not None


@pytest.mark.parametrize(
    "html", ["<figure><figcaption><span>x</span></figcaption></figure>", "<div class=photo-credit><span>x</span></div>"]
)
def test_text_below_an_image_belongs_to_it(html: str) -> None:
    """A figure, or a class that names images, captions or credits."""
    signals = signals_of(f"<main>{html}<p>y</p></main>")
    rows = [int(signals.blocks.element[block]) for block in range(2)]
    assert [signals.in_figure(row) for row in rows] == [True, False]


@pytest.mark.parametrize(("depth", "is_in_it"), [(3, True), (4, False)])
def test_a_figure_is_looked_for_in_four_elements(depth: int, is_in_it: bool) -> None:
    signals = signals_of(f"<main><figure>{'<div>' * depth}x{'</div>' * depth}</figure><p>y</p></main>")
    assert signals.in_figure(int(signals.blocks.element[0])) is is_in_it


def test_texts_have_a_plain_form() -> None:
    """Letters and digits, in lower case, full-width ones as usual."""
    assert plain("  Ice—stops, the FERRY! ") == "icestopstheferry"
    assert plain("２０２４ 年：浮冰") == "2024年浮冰"
    assert plain(None) == ""
    assert collapse(" a \n b ") == "a b"


def test_texts_of_elements_have_no_scripts() -> None:
    """And what follows the element is no part of it."""
    signals = signals_of("<div id=x>a<script>b</script> <style>c</style><b>d</b></div>e")
    assert node_text(signals.document.root.xpath("//div")[0]) == "a d"
