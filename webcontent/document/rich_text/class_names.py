"""The class attributes of a page, joined once and searched for many patterns."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import re

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
        found = [word for word in words if word in self._joined]
        if not found:
            return []
        near = [code for code, name in enumerate(self._lowered) if any(word in name for word in found)]
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

    @cached_property
    def _lowered(self) -> list[str]:
        return [name.lower() for name in self._names]
