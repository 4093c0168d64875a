"""Models of the folds as folders: trainers of fields read a page with the body of a model that did not learn its site."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from webcontent.evaluation.folds import fold_of
from webcontent.extraction import NO_CONTEXT, PageContext
from webcontent.extractors.fusion import ALL, MODEL
from webcontent.models import ModelRegistry
from webcontent.training.common.trees import load_boosters, onnx_of_stages
from webcontent.training.fusion.stages import STAGES, model_path

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from webcontent.training.fusion.class_names import ClassNameStatistics
    from webcontent.training.fusion.settings import Settings

FOLDER = "folds"
"""In the folder of a run."""


def save_fold_models(run: Path, names: ClassNameStatistics, page_models: Mapping[str, Any], settings: Settings) -> None:
    """Writes RUN/folds/<fold>/<name of the model> with graph and configuration, for each fold the model that did not see its sites.

    `page_models`: those of all pages, which have a few weights only.
    """
    for fold in range(settings.folds):
        stages = [
            load_boosters([model_path(run, stage, member, fold) for member in range(len(members))])
            for stage, members in zip(STAGES, (settings.first, settings.second), strict=True)
        ]
        graph = onnx_of_stages(stages[0], stages[1], ALL, name=MODEL).SerializeToString()
        folder = run / FOLDER / str(fold) / MODEL
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(graph)
        config = {**page_models, "names": names.weights(settings, {fold}), "sha256": hashlib.sha256(graph).hexdigest()}
        (folder / "config.json").write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")


class FoldContexts:
    """The context of pages by their site, with the model of the default extractor that did not learn it.

    `run`: a folder that training of the default extractor kept; None: the shipped models, which learned most pages of the corpora.
    Raises FileNotFoundError if the folder has no models of folds.
    """

    def __init__(self, run: Path | None) -> None:
        folders = sorted((run / FOLDER).glob("[0-9]*")) if run is not None else []
        if run is not None and not folders:
            raise FileNotFoundError(f"{run / FOLDER} has no models. Train the default extractor first.")
        self._registries = [ModelRegistry(run / FOLDER / str(fold)) for fold in range(len(folders))] if run is not None else []

    def __getitem__(self, site: str) -> PageContext:
        return PageContext(models=self._registries[fold_of(site, len(self._registries))]) if self._registries else NO_CONTEXT
