"""Operations on a column, which holds one number a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Column = NDArray[Any]
    Columns = dict[str, Column | float]
    """By name; a number is the same for all blocks."""


def matrix(names: Sequence[str], columns: Columns, count: int) -> NDArray[np.float32]:
    """The named columns of `count` blocks: float32 [count, len(names)]."""
    result = np.empty((count, len(names)), np.float32)
    for place, name in enumerate(names):
        result[:, place] = columns[name]
    return result


def covered(starts: Column, ends: Column, count: int) -> NDArray[np.bool_]:
    """Which of `count` places lie in one of the spans [start, end).

    >>> covered(np.array([1, 1]), np.array([2, 3]), 4).tolist()
    [False, True, True, False]
    """
    changes = np.bincount(starts, minlength=count + 1) - np.bincount(ends, minlength=count + 1)
    return np.cumsum(changes[:count]) > 0


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


def windows(columns: Column, *widths: int) -> list[NDArray[np.float64]]:
    """Sums of one or more columns over the blocks at most so many places away, along the last axis, for each of the widths.

    >>> windows(np.array([1, 2, 3, 4]), 1)[0].tolist()
    [3.0, 6.0, 9.0, 7.0]
    """
    count, most = columns.shape[-1], max(widths)
    sums = np.zeros((*columns.shape[:-1], count + 2 * most + 1))
    np.cumsum(columns, axis=-1, out=sums[..., most + 1 : most + 1 + count])
    sums[..., most + 1 + count :] = sums[..., most + count, None]
    return [sums[..., most + 1 + width :][..., :count] - sums[..., most - width :][..., :count] for width in widths]
