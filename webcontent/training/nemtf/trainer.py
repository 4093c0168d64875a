"""Trains NEMTF.

Pages with gold -> labelled lines (cached) -> words of the training pages and their vectors -> networks over lines, five folds by site
-> metrics of each field -> ONNX and card. An interrupted run keeps the folds that it finished, under --cache. `python -m benchmarks nemtf`
runs the paper's experiments; the card has what it kept under --cache.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from webcontent.evaluation.corpora import find_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.evaluation.scores import mean, page_metrics
from webcontent.extractors.nemtf.extractor import MODEL, Nemtf
from webcontent.extractors.nemtf.features import FEATURES, FIRST, LABELS, LAST, NOISE, TEXT_FEATURES, Vocabulary, features
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts, listed, table
from webcontent.training.common.lines import (
    article_pages,
    corrected_scores,
    predict,
    read_samples,
    score_figures,
    score_pages,
    score_rows,
    store_predictions,
)
from webcontent.training.common.metrics import UNCORRECTED
from webcontent.training.common.settings import checksum_of
from webcontent.training.common.trainer import Trainer, cached_json, run_folder
from webcontent.training.nemtf.networks import OnePage, tokens_of
from webcontent.training.nemtf.settings import CACHE, LineSchedule, Settings
from webcontent.training.nemtf.training import Trained, train

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.training.common.lines import LineSample
    from webcontent.training.nemtf.networks import Tokens

EVALUATED = ("zh-gold-dev", "zh-silver", "fundus-dev", "l3s-gn1")
"""Corpora whose metrics are on the card."""
REFERENCE_LINES = 200
"""Maximum number of lines of the reference page."""


EXPERIMENTS = "experiments"
"""Name of the files that the paper's experiments leave in the folder of a run: .json their results, .md their section of the card."""
LEFT_OUT = "The paper's experiments were left out in this run."
FIELDS = ("f1", "title", "date", "source", "related")
"""Metrics of fields; `f1` is that of the body."""
HAS_LABEL = 0.4
"""A line counts as one of a label from this share on: of a line that holds two fields, either is right."""


class NemtfTrainer(Trainer):
    """Trains and evaluates the networks of the folds, then those of all pages."""

    room, model, trains = "nemtf", MODEL, "NEMTF's networks"
    card, cache = Path(__file__).with_name("card.md"), CACHE
    own_options = {
        "--epochs": {"type": int, "default": LineSchedule().epochs, "metavar": "N", "help": "epochs of each network"},
        "--threads": {"type": int, "default": 1, "metavar": "N", "help": "threads of torch"},
    }
    libraries = ("torch",)
    settings: Settings

    @staticmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
        settings = Settings(seed=options.seed, schedule=LineSchedule(epochs=options.epochs))
        return replace(settings, corpora=dict.fromkeys(settings.corpora, options.limit))

    def train(self) -> None:
        options, settings = self.options, self.settings
        torch.set_num_threads(options.threads)
        folder = run_folder(options.cache, f"{MODEL}-{settings.run_name}")
        samples = read_samples(settings.corpora, options.cache)
        tokens = {sample.id: tokens_of(sample) for sample in samples}
        metrics = cross_validate(samples, tokens, settings, folder)
        kept = (folder / EXPERIMENTS).with_suffix(".json")
        metrics["experiments"] = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
        section = kept.with_suffix(".md").read_text(encoding="utf-8") if metrics["experiments"] else LEFT_OUT
        trained = train(samples, tokens, settings, title="all pages")
        trained.config["score"] = {key: metrics["score"][key] for key in UNCORRECTED}
        self.export(trained, samples, metrics, section)
        print(table(("corpus", *LABELS[1:]), [[name, *own] for name, own in metrics["lines"].items()]))
        print(f"{options.out}: done; predictions for the evaluator are in {folder}")

    def export(self, trained: Trained, samples: Sequence[LineSample], metrics: dict[str, Any], experiments: str) -> None:
        """Writes the model folder. `experiments`: their section of the card."""
        vocabulary = Vocabulary(trained.config["words"])
        page = max((sample for sample in samples if len(sample) <= REFERENCE_LINES), key=len, default=samples[0])
        x = features(page.title, page.texts, vocabulary, trained.config["lengths"])
        graph = export.onnx_of_network(OnePage(trained.nets), {"features": x}, ["probabilities"])
        self.save(
            graph,
            DataFacts.of(samples),
            config={"features": FEATURES, "labels": LABELS, "metrics": metrics, **trained.config},
            inputs={"features": x},
            expected=trained.run(x),
            figures=card_figures(sum(map(len, samples)), self.settings, metrics, experiments),
        )


main = NemtfTrainer.main


