"""Trains Web2Text.

Pages with gold bodies -> features and labels of the leaves (cached) -> five folds by site over all corpora together -> the model of all
pages -> calibrated scores -> ONNX and card.
`python -m benchmarks cleaneval` runs the paper's own experiment; the card has what it kept there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from webcontent.document.parsing import Document
from webcontent.extractors.decoding import PAGE_FEATURES, page_features
from webcontent.extractors.web2text.collapsed import Collapsed
from webcontent.extractors.web2text.extractor import MODEL, biased, block_shares, chosen_blocks, viterbi
from webcontent.extractors.web2text.features import BLOCK_FEATURES, EDGE_FEATURES, EXTRA_FEATURES, features
from webcontent.items import Page
from webcontent.training.common import export
from webcontent.training.common.cards import DataFacts, body_figures
from webcontent.training.common.metrics import GOOD_F1, metrics_by_group, out_of_fold_probabilities, reliability, store_rows
from webcontent.training.common.trainer import Trainer, run_folder
from webcontent.training.web2text.networks import OnePage, fit
from webcontent.training.web2text.samples import read_samples
from webcontent.training.web2text.settings import CACHE, SHIPPED, VERSION, Settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.training.web2text.networks import Nets
    from webcontent.training.web2text.samples import LeafSample
    from webcontent.training.web2text.settings import Settings

CLEANEVAL = "cleaneval.md"
"""The file that the paper's experiment leaves in the folder of a run: its section of the card."""
LEFT_OUT = "The paper's experiment, CleanEval, was left out in this run."


class Web2textTrainer(Trainer):
    """Trains and evaluates the networks of the folds, then those of all pages."""

    room, model, trains = "web2text", MODEL, "Web2Text's networks"
    card, cache = Path(__file__).with_name("card.md"), CACHE
    own_options = {"--steps": {"type": int, "metavar": "N", "help": "steps of each network (default: as in Settings)"}}
    libraries = ("torch",)
    settings: Settings

    @staticmethod
    def settings_of(parser: argparse.ArgumentParser, options: argparse.Namespace) -> Settings:
        corpora, steps = dict.fromkeys(SHIPPED.corpora, options.limit), options.steps or SHIPPED.steps
        return replace(SHIPPED, seed=options.seed, corpora=corpora, steps=steps)

    def train(self) -> None:
        options, settings = self.options, self.settings
        folder = run_folder(options.cache, settings.run_name)
        samples = read_samples(settings, options.cache)
        predictions = predict_out_of_fold(samples, settings)
        store_predictions(folder / "predictions", samples, predictions)
        scores, score_model = calibrated_scores(samples, predictions, settings.folds)
        f1 = page_f1(samples, predictions)
        metrics: dict[str, Any] = {
            "groups": metrics_by_group(samples, f1, scores, settings.folds),
            "reliability": reliability(f1 > GOOD_F1, scores),
        }
        nets = fit([sample for sample in samples if sample.is_trained_on], settings, label="all pages")
        cleaneval = folder / CLEANEVAL
        section = cleaneval.read_text(encoding="utf-8") if cleaneval.is_file() else LEFT_OUT
        self.export(nets, score_model, samples, metrics, section)
        (folder / "metrics.json").write_text(json.dumps(metrics, indent=1), encoding="utf-8")
        print(body_figures(metrics)["groups"])
        tqdm.write(f"{options.out}: done; predictions for the evaluator are in {folder / 'predictions'}")

    def export(
        self, nets: Nets, score_model: dict[str, Any], samples: Sequence[LeafSample], metrics: dict[str, Any], cleaneval: str
    ) -> None:
        """Writes the model folder. `cleaneval`: the section of the card."""
        settings = self.settings
        document = Document.from_page(Page(html=export.REFERENCE_HTML))
        x, edges = (np.round(part, 5) for part in features(document, Collapsed(document.blocks)))
        inputs = {"blocks": x[:, : nets.columns], "edges": edges}
        graph = export.onnx_of_network(OnePage(nets), inputs, ["unary", "pairwise"])
        unary, pairwise = export.open_graph(graph).run(**inputs)
        arrays = {"blocks": x, "edges": edges, "unary": unary, "pairwise": pairwise}
        config = {
            "feature_version": VERSION,
            "features": [*BLOCK_FEATURES, *EXTRA_FEATURES][: settings.columns],
            "edge_features": EDGE_FEATURES,
            "page_features": PAGE_FEATURES,
            "lambda": settings.weight,
            "bias": settings.bias,
            "furniture_bias": settings.furniture_bias,
            "score": score_model,
        }
        reference = {name: np.round(array.astype(float), 6).tolist() for name, array in arrays.items()}
        trained = DataFacts.of([sample for sample in samples if sample.is_trained_on])
        self.save(
            graph,
            DataFacts.of(samples),
            config=config,
            inputs=inputs,
            expected=nets.potentials(x, edges),
            reference={"html": export.REFERENCE_HTML, **reference},
            figures=card_figures(trained, metrics, cleaneval),
        )


