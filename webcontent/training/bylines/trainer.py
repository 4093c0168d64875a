"""Trains the rankers of source and authors.

A candidate is right when it equals a gold value without case, spaces and punctuation. The rankers are cross-validated by site over all
corpora together, then trained on everything. The metrics of the card come from the folds, and from models that were trained without
a corpus and without its sites.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.evaluation.corpora import DATA_HELP
from webcontent.evaluation.folds import fold_of
from webcontent.fields.bylines.context import SLOTS
from webcontent.fields.bylines.features import FEATURES
from webcontent.fields.bylines.ranking import MODEL
from webcontent.training.bylines.card import make_card
from webcontent.training.bylines.metrics import learning_curve, metrics_of
from webcontent.training.bylines.rankers import Ranker, fit, onnx_of_rankers
from webcontent.training.bylines.samples import BylineSample, read_samples
from webcontent.training.bylines.settings import FIELDS, LEFT_OUT, OWN_WEIGHT, WEIGHTS, Settings
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.runs import add_own_pages, cache_folder, cached_json, command_line, run_folder, training_weights
from webcontent.training.common.samples import cached_samples
from webcontent.training.common.trees import sigmoid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Probabilities = dict[str, NDArray[np.float64]]
    """By page, the probabilities of its candidates."""

REFERENCE_SAMPLES = 200
"""Pages whose candidates are compared between the graph and LightGBM."""
VERSION = 10
"""Of the code that makes candidates and features."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = command_line("bylines", "Train the rankers of source and authors.", model=MODEL, cache=cache_folder("bylines"))
    parser.add_argument("--folds", type=int, default=Settings().folds, metavar="N", help="folds of the evaluation (default: %(default)s)")
    parser.add_argument("--curve", action="store_true", help="also measure how the metrics grow with the number of sites")
    help_run = "a run of the default extractor's training in its cache: each page is read with the model that did not learn its site"
    parser.add_argument("--text-run", type=Path, metavar="DIR", help=help_run)
    add_own_pages(parser, DATA_HELP)
    options = parser.parse_args(arguments)
    weights = training_weights(parser, options, WEIGHTS, OWN_WEIGHT)
    settings = Settings(seed=options.seed, folds=options.folds, corpora=dict.fromkeys(weights, options.limit), weights=weights)
    version = [settings.corpora, settings.doubtful, settings.site_named, FEATURES, SLOTS, VERSION, str(options.text_run)]
    samples = cached_samples(options.cache / "samples", version, lambda: read_samples(settings, options.text_run))
    run = run_folder(options.cache, settings.checksum(FEATURES, VERSION, str(options.text_run)))
    metrics = {
        "folds": cached_json(run / "folds.json", lambda: metrics_of(samples, cross_validate(samples, settings))),
        "left out": cached_json(run / "left-out.json", lambda: left_out(samples, settings)),
    }
    if options.curve:
        metrics["curve"] = cached_json(run / "curve.json", lambda: learning_curve(samples, settings, cross_validate))
    save(options.out, {name: fit(samples, name, settings) for name in FIELDS}, samples, settings, metrics)


def cross_validate(samples: Sequence[BylineSample], settings: Settings, share: float = 1.0) -> dict[str, Probabilities]:
    """By field, the probabilities from models that saw no page of the page's site. `share`: of the sites that they learn from."""
    results: dict[str, Probabilities] = {}
    for name in FIELDS:
        judged = [sample for sample in samples if name in sample.gold]
        results[name] = {}
        for fold in range(settings.folds):
            others = [sample for sample in judged if sample.fold(settings.folds) != fold and _is_kept(sample.site, share)]
            tested = [sample for sample in judged if sample.fold(settings.folds) == fold]
            if tested:
                results[name] |= fit(others, name, settings).probabilities(tested)
    return results


def _is_kept(site: str, share: float) -> bool:
    """Whether a site is among the share of all sites, by a hash of its name."""
    return fold_of(f"{site}/share", 100) < 100 * share


def left_out(samples: Sequence[BylineSample], settings: Settings) -> dict[str, Any]:
    """Metrics of each corpus of LEFT_OUT, from models that saw none of its pages and sites."""
    metrics: dict[str, Any] = {}
    for corpus in LEFT_OUT:
        tested = [sample for sample in samples if sample.corpus == corpus]
        sites = {sample.site for sample in tested}
        others = [sample for sample in samples if sample.corpus != corpus and sample.site not in sites]
        results = {name: fit(others, name, settings).probabilities(tested) for name in FIELDS} if tested else {}
        metrics |= metrics_of(tested, results)
    return metrics


def save(
    folder: Path, rankers: Mapping[str, Ranker], samples: Sequence[BylineSample], settings: Settings, metrics: Mapping[str, Any]
) -> None:
    """Writes the model folder."""
    some = [sample for sample in samples[:: max(1, len(samples) // REFERENCE_SAMPLES)] if sample.keys]
    features, context = np.concatenate([sample.features for sample in some]), np.concatenate([sample.context for sample in some])
    facts = DataFacts.of(samples)
    export.save_model(
        folder,
        onnx_of_rankers(rankers, MODEL),
        config={
            "name": folder.name,
            "version": 1,
            "features": list(FEATURES),
            "settings": settings.recorded(),
            "data": facts.corpora,
            "metrics": metrics,
        },
        inputs={"features": features, "context": context},
        expected=[sigmoid(ranker.raw(features, context)).reshape(-1, 1) for ranker in rankers.values()],
        card=make_card(facts, settings, metrics).markdown(),
        libraries=("lightgbm", "scikit-learn"),
    )
