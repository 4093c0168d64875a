"""The settings of a page type model, and the run that trains it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from webcontent.training.common.settings import TrainingSettings, checksum_of
from webcontent.training.common.trainer import run_folder

PAGE_CORPORA = ("wcxb-dev", "zh-gold-dev", "zh-silver")
"""Corpora without screenshots; the model of markup is trained on them, too."""
ARTICLE_CORPORA = ("cleaneval", "traf-dev")
"""Corpora of articles alone; the model of markup learns from them what articles look like on more sites, and on old ones."""
UNSEEN_CORPORA = ("l3s-gn1", "dragnet-dev")
"""Corpora of articles alone that are never trained on. Training on them, too, improved no other pages."""
FAMILY, PAGE = "family", "page"
"""What stays in one fold: a family of designs or a site, or a single page."""
SIZE = 224
"""Side in pixels of the square screenshot, as in I-AWCE."""
MODELS_FOLDER, WORK_FOLDER = Path("models"), Path("build/pagetype")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """What a page type model depends on."""

    seed: int = 0
    corpora: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(PAGE_CORPORA))
    article_corpora: tuple[str, ...] = ARTICLE_CORPORA
    evaluated_only: tuple[str, ...] = UNSEEN_CORPORA
    split: str = FAMILY
    size: int = SIZE
    """Side in pixels of the square screenshot."""
    epochs: int | None = None
    """Of networks; None: as each network's schedule states."""

    def recorded(self) -> dict[str, Any]:
        """What is common to all page type models. Each model records its schedule or parameters besides."""
        return {"seed": self.seed, "folds": self.folds, "split": self.split}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: settings, data, and where results go."""

    settings: Settings = field(default_factory=Settings)
    out: Path = MODELS_FOLDER
    """Folder of the model folders."""
    work: Path = WORK_FOLDER
    """Where the state of the run is kept."""
    data: Path | None = None
    """The user's own screenshots, rendered site snapshots or saved pages, instead of the corpora."""
    snapshots: Path | None = None
    """Rendered site snapshots that are added to the corpora."""
    weights: Path | None = None
    """File of pre-trained weights."""
    threads: int = 1

    def state_folder(self, name: str, depends_on: dict[str, Any]) -> Path:
        """Where a part of the run keeps its state. Another schedule, seed or corpus is another part."""
        return run_folder(self.work, f"{name}-{checksum_of(depends_on)}")


def model_name(name: str, size: int = SIZE) -> str:
    """The folder name of a model. Another size of the screenshot is another model."""
    return f"pagetype_{name}_v1" if size == SIZE else f"pagetype_{name}-{size}_v1"