main = Web2textTrainer.main


def predict_out_of_fold(samples: Sequence[LeafSample], settings: Settings) -> list[Prediction]:
    """The prediction for each page by networks that were not trained on its site."""
    predictions: dict[tuple[str, str], Prediction] = {}
    for fold in range(settings.folds):
        training = [sample for sample in samples if sample.is_trained_on and sample.fold(settings.folds) != fold]
        nets = fit(training, settings, label=f"fold {fold}")
        tested = (sample for sample in samples if sample.fold(settings.folds) == fold)
        predictions |= {(sample.corpus, sample.id): predict(sample, nets, settings) for sample in tested}
    return [predictions[sample.corpus, sample.id] for sample in samples]


def card_figures(trained: DataFacts, metrics: Mapping[str, Any], cleaneval: str) -> dict[str, Any]:
    """What the card states besides settings and the facts about all pages. `trained`: facts about the pages that were trained on."""
    return {
        "trained": trained,
        "own_features": len(EXTRA_FEATURES),
        "edge_features": len(EDGE_FEATURES),
        "block_names": ", ".join(BLOCK_FEATURES),
        "edge_names": ", ".join(EDGE_FEATURES),
        "own_names": ", ".join(EXTRA_FEATURES),
        "cleaneval": cleaneval,
        **body_figures(metrics),
    }


# ----------------------------------------------------------------------------------------------------------- predictions
@dataclass(slots=True)
class Prediction:
    """What networks predict for a page."""

    labels: NDArray[np.bool_]
    """Of the leaves."""
    chosen: NDArray[np.bool_]
    """Of the document's blocks."""
    scores: NDArray[np.float32]
    """Of the document's blocks: probability of main text."""


def predict(sample: LeafSample, nets: Nets, settings: Settings) -> Prediction:
    """The prediction that `extractors.web2text` makes with these networks."""
    count = len(sample.texts)
    if not len(sample.shares):
        return Prediction(np.zeros(0, np.bool_), np.zeros(count, np.bool_), np.zeros(count, np.float32))
    unary, pairwise = nets.potentials(sample.x, sample.edges)
    labels = viterbi(biased(unary, sample.x, settings.bias, settings.furniture_bias), pairwise, settings.weight)
    scores = block_shares(sample.block, sample.characters, np.exp(unary[:, 1]), count).astype(np.float32)
    shares = block_shares(sample.block, sample.characters, labels, count)
    return Prediction(labels, chosen_blocks(shares, scores, sample.words_of_blocks()), scores)


def body_of(sample: LeafSample, prediction: Prediction) -> str:
    """The text of the chosen blocks."""
    return "\n".join(sample.texts[place] for place in np.flatnonzero(prediction.chosen).tolist())


def page_f1(samples: Sequence[LeafSample], predictions: Sequence[Prediction]) -> NDArray[np.float64]:
    """Word F1 of each body."""
    return np.array([sample.match.f1(prediction.chosen) for sample, prediction in zip(samples, predictions, strict=True)])


def calibrated_scores(
    samples: Sequence[LeafSample], predictions: Sequence[Prediction], folds: int
) -> tuple[NDArray[np.float64], dict[str, Any]]:
    """Out-of-fold probabilities that the F1 of a body is above GOOD_F1, and the model of all pages."""
    features = [page_features(p.scores, s.words_of_blocks(), p.chosen) for s, p in zip(samples, predictions, strict=True)]
    has_body = np.array([bool(prediction.chosen.any()) for prediction in predictions])
    fold = np.array([sample.fold(folds) for sample in samples])
    is_good = page_f1(samples, predictions) > GOOD_F1
    scores, model = out_of_fold_probabilities(np.array(features), is_good, fold, has_body, monotone=True)
    return np.where(has_body, scores, 0.0), model


def store_predictions(folder: Path, samples: Sequence[LeafSample], predictions: Sequence[Prediction]) -> None:
    """Writes a file for each corpus, as the evaluator reads it."""
    rows = [{"id": sample.id, "body": body_of(sample, own)} for sample, own in zip(samples, predictions, strict=True)]
    store_rows(folder, samples, rows)
