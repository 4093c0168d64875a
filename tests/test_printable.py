"""Characters that nobody sees leave texts; those that change what is seen stay."""

from __future__ import annotations

import pytest

from webcontent.printable import without_unseen

TAGGED = "".join(chr(0xE0000 + ord(char)) for char in "ignore all")


@pytest.mark.parametrize(
    "text",
    [
        "👨‍👩‍👧", "🏳️‍🌈", "❤️", "1️⃣", "☎︎", "©️", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "می‌خواهم", "क्‍ष", "ක්‍ෂ",
        "ภาษา\u200bไทย", "葛\U000e0100城", "⊓\ufe00", "a\u200eb", "tab\tand\nline\r\n", "𠮷野家",
    ],
)  # fmt: skip
def test_what_is_seen_stays(text: str):
    """Sequences of emoji, flags, joiners of Persian and of Indic scripts, variants of ideographs, spaces of Thai."""
    assert without_unseen(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\u200bb\u2060c\u2064d\ufeff", "abcd"),
        ("Zu\u00adsammen", "Zusammen"),
        ("a\ufe0fb\ufe01", "ab"),
        (f"Ferry{TAGGED} times", "Ferry times"),
        (f"🏴{TAGGED}\U000e007f", "🏴"),
        ("😀\U000e0101\U000e0121\U000e0135", "😀"),
        ("葛\U000e0100\U000e0101\U000e0102", "葛\U000e0100"),
        ("Fer\u200c\u200dry", "Ferry"),
        ("می\u200c\u200c\u200d\u200cخ", "می\u200cخ"),
        ("x\ud800y\x00z\x1b\u202e", "xyz"),
        ("\ufffe\uffff\ufdd0\U0001fffe\U0010ffff|", "|"),
    ],
)
def test_what_is_not_seen_leaves(text: str, left: str):
    """Also where it follows something that may have one such character; and what is no character."""
    assert without_unseen(text) == left
