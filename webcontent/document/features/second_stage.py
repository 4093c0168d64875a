"""Features of a second stage: the probabilities that the first stage gave to a block and to everything around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features.columns import matrix, shifted, windows
from webcontent.document.features.groups import BlockGroups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.features.columns import Column, Columns
    from webcontent.document.features.context import FeatureContext

SCORE_FEATURES: tuple[str, ...] = (
    "p", "p-4", "p-3", "p-2", "p-1", "p+1", "p+2", "p+3", "p+4", "p_window2", "p_window5", "p_window12", "p_window30", "p_level0",
    "p_level0_share", "p_level1", "p_level1_share", "p_level2", "p_level2_share", "p_level3", "p_level3_share", "p_level4",
    "p_level4_share", "p_level5", "p_level5_share", "p_path", "p_path_share", "p_path_out", "p_tagpath", "p_tagpath_share",
    "p_tagpath_out", "p_run", "p_run_share", "p_run_out", "p_card", "p_card_share", "p_card_out", "p_outer", "p_outer_share",
    "p_outer_out", "p_own_card", "p_own_card_share", "p_own_card_out", "page_expected_f1", "page_cut", "page_p", "page_expected_words",
    "page_certain_share", "page_doubtful_share", "page_top", "rank_share", "p_over_cut",
)  # fmt: skip
"""The columns of the second stage."""

STEPS = (-4, -3, -2, -1, 1, 2, 3, 4)
"""Neighbours whose probabilities are features."""
WINDOWS = (2, 5, 12, 30)
"""Blocks on each side of the windows whose mean probabilities are features."""
DOUBTFUL, CERTAIN = 0.2, 0.7
"""A block is certainly main text above the second probability, and doubtful between the two."""
TINY = 1e-9
"""Keeps divisors above 0."""


def block_groups(context: FeatureContext) -> BlockGroups:
    """The groups of a page's blocks."""
    elements, (group_of, _) = context.elements, context.record_groups
    groups = dict(zip(("path", "tagpath"), context.paths, strict=True))
    for prefix, record in context.records.items():
        groups[prefix] = np.where(record >= 0, group_of[np.maximum(record, 0)], -1)
    groups["own_card"] = context.records["card"].astype(np.int64)
    return BlockGroups(context.words, elements.start[context.levels], elements.end[context.levels], groups)


def score_features(groups: BlockGroups, probabilities: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """SCORE_FEATURES of each block from the probabilities of the first stage: float32 [blocks, len(SCORE_FEATURES)]."""
    p = probabilities.astype(np.float64)
    expected = p * groups.words
    columns: Columns = {"p": p} | _neighbours(p, expected, groups) | _levels(expected, groups) | _groups(p, expected, groups)
    columns |= _page(p, expected, groups)
    return matrix(SCORE_FEATURES, columns, len(p))


def _neighbours(p: Column, expected: Column, groups: BlockGroups) -> Columns:
    """Probabilities of the blocks before and behind, and means over windows, by words."""
    columns: Columns = {f"p{step:+d}": shifted(p, step) for step in STEPS}
    sums = windows(np.stack((expected, groups.words)), *WINDOWS)
    return columns | {f"p_window{width}": inside / words for width, (inside, words) in zip(WINDOWS, sums, strict=True)}


def _levels(expected: Column, groups: BlockGroups) -> Columns:
    """The block's ancestors: their mean probability, and their share of the page's expected main text."""
    words_to, expected_to = (np.concatenate(([0.0], np.cumsum(column))) for column in (groups.words, expected))
    inside = expected_to[groups.ends] - expected_to[groups.starts]
    mean = inside / np.maximum(TINY, words_to[groups.ends] - words_to[groups.starts])
    share = inside / max(TINY, float(expected_to[-1]))
    columns = {f"p_level{level}": column for level, column in enumerate(mean)}
    return columns | {f"p_level{level}_share": column for level, column in enumerate(share)}


def _groups(p: Column, expected: Column, groups: BlockGroups) -> Columns:
    """The block's groups: as its ancestors, and the mean probability of what is outside of them."""
    all_words, total = _totals(expected, groups)
    numbers = np.stack(list(groups.groups.values()))
    is_in, kinds = numbers >= 0, len(numbers)
    codes = numbers + 1 + (int(numbers.max()) + 2) * np.arange(kinds)[:, None]  # another range of codes for each kind of group
    words, inside = (np.bincount(codes.ravel(), np.tile(column, kinds))[codes] for column in (groups.words, expected))
    values = {
        "": np.where(is_in, inside / np.maximum(TINY, words), p),
        "_share": np.where(is_in, inside / total, 0.0),
        "_out": np.where(is_in, (total - inside) / np.maximum(TINY, all_words - words), 0.0),
    }
    return {f"p_{name}{ending}": column for ending, rows in values.items() for name, column in zip(groups.groups, rows, strict=True)}


def _page(p: Column, expected: Column, groups: BlockGroups) -> Columns:
    """The page's best answer, as far as probabilities tell: its expected F1, and where it cuts."""
    all_words, total = _totals(expected, groups)
    order = np.argsort(-p, kind="stable")
    words_by_rank = np.cumsum(groups.words[order])
    f1_by_rank = 2 * np.cumsum(expected[order]) / (words_by_rank + total)
    rank = np.empty(len(p), np.float64)
    rank[order] = words_by_rank
    best = int(np.argmax(f1_by_rank))
    cut = p[order[best]]
    return {
        "page_expected_f1": float(f1_by_rank[best]),
        "page_cut": float(cut),
        "page_p": total / all_words,
        "page_expected_words": total,
        "page_certain_share": float(groups.words[p > CERTAIN].sum()) / all_words,
        "page_doubtful_share": float(groups.words[(p > DOUBTFUL) & (p < CERTAIN)].sum()) / all_words,
        "page_top": float(p[order[0]]),
        "rank_share": rank / total,
        "p_over_cut": p - cut,
    }


def _totals(expected: Column, groups: BlockGroups) -> tuple[float, float]:
    """Words of the page, and its expected words of main text (above 0), summed in the order of the blocks."""
    return float(np.cumsum(groups.words)[-1]), max(TINY, float(np.cumsum(expected)[-1]))
