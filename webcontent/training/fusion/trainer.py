"""Trains the default extractor's model.

Pages with gold bodies -> features and soft labels (cached) -> gradient-boosted trees, five folds by site over all corpora together
-> the same with the first stage's probabilities around each block -> calibrated scores -> ONNX and card. An interrupted run continues
from the pages, folds and models that are kept under --cache.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.document.features import (
    CLASS_NAME_FEATURES,
    FEATURES,
    SCORE_FEATURES,
    STORY_FEATURES,
    VERSION,
    FeatureContext,
)
from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import DATA_HELP
from webcontent.extractors.decoding import PAGE_FEATURES
from webcontent.extractors.fusion import ALL, FIRST, MODEL, all_columns
from webcontent.items import Page
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.cost import mean_ms
from webcontent.training.common.plots import draw_calibration
from webcontent.training.common.runs import add_own_pages, command_line, run_folder, training_weights
from webcontent.training.common.trees import mean_raw_scores, onnx_of_stages, sigmoid
from webcontent.training.fusion.card import make_card
from webcontent.training.fusion.class_names import ClassNameStatistics
from webcontent.training.fusion.fold_models import save_fold_models
from webcontent.training.fusion.predictions import metrics_by_group, predict_pages, score_reliability, stage_f1, store_predictions
from webcontent.training.fusion.samples import read_samples
from webcontent.training.fusion.settings import CACHE, EVALUATED_ONLY, OWN_WEIGHT, WEIGHTS, Settings
from webcontent.training.fusion.stages import STAGES, BlockRows, FirstInputs, second_features, train_stage

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from pathlib import Path

    import lightgbm as lgb
    from numpy.typing import NDArray

    from webcontent.models import Model
    from webcontent.training.fusion.samples import FusionSample

COST_BLOCKS, COST_RUNS = 300, 20
"""Blocks of the page that the cost is measured on, and number of runs."""
COST_SAMPLES = 50
"""Pages whose blocks make up that page."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = command_line("fusion", "Train the default extractor's model.", model=MODEL, cache=CACHE)
    parser.add_argument("--trees", type=int, nargs=2, metavar="N", help="trees of the first and the second stage (default: as in Settings)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of LightGBM (default: %(default)s)")
    add_own_pages(parser, DATA_HELP)
    options = parser.parse_args(arguments)
    settings = _settings_of(parser, options)
    folder = run_folder(options.cache, settings.run_name)
    samples = read_samples(settings, options.cache)
    rows, names = BlockRows(samples, settings), ClassNameStatistics(samples, settings.folds)
    first_inputs = FirstInputs(samples, names, settings)
    first, first_models = train_stage("first", first_inputs, rows, settings, folder, options.threads)
    around = second_features(samples, rows, first)

    def both_inputs(fold: int | None) -> NDArray[np.float32]:
        return np.hstack((first_inputs(fold), around))

    second, second_models = train_stage("second", both_inputs, rows, settings, folder, options.threads)
    predictions, page_models = predict_pages(samples, rows, second, settings.folds)
    store_predictions(folder / "predictions", samples, predictions)
    save_fold_models(folder, names, page_models, settings)
    metrics: dict[str, Any] = {
        "stages": {stage: stage_f1(samples, rows, own) for stage, own in zip(STAGES, (first, second), strict=True)},
        "groups": metrics_by_group(samples, predictions, settings.folds),
        "reliability": score_reliability(samples, predictions),
    }
    save(options.out, (first_models, second_models), {**page_models, "names": names.weights(settings)}, samples, settings, metrics)
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=1), encoding="utf-8")
    tqdm.write(f"{options.out}: done; predictions for the evaluator and the models of the folds are in {folder}")


def _settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
    trees = dict(zip(("first_trees", "second_trees"), options.trees, strict=True)) if options.trees else {}
    weights = training_weights(parser, options, WEIGHTS, OWN_WEIGHT)
    is_ours = set(weights) >= set(WEIGHTS)
    return Settings(
        seed=options.seed,
        corpora=dict.fromkeys(weights, options.limit),
        evaluated_only=EVALUATED_ONLY if is_ours else (),
        weights=weights,
        **trees,
    )


def save(
    folder: Path,
    boosters: tuple[Sequence[lgb.Booster], Sequence[lgb.Booster]],
    learned: dict[str, Any],
    samples: Sequence[FusionSample],
    settings: Settings,
    metrics: dict[str, Any],
) -> None:
    """Writes the model folder; `learned`: the page models and the weights of class names. `metrics` is extended by the cost."""
    graph = onnx_of_stages(*boosters, ALL, name=folder.name)
    model, facts = export.open_graph(graph), DataFacts.of(samples)
    x = reference_features(model, learned["names"])
    first, second = (sigmoid(mean_raw_scores(own, x[:, :columns])) for own, columns in zip(boosters, (FIRST, ALL), strict=True))
    outputs = [model.run(features=x, second=np.array(number))[0][:, 0] for number in (False, True)]
    export.check_outputs(folder.name, STAGES, outputs, [first, second])
    metrics["cost"] = _cost(model, graph.ByteSize(), samples)
    export.save_model(
        folder,
        graph,
        config={
            "name": folder.name,
            "version": 1,
            "feature_version": VERSION,
            "features": [*FEATURES, *STORY_FEATURES, *CLASS_NAME_FEATURES, *SCORE_FEATURES],
            "page_features": PAGE_FEATURES,
            "settings": settings.recorded(),
            "data": facts.corpora,
            **learned,
        },
        inputs={"features": x, "second": np.array(True)},
        expected=[second[:, None]],
        reference={
            "html": export.REFERENCE_HTML,
            "features": x.round(5).tolist(),
            **{stage: output.tolist() for stage, output in zip(STAGES, outputs, strict=True)},
        },
        card=make_card(facts, settings, metrics).markdown(),
        libraries=("lightgbm",),
    )
    rows = [(row["pages"], row["score"], row["good"]) for row in metrics["reliability"]]
    draw_calibration({"F1 > 0.9": rows}, folder / "calibration.png")


def reference_features(model: Model, names: dict[str, float]) -> NDArray[np.float32]:
    """The features of both stages for the blocks of the reference page: float32 [blocks, ALL]."""
    document = Document.from_page(Page(html=export.REFERENCE_HTML))
    return all_columns(document, FeatureContext(document), model, names)


def _cost(model: Model, size: int, samples: Sequence[FusionSample]) -> dict[str, float]:
    """CPU time in milliseconds of both stages for a page of COST_BLOCKS blocks, and megabytes of the graph."""
    blocks = np.concatenate([sample.x for sample in samples[:: max(1, len(samples) // COST_SAMPLES)]])
    x = np.zeros((COST_BLOCKS, ALL), np.float32)
    x[:, : blocks.shape[1]] = np.resize(blocks, (COST_BLOCKS, blocks.shape[1]))

    def run_both() -> None:
        for second in (False, True):
            model.run(features=x, second=np.array(second))

    return {"ms": mean_ms(run_both, COST_RUNS), "blocks": COST_BLOCKS, "megabytes": size / 1e6}
