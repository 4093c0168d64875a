"""What other finders measure from the title."""

from __future__ import annotations

import pytest

from tests.fields.pages import ENGLISH, signals_of, titled
from webcontent.fields.titles.ranking import TitleAnchor

HEAD = "<title>Ice stops the ferry</title>"
TITLE = "<h1>Ice stops the ferry</h1>"
LINES = "".join(f"<div>Line {n}</div>" for n in range(200))


def test_distances_are_counted_from_the_title() -> None:
    """Negative before it."""
    _, anchor = titled(f"{HEAD}<p>Menu</p>{TITLE}{ENGLISH}")
    assert [anchor.distance(block) for block in (0, 1, 2)] == [-1, 0, 1]


def test_without_a_title_distances_are_counted_from_the_body() -> None:
    """And without a body from the top."""
    with_body, without = (TitleAnchor(signals_of(html)) for html in (f"<p>Menu</p>{ENGLISH}", "<p>Menu</p>"))
    assert with_body.distance(3) == 2
    assert without.distance(3) == 3


def test_the_window_lies_around_the_title() -> None:
    """A little before it, more behind it."""
    signals, anchor = titled(HEAD + LINES + TITLE + LINES)
    assert anchor.block is not None
    assert {0, 1, 2} <= {block - anchor.block + 15 for block, _ in anchor.lines()} <= set(range(45))
    assert [block for block, _ in TitleAnchor(signals).lines()] == list(range(30))


@pytest.mark.parametrize("line", ["<p hidden>By Jane Doe</p>", f"<p>{'x' * 201}</p>"], ids=["hidden", "long"])
def test_lines_are_short_and_visible(line: str) -> None:
    """Nothing else is a byline or a date line."""
    _, anchor = titled(f"{HEAD}{TITLE}{line}<p>May 1, 2024</p>{ENGLISH}")
    assert [text for _, text in anchor.lines() if len(text) < 100] == ["Ice stops the ferry", "May 1, 2024"]
