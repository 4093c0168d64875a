"""Month names of many languages."""

from __future__ import annotations

import unicodedata

from webcontent.fields.lexicon import load, words


def plain_word(word: str) -> str:
    """Lower case, without accents, dots and apostrophes.

    >>> plain_word("Févr."), plain_word("EKİM")
    ('fevr', 'ekim')
    """
    word = word.lower().strip(".'’׳")
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if unicodedata.category(c) != "Mn")


MONTHS: dict[str, int] = {plain_word(name): number for number, month in enumerate(load("months"), 1) for name in words("months", month)}
"""Month, 1 to 12, by plain name."""


def month_number(name: str) -> int | None:
    """1 to 12 for the name of a month in any language, in full or abbreviated; None for other words."""
    return MONTHS.get(plain_word(name))