# ----------------------------------------------------------------------------------------------------- cross-validation
def cross_validate(samples: Sequence[LineSample], tokens: Tokens, settings: Settings, folder: Path) -> dict[str, Any]:
    """Metrics on sites that were not trained on, fold by fold. Also writes the predictions."""
    corpora = [name for name in EVALUATED if name in settings.corpora and find_corpus(name) is not None]
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in corpora}
    counts = {name: np.zeros((len(LABELS), 3)) for name in corpora}
    scores: list[tuple[str, float, float]] = []
    decoding = checksum_of([settings.decoding, settings.least, settings.alone])
    for fold in range(settings.folds):
        path = folder / f"fold-{fold}-{decoding}.json"
        stored = cached_json(path, partial(_evaluate_fold, samples, tokens, settings, fold, corpora))
        scores += stored["scores"]
        for name in corpora:
            rows[name] += stored["rows"][name]
            counts[name] += np.array(stored["counts"][name])
    for name, own in rows.items():
        store_predictions(folder, name, own)
    return {
        "lines": {name: line_f1(own) for name, own in counts.items()},
        "items": {name: field_metrics(own) for name, own in rows.items()},
        "score": corrected_scores(scores, settings.folds),
    }


def _evaluate_fold(samples: Sequence[LineSample], tokens: Tokens, settings: Settings, fold: int, corpora: Sequence[str]) -> dict[str, Any]:
    """What networks predict for the sites of a fold that they were not trained on."""
    training = [sample for sample in samples if sample.fold(settings.folds) != fold]
    trained = train(training, tokens, settings, title=f"fold {fold}")
    models, alone = trained.models(), trained.models(least=settings.alone)
    rows, counts = {}, {}
    for name in corpora:
        pages = [page for page in article_pages(name, settings.corpora[name]) if fold_of(page["site"], settings.folds) == fold]
        rows[name] = predict(pages, Nemtf(), models, alone=alone)
        own = [sample for sample in samples if sample.corpus == name and sample.fold(settings.folds) == fold]
        counts[name] = line_counts(own, trained.probabilities(own)).tolist()
    return {"rows": rows, "counts": counts, "scores": score_rows(predict(score_pages(settings.folds, fold), Nemtf(), models))}


def card_figures(lines: int, settings: Settings, metrics: Mapping[str, Any], experiments: str) -> dict[str, Any]:
    """What the card states besides facts and settings. `lines`: number of lines of all pages."""
    form, items = settings.form, metrics["items"].items()
    return {
        "columns": len(FEATURES),
        "first": FIRST,
        "last": LAST,
        "labels": ", ".join(LABELS),
        "label_count": len(LABELS),
        "text_features": len(TEXT_FEATURES),
        "feature_names": ", ".join(TEXT_FEATURES),
        "form": form,
        "dilations": len(form.dilations),
        "steps": ", ".join(map(str, form.dilations)),
        "schedule": settings.schedule,
        "least": listed(settings.least),
        "alone": listed(settings.alone),
        "drawn": listed(settings.weights),
        "line_count": lines,
        "fields": table(("corpus", "", *FIELDS), [[corpus, which, *f1.values()] for corpus, own in items for which, f1 in own.items()]),
        "lines": table(("corpus", *LABELS[1:]), [[name, *f1] for name, f1 in metrics["lines"].items()]),
        "experiments": experiments,
        **score_figures(metrics["score"]),
    }


# ---------------------------------------------------------------------------------------------------------------- lines
def line_counts(samples: Sequence[LineSample], probabilities: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
    """For each label the numbers of right, predicted and gold lines: float64 [6, 3]. Labels that the gold does not state do not count."""
    counts = np.zeros((len(LABELS), 3))
    for sample, own in zip(samples, probabilities, strict=True):
        labels, is_evaluated = own.argmax(axis=1), sample.weights > 0
        for label in range(len(LABELS)):
            if label not in sample.unknown:
                is_predicted = (labels == label) & is_evaluated
                is_gold = (sample.targets[:, label] >= HAS_LABEL) & is_evaluated
                is_right = is_predicted & is_gold
                is_main = is_gold & (sample.targets.argmax(axis=1) == label)
                counts[label] += is_right.sum(), is_predicted.sum(), (is_main | is_right).sum()
    return counts


def line_f1(counts: NDArray[np.float64]) -> list[float]:
    """F1 of each label but noise; NaN where the gold has none."""
    return [2 * right / (predicted + gold) if gold else float("nan") for right, predicted, gold in counts[NOISE + 1 :].tolist()]


def field_metrics(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """The mean metric of each field of predictions: of the whole item, and of what the network gives alone. NaN where no page has it."""
    metrics = {
        name: [page_metrics(row["alone"] if name == "alone" else dict(row), dict(row)) for row in rows] for name in ("item", "alone")
    }
    return {name: {key: np.nan if (value := mean(own, key)) is None else value for key in FIELDS} for name, own in metrics.items()}
