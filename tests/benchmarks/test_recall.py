"""What counts as lost text."""

from __future__ import annotations

import pytest

from benchmarks.recall import page_counts

LINES = [
    f"The {name} paragraph of this text is long enough to be looked for, because it has more than eighty characters."
    for name in ("first", "second", "third", "fourth")
]


@pytest.mark.parametrize(
    ("kept", "places"), [("123", {"end": 1}), ("134", {"inside": 1}), ("34", {"elsewhere": 2}), ("", {"elsewhere": 4}), ("1234", {})]
)
def test_a_lost_paragraph_has_a_place(kept: str, places: dict[str, int]):
    """Between kept ones, behind the last, or elsewhere."""
    counts = page_counts("\n".join(LINES[int(number) - 1] for number in kept), "article", "\n".join(LINES))
    assert {place: counts[place] for place in ("inside", "end", "elsewhere") if counts.get(place)} == places


@pytest.mark.parametrize(
    ("body", "item_type", "is_missed"), [("", "article", True), ("Two claims.", "list", True), ("Two claims.", "article", False)]
)
def test_a_short_page_is_missed_if_it_is_empty_or_a_list(body: str, item_type: str, is_missed: bool):
    counts = page_counts(body, item_type, "Two claims.")
    assert (counts["short"], counts["missed"]) == (True, is_missed)
