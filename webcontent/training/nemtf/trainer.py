"""Trains NEMTF.

Pages with gold -> labelled lines (cached) -> words of the training pages and their vectors -> networks over lines, five folds by site
-> metrics of each field, the paper's experiments -> ONNX and card. An interrupted run continues from what is kept under --cache, each
epoch of each network included. `--experiments no` leaves the paper's experiments out.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tqdm import tqdm

from webcontent.evaluation.corpora import find_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.extractors.nemtf import FEATURES, LABELS, MODEL, Nemtf, Vocabulary, features
from webcontent.training.common import export
from webcontent.training.common.calibration import UNCORRECTED
from webcontent.training.common.cards import DataFacts, table
from webcontent.training.common.cost import graph_cost, page_cost, pages_of_size
from webcontent.training.common.lines import (
    alignment_table,
    article_pages,
    corrected_scores,
    predict,
    read_samples,
    score_pages,
    score_rows,
    store_predictions,
)
from webcontent.training.common.runs import cached_json, command_line, run_folder
from webcontent.training.common.settings import checksum_of
from webcontent.training.nemtf.card import make_card
from webcontent.training.nemtf.evaluation import field_metrics, line_counts, line_f1
from webcontent.training.nemtf.experiments import run_experiments
from webcontent.training.nemtf.networks import OnePage
from webcontent.training.nemtf.settings import CACHE, LineSchedule, Settings
from webcontent.training.nemtf.training import Trained, train
from webcontent.training.nemtf.words import tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webcontent.training.common.lines import LineSample
    from webcontent.training.nemtf.words import Tokens

EVALUATED = ("zh-gold-dev", "zh-silver", "fundus-dev", "l3s-gn1")
"""Corpora whose metrics are on the card."""
COST_CORPORA, COST_KB, COST_LINES = ("zh-gold-dev", "fundus-dev"), (60, 160), 300
"""The time for a page is measured on pages of these corpora with so many kilobytes of HTML, that of the graph for so many lines."""
REFERENCE_LINES = 200
"""Maximum number of lines of the reference page."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = command_line("nemtf", "Train NEMTF's networks.", model=MODEL, cache=CACHE)
    epochs = LineSchedule().epochs
    parser.add_argument("--epochs", type=int, default=epochs, metavar="N", help="epochs of each network (default: %(default)s)")
    parser.add_argument("--experiments", choices=("yes", "no"), default="yes", help="the paper's experiments (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads of torch (default: %(default)s)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    settings = Settings(seed=options.seed, schedule=LineSchedule(epochs=options.epochs))
    if options.limit:
        settings = replace(settings, corpora=dict.fromkeys(settings.corpora, options.limit))
    folder = run_folder(options.cache, f"{MODEL}-{settings.run_name}")
    samples = read_samples(settings.corpora, options.cache)
    tokens = {sample.id: tokens_of(sample) for sample in samples}
    metrics = cross_validate(samples, tokens, settings, folder)
    metrics["alignment"] = alignment_table(samples)
    metrics["experiments"] = run_experiments(samples, tokens, settings, folder) if options.experiments == "yes" else {}
    trained = _train_with_bar("all pages", samples, tokens, settings, folder / "all.pt")
    trained.config["score"] = {key: metrics["score"][key] for key in UNCORRECTED}
    save(options.out, trained, samples, settings, metrics)
    print(table(("corpus", *LABELS[1:]), [[name, *own] for name, own in metrics["lines"].items()]))
    print(f"{options.out}: done; predictions for the evaluator are in {folder}")


def _train_with_bar(title: str, samples: Sequence[LineSample], tokens: Tokens, settings: Settings, checkpoint: Path) -> Trained:
    with tqdm(total=settings.nets * settings.schedule.epochs, desc=title, unit="epoch", disable=None) as bar:

        def show(epoch: int, loss: float) -> None:
            bar.update()

        return train(samples, tokens, settings, checkpoint=checkpoint, on_epoch=show)


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
        stored = cached_json(path, partial(_evaluate_fold, samples, tokens, settings, folder, fold, corpora))
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


def _evaluate_fold(
    samples: Sequence[LineSample], tokens: Tokens, settings: Settings, folder: Path, fold: int, corpora: Sequence[str]
) -> dict[str, Any]:
    """What networks predict for the sites of a fold that they were not trained on."""
    training = [sample for sample in samples if sample.fold(settings.folds) != fold]
    trained = _train_with_bar(f"fold {fold}", training, tokens, settings, folder / f"fold-{fold}.pt")
    models, alone = trained.models(), trained.models(least=settings.alone)
    rows, counts = {}, {}
    for name in corpora:
        pages = [page for page in article_pages(name, settings.corpora[name]) if fold_of(page["site"], settings.folds) == fold]
        rows[name] = predict(pages, Nemtf(), models, alone=alone)
        own = [sample for sample in samples if sample.corpus == name and sample.fold(settings.folds) == fold]
        counts[name] = line_counts(own, trained.probabilities(own)).tolist()
    return {"rows": rows, "counts": counts, "scores": score_rows(predict(score_pages(settings.folds, fold), Nemtf(), models))}


# --------------------------------------------------------------------------------------------------------------- export
def save(folder: Path, trained: Trained, samples: Sequence[LineSample], settings: Settings, metrics: dict[str, Any]) -> None:
    """Writes the model folder. `metrics` is extended by the cost."""
    vocabulary = Vocabulary(trained.config["words"])
    page = max((sample for sample in samples if len(sample) <= REFERENCE_LINES), key=len, default=samples[0])
    x = features(page.title, page.texts, vocabulary, trained.config["lengths"])
    graph = export.onnx_of_network(OnePage(trained.nets), x, "features", "probabilities")
    metrics["cost"] = {**graph_cost(graph, {"features": np.resize(x, (COST_LINES, x.shape[1]))}), "lines": COST_LINES}
    models = trained.models(export.open_graph(graph).run)
    metrics["page_cost"] = page_cost(Nemtf(), pages_of_size(COST_CORPORA, *COST_KB), models)
    facts = DataFacts.of(samples)
    export.save_model(
        folder,
        graph,
        config={
            "name": MODEL,
            "version": 1,
            "features": FEATURES,
            "labels": LABELS,
            "settings": settings.recorded(),
            "data": facts.corpora,
            "metrics": metrics,
            **trained.config,
        },
        inputs={"features": x},
        expected=trained.run(x),
        card=make_card(facts, sum(map(len, samples)), settings, metrics).markdown(),
        libraries=("torch",),
    )
