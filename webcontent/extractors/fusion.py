"""The default: a learned block model for every kind of page and language.

Each block gets a probability of being main text; what is answered is the set of blocks with the highest expected F1.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.features import Frame, features
from webcontent.document.text import body_html, body_text
from webcontent.extractors import BODY, NOISE, Extraction
from webcontent.models import load_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

MODEL = "fusion_v1"


class Fusion:
    """Main text by boosted trees over block features, one ONNX run a page."""

    name = "fusion"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL) -> None:
        self.model_name = model

    @cached_property
    def model(self) -> Model:
        return load_model(self.model_name)

    def __call__(self, document: Document) -> Extraction:
        blocks = document.blocks
        if not len(blocks):
            return Extraction(labels=np.zeros(0, np.int8), scores=np.zeros(0, np.float32), flags={"empty"})
        frame = Frame(document)
        x = features(document, frame)
        probabilities = self.model.run(features=x)[0][:, 0]
        chosen = decode(probabilities, frame.words)
        return Extraction(
            labels=np.where(chosen, BODY, NOISE).astype(np.int8),
            scores=probabilities,
            body=body_text(blocks, chosen),
            body_html=body_html(document, chosen),
            score=trust(probabilities, frame.words, chosen, self.model.config["calibration"]),
        )


def decode(probabilities: NDArray[np.floating[Any]], words: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """The blocks whose choice has the highest expected F1: those of the highest probabilities, as many as pay.

    A prefix of the blocks in order of probability is best where block labels are independent; its F1 is estimated by
    2 * (right words) / (taken words + all words that are main text), each expected.
    """
    chosen = np.zeros(len(probabilities), np.bool_)
    if not len(probabilities):
        return chosen
    expected = probabilities.astype(np.float64) * words
    order = np.argsort(-probabilities, kind="stable")
    value = 2 * np.cumsum(expected[order]) / (np.cumsum(words[order]) + expected.sum())
    chosen[order[: int(np.argmax(value)) + 1]] = True
    return chosen


def trust(
    probabilities: NDArray[np.floating[Any]],
    words: NDArray[np.floating[Any]],
    chosen: NDArray[np.bool_],
    calibration: dict[str, Any],
) -> float:
    """The calibrated chance that the body's word F1 is above 0.9."""
    values = np.array(page_figures(probabilities, words, chosen))
    logit = float(values @ np.array(calibration["weights"]) + calibration["bias"])
    raw = 1 / (1 + np.exp(-logit))
    return round(float(np.interp(raw, calibration["raw"], calibration["calibrated"])), 4)


PAGE_FIGURES = ("expected_f1", "margin", "log_words", "log_blocks", "taken_share", "doubt_inside", "doubt_outside")


def page_figures(
    probabilities: NDArray[np.floating[Any]], words: NDArray[np.floating[Any]], chosen: NDArray[np.bool_]
) -> tuple[float, ...]:
    """Figures of a page that tell how sure its answer is, in the order of PAGE_FIGURES."""
    p = probabilities.astype(np.float64)
    expected = p * words
    total, taken = float(words.sum()), float(words[chosen].sum())
    inside, outside = float(expected[chosen].sum()), float(expected[~chosen].sum())
    return (
        2 * inside / max(1e-9, taken + inside + outside),
        float((np.abs(2 * p - 1) * words).sum() / max(1.0, total)),
        float(np.log1p(taken)),
        float(np.log1p(len(p))),
        taken / max(1.0, total),
        1 - inside / max(1.0, taken),
        outside / max(1.0, inside + outside),
    )
