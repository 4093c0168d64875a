"""Trains the ranker of titles.

A candidate is right when it equals the gold title without case, spaces and punctuation. The model is cross-validated by site over
all corpora together, then trained on everything. The metrics of the card come from the folds.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import lightgbm as lgb
import numpy as np

from webcontent.document.parsing import Document
from webcontent.evaluation.corpora import DATA_HELP
from webcontent.evaluation.scores import plain
from webcontent.fields.page_signals import PageSignals
from webcontent.fields.titles.candidates import title_groups
from webcontent.fields.titles.features import FEATURES, title_features
from webcontent.fields.titles.ranking import MODEL
from webcontent.items import Page
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts
from webcontent.training.common.runs import add_own_pages, command_line, training_weights
from webcontent.training.common.samples import PageSample, iter_pages, page_fields
from webcontent.training.common.settings import corpus_name
from webcontent.training.common.trees import mean_raw_scores, onnx_of_boosters, sigmoid
from webcontent.training.titles.card import make_card
from webcontent.training.titles.settings import OWN_WEIGHT, WEIGHTS, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

REFERENCE_SAMPLES = 200
"""Pages whose candidates are compared between the graph and LightGBM."""


@dataclass(slots=True, kw_only=True)
class TitleSample(PageSample):
    """A page with the candidates of its title, n of them."""

    x: NDArray[np.float32]
    """[n, features]"""
    is_right: NDArray[np.bool_]


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command."""
    parser = command_line("titles", "Train the ranker of titles.", model=MODEL)
    parser.add_argument("--folds", type=int, default=Settings().folds, metavar="N", help="folds of the evaluation (default: %(default)s)")
    add_own_pages(parser, DATA_HELP)
    options = parser.parse_args(arguments)
    weights = training_weights(parser, options, WEIGHTS, OWN_WEIGHT)
    settings = Settings(seed=options.seed, folds=options.folds, corpora=dict.fromkeys(weights), weights=weights)
    samples = read_samples(settings)
    save(options.out, fit(samples, settings), samples, settings, cross_validate(samples, settings))


def read_samples(settings: Settings) -> list[TitleSample]:
    """The pages whose gold has a title."""
    samples = []
    for corpus, limit in settings.corpora.items():
        for record in iter_pages(corpus, limit):
            title = plain(record["gold"].get("title"))
            if not title:
                continue
            signals = PageSignals(Document.from_page(Page(url=record["url"], html=record["html"])))
            groups = title_groups(signals)
            is_right = np.array([plain(group.text) == title for group in groups], bool)
            samples.append(TitleSample(**page_fields(corpus, record), x=title_features(signals, groups), is_right=is_right))
    return samples


def fit(samples: Sequence[TitleSample], settings: Settings) -> list[lgb.Booster]:
    """The models, one for each seed."""
    used = [sample for sample in samples if len(sample.is_right)]
    x = np.concatenate([sample.x for sample in used])
    labels = np.concatenate([sample.is_right for sample in used])
    weights = np.concatenate([np.full(len(sample.is_right), settings.weights[sample.corpus]) for sample in used])
    seeds = range(settings.seed, settings.seed + settings.models)
    datasets = (lgb.Dataset(x, labels, weight=weights, feature_name=list(FEATURES)) for _ in seeds)
    return [lgb.train({**settings.parameters, "seed": seed}, data, settings.trees) for seed, data in zip(seeds, datasets, strict=True)]


def cross_validate(samples: Sequence[TitleSample], settings: Settings) -> dict[str, dict[str, float]]:
    """By corpus: number of pages, and the share of pages where the best candidate, the first one, and any candidate is right."""
    results: dict[str, list[tuple[bool, bool, bool]]] = defaultdict(list)
    for fold in range(settings.folds):
        boosters = fit([sample for sample in samples if sample.fold(settings.folds) != fold], settings)
        for sample in samples:
            if sample.fold(settings.folds) == fold:
                results[sample.corpus].append(_outcome(sample, boosters))
    return {corpus_name(corpus): _metrics(np.array(rows, float)) for corpus, rows in results.items()}


def _outcome(sample: TitleSample, boosters: Sequence[lgb.Booster]) -> tuple[bool, bool, bool]:
    """Whether the best candidate, the first one, and any candidate is right."""
    if not len(sample.is_right):
        return False, False, False
    best = int(np.argmax(mean_raw_scores(boosters, sample.x)))
    return bool(sample.is_right[best]), bool(sample.is_right[0]), bool(sample.is_right.any())


def _metrics(outcomes: NDArray[np.float64]) -> dict[str, float]:
    """Metrics of a corpus; `spread` is the standard error of `right`."""
    right, first, any_right = outcomes.mean(axis=0).tolist()
    error = float(np.sqrt(right * (1 - right) / len(outcomes)))
    return {
        "pages": len(outcomes),
        "right": round(right, 4),
        "spread": round(error, 4),
        "first": round(first, 4),
        "any": round(any_right, 4),
    }


def save(
    folder: Path,
    boosters: Sequence[lgb.Booster],
    samples: Sequence[TitleSample],
    settings: Settings,
    metrics: Mapping[str, Mapping[str, float]],
) -> None:
    """Writes the model folder."""
    x = np.concatenate([sample.x for sample in samples[:: max(1, len(samples) // REFERENCE_SAMPLES)]])
    facts = DataFacts.of(samples)
    export.save_model(
        folder,
        onnx_of_boosters(boosters, len(FEATURES), name=MODEL),
        config={
            "name": folder.name,
            "version": 1,
            "features": list(FEATURES),
            "settings": settings.recorded(),
            "data": facts.corpora,
            "metrics": metrics,
        },
        inputs={"features": x},
        expected=[sigmoid(mean_raw_scores(boosters, x)).reshape(-1, 1)],
        card=make_card(facts, settings, metrics).markdown(),
        libraries=("lightgbm",),
    )
