"""The settings of the default extractor's training."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from webcontent.document.features.blocks import FEATURES
from webcontent.document.features.class_names import CLASS_NAME_FEATURES
from webcontent.document.features.second_stage import SCORE_FEATURES
from webcontent.document.features.stories import STORY_FEATURES
from webcontent.training.common.settings import TrainingSettings, cache_folder

WEIGHTS = {
    "wcxb-dev": 1.2,
    "zh-gold-dev": 5.0,
    "zh-silver": 3.0,
    "fundus-dev": 3.0,
    "l3s-gn1": 2.0,
    "cleaneval": 1.5,
    "dragnet-dev": 0.5,
    "zh-bylines": 2.0,
}
"""Corpora that are trained on, and the weight of their blocks: Chinese pages are few, so each of them counts more. Readers' comments of
dragnet-dev, of the weight of other corpora, would cost forums."""
OWN_WEIGHT = 3.0
"""Weight of the blocks of a user's own pages."""
EVALUATED_ONLY = ("traf-dev",)
"""Corpora with snippets instead of bodies: they can be evaluated, not trained on."""
CACHE = cache_folder("fusion")
VERSION = 1
"""Version of the code of the features: another one makes the samples anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """The settings of the two stages and of the weights of class names."""

    corpora: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(WEIGHTS))
    evaluated_only: tuple[str, ...] = field(default_factory=lambda: EVALUATED_ONLY)
    weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    page_blocks: int = 200
    """Maximum number of blocks of a page that are trained on, drawn at random."""
    first_trees: int = 140
    second_trees: int = 120
    first: dict[str, Any] = field(default_factory=lambda: {"learning_rate": 0.11, "num_leaves": 63, "min_data_in_leaf": 60})
    second: dict[str, Any] = field(default_factory=lambda: {"learning_rate": 0.06, "num_leaves": 31, "min_data_in_leaf": 100})
    """LightGBM's parameters of each stage, besides the common ones."""
    common: dict[str, Any] = field(
        default_factory=lambda: {
            "objective": "cross_entropy",
            "max_bin": 63,
            "feature_fraction": 0.3,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "lambda_l2": 2.0,
            "force_col_wise": True,
            "deterministic": True,
            "verbose": -1,
        }
    )
    """LightGBM's parameters of both stages."""
    name_prior: float = 0.3
    """Share of main text that a class name is assumed to have before it was seen ..."""
    name_strength: float = 3.0
    """... as if it had been seen on this number of sites."""
    name_sites: int = 4
    """Class names of fewer sites have no weight."""

    @property
    def run_name(self) -> str:
        """Identifies the trained models in the cache."""
        return self.checksum(FEATURES, CLASS_NAME_FEATURES, SCORE_FEATURES, STORY_FEATURES, VERSION)
