"""What trained networks predict for pages, and the metrics of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.extractors.decoding import page_features
from webcontent.extractors.web2text import biased, block_shares, chosen_blocks, viterbi
from webcontent.training.common.calibration import out_of_fold_probabilities
from webcontent.training.common.metrics import GOOD_F1, by_corpus, f1_metrics, groups_of, write_predictions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webcontent.training.web2text.networks import Nets
    from webcontent.training.web2text.samples import LeafSample
    from webcontent.training.web2text.settings import Settings


@dataclass(slots=True)
class Counts:
    """Numbers of right and wrong decisions."""

    right: int = 0
    """Chosen, and in the gold."""
    wrong: int = 0
    missed: int = 0
    rejected: int = 0
    """Not chosen, and not in the gold."""

    @classmethod
    def of(cls, chosen: NDArray[np.bool_], gold: NDArray[np.bool_]) -> Counts:
        """The counts of decisions."""
        return cls(int((chosen & gold).sum()), int((chosen & ~gold).sum()), int((~chosen & gold).sum()), int((~chosen & ~gold).sum()))

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed, self.rejected + other.rejected)

    @property
    def accuracy(self) -> float:
        """Share of right decisions."""
        return (self.right + self.rejected) / max(1, self.right + self.wrong + self.missed + self.rejected)

    @property
    def precision(self) -> float:
        """Share of the chosen that is in the gold."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the gold that is chosen."""
        return self.right / max(1, self.right + self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)

    def metrics(self) -> dict[str, float]:
        """Accuracy, precision, recall and F1."""
        return {name: getattr(self, name) for name in ("accuracy", "precision", "recall", "f1")}


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
    leaves: Any = sample.collapsed
    scores = block_shares(leaves, np.exp(unary[:, 1]), count).astype(np.float32)
    return Prediction(labels, chosen_blocks(block_shares(leaves, labels, count), scores, sample.words_of_blocks()), scores)


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


def metrics_by_group(
    samples: Sequence[LeafSample], f1: NDArray[np.float64], scores: NDArray[np.float64], folds: int
) -> list[dict[str, Any]]:
    """A row for each corpus, and for each kind of page and language of many pages: word F1, its spread over folds, score."""
    fold = np.array([sample.fold(folds) for sample in samples])
    return [
        {"corpus": corpus, "pages": name, "count": len(places), **f1_metrics(f1[places], scores[places], fold[places])}
        for (corpus, name), places in groups_of(samples).items()
    ]


def store_predictions(folder: Path, samples: Sequence[LeafSample], predictions: Sequence[Prediction]) -> None:
    """Writes a file for each corpus, as the evaluator reads it."""
    rows = [{"id": sample.id, "body": body_of(sample, own)} for sample, own in zip(samples, predictions, strict=True)]
    for corpus, own in by_corpus(samples, rows).items():
        write_predictions(folder, corpus, own)
