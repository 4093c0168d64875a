"""Classes of characters, and what is counted by them."""

from __future__ import annotations

import pytest

from webcontent.document.characters import CLASSES, character_classes, count_classes, count_words


@pytest.mark.parametrize(
    ("chars", "name"),
    [
        ("AÉЖ", "upper"),
        ("aéжßन", "letter"),
        ("09٣", "digit"),
        (".!?。！？…।؟", "terminator"),
        (",;，；、،", "comma"),
        ("$€£¥￥%", "currency"),
        ("新あア한", "cjk"),
        (" \t\n\u3000\xa0", "space"),
        ("|»•→@#©", "symbol"),
        ("(-\"'“_", ""),
    ],
    ids=lambda value: value if value.isascii() else None,
)
def test_each_character_has_a_class(chars, name):
    """Of any script; what has no class of its own is in the first."""
    assert [CLASSES[code] for code in character_classes([chars])[0][: len(chars)]] == [name] * len(chars)


def test_a_character_beyond_the_basic_plane_has_the_first_class():
    """Emoji and rare ideographs are one character each."""
    classes, starts = character_classes(["😀x", "y"])
    assert starts.tolist() == [0, 3]
    assert CLASSES[classes[0]] == ""


def test_characters_are_counted_by_text():
    """A text does not see its neighbours; the space behind each text counts."""
    counts = count_classes(*character_classes(["Two words.", "", "新闻"]))
    assert counts["upper"].tolist() == [1, 0, 0]
    assert counts["terminator"].tolist() == [1, 0, 0]
    assert counts["cjk"].tolist() == [0, 0, 2]
    assert counts["space"].tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("two words", 2), ("新闻 news", 3), ("한국어 기사", 5), ("naïve café", 2), ("ニュース", 4), ("2024年3月", 4), (" ", 0)],
)
def test_a_chinese_character_counts_as_a_word(text, words):
    """So do kana and Hangul; elsewhere white space separates words."""
    assert count_words(*character_classes([text, "another"])).tolist() == [words, 1]


def test_no_texts_have_no_words():
    """An empty array."""
    assert count_words(*character_classes([])).tolist() == []
