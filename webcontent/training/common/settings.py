"""The settings that every trainer shares: seed, folds, corpora, and those of LightGBM."""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

TREES: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 15,
    "learning_rate": 0.08,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": None,
    "deterministic": True,
    "force_col_wise": None,
    "num_threads": 1,
    "verbose": -1,
}
"""LightGBM's parameters of the rankers; None: LightGBM's own default."""


def tree_parameters(**changes: Any) -> dict[str, Any]:
    """TREES with changes, without the parameters that have LightGBM's own default."""
    return {name: value for name, value in {**TREES, **changes}.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSettings:
    """What a trained model depends on besides the code. Each trainer adds the settings of its own model."""

    seed: int = 1
    folds: int = 5
    """Folds of the cross-validation. A hash of the site decides the fold of a page."""
    corpora: dict[str, int | None] = field(default_factory=dict)
    """Corpora that are trained on and the maximum number of pages of each, spread evenly; None: all pages."""
    evaluated_only: tuple[str, ...] = ()
    """Corpora that are evaluated and never trained on."""
    weights: dict[str, float] = field(default_factory=dict)
    """Weight of the pages of a corpus in training; 1 for a corpus that is not listed."""

    NOT_LEARNED: ClassVar[frozenset[str]] = frozenset()
    """Settings that are applied after training, so that changing them does not require training again."""

    def checksum(self, *code: object) -> str:
        """Twelve hexadecimal digits that change when the trained weights may change.

        `code`: what identifies the code of the features, such as their names and version.
        """
        learned = {name: value for name, value in asdict(self).items() if name not in self.NOT_LEARNED}
        return checksum_of([learned, *code])

    def recorded(self) -> dict[str, Any]:
        """The settings as `config.json` stores them. Corpora are stored by folder name, without the path."""
        settings = asdict(self)
        for name in ("corpora", "weights"):
            settings[name] = {corpus_name(corpus): value for corpus, value in settings[name].items()}
        return settings


def corpus_name(corpus: str) -> str:
    """The name of a corpus in files and tables: of a user's own folder the last part of its path."""
    return Path(corpus).name


def checksum_of(value: object) -> str:
    """Twelve hexadecimal digits of the SHA-256 of a value's JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def cache_folder(name: str) -> Path:
    """The default cache of a trainer, in the folder for temporary files."""
    return Path(tempfile.gettempdir()) / f"webcontent-{name}"
