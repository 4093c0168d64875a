"""The forms in which features give amounts."""

from __future__ import annotations

import math
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


def row_of(names: Sequence[str], features: Mapping[str, float]) -> NDArray[np.float32]:
    """The input of a model that has the names, 0 for what is missing: float32 [1, len(names)]."""
    return np.fromiter(map(features.get, names, repeat(0.0)), np.float32, len(names))[None]


def log_count(value: Any) -> float:
    """Logarithm of one more than a count or length; that of 1 for what is negative.

    >>> log_count(0), round(log_count(9), 3)
    (0.0, 2.303)
    """
    return math.log1p(max(float(value), 0.0))


def share(part: Any, whole: Any) -> float:
    """The share of a whole; 0 where there is none.

    >>> share(1, 4), share(1, 0)
    (0.25, 0.0)
    """
    return float(part) / float(whole) if whole > 0 else 0.0
