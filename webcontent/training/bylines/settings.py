"""The settings of the rankers of source and authors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from webcontent.training.common.settings import TrainingSettings, tree_parameters

WEIGHTS = {
    "zh-bylines": 6.0,
    "zh-gold-dev": 6.0,
    "zh-silver": 2.0,
    "fundus-dev": 1.5,
    "traf-dev": 1.0,
    "fixtures-dev": 1.0,
    "wcxb-dev": 0.7,
}
"""Corpora and the weight of their pages: high for the few Chinese pages, whose bylines are unlike others."""
OWN_WEIGHT = 2.0
"""Weight of a user's own pages."""
COMPOSED_PAGES = {"zh-bylines": 2, "zh-gold-dev": 2, "zh-silver": 2, "fundus-dev": 2}
"""Pages that are composed from each page of a corpus."""
FIELDS = ("source", "authors")
"""The fields that have a ranker, in the order of the outputs."""
LEFT_OUT = ("zh-bylines", "fundus-dev", "traf-dev", "fixtures-dev")
"""Corpora that are also evaluated with models that saw none of their pages and none of their sites."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """The settings of both rankers."""

    corpora: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(WEIGHTS))
    weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    doubtful: tuple[str, ...] = ("zhg-107",)
    """Ids of pages that two corpora label differently."""
    site_named: tuple[str, ...] = ("fundus-dev", "traf-dev")
    """Corpora whose gold source is the canonical name of the site, which is another field."""
    rising: dict[str, tuple[str, ...]] = field(
        default_factory=lambda: {"source": ("source_strength", "source_label", "class_source", "organization", "name")}
    )
    """By field, features with which the probability never falls: what is known beforehand, where there are few pages."""
    composed: dict[str, int] = field(default_factory=lambda: dict(COMPOSED_PAGES))
    composed_weight: float = 0.6
    """Weight of a composed page."""
    trees: int = 130
    models: int = 2
    """Models whose raw scores are averaged; they differ in their seeds."""
    inner_folds: int = 3
    """Folds by site in which the regression scores the rows that the trees learn from, so that they do not trust it too much."""
    inverse_penalty: float = 0.3
    """Of the regression: a smaller number keeps its weights smaller."""
    iterations: int = 60
    parameters: dict[str, Any] = field(default_factory=lambda: tree_parameters(min_data_in_leaf=15))
    """LightGBM's parameters."""
