"""The two stages of gradient-boosted trees: their inputs, their training fold by fold, and the models of the folds as folders.

Trainers of fields and of site history read a page with the model that did not learn its site.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import lightgbm as lgb
import numpy as np
from tqdm import tqdm

from webcontent.document.features.class_names import CLASS_NAME_FEATURES, class_name_features
from webcontent.document.features.second_stage import score_features
from webcontent.evaluation.folds import fold_of
from webcontent.extraction import NO_CONTEXT, PageContext
from webcontent.extractors.decoding import sigmoid
from webcontent.extractors.fusion import ALL, MODEL
from webcontent.models import ModelRegistry
from webcontent.training.common.export import write_graph
from webcontent.training.common.trees import onnx_of_stages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.fusion.samples import ClassNameStatistics, FusionSample
    from webcontent.training.fusion.settings import Settings

    Inputs = Callable[[int | None], NDArray[np.float32]]
    """The features of all blocks for the models that are evaluated on a fold; None: for the model of all pages."""

STAGES = ("first", "second")
FOLDER = "folds"
"""In the folder of a run."""


class BlockRows:
    """The blocks of all samples, one after the other: labels, weights, folds, and which blocks are drawn for training."""

    def __init__(self, samples: Sequence[FusionSample], settings: Settings) -> None:
        counts = [len(sample) for sample in samples]
        ends = np.cumsum(counts)
        self.slices = [slice(int(end) - count, int(end)) for end, count in zip(ends, counts, strict=True)]
        self.total = int(ends[-1])
        self.fold = np.repeat([sample.fold(settings.folds) for sample in samples], counts)
        self.label, self.weight = np.zeros((2, self.total), np.float32)
        self.is_drawn = np.zeros(self.total, np.bool_)
        random = np.random.default_rng(settings.seed)
        for sample, rows in zip(samples, self.slices, strict=True):
            if sample.match is not None and sample.groups is not None:
                self.label[rows] = sample.match.labels
                self.weight[rows] = np.sqrt(sample.groups.words) * settings.weights[sample.corpus]
                count = len(sample)
                self.is_drawn[rows] = True if count <= settings.page_blocks else random.permutation(count) < settings.page_blocks
        self.weight /= self.weight[self.is_drawn].mean()


class FirstInputs:
    """Inputs of the first stage: block features, and class name features learned without the evaluated fold and the page's own fold."""

    def __init__(self, samples: Sequence[FusionSample], names: ClassNameStatistics, settings: Settings) -> None:
        self.samples, self.names, self.settings = samples, names, settings
        self._own = np.concatenate([sample.x for sample in samples])
        self._by_fold: dict[int | None, NDArray[np.float32]] = {}

    def __call__(self, fold: int | None) -> NDArray[np.float32]:
        """The features of all blocks; `fold`: the fold that is evaluated, None for the model of all pages."""
        if fold not in self._by_fold:
            folds = self.settings.folds
            weights = [self.names.weights(self.settings, {own} if fold is None else {own, fold}) for own in range(folds)]
            empty = np.zeros((0, len(CLASS_NAME_FEATURES)), np.float32)
            parts = [class_name_features(page.names, weights[page.fold(folds)]) if page.names else empty for page in self.samples]
            self._by_fold[fold] = np.concatenate(parts)
        return np.hstack((self._own, self._by_fold[fold]))


def second_features(samples: Sequence[FusionSample], rows: BlockRows, probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Features of the first stage's probabilities around each block."""
    pages = zip(samples, rows.slices, strict=True)
    return np.concatenate([score_features(sample.groups, probabilities[part]) for sample, part in pages if sample.groups])


def train_stage(
    stage: str, inputs: Inputs, rows: BlockRows, settings: Settings, folder: Path, threads: int
) -> tuple[NDArray[np.float32], lgb.Booster]:
    """Out-of-fold probabilities of all blocks, and the model of all pages. Models are kept in `folder`."""
    own, trees = (settings.first, settings.first_trees) if stage == STAGES[0] else (settings.second, settings.second_trees)
    parameters = {**settings.common, **own, "seed": settings.seed, "num_threads": threads}
    raw = np.zeros(rows.total)
    for fold in [*range(settings.folds), None]:
        is_held_out = rows.fold == (-1 if fold is None else fold)
        path = model_path(folder, stage, fold)
        booster, raw[is_held_out] = _train_or_load(path, partial(inputs, fold), is_held_out, rows, parameters, trees)
        tqdm.write(f"{path.stem}: done")
    probabilities: NDArray[np.float32] = sigmoid(raw).astype(np.float32)
    return probabilities, booster


def model_path(folder: Path, stage: str, fold: int | None) -> Path:
    """Where a model is kept; `fold`: the one that it did not see, None for the model of all pages."""
    return folder / f"{stage}-{'all' if fold is None else fold}.txt"


def _train_or_load(
    path: Path,
    inputs: Callable[[], NDArray[np.float32]],
    is_held_out: NDArray[np.bool_],
    rows: BlockRows,
    parameters: dict[str, Any],
    trees: int,
) -> tuple[lgb.Booster, NDArray[np.float64]]:
    """A model and its raw scores for the held-out blocks, from the files of an earlier run where there are any."""
    scores_path = path.with_suffix(".npy")
    if not (path.exists() and scores_path.exists()):
        x = inputs()
        is_used = ~is_held_out & rows.is_drawn
        data = lgb.Dataset(x[is_used], rows.label[is_used], weight=rows.weight[is_used], free_raw_data=True)
        booster = lgb.train(parameters, data, trees)
        raw = booster.predict(x[is_held_out], raw_score=True, num_threads=1) if is_held_out.any() else np.zeros(0)
        np.save(scores_path, np.asarray(raw, np.float64))
        unfinished = path.with_suffix(".part")  # a run that is killed here leaves no half of a model behind
        booster.save_model(unfinished)
        unfinished.replace(path)
    scores: NDArray[np.float64] = np.load(scores_path)
    return lgb.Booster(model_file=path), scores


def save_fold_models(run: Path, names: ClassNameStatistics, page_models: Mapping[str, Any], settings: Settings) -> None:
    """Writes RUN/folds/<fold>/<name of the model> with graph and configuration, for each fold the model that did not see its sites.

    `page_models`: those of all pages, which have a few weights only.
    """
    for fold in range(settings.folds):
        first, second = (lgb.Booster(model_file=model_path(run, stage, fold)) for stage in STAGES)
        config = {**page_models, "names": names.weights(settings, {fold})}
        write_graph(run / FOLDER / str(fold) / MODEL, onnx_of_stages(first, second, ALL, name=MODEL), config)


class FoldContexts:
    """The context of pages by their site, with the model of the default extractor that did not learn it.

    `run`: a folder that training of the default extractor kept; None: the shipped models, which learned most pages of the corpora.
    Raises FileNotFoundError if the folder has no models of folds.
    """

    def __init__(self, run: Path | None) -> None:
        folders = sorted((run / FOLDER).glob("[0-9]*")) if run is not None else []
        if run is not None and not folders:
            raise FileNotFoundError(f"{run / FOLDER} has no models. Train them: python -m webcontent.training.fusion --cache {run.parent}")
        self._registries = [ModelRegistry(run / FOLDER / str(fold)) for fold in range(len(folders))] if run is not None else []

    def __getitem__(self, site: str) -> PageContext:
        return PageContext(models=self._registries[fold_of(site, len(self._registries))]) if self._registries else NO_CONTEXT
