"""Trains Web2Text.

Pages with gold bodies -> features and labels of the leaves (cached) -> the paper's own experiment (CleanEval: 60 pages for training,
676 for testing, baselines on the same pages) -> five folds by site over all corpora together -> the model of all pages -> calibrated
scores -> ONNX and card. An interrupted run continues from the pages, networks and answers of baselines that are kept under --cache.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.document.collapsed import Collapsed
from webcontent.document.parsing import Document
from webcontent.extractors.decoding import PAGE_FEATURES
from webcontent.extractors.web2text import BLOCK_FEATURES, EDGE_FEATURES, EXTRA_FEATURES, MODEL, VERSION, Web2Text, features
from webcontent.items import Page
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.cost import page_cost, pages_of_size
from webcontent.training.common.metrics import reliability
from webcontent.training.common.runs import command_line, run_folder
from webcontent.training.web2text.card import cleaneval_rows, groups_table, make_card
from webcontent.training.web2text.cleaneval import BASELINES, cleaneval_table, shipped_row
from webcontent.training.web2text.networks import graph_of
from webcontent.training.web2text.predictions import calibrated_scores, metrics_by_group, page_f1, predict, store_predictions
from webcontent.training.web2text.samples import read_samples
from webcontent.training.web2text.settings import CACHE, CLEANEVAL, PAPER, SHIPPED, Settings
from webcontent.training.web2text.training import fit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from webcontent.training.web2text.networks import Nets
    from webcontent.training.web2text.predictions import Prediction
    from webcontent.training.web2text.samples import LeafSample

COST_CORPUS, COST_KB, COST_PAGES = "wcxb-dev", (80, 120), 40
"""The time for a page is measured on so many pages of this corpus with so many kilobytes of HTML."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = command_line("web2text", "Train Web2Text's networks.", model=MODEL, cache=CACHE)
    parser.add_argument("--steps", type=int, metavar="N", help="steps of each network (default: as in Settings)")
    parser.add_argument("--baselines", nargs="*", default=list(BASELINES), metavar="NAME", help="libraries to compare with (default: all)")
    options = parser.parse_args(arguments)
    changes: dict[str, Any] = {"seed": options.seed, "corpora": dict.fromkeys(SHIPPED.corpora, options.limit)}
    changes |= {"steps": options.steps} if options.steps else {}
    paper, settings = replace(PAPER, **changes), replace(SHIPPED, **changes)
    folder = run_folder(options.cache, settings.run_name)
    samples = read_samples(settings, options.cache)
    ours = replace(settings, steps=settings.steps // 2, **CLEANEVAL)
    table = cleaneval_table(samples, {"the paper's form": paper, "ours": ours}, options.baselines, options.cache)
    predictions = predict_out_of_fold(samples, settings, folder)
    table.append(shipped_row(samples, predictions))
    store_predictions(folder / "predictions", samples, predictions)
    scores, score_model = calibrated_scores(samples, predictions, settings.folds)
    f1 = page_f1(samples, predictions)
    metrics: dict[str, Any] = {
        "cleaneval": table,
        "groups": metrics_by_group(samples, f1, scores, settings.folds),
        "reliability": reliability(f1, scores),
    }
    nets = fit([sample for sample in samples if sample.is_trained_on], settings, folder / "all.pt", label="all pages")
    save(options.out, nets, score_model, samples, settings, metrics)
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=1), encoding="utf-8")
    print(groups_table(metrics["groups"]), cleaneval_rows(table), sep="\n\n")
    tqdm.write(f"{options.out}: done; predictions for the evaluator are in {folder / 'predictions'}")


def predict_out_of_fold(samples: Sequence[LeafSample], settings: Settings, folder: Path) -> list[Prediction]:
    """The prediction for each page by networks that were not trained on its site."""
    predictions: dict[tuple[str, str], Prediction] = {}
    for fold in range(settings.folds):
        training = [sample for sample in samples if sample.is_trained_on and sample.fold(settings.folds) != fold]
        nets = fit(training, settings, folder / f"fold-{fold}.pt", label=f"fold {fold}")
        tested = (sample for sample in samples if sample.fold(settings.folds) == fold)
        predictions |= {(sample.corpus, sample.id): predict(sample, nets, settings) for sample in tested}
    return [predictions[sample.corpus, sample.id] for sample in samples]


def save(
    folder: Path, nets: Nets, score_model: dict[str, Any], samples: Sequence[LeafSample], settings: Settings, metrics: dict[str, Any]
) -> None:
    """Writes the model folder. `metrics` is extended by the cost."""
    graph = graph_of(nets)
    document = Document.from_page(Page(html=export.REFERENCE_HTML))
    x, edges = (np.round(part, 5) for part in features(document, Collapsed(document.blocks)))
    inputs = {"blocks": x[:, : nets.columns], "edges": edges}
    unary, pairwise = export.open_graph(graph).run(**inputs)
    arrays = {"blocks": x, "edges": edges, "unary": unary, "pairwise": pairwise}
    config = {
        "name": folder.name,
        "version": 1,
        "feature_version": VERSION,
        "features": [*BLOCK_FEATURES, *EXTRA_FEATURES][: settings.columns],
        "edge_features": EDGE_FEATURES,
        "page_features": PAGE_FEATURES,
        "lambda": settings.weight,
        "bias": settings.bias,
        "furniture_bias": settings.furniture_bias,
        "score": score_model,
        "settings": settings.recorded(),
        "data": DataFacts.of(samples).corpora,
    }
    model = export.UnsavedModel(MODEL, config, export.open_graph(graph).run)
    pages = pages_of_size((COST_CORPUS,), *COST_KB, limit=COST_PAGES)
    metrics["cost"] = {**page_cost(Web2Text(), pages, export.RegistryWith(model)), "megabytes": graph.ByteSize() / 1e6}
    trained = DataFacts.of([sample for sample in samples if sample.is_trained_on])
    export.save_model(
        folder,
        graph,
        config=config,
        inputs=inputs,
        expected=nets.potentials(x, edges),
        reference={
            "html": export.REFERENCE_HTML,
            **{name: np.round(array.astype(float), 6).tolist() for name, array in arrays.items()},
        },
        card=make_card(trained, DataFacts.of(samples), settings, metrics).markdown(),
        libraries=("torch",),
    )
