"""Trains the ranker of titles.

A candidate is right when it equals the gold title without case, spaces and punctuation. The model is trained on the pages whose declared
and shown titles disagree. It is cross-validated by site over all corpora together, then trained on everything. The metrics of the card
come from the folds, and those of pages that agree from the candidate that is chosen without the model.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.parsing import Document
from webcontent.evaluation.scores import plain
from webcontent.extractors.decoding import sigmoid
from webcontent.fields.page_signals import PageSignals
from webcontent.fields.titles.candidates import title_groups
from webcontent.fields.titles.features import title_features
from webcontent.fields.titles.ranking import MODEL, agreed_group
from webcontent.items import Page
from webcontent.training.common.cards import DataFacts, table
from webcontent.training.common.samples import PageSample, iter_pages, page_fields
from webcontent.training.common.settings import corpus_name
from webcontent.training.common.trainer import Trainer, training_weights
from webcontent.training.common.trees import fit_boosters, mean_raw_scores, onnx_of_boosters
from webcontent.training.titles.settings import OWN_WEIGHT, WEIGHTS, Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    import lightgbm as lgb
    from numpy.typing import NDArray

REFERENCE_SAMPLES = 200
"""Pages whose candidates are compared between the graph and LightGBM."""


@dataclass(slots=True, kw_only=True)
class TitleSample(PageSample):
    """A page with the candidates of its title, n of them."""

    features: list[dict[str, float]]
    is_right: NDArray[np.bool_]
    agreed: int | None
    """The candidate that is chosen without the model."""

    @property
    def x(self) -> NDArray[np.float32]:
        """[n, features]"""
        return np.array([list(row.values()) for row in self.features], np.float32)


class TitleTrainer(Trainer):
    """Reads the titles of the corpora, evaluates by folds and trains on everything."""

    room, model, trains = "titles", MODEL, "the ranker of titles"
    card = Path(__file__).with_name("card.md")
    folds = Settings().folds
    takes_own_pages = True
    settings: Settings

    @staticmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
        weights = training_weights(parser, options, WEIGHTS, OWN_WEIGHT)
        return Settings(seed=options.seed, folds=options.folds, corpora=dict.fromkeys(weights), weights=weights)

    def train(self) -> None:
        samples = read_samples(self.settings)
        boosters, metrics = fit(samples, self.settings), cross_validate(samples, self.settings)
        ranked = [sample for sample in samples if len(sample.is_right) and sample.agreed is None]
        x, names = np.concatenate([sample.x for sample in ranked[:: max(1, len(ranked) // REFERENCE_SAMPLES)]]), list(ranked[0].features[0])
        self.save(
            onnx_of_boosters(boosters, len(names), name=MODEL),
            DataFacts.of(samples),
            config={"features": names, "metrics": metrics},
            inputs={"features": x},
            expected=[sigmoid(mean_raw_scores(boosters, x)).reshape(-1, 1)],
            figures=card_figures(metrics),
        )


main = TitleTrainer.main


def card_figures(metrics: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """What the card states besides facts and settings."""
    columns = ("corpus", "pages", "best candidate right (± standard error)", "first declared candidate right", "any candidate right")
    rows = [[name, row["pages"], f"{row['right']:.3f} ± {row['spread']:.3f}", row["first"], row["any"]] for name, row in metrics.items()]
    return {"by_corpus": table(columns, rows)}


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
            agreed = next((number for number, group in enumerate(groups) if group is agreed_group(groups)), None)
            features = title_features(signals, groups)
            samples.append(TitleSample(**page_fields(corpus, record), features=features, is_right=is_right, agreed=agreed))
    return samples


def fit(samples: Sequence[TitleSample], settings: Settings) -> list[lgb.Booster]:
    """The models, one for each seed."""
    used = [sample for sample in samples if len(sample.is_right) and sample.agreed is None]
    x = np.concatenate([sample.x for sample in used])
    labels = np.concatenate([sample.is_right for sample in used])
    weights = np.concatenate([np.full(len(sample.is_right), settings.weights[sample.corpus]) for sample in used])
    return fit_boosters(x, labels, weights, settings.parameters, settings.trees, range(settings.seed, settings.seed + settings.models))


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
    best = int(np.argmax(mean_raw_scores(boosters, sample.x))) if sample.agreed is None else sample.agreed
    return bool(sample.is_right[best]), bool(sample.is_right[0]), bool(sample.is_right.any())


def _metrics(outcomes: NDArray[np.float64]) -> dict[str, float]:
    """Metrics of a corpus; `spread` is the standard error of `right`."""
    right, first, any_right = outcomes.mean(axis=0).tolist()
    error = float(np.sqrt(right * (1 - right) / len(outcomes)))
    shares = {"right": right, "spread": error, "first": first, "any": any_right}
    return {"pages": len(outcomes), **{name: round(share, 4) for name, share in shares.items()}}
