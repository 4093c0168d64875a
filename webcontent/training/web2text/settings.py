"""The settings of Web2Text's training: the paper's and those of the shipped model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from webcontent.extractors.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, EXTRA_FEATURES
from webcontent.training.common.settings import TrainingSettings, cache_folder

WEIGHTS = {"wcxb-dev": 1.0, "zh-gold-dev": 4.0, "zh-silver": 2.0, "l3s-gn1": 1.0, "cleaneval": 1.0}
"""Corpora that are trained on (of cleaneval the 60 pages of the paper), and how often a page of each is drawn."""
EVALUATED_ONLY = ("fundus-dev",)
CACHE = cache_folder("web2text")
VERSION = 2
"""Version of the code of the samples: another one makes them anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """The settings of a pair of networks and of their training. The defaults are the paper's (sections 3.4, 4.2)."""

    corpora: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(WEIGHTS))
    evaluated_only: tuple[str, ...] = EVALUATED_ONLY
    weights: dict[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    columns: int = len(BLOCK_FEATURES)
    """Number of block features that are used."""
    widths: tuple[int, ...] = (50, 50, 50, 10)
    kernels: tuple[int, ...] = (1, 1, 3, 3, 3)
    dilations: tuple[int, ...] = (1, 1, 1, 1, 1)
    spread: float = 0.1
    """Standard deviation of the initial weights; 0: the one that keeps the variance of the values (He 2015)."""
    dropout: float = 0.2
    """Of the weights of every layer."""
    decay: float = 1e-4
    steps: int = 5000
    batch: int = 128
    patch: int = 9
    """Number of neighbouring leaves that are cut out of a page."""
    rate: float = 1e-3
    falling: bool = False
    """Whether the learning rate falls along half a cosine."""
    soft: bool = False
    """Whether targets are shares of words instead of 0 and 1."""
    by_words: bool = False
    """Whether the loss of a leaf is weighted by the square root of its number of words."""
    weight: float = 0.1
    """Lambda: the weight of the pairwise network."""
    bias: float = 0.0
    """Added to the log probability of text before decoding ..."""
    furniture_bias: float = 0.0
    """... and this, too, inside <nav> and <footer>."""

    NOT_LEARNED: ClassVar[frozenset[str]] = frozenset({"weight", "bias", "furniture_bias"})

    @property
    def run_name(self) -> str:
        """Identifies the trained networks in the cache."""
        return self.checksum(BLOCK_FEATURES, EXTRA_FEATURES, EDGE_FEATURES, VERSION)


PAPER = Settings()
SHIPPED = Settings(
    columns=len(BLOCK_FEATURES) + len(EXTRA_FEATURES),
    widths=(64, 64, 48, 48, 32, 32, 16),
    kernels=(1, 1, 3, 3, 3, 3, 3, 3),
    dilations=(1, 1, 1, 2, 4, 8, 16, 1),
    spread=0.0,
    dropout=0.1,
    steps=2000,
    batch=16,
    patch=128,
    rate=3e-3,
    falling=True,
    soft=True,
    by_words=True,
    bias=0.8,
    furniture_bias=-3.0,
)
