"""Operations on a column, which holds one number a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[Any]


def shifted(column: Column, step: int) -> NDArray[np.float64]:
    """The value of the block `step` places further on; 0 beyond the ends.

    >>> shifted(np.array([1, 2, 3]), 1).tolist(), shifted(np.array([1, 2, 3]), -2).tolist()
    ([2.0, 3.0, 0.0], [0.0, 0.0, 1.0])
    """
    result = np.zeros(len(column), np.float64)
    if abs(step) < len(column):
        if step > 0:
            result[:-step] = column[step:]
        else:
            result[-step:] = column[:step]
    return result


def window_sums(column: Column, width: int) -> NDArray[np.float64]:
    """Sums over the blocks at most `width` places away.

    >>> window_sums(np.array([1, 2, 3, 4]), 1).tolist()
    [3.0, 6.0, 9.0, 7.0]
    """
    sums = np.concatenate(([0.0], np.cumsum(column)))
    positions = np.arange(len(column))
    result: NDArray[np.float64] = sums[np.minimum(len(column), positions + width + 1)] - sums[np.maximum(0, positions - width)]
    return result
