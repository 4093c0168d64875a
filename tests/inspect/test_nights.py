"""Whether a site has changed, by its nights."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from webcontent.inspect.items.nights import changes, value

if TYPE_CHECKING:
    from collections.abc import Mapping

USUAL = {
    "asked": 40,
    "failed": 1,
    "broken": 0,
    "articles": 30,
    "title": 30,
    "time": 28,
    "source": 15,
    "body": 30,
    "score": 25.0,
    "length": 90_000,
}


def nights(count: int, seed: int = 1) -> list[dict[str, float]]:
    """Nights of a site of which only chance differs."""
    chance = random.Random(seed)
    return [{**USUAL, "time": 28 - chance.randrange(3), "length": 90_000 + chance.randrange(9000)} for _ in range(count)]


@pytest.mark.parametrize(
    ("tonight", "curves"),
    [
        ({}, set()),
        ({"time": 25}, set()),
        ({"time": 15}, {"time"}),
        ({"source": 9}, set()),
        ({"source": 1}, {"source"}),
        ({"articles": 16, "title": 16, "time": 15, "source": 8, "body": 16, "score": 13.0, "length": 48_000}, set()),
        ({"articles": 4, "title": 4, "time": 4, "source": 2, "body": 4, "score": 3.4, "length": 12_000}, {"articles"}),
        ({"failed": 4}, set()),
        ({"failed": 20}, {"failed"}),
        ({"broken": 15}, {"broken"}),
        ({"score": 8.0}, {"score"}),
        ({"length": 60_000}, {"length"}),
        ({"asked": 1, "failed": 1, "articles": 0}, {"asked", "articles"}),
    ],
)
def test_what_chance_does_not_explain_is_a_change(tonight: Mapping[str, float], curves: set[str]):
    """Rows on both sides of each curve. A share of few articles says less than one of many."""
    assert {change.curve for change in changes([*nights(14), {**USUAL, **tonight}])} == curves


def test_too_few_nights_say_nothing():
    """A site that was added is not named."""
    assert changes([*nights(6), {"asked": 1, "failed": 1}]) == []
    assert changes([*nights(7), {"asked": 1, "failed": 1}]) != []
    assert changes([{}]) == []


def test_a_week_says_more_than_a_night():
    """Fewer articles, each night within what a night may have."""
    weekends = [{**USUAL, "articles": 30 if number % 7 < 5 else 14} for number in range(21)]
    fewer = [{**USUAL, "articles": 16 if number % 7 < 5 else 7} for number in range(7)]
    assert not any(change.curve == "articles" for number in range(8, 22) for change in changes(weekends[:number]))
    assert "articles" in {change.curve for change in changes([*weekends, *fewer])}


def test_a_change_becomes_usual():
    """It is named for sixteen nights; nights of long ago are forgotten."""
    changed = {**USUAL, "time": 2}
    named = [bool(changes([*nights(20), *[changed] * number])) for number in range(1, 28)]
    assert named == [True] * 16 + [False] * 11


def test_a_change_says_what_was_and_what_is():
    """A share in percent."""
    (change,) = changes([*nights(14), {**USUAL, "source": 1}])
    assert str(change) == "source 50% -> 3%"
    assert value({"asked": 3}, "title") is None
