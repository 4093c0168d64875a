"""What generators write, in the table `generators.toml`, and where the class attributes of a page have its words."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks

_TABLE: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("generators.toml").read_text(encoding="utf-8"))
_BORDERS = {"whole": (r"(?:^|\s)", r"(?:\s|$)"), "parts": (r"(?:^|[\s_-])", r"(?:$|[\s_-])"), "inside": ("", "")}
_LITERAL = re.compile(r"[\w-]+(?!\?)")
"""The beginning of a fragment that whatever it matches has."""


def words_of(section: str, name: str) -> list[str]:
    """The words of a row of the table."""
    return _TABLE[section][name].split()


class Role:
    """What a class attribute may say of its element, by the rows of one name."""

    def __init__(self, name: str) -> None:
        words = {section: words_of(section, name) for section in _BORDERS if name in _TABLE[section]}
        self._pattern = re.compile("|".join(f"{_BORDERS[key][0]}(?:{'|'.join(words[key])}){_BORDERS[key][1]}" for key in words))
        self.literals = {match[0] for group in words.values() for word in group if (match := _LITERAL.match(word))}
        """One of them is in whatever the pattern matches."""

    def is_in(self, names: str) -> bool:
        """Whether a class attribute says so."""
        return self._pattern.search(names.lower()) is not None

    def is_of(self, node: HtmlElement) -> bool:
        """Whether an element's class attribute says so."""
        return self.is_in(node.get("class") or "")


class ClassNames:
    """The different class attributes of a page, whose words are joined once and searched for many roles."""

    def __init__(self, blocks: Blocks) -> None:
        names, self._codes = blocks.class_codes
        self._names = [name.lower() for name in names]
        self._joined = " ".join({*" ".join(self._names).split()})

    def rows(self, role: Role) -> list[int]:
        """Rows of the elements of a role. Most pages have none of its words, which costs little to see."""
        near = {code for word in role.literals if word in self._joined for code, name in enumerate(self._names) if word in name}
        codes = [code for code in near if role.is_in(self._names[code])]
        return np.flatnonzero(np.isin(self._codes, codes)).tolist() if codes else []
