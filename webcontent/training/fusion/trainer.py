"""Trains the default extractor's model.

Pages with gold bodies -> features and soft labels (cached) -> gradient-boosted trees, five folds by site over all corpora together
-> the same with the first stage's probabilities around each block -> calibrated scores -> ONNX and card. An interrupted run continues
from the pages, folds and models that are kept under --cache.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.document.features.blocks import FEATURES
from webcontent.document.features.class_names import CLASS_NAME_FEATURES
from webcontent.document.features.context import FeatureContext
from webcontent.document.features.second_stage import SCORE_FEATURES
from webcontent.document.features.stories import STORY_FEATURES
from webcontent.document.parsing import Document
from webcontent.evaluation.scores import snippet_f1
from webcontent.extractors.decoding import PAGE_FEATURES, sigmoid
from webcontent.extractors.fusion import ALL, EMPTY, FIRST, MODEL, all_columns, choose_blocks
from webcontent.items import Page
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts, body_figures
from webcontent.training.common.metrics import GOOD_F1, metrics_by_group, out_of_fold_probabilities, reliability, store_rows
from webcontent.training.common.trainer import Trainer, run_folder, training_weights
from webcontent.training.common.trees import mean_raw_scores, onnx_of_stages
from webcontent.training.fusion.samples import ClassNameStatistics, read_samples
from webcontent.training.fusion.settings import CACHE, EVALUATED_ONLY, OWN_WEIGHT, VERSION, WEIGHTS, Settings
from webcontent.training.fusion.stages import STAGES, BlockRows, FirstInputs, save_fold_models, second_features, train_stage

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    import lightgbm as lgb
    from numpy.typing import NDArray

    from webcontent.models import Model
    from webcontent.training.fusion.samples import FusionSample

COLUMNS = (FEATURES, STORY_FEATURES, CLASS_NAME_FEATURES, SCORE_FEATURES)
"""Names of the columns, by their kind."""


class FusionTrainer(Trainer):
    """Trains both stages fold by fold and on everything, then the models of whole pages."""

    room, model, trains = "fusion", MODEL, "the default extractor's model"
    card, cache = Path(__file__).with_name("card.md"), CACHE
    takes_own_pages = True
    own_options = {
        "--trees": {"type": int, "nargs": 2, "metavar": "N", "help": "trees of the first and the second stage (default: as in Settings)"},
        "--threads": {"type": int, "default": 1, "metavar": "N", "help": "threads of LightGBM"},
    }
    settings: Settings

    @staticmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
        trees = dict(zip(("first_trees", "second_trees"), options.trees, strict=True)) if options.trees else {}
        weights = training_weights(parser, options, WEIGHTS, OWN_WEIGHT)
        corpora, evaluated = dict.fromkeys(weights, options.limit), EVALUATED_ONLY if set(weights) >= set(WEIGHTS) else ()
        return Settings(seed=options.seed, corpora=corpora, evaluated_only=evaluated, weights=weights, **trees)

    def train(self) -> None:
        settings, threads = self.settings, self.options.threads
        folder = run_folder(self.options.cache, settings.run_name)
        samples = read_samples(settings, self.options.cache)
        rows, names = BlockRows(samples, settings), ClassNameStatistics(samples, settings.folds)
        first_inputs = FirstInputs(samples, names, settings)
        first, first_model = train_stage("first", first_inputs, rows, settings, folder, threads)
        around = second_features(samples, rows, first)

        def both_inputs(fold: int | None) -> NDArray[np.float32]:
            return np.hstack((first_inputs(fold), around))

        second, second_model = train_stage("second", both_inputs, rows, settings, folder, threads)
        predictions, page_models = predict_pages(samples, rows, second, settings.folds)
        store_predictions(folder / "predictions", samples, predictions)
        save_fold_models(folder, names, page_models, settings)
        has_gold = np.array([sample.match is not None for sample in samples])
        metrics: dict[str, Any] = {
            "groups": metrics_by_group(samples, predictions.f1, predictions.score, settings.folds),
            "reliability": reliability(predictions.f1[has_gold] > GOOD_F1, predictions.score[has_gold]),
        }
        self.export((first_model, second_model), {**page_models, "names": names.weights(settings)}, samples, metrics)
        (folder / "metrics.json").write_text(json.dumps(metrics, indent=1), encoding="utf-8")
        tqdm.write(f"{self.options.out}: done; predictions for the evaluator and the models of the folds are in {folder}")

    def export(
        self,
        boosters: tuple[lgb.Booster, lgb.Booster],
        learned: dict[str, Any],
        samples: Sequence[FusionSample],
        metrics: dict[str, Any],
    ) -> None:
        """Writes the model folder; `learned`: the page models and the weights of class names."""
        folder = self.options.out
        graph = onnx_of_stages(*boosters, ALL, name=folder.name)
        model = export.open_graph(graph)
        x = reference_features(model, learned["names"])
        first, second = (sigmoid(mean_raw_scores([own], x[:, :columns])) for own, columns in zip(boosters, (FIRST, ALL), strict=True))
        outputs = [model.run(features=x, second=np.array(number))[0][:, 0] for number in (False, True)]
        export.check_outputs(folder.name, STAGES, outputs, [first, second])
        by_stage = {stage: output.tolist() for stage, output in zip(STAGES, outputs, strict=True)}
        self.save(
            graph,
            DataFacts.of(samples),
            config={"feature_version": VERSION, "features": [*chain(*COLUMNS)], "page_features": PAGE_FEATURES, **learned},
            inputs={"features": x, "second": np.array(True)},
            expected=[second[:, None]],
            reference={"html": export.REFERENCE_HTML, "features": x.round(5).tolist(), **by_stage},
            figures=card_figures(metrics),
        )


main = FusionTrainer.main


def reference_features(model: Model, names: dict[str, float]) -> NDArray[np.float32]:
    """The features of both stages for the blocks of the reference page: float32 [blocks, ALL]."""
    document = Document.from_page(Page(html=export.REFERENCE_HTML))
    return all_columns(document, FeatureContext(document), model, names)


def card_figures(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """What the card states besides facts and settings."""
    columns = " + ".join(str(len(names)) for names in COLUMNS)
    return {**body_figures(metrics), "columns": columns}


# ----------------------------------------------------------------------------------------------------------- predictions
@dataclass(slots=True)
class Predictions:
    """Out-of-fold predictions for pages, a row for each sample."""

    chosen: list[NDArray[np.bool_]]
    """Blocks of the body; none where an empty body is more probable."""
    f1: NDArray[np.float64]
    """Word F1 of the body, of snippets where there is no gold body."""
    score: NDArray[np.float64]
    """Calibrated probability that the F1 of the body is above GOOD_F1."""


def predict_pages(
    samples: Sequence[FusionSample], rows: BlockRows, probabilities: NDArray[np.float32], folds: int
) -> tuple[Predictions, dict[str, Any]]:
    """The predictions, and the two page models (`empty` and `score` of config.json) of all pages."""
    choices = [_choice(sample, probabilities[part]) for sample, part in zip(samples, rows.slices, strict=True)]
    chosen, features = [blocks for blocks, _ in choices], np.array([values for _, values in choices])
    fold = np.array([sample.fold(folds) for sample in samples])
    has_gold = np.array([sample.match is not None and sample.groups is not None for sample in samples])
    is_gold_empty = np.array([sample.match is not None and not sample.match.gold_counts.sum() for sample in samples])
    empty, empty_model = out_of_fold_probabilities(features, is_gold_empty, fold, has_gold, monotone=False)
    for i in np.flatnonzero(empty > EMPTY).tolist():
        chosen[i] = np.zeros(len(samples[i]), np.bool_)
    f1 = np.array([page_f1(sample, blocks) for sample, blocks in zip(samples, chosen, strict=True)])
    has_body = np.array([bool(blocks.any()) for blocks in chosen])
    score, score_model = out_of_fold_probabilities(features, f1 > GOOD_F1, fold, has_gold & has_body, monotone=True)
    return Predictions(chosen, f1, np.where(has_body, score, np.where(has_gold, empty, 0.0))), {"empty": empty_model, "score": score_model}


def page_f1(sample: FusionSample, chosen: NDArray[np.bool_]) -> float:
    """Word F1 of the body, or F1 of the snippets where there is no gold body."""
    if sample.match is not None:
        return sample.match.f1(chosen)
    return snippet_f1(
        " ".join(sample.texts[i] for i in np.flatnonzero(chosen)), dict(zip(("with", "without"), sample.snippets, strict=True))
    )


def _choice(sample: FusionSample, probabilities: NDArray[np.float32]) -> tuple[NDArray[np.bool_], list[float]]:
    """The blocks of the body before the choice of empty bodies, and PAGE_FEATURES."""
    if not sample.groups:
        return np.zeros(0, np.bool_), [0.0] * len(PAGE_FEATURES)
    return choose_blocks(probabilities, sample.texts, sample.groups.words, sample.groups.groups["path"])


def store_predictions(folder: Path, samples: Sequence[FusionSample], predictions: Predictions) -> None:
    """Writes a file for each corpus, as the evaluator reads it."""
    rows = []
    for sample, chosen, score in zip(samples, predictions.chosen, predictions.score, strict=True):
        body = "\n".join(sample.texts[i] for i in np.flatnonzero(chosen))
        rows.append({"id": sample.id, "body": body, "score": round(float(score), 4)})
    store_rows(folder, samples, rows)
