"""Lines of a page: title, sizes, and words of any script."""

from __future__ import annotations

import numpy as np
import pytest

from webcontent.document.parsing import Document
from webcontent.extractors.lines import (
    DIGIT,
    IDEOGRAPH,
    LETTER,
    PUNCTUATION,
    byte_sizes,
    clean_title,
    markup_sizes,
    term_counts,
    terms_of,
    words_of,
)
from webcontent.items import Page


@pytest.mark.parametrize(
    ("title", "cleaned"),
    [
        (None, ""),
        ("A new bridge", "A new bridge"),
        ("A new bridge - Town News", "A new bridge"),
        ("A new bridge - and a mill - Town News", "A new bridge - and a mill"),
        ("A post-war bridge", "A post-war bridge"),
        ("A bridge | Town News", "A bridge"),
        ("大桥将重建-某网", "大桥将重建"),
        ("大桥将重建_新闻_某网", "大桥将重建_新闻"),
        ("- Town News", "- Town News"),
        ("  two \n words ", "two words"),
    ],
)
def test_the_last_separator_is_followed_by_the_sites_name(title, cleaned):
    """Section 2.2.2 of the paper; hyphens inside words are no separators."""
    assert clean_title(title) == cleaned


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("", []),
        (" \n\t", []),
        ("Two words", [LETTER, LETTER]),
        ("新闻 news", [IDEOGRAPH, IDEOGRAPH, LETTER]),
        ("2019-10-08", [DIGIT, PUNCTUATION, DIGIT, PUNCTUATION, DIGIT]),
        ("हिन्दी में", [LETTER, LETTER]),
        ("ข่าว", [IDEOGRAPH, IDEOGRAPH, IDEOGRAPH, IDEOGRAPH]),
        ("한국", [IDEOGRAPH, IDEOGRAPH]),
        ("covid19", [LETTER, DIGIT]),
        ("𝒳!", [PUNCTUATION]),
    ],
)
def test_words_of_any_script(text, classes):
    """Runs of letters and of digits, single ideographs, single punctuation marks; nothing beyond the basic plane."""
    assert words_of([text]).classes.tolist() == classes


def test_half_a_character_does_no_harm():
    """Lone surrogates come out of broken scripts."""
    assert words_of(["\ud800 x"]).classes.tolist()[-1:] == [LETTER]


def test_equal_words_have_equal_codes():
    """Whatever their case and line; other words have others."""
    found = words_of(["The mill", "a MILL", "mills"])
    the, mill, _, other, mills = found.codes.tolist()
    assert mill == other
    assert len({the, mill, mills}) == 3
    assert found.starts.tolist() == [0, 2, 4, 5]
    assert found.lines.tolist() == [0, 0, 1, 1, 2]


def test_dates_have_the_same_form_when_digits_are_the_same():
    """What tells a date from a number is its form."""
    assert words_of(["2019-10-08"], same_digits=True).codes.tolist() == words_of(["2024-03-05"], same_digits=True).codes.tolist()
    assert words_of(["2019"]).codes.tolist() != words_of(["2024"]).codes.tolist()


def test_a_long_line_is_read_in_part():
    """Bounded work for a page that is one line."""
    assert len(words_of(["word " * 100_000], longest=100).codes) == 20


def test_terms_are_words_and_pairs_of_ideographs():
    """Pairs do not reach over the end of a line or over punctuation, which is no term."""
    assert len(terms_of("Two words, two!")) == 2
    assert len(terms_of("新闻网")) == 2
    assert len(terms_of("新。闻")) == 0
    codes, lines = words_of(["新", "闻"]).terms()
    assert (len(codes), len(lines)) == (0, 0)


def test_the_terms_of_a_title_are_counted_once_a_line():
    """How many different ones a line holds."""
    found = term_counts(["Bridge, bridge, bridge", "the old mill", "", "a new bridge"], terms_of("New bridge"))
    assert found.tolist() == [1, 0, 0, 2]


def test_without_lines_or_terms_nothing_is_counted():
    """Empty in, zeros out."""
    assert term_counts([], terms_of("x")).tolist() == []
    assert term_counts(["text"], terms_of("")).tolist() == [0]
    assert words_of([]).starts.tolist() == [0]


@pytest.mark.parametrize(
    ("html", "sizes"),
    [
        ("<p>text</p>", [len("<p></p>")]),
        ("<p>two <a href='/x'>words</a></p>", [len("<p></p>") + len("<a href='/x'></a>")]),
        ("<p>one<br>two</p>", [len("<p></p>"), 0]),
        ("<div class=a><p>one</p><p>two</p></div>", [len("<p></p>")] * 2),
        ("<p>text<a href='/long-address'></a></p>", [len("<p></p>")]),
        ("", []),
    ],
    ids=["tag", "inline element", "second line of an element", "containers", "empty element", "nothing"],
)
def test_the_markup_of_a_line_is_its_own_tags(html, sizes):
    """The element around the line and the inline elements with its text; containers and empty elements count nothing."""
    assert markup_sizes(Document.from_page(Page(html=html)).blocks).tolist() == sizes


def test_sizes_are_fair_to_all_scripts():
    """Bytes of UTF-8."""
    assert byte_sizes(["abc", "新", "é", "\ud800", ""]).tolist() == [3, 3, 2, 1, 0]
    assert byte_sizes([]).dtype == np.int64
