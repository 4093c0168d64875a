"""Golden pages: written for the tests, with their content typed by hand. `python -m tests.golden` shows differences."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from tests.golden.pages import FIELDS, expected, extracted, folders, known_faults

if TYPE_CHECKING:
    from pathlib import Path

RIGHT, WRONG = folders(), known_faults()


@cache
def actual(folder: Path) -> dict[str, Any]:
    return extracted(folder)


def faults(folder: Path) -> dict[str, str]:
    """Reasons by wrong field."""
    loaded: dict[str, str] = json.loads((folder / "fault.json").read_text(encoding="utf-8"))
    return loaded


def cases() -> list[Any]:
    """A case per field that a page shows. Those that are known to fail must fail."""
    params = [pytest.param(folder, name, id=f"{folder.name}-{name}") for folder in RIGHT for name in expected(folder)["item"]]
    for folder in WRONG:
        known = faults(folder)
        for name in sorted({*expected(folder)["item"], *known}):
            marks = [pytest.mark.xfail(strict=True, reason=known[name])] if name in known else []
            params.append(pytest.param(folder, name, id=f"known-fault-{folder.name}-{name}", marks=marks))
    return params


@pytest.mark.parametrize(("folder", "name"), cases())
def test_a_field_is_what_the_page_shows(folder: Path, name: str) -> None:
    """Letter by letter: each paragraph of the body, each link, each precision of a time."""
    assert actual(folder).get(name) == expected(folder)["item"].get(name)


@pytest.mark.parametrize("folder", [*RIGHT, *WRONG], ids=lambda folder: folder.name)
def test_no_other_fields(folder: Path) -> None:
    """A field that the page does not show stays empty."""
    wanted = set(expected(folder)["item"]) | (set(faults(folder)) if folder in WRONG else set())
    assert set(actual(folder)) - wanted == set()


@pytest.mark.parametrize("folder", [*RIGHT, *WRONG], ids=lambda folder: folder.name)
def test_an_expectation_is_in_the_contracts_form(folder: Path) -> None:
    """Only fields that are compared, none of them empty, and a page beside them."""
    known = expected(folder)
    assert set(known) == {"url", "fetched_at", "item"}
    assert set(known["item"]) <= set(FIELDS)
    assert all(known["item"].values())
    assert (folder / "page.html").stat().st_size < 20_000


def test_there_are_pages_of_every_sort() -> None:
    """At least a dozen; a page is in one place only."""
    names = [folder.name for folder in [*RIGHT, *WRONG]]
    assert len(names) == len(set(names)) >= 12
    assert {expected(folder)["item"]["type"] for folder in RIGHT} == {"article", "list"}
