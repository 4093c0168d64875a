"""Texts -> classes of their characters, in arrays: what is counted by character or by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

CLASSES = ("", "upper", "digit", "terminator", "comma", "currency", "cjk", "space", "symbol", "letter")
"""Names of the character classes, in the order of their codes. The first holds all other characters."""
UPPER, DIGIT, TERMINATOR, COMMA, CURRENCY, CJK, SPACE, SYMBOL, LETTER = range(1, len(CLASSES))

CJK_RANGES = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
"""Kana, ideographs and Hangul, as the inside of a character class of a regular expression."""
BASIC_PLANE = 0x10000
"""Code points that the tables of classes cover. Characters beyond them (emoji, rare ideographs) count as the last one."""


def iter_ranges(ranges: str) -> Iterator[tuple[int, int]]:
    """First and last code point of each range of a character class.

    >>> list(iter_ranges("a-z0-9"))
    [(97, 122), (48, 57)]
    """
    for place in range(0, len(ranges), len("a-z")):
        yield ord(ranges[place]), ord(ranges[place + 2])


def _class_table() -> NDArray[np.uint8]:
    """Class of each character of the basic plane."""
    table = np.zeros(BASIC_PLANE, np.uint8)
    for code in range(BASIC_PLANE):
        char = chr(code)
        if char.isspace():
            table[code] = SPACE
        elif char.isdigit():
            table[code] = DIGIT
        elif char.isupper():
            table[code] = UPPER
        elif char.isalpha():
            table[code] = LETTER
    for first, last in iter_ranges(CJK_RANGES):
        table[first : last + 1] = CJK
    for chars, code in ((".!?。！？…।؟", TERMINATOR), (",;，；、،", COMMA), ("$€£¥₹￥₽₩%", CURRENCY), ("|»›•·/>→@#©+*", SYMBOL)):
        table[[ord(char) for char in chars]] = code
    return table


_CLASS_OF = _class_table()


def code_points(text: str) -> NDArray[np.uint32]:
    """Code points of a text; lone surrogates become question marks."""
    return np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)


def character_classes(texts: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Classes of all characters of the texts, each text followed by a space, and where each text starts."""
    codes = code_points(" ".join(texts) + " ")
    starts = np.zeros(len(texts), np.int64)
    np.cumsum([len(text) + 1 for text in texts[:-1]], out=starts[1:])
    return _CLASS_OF[np.minimum(codes, BASIC_PLANE - 1)], starts


def count_classes(classes: NDArray[np.uint8], starts: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """How many characters of each class each text holds; arguments as `character_classes` gives them."""
    lengths = np.diff(np.append(starts, len(classes)))
    codes = np.repeat(np.arange(len(starts)) * len(CLASSES), lengths) + classes
    counts = np.bincount(codes, minlength=len(starts) * len(CLASSES)).reshape(-1, len(CLASSES)).T.astype(np.float64)
    return dict(zip(CLASSES, counts, strict=True))


def count_words(classes: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Words of each text; in Chinese, Japanese and Korean each character is one. Arguments as `character_classes` gives them.

    >>> count_words(*character_classes(["two words", "", "新闻 news"])).tolist()
    [2, 0, 3]
    """
    if not len(starts):
        return np.zeros(0, np.int32)
    is_space, is_cjk = classes == SPACE, classes == CJK
    is_boundary = is_space | is_cjk
    ends = is_cjk.astype(np.int32)
    ends[:-1] += is_boundary[1:] & ~is_boundary[:-1]
    return np.add.reduceat(ends, starts)
