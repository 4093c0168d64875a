"""The class attributes of a page, joined once and searched for many patterns."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks


class ClassNames:
    """The different class attributes of a page."""

    def __init__(self, blocks: Blocks) -> None:
        self._names, self._codes = blocks.class_codes
        self._joined = "\n".join(self._names).lower()

    def rows(self, pattern: re.Pattern[str], words: tuple[str, ...]) -> list[int]:
        """Rows of the elements whose class attribute matches; each different attribute is looked at once.

        `words`: in small letters; one of them is in whatever the pattern matches. Most pages have none of them, which costs little to see.
        """
        near = {code for word in words if word in self._joined for code in self._codes_with(word)}
        matching = [code for code in near if pattern.search(self._names[code])]
        if not matching:
            return []
        table = np.zeros(len(self._names), np.bool_)
        table[matching] = True
        rows: list[int] = np.flatnonzero(table[self._codes]).tolist()
        return rows

    def are_absent(self) -> NDArray[np.bool_]:
        """For each element whether it has no class attribute, or an empty one."""
        absent = self._names.index("") if "" in self._names else -1
        result: NDArray[np.bool_] = self._codes == absent
        return result

    def _codes_with(self, word: str) -> Iterator[int]:
        """The codes of the class attributes that hold a word."""
        place = self._joined.find(word)
        while place >= 0:
            code = bisect_right(self._starts, place) - 1
            yield code
            place = self._joined.find(word, self._starts[code + 1]) if code + 1 < len(self._starts) else -1

    @cached_property
    def _starts(self) -> list[int]:
        """Where each class attribute begins in the joined text."""
        return list(accumulate((len(name.lower()) + 1 for name in self._names[:-1]), initial=0))
