"""Words and wordings by purpose and language."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from webcontent.fields import lexicon
from webcontent.fields.lexicon import alternation, by_language, load, words

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(lexicon.__file__).parent
FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))
VALUES = {
    ("dates", "era"),
    ("dates", "zone"),
    ("dates", "daylight_zone"),
    ("languages", "script"),
    ("languages", "usual"),
    ("languages", "letters"),
    ("languages", "alias"),
}
"""Tables of values, which are no lists of words."""
HOST = re.compile(r"\b[a-z0-9-]+\\?\.(?:com|net|org|info|cn|de|fr|uk|jp|ru|io)\b", re.I)


def lists_of(file: str) -> Iterator[tuple[str, str, list[str]]]:
    """Name, language and entries of every list of a file."""
    for name, value in load(file).items():
        for language, entries in (value if isinstance(value, dict) else {"any": value}).items():
            if (file, name) not in VALUES:
                yield name, language, entries.split() if isinstance(entries, str) else entries


@pytest.mark.parametrize("file", FILES)
def test_every_entry_is_a_regular_expression_of_its_own(file: str) -> None:
    """It compiles, opens no group that captures, and does not match the empty text."""
    for name, _, entries in lists_of(file):
        for entry in entries:
            pattern = re.compile(entry, re.IGNORECASE)
            assert pattern.groups == 0, (name, entry)
            assert not pattern.fullmatch(""), (name, entry)


@pytest.mark.parametrize("file", FILES)
def test_a_list_has_each_entry_once(file: str) -> None:
    """And no list is empty. A common word of a language that stands twice counts twice."""
    assert all(entries for *_, entries in lists_of(file))
    repeated = [(name, entry) for name, _, entries in lists_of(file) for entry, count in Counter(entries).items() if count > 1]
    assert repeated == ([("common_words", "je")] if file == "languages" else [])


@pytest.mark.parametrize("file", FILES)
def test_lists_are_by_language(file: str) -> None:
    """ISO 639-1, or `any`."""
    assert [(name, language) for name, language, _ in lists_of(file) if not re.fullmatch(r"[a-z]{2}|any", language)] == []


@pytest.mark.parametrize("file", FILES)
def test_no_list_names_a_site(file: str) -> None:
    """A rule for one site helps no other."""
    assert not HOST.search((FOLDER / f"{file}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", FILES)
def test_every_list_is_used(file: str) -> None:
    """By its name, in the code."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.parent.parent.rglob("*.py"))
    unused = [name for name in load(file) if f'"{name}"' not in code and f"'{name}'" not in code]
    assert unused == ([] if file != "months" else list(load("months")))


def test_entries_of_all_languages_stand_in_the_order_of_the_file() -> None:
    """Each once, though two languages share it."""
    by = by_language("bylines", "by")
    assert by["en"][0] == words("bylines", "by")[0] == "by"
    assert "text" in by["en"]
    assert "text" in by["de"]
    assert words("bylines", "by").count("text") == 1


def test_several_lists_are_one_alternation() -> None:
    """For a pattern that takes words of more than one list."""
    assert alternation("bylines", "rank", "rank_of_role").split("|") == [*words("bylines", "rank"), *words("bylines", "rank_of_role")]
