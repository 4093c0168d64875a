"""What sites gave night by night, and whether a site has changed.

One test serves all curves, on a scale on which the deviation that chance has is known: 2 sqrt(y + 3/8) for a count (Anscombe 1948), and
2 arcsin sqrt((k + 3/8) / (n + 3/4)) for a share k of n. Tonight, and the last week as a whole, are compared with the median of the nights
before, in units of the spread of these between their first and last decile, and of never less than chance. Median and deciles forgive one
odd night in ten, and weekends are usual. A change is named until the new nights are a tenth of those before.
"""

from __future__ import annotations

from math import asin, sqrt
from statistics import NormalDist, fmean, median, quantiles
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Night = Mapping[str, float]
    """Counts of a host in a run."""

COUNTS = ("asked", "articles")
SHARES = {"failed": "asked", "broken": "asked", "rendered": "asked"} | dict.fromkeys(
    ("title", "time", "source", "body", "score"), "articles"
)
"""Curves that are shares -> of what. The mean score is the share that the scores have of their highest sum."""
MEANS = {"length": "articles"}
CURVES = (*COUNTS, *SHARES, *MEANS)
FALSE_ALARMS = 0.001
"""Share of the nights of an unchanged site in which it is named, if its nights differ by a normal distribution.
`python -m benchmarks nights` measures it for others."""
MIN_NIGHTS, MAX_NIGHTS = 7, 28
"""Nights before that are needed; nights that are compared. Whole weeks have their weekends."""
WINDOWS = (1, MIN_NIGHTS)
"""Last nights that are looked at together: articles of a weekend are few, and those of a week are not."""
_ANSCOMBE = 3 / 8
_LIMIT = NormalDist().inv_cdf(1 - FALSE_ALARMS / len(CURVES) / len(WINDOWS) / 2)
_DECILES = 10
_RANGE = 2 * NormalDist().inv_cdf(1 - 1 / _DECILES)
"""Between the first and the last decile of a normal distribution, in standard deviations."""


class Change(NamedTuple):
    """A curve that is not as it was."""

    curve: str
    before: float
    """The median of the nights before."""
    now: float

    def __str__(self) -> str:
        return f"{self.curve} {shown(self.curve, self.before)} -> {shown(self.curve, self.now)}"


def value(night: Night, curve: str) -> float | None:
    """A point of a curve: a count, a share of 0 to 1, or a mean; None where the share or mean is of nothing."""
    whole = SHARES.get(curve) or MEANS.get(curve)
    if whole is None:
        return night.get(curve, 0)
    return night.get(curve, 0) / count if (count := night.get(whole, 0)) else None


def shown(curve: str, number: float | None) -> str:
    return "" if number is None else f"{number:.0%}" if curve in SHARES else f"{number:.0f}"


def changes(nights: Sequence[Night]) -> list[Change]:
    """The curves that are not as they were, in the last night or in the last week; none where there are too few nights before."""
    found = (_change(curve, nights[-MAX_NIGHTS - 1 :], window) for curve in CURVES for window in WINDOWS)
    return list({change.curve: change for change in found if change is not None}.values())


def _change(curve: str, nights: Sequence[Night], window: int) -> Change | None:
    known = [night for night in nights if value(night, curve) is not None]
    count = len(known) - window
    if count < MIN_NIGHTS or value(nights[-1], curve) is None:
        return None
    points, weights = zip(*(_point(night, curve) for night in known), strict=True)
    weeks = [fmean(points[end - window : end]) for end in range(window, count + 1)]
    usual, before, now = median(points[:count]), weights[:count], weights[count:]
    deciles = quantiles(((point - usual) * sqrt(weight) for point, weight in zip(points, before, strict=False)), n=_DECILES)
    scale = max(1, (deciles[-1] - deciles[0]) / _RANGE) * sqrt(_variance(before) / count + _variance(now) / window)
    if abs(fmean(points[count:]) - median(weeks)) <= _LIMIT * scale:
        return None
    return Change(curve, *(median(value(night, curve) or 0 for night in part) for part in (known[:count], known[count:])))


def _variance(weights: Sequence[float]) -> float:
    """That of chance, for a night of many."""
    return fmean(1 / weight for weight in weights)


def _point(night: Night, curve: str) -> tuple[float, float]:
    """A value on the scale of the test, and the number of pages that it rests on; chance has the variance 1 / number."""
    if curve not in SHARES:
        return 2 * sqrt((value(night, curve) or 0) + _ANSCOMBE), night[MEANS[curve]] if curve in MEANS else 1
    count = night[SHARES[curve]]
    return 2 * asin(sqrt(min(1, (night.get(curve, 0) + _ANSCOMBE) / (count + 2 * _ANSCOMBE)))), count
