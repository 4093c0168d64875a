"""Texts -> kinds of their characters, in arrays: what is counted by character or by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = ("", "upper", "digit", "stop", "comma", "currency", "cjk", "space", "mark", "letter")
"""Names of the kinds, in the order of their codes; the first: all other characters."""
UPPER, DIGIT, STOP, COMMA, CURRENCY, CJK, SPACE, MARK, LETTER = range(1, len(KINDS))


def _character_kinds() -> NDArray[np.uint8]:
    """Kind of each character of the basic plane."""
    kinds = np.zeros(0x10000, np.uint8)
    for code in range(0x10000):
        char = chr(code)
        if char.isspace():
            kinds[code] = SPACE
        elif char.isdigit():
            kinds[code] = DIGIT
        elif char.isupper():
            kinds[code] = UPPER
        elif char.isalpha():
            kinds[code] = LETTER
    for low, high in ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF)):
        kinds[low : high + 1] = CJK
    for chars, kind in ((".!?。！？…।؟", STOP), (",;，；、،", COMMA), ("$€£¥₹￥₽₩%", CURRENCY), ("|»›•·/>→@#©+*", MARK)):
        kinds[[ord(char) for char in chars]] = kind
    return kinds


_KIND_OF = _character_kinds()


def kinds_of(texts: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Kinds of all characters of the texts, each text followed by a space, and where each text starts."""
    codes = np.frombuffer((" ".join(texts) + " ").encode("utf-32-le", "replace"), np.uint32)
    starts = np.zeros(len(texts), np.int64)
    np.cumsum([len(text) + 1 for text in texts[:-1]], out=starts[1:])
    return _KIND_OF[np.minimum(codes, 0xFFFF)], starts


def count_kinds(kinds: NDArray[np.uint8], starts: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """How many characters of each kind stand in each text; arguments as `kinds_of` gives them."""
    lengths = np.diff(np.append(starts, len(kinds)))
    codes = np.repeat(np.arange(len(starts)) * len(KINDS), lengths) + kinds
    counts = np.bincount(codes, minlength=len(starts) * len(KINDS)).reshape(-1, len(KINDS)).T.astype(np.float64)
    return dict(zip(KINDS, counts, strict=True))


def count_words(kinds: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Words of each text; in Chinese, Japanese and Korean each character is one. Arguments as `kinds_of` gives them.

    >>> count_words(*kinds_of(["two words", "", "新闻 news"])).tolist()
    [2, 0, 3]
    """
    if not len(starts):
        return np.zeros(0, np.int32)
    space, cjk = kinds == SPACE, kinds == CJK
    parts = space | cjk
    marks = cjk.astype(np.int32)
    marks[:-1] += parts[1:] & ~parts[:-1]
    return np.add.reduceat(marks, starts)
