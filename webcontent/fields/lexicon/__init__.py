"""Words and wordings by purpose and language, in the TOML files of this folder.

A file is a purpose (`bylines`, `sources`, `times`, ...). Each of its lists is one of:

    editors = "编辑 編輯 责编"                        # words, separated by white space
    weekdays = ["sunday", "the day after"]           # entries that may contain spaces
    [by]                                             # either of the two by language (ISO 639-1; `any`: no language)
    en = ["by", "written by"]
    de = ["von"]

An entry is a fragment of a regular expression. Most are plain words; a few have variants: `(?:view )?all posts`.
Entries of one list keep their order, so a longer one stands before its own beginning where both can match.

>>> words("class_names", "title")
('title', 'headline', 'heading', 'subject')
>>> alternation("class_names", "title")
'title|headline|heading|subject'

Patterns are built from these lists where they are used, once, when the module is imported:

    _BYLINE = re.compile(rf"^(?:{alternation('bylines', 'by')})\\s+(.+)$", re.I)

No list names a site. docs/architecture.md says how a language is added.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


@cache
def load(file: str) -> dict[str, Any]:
    """All lists of a file, as TOML gives them. Callers must not change them."""
    return tomllib.loads((_FOLDER / f"{file}.toml").read_text(encoding="utf-8"))


def by_language(file: str, name: str) -> dict[str, tuple[str, ...]]:
    """Entries of a list by language, in the order of the file."""
    return {language: _entries(value) for language, value in load(file)[name].items()}


def words(file: str, name: str) -> tuple[str, ...]:
    """Entries of a list in all languages, in the order of the file, each once."""
    value = load(file)[name]
    if not isinstance(value, dict):
        return _entries(value)
    return tuple(dict.fromkeys(entry for entries in value.values() for entry in _entries(entries)))


def alternation(file: str, *names: str) -> str:
    """The entries of one or more lists as alternatives of a regular expression, without a group around them."""
    return "|".join(dict.fromkeys(entry for name in names for entry in words(file, name)))


def _entries(value: str | list[str]) -> tuple[str, ...]:
    return tuple(value.split() if isinstance(value, str) else value)
