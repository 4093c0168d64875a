"""The settings of the model that applies site history."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from webcontent.training.common.settings import TrainingSettings, cache_folder, tree_parameters

CORPORA = ("wcxb-dev", "zh-gold-dev", "zh-silver", "fundus-dev", "l3s-gn1", "cleaneval")
CACHE = cache_folder("history")
FEATURE_VERSION = 1
"""Version of the fingerprints and features of `webcontent.history`."""
SNAPSHOTS = "snapshots"
"""Key of the settings for site snapshots; `corpora` is the other one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """The settings of the trees, and of the histories that they are trained on."""

    folds: int = 9
    corpora: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(CORPORA))
    orders: dict[str, int] = field(default_factory=lambda: {SNAPSHOTS: 8, "corpora": 2})
    """Random orders of the pages of each host."""
    histories: tuple[int, ...] = (1, 2, 3, 5, 10, 20, 50, 100)
    """Numbers of known pages at which some of the next pages are evaluated."""
    pages: dict[str, int] = field(default_factory=lambda: {SNAPSHOTS: 6, "corpora": 3})
    """Number of these next pages."""
    again: int = 1
    """Number of known pages that are evaluated, too: their bodies must not become worse."""
    trees: int = 60
    largest_change: float = 1.5
    """Largest change of the log-odds after one page; it grows by as much each time the number of pages doubles."""
    notices: int = 2
    """Blocks of main text of each page that are trained on a second time, as noise whose text is on nearly all pages.

    The default extractor recognizes most repeated texts alone, so the corpora have few examples of the others: notices inside an article
    that every page repeats.
    """
    notice_pages: int = 3
    """Smallest number of known pages at which notices are added."""
    parameters: dict[str, Any] = field(
        default_factory=lambda: tree_parameters(objective="cross_entropy", min_data_in_leaf=200, max_bin=63, force_col_wise=True)
    )
    """LightGBM's parameters."""
