"""The settings of the ranker of titles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from webcontent.training.common.settings import TrainingSettings, tree_parameters

WEIGHTS = {
    "zh-gold-dev": 4.0,
    "zh-bylines": 4.0,
    "zh-silver": 0.5,
    "fundus-dev": 1.5,
    "traf-dev": 1.0,
    "fixtures-dev": 1.0,
    "l3s-gn1": 2.0,
    "wcxb-dev": 0.7,
}
"""Corpora and the weight of their pages: high for Chinese pages and for pages without heading elements, low for templates of few sites
and for irregular titles."""
OWN_WEIGHT = 2.0
"""Weight of a user's own pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """The settings of the trees."""

    corpora: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(WEIGHTS))
    weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    trees: int = 150
    models: int = 2
    """Models whose raw scores are averaged; they differ in their seeds, so that the result depends less on a single seed."""
    parameters: dict[str, Any] = field(default_factory=lambda: tree_parameters(feature_fraction=0.6))
    """LightGBM's parameters."""
