"""Trains the BP network: python -m webcontent.training.bpnn

Pages with gold bodies -> labelled lines (cached) -> a 12-5-1 network by back-propagation in numpy, five folds by site -> ONNX and card.
An interrupted run continues from what is kept under --cache.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import helper
from tqdm import tqdm

from webcontent.evaluation.corpora import find_corpus
from webcontent.evaluation.folds import fold_of
from webcontent.evaluation.scores import word_f1
from webcontent.extractors.bpnn.extractor import FEATURES, MODEL, BpNetwork, features, scaled
from webcontent.extractors.decoding import sigmoid
from webcontent.extractors.lines import terms_of, words_of
from webcontent.extractors.nemtf.features import BODY
from webcontent.hashing import simhash
from webcontent.training.common import export, lines
from webcontent.training.common.cards import DataFacts, table
from webcontent.training.common.metrics import UNCORRECTED
from webcontent.training.common.settings import TrainingSettings, cache_folder
from webcontent.training.common.trainer import Trainer, cached_json, run_folder

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Weights = list[NDArray[np.float64]]
    """Inner weights [12, hidden] and biases [hidden], outer weights [hidden] and bias [1]."""

CACHE = cache_folder("lines")
EVALUATED = ("zh-gold-dev", "fundus-dev", "l3s-gn1")
"""Corpora whose metrics are on the card."""
ALONE, SCORES = "alone", "scores"
"""Names of predictions: by each line alone, and of the pages on which scores are calibrated."""
RIGHT_BITS, COMPLETE_BITS = 30, 10
"""A page is right, or complete, when the fingerprints of gold and answer differ in fewer bits."""
FINGERPRINT_BITS = 64
IS_BODY = 0.5
"""A line is body when a larger share of its words is in the gold body."""
LARGEST_QUANTILE = 0.999
"""The quantile of a feature that is scaled to 1."""
REFERENCE_SAMPLES = 40
"""Pages whose lines are compared between the graph and numpy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(TrainingSettings):
    """The settings of the network and of its training."""

    corpora: dict[str, int | None] = field(
        default_factory=lambda: {"zh-gold-dev": None, "zh-silver": None, "fundus-dev": None, "l3s-gn1": 150, "wcxb-dev": 150}
    )
    hidden: int = 5
    rate: float = 0.2
    """Learning rate of the first epoch; it falls linearly to 0."""
    goal: float = 0.05
    """Training ends when the mean squared error is below this ..."""
    epochs: int = 12
    """... or after this number of epochs."""
    batch: int = 8
    momentum: float = 0.9
    page_lines: int = 200
    """Maximum number of lines of a page that are trained on, drawn at random."""
    stop_share: float = 0.5
    """A term on a larger share of the pages of a corpus is a stop word."""
    decoding: dict[str, float] = field(default_factory=lambda: {"run": 0.4, "line": 0.1, "edge": 0.6, "weight": 20.0})


