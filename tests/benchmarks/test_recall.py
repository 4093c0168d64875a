"""What counts as lost text."""

from __future__ import annotations

import pytest

from benchmarks.recall import page_counts

LINES = [
    "The old kiln of the village burned lime for two hundred years, and everything that was built of brick was laid in its mortar.",
    "A second shaft was added by the owners when coal came up the river in barges, nine summers before the railway was opened.",
    "What remains is kept by volunteers, who show visitors around the yard on each Sunday between the middle of May and autumn.",
    "Nobody knows today who first dug into the hill behind the church, though several families claim that it was an ancestor.",
]


@pytest.mark.parametrize(
    ("kept", "places"), [("123", {"end": 1}), ("134", {"inside": 1}), ("34", {"elsewhere": 2}), ("", {"elsewhere": 4}), ("1234", {})]
)
def test_a_lost_paragraph_has_a_place(kept: str, places: dict[str, int]):
    """Between kept ones, behind the last, or elsewhere."""
    counts = page_counts("\n".join(LINES[int(number) - 1] for number in kept), "article", "\n".join(LINES))
    assert {place: counts[place] for place in ("inside", "end", "elsewhere") if counts.get(place)} == places


def test_a_paragraph_with_a_number_of_a_note_is_kept_and_half_of_one_is_lost():
    gold = "\n".join(LINES)
    for changed, lost in ((LINES[1].replace("text", "text[1]"), 0), (LINES[1][: len(LINES[1]) * 2 // 3], 1)):
        assert page_counts(gold.replace(LINES[1], changed), "article", gold).get("inside", 0) == lost


@pytest.mark.parametrize(
    ("body", "item_type", "is_missed"), [("", "article", True), ("Two claims.", "list", True), ("Two claims.", "article", False)]
)
def test_a_short_page_is_missed_if_it_is_empty_or_a_list(body: str, item_type: str, is_missed: bool):
    counts = page_counts(body, item_type, "Two claims.")
    assert (counts["short"], counts["missed"]) == (True, is_missed)