# -------------------------------------------------------------------------------------------------------------- network
def network_output(weights: Weights, x: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Probability of body: float64 [lines]. `x`: scaled features."""
    inner, inner_bias, outer, outer_bias = weights
    result: NDArray[np.float64] = sigmoid(sigmoid(x @ inner + inner_bias) @ outer + outer_bias)
    return result


def train(x: NDArray[np.float32], y: NDArray[np.float64], settings: Settings) -> tuple[Weights, float]:
    """The weights of the network and the mean squared error of the last epoch. `x`: scaled features, `y`: 1 for body."""
    random = np.random.default_rng(settings.seed)
    hidden, batch = settings.hidden, settings.batch
    weights = [random.uniform(-0.5, 0.5, (x.shape[1], hidden)), np.zeros(hidden), random.uniform(-0.5, 0.5, hidden), np.zeros(1)]
    steps = [np.zeros_like(part) for part in weights]
    error = 1.0
    for epoch in range(settings.epochs):
        rate = settings.rate * (1 - epoch / settings.epochs)
        order, total = random.permutation(len(x)), 0.0
        for start in range(0, len(x), batch):
            rows = order[start : start + batch]
            squares, gradients = _back_propagate(weights, x[rows], y[rows])
            total += squares
            for place, gradient in enumerate(gradients):
                steps[place] = settings.momentum * steps[place] + rate * gradient * (4 / batch)
                weights[place] = weights[place] + steps[place]
        error = total / max(1, len(x))
        if error < settings.goal:
            break
    return weights, error


def _back_propagate(weights: Weights, x: NDArray[np.float32], y: NDArray[np.float64]) -> tuple[float, Weights]:
    """The sum of squared errors of a batch, and the directions that reduce it."""
    inside = sigmoid(x @ weights[0] + weights[1])
    output = sigmoid(inside @ weights[2] + weights[3])
    error = y - output
    outer = error * output * (1 - output)
    inner = outer[:, None] * weights[2] * inside * (1 - inside)
    return float(error @ error), [x.T @ inner, inner.sum(axis=0), inside.T @ outer, outer.sum(keepdims=True)]


def graph_of(weights: Weights) -> onnx.ModelProto:
    """Input `features` float32 [lines, 12], scaled; output `probabilities` float32 [lines, 1]."""
    inner, inner_bias, outer, outer_bias = (np.asarray(part, np.float32) for part in weights)
    parts = {"inner": inner, "inner_bias": inner_bias, "outer": outer[:, None], "outer_bias": outer_bias}
    nodes = [
        helper.make_node("Gemm", ["features", "inner", "inner_bias"], ["hidden_sum"]),
        helper.make_node("Sigmoid", ["hidden_sum"], ["hidden"]),
        helper.make_node("Gemm", ["hidden", "outer", "outer_bias"], ["sum"]),
        helper.make_node("Sigmoid", ["sum"], ["probabilities"]),
    ]
    return export.make_graph(MODEL, nodes, {"features": ["lines", len(FEATURES)]}, {"probabilities": ["lines", 1]}, parts)


def learn_stop_words(samples: Sequence[lines.LineSample], share: float) -> list[str]:
    """Terms of titles that are on at least this share of the pages of a corpus, sorted."""
    stop_words: set[str] = set()
    for corpus in {sample.corpus for sample in samples}:
        own = [sample for sample in samples if sample.corpus == corpus]
        terms = np.concatenate([np.unique(words_of(sample.texts, longest=300).terms()[0]) for sample in own])
        codes, counts = np.unique(terms, return_counts=True)
        frequent = set(codes[counts >= max(2.0, share * len(own))].tolist())
        stop_words |= {term for sample in own for term in _iter_terms(sample.title) if set(terms_of(term).tolist()) & frequent}
    return sorted(stop_words)


def _iter_terms(text: str) -> Iterator[str]:
    """The terms of a text as words. (`extractors.lines` gives them as numbers.)"""
    for run in re.findall(r"[^\W\d_]+", text.lower()):
        parts = [run] if len(terms_of(run)) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
        yield from (part for part in parts if len(terms_of(part)) == 1)


# -------------------------------------------------------------------------------------------------------------- samples
@dataclass(slots=True)
class Trained:
    """A trained network and what its features need."""

    weights: Weights
    error: float
    config: dict[str, Any]

    def run(self, features: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """The outputs of the graph for its input."""
        return [network_output(self.weights, features)[:, None].astype(np.float32)]

    def models(self) -> export.RegistryWith:
        """A registry in which the extractor finds this network."""
        return export.RegistryWith(export.UnsavedModel(MODEL, self.config, self.run))


def fit(samples: Sequence[lines.LineSample], settings: Settings) -> Trained:
    """A network trained on samples. Its stop words and the scale of its features are learned from them, too."""
    stop_words = learn_stop_words(samples, settings.stop_share)
    random, stop = np.random.default_rng(settings.seed), terms_of(*stop_words)
    rows, targets = [], []
    for sample in samples:
        drawn = random.permutation(len(sample))[: settings.page_lines]
        rows.append(features(sample.title, sample.texts, sample.markup, stop)[drawn])
        targets.append(sample.targets[drawn, BODY] > IS_BODY)
    x = np.concatenate(rows)
    largest = np.maximum(np.quantile(x, LARGEST_QUANTILE, axis=0), 1e-3)
    weights, error = train(scaled(x, largest.tolist()), np.concatenate(targets).astype(np.float64), settings)
    config = {"largest": [round(value, 5) for value in largest.tolist()], "stop_words": stop_words, "decoding": settings.decoding}
    config["score"] = UNCORRECTED
    return Trained(weights, error, config)


# -------------------------------------------------------------------------------------------------------------- metrics
def evaluate(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The paper's P, R and F, and the word F1, of predictions; the key `gold` of a row has the gold of the page."""
    distances = [_distance(row["body"], row["gold"]["body"]) for row in rows]
    right, complete = (sum(distance < bits for distance in distances) for bits in (RIGHT_BITS, COMPLETE_BITS))
    p, r = right / max(1, len(rows)), complete / max(1, right)
    f1 = float(np.mean([word_f1(row["body"], row["gold"]["body"])[0] for row in rows]))
    return {"pages": len(rows), "p": p, "r": r, "f": 2 * p * r / max(1e-9, p + r), "f1": f1}


def _distance(body: str, gold: str) -> int:
    """Number of bits in which the fingerprints of two texts differ; all bits where one of them is empty."""
    codes = simhash(body), simhash(gold)
    return FINGERPRINT_BITS if None in codes else (int(codes[0] or "", 16) ^ int(codes[1] or "", 16)).bit_count()


def cross_validate(samples: Sequence[lines.LineSample], settings: Settings, folder: Path) -> dict[str, Any]:
    """The metrics of the card, from networks that were not trained on the site of the page. Also writes the predictions."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fold in tqdm(range(settings.folds), desc="folds", unit="fold"):
        trained = fit([sample for sample in samples if sample.fold(settings.folds) != fold], settings)
        for name, own in _predict_fold(trained, settings, fold).items():
            rows[name] += own
    evaluated = [corpus for corpus in EVALUATED if corpus in rows]
    for corpus in evaluated:
        lines.store_predictions(folder, corpus, rows[corpus])
    return {
        "alone": {corpus: evaluate(rows[f"{corpus} {ALONE}"]) for corpus in evaluated},
        "evaluated": {corpus: evaluate(rows[corpus]) for corpus in evaluated},
        "score": lines.corrected_scores(lines.score_rows(rows[SCORES]), settings.folds),
    }


def _predict_fold(trained: Trained, settings: Settings, fold: int) -> dict[str, list[dict[str, Any]]]:
    """Predictions for a fold: by corpus, by corpus and ALONE those of each line alone, and those of the pages for SCORES."""
    models, rows = trained.models(), {}
    for corpus in EVALUATED:
        if find_corpus(corpus) is not None and corpus in settings.corpora:
            pages = lines.article_pages(corpus, settings.corpora[corpus])
            records = [page for page in pages if fold_of(page["site"], settings.folds) == fold]
            rows[corpus] = lines.predict(records, BpNetwork(), models)
            rows[f"{corpus} {ALONE}"] = lines.predict(records, BpNetwork(alone=True), models)
    rows[SCORES] = lines.predict(lines.score_pages(settings.folds, fold), BpNetwork(), models)
    return rows


# -------------------------------------------------------------------------------------------------------------- command
class BpnnTrainer(Trainer):
    """Evaluates the networks of the folds, and trains one on all pages."""

    room, model, trains = "bpnn", MODEL, "the BP network"
    card, cache = Path(__file__).with_name("bpnn.md"), CACHE
    own_options = {"--epochs": {"type": int, "default": Settings().epochs, "metavar": "N", "help": "epochs of each network"}}
    libraries = ()
    settings: Settings

    @staticmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
        settings = Settings(epochs=options.epochs, seed=options.seed)
        return replace(settings, corpora=dict.fromkeys(settings.corpora, options.limit)) if options.limit else settings

    def train(self) -> None:
        options, settings = self.options, self.settings
        folder = run_folder(options.cache, f"{MODEL}-{settings.checksum(FEATURES, lines.VERSION)}")
        samples = lines.read_samples(settings.corpora, options.cache)
        metrics = cached_json(folder / "metrics.json", lambda: cross_validate(samples, settings, folder))
        trained = fit(samples, settings)
        trained.config["score"] = {key: metrics["score"][key] for key in UNCORRECTED}
        x = _reference_lines(samples, trained)
        self.save(
            graph_of(trained.weights),
            DataFacts.of(samples),
            config={"features": FEATURES, **trained.config, "metrics": metrics},
            inputs={"features": x},
            expected=trained.run(features=x),
            figures=card_figures(metrics),
        )
        print(f"{options.out}: done; predictions for the evaluator are in {folder}")


main = BpnnTrainer.main


def _reference_lines(samples: Sequence[lines.LineSample], trained: Trained) -> NDArray[np.float32]:
    """Scaled features of the lines of some samples."""
    stop = terms_of(*trained.config["stop_words"])
    some = samples[:: max(1, len(samples) // REFERENCE_SAMPLES)]
    rows = [scaled(features(s.title, s.texts, s.markup, stop), trained.config["largest"]) for s in some]
    return np.concatenate(rows)


def card_figures(metrics: Mapping[str, Any]) -> dict[str, Any]:
    """What the card states besides facts and settings."""
    evaluated = [
        [corpus, own["pages"], *(own[key] for key in ("p", "r", "f", "f1")), *(metrics["alone"][corpus][key] for key in ("p", "r", "f1"))]
        for corpus, own in metrics["evaluated"].items()
    ]
    columns = ("corpus", "pages", "P", "R", "F", "word F1", "P, each line alone", "R", "word F1")
    return {
        "evaluated": table(columns, evaluated),
        **lines.score_figures(metrics["score"]),
    }


if __name__ == "__main__":
    main()
