"""BP network: body or not, line by line, from twelve features of three neighbouring lines.

An Zengwen, Wang Chao, Xu Jiefeng: 基于机器学习的网页正文提取方法, 微型机与应用 2010(12). The features, the 12-5-1 network and logsig
are the paper's. Lengths are in bytes, and their logarithms are scaled. The paper classifies each line by itself. Here the lines have to
form one run of text (`decode`), which leaves out notices and comments. `BpNetwork(alone=True)` is the paper's method.
The other fields of an item come from `fields`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.extraction import NO_CONTEXT, Extraction, PageContext
from webcontent.extractors.decoding import best_run, calibrated, expected_f1, extraction_of
from webcontent.extractors.lines import byte_sizes, clean_title, markup_sizes, term_counts, terms_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

MODEL = "bpnn_v1"
OWN = ("log_length", "log_size", "density", "relevance")
FEATURES = tuple(f"{place}_{name}" for place in ("before", "own", "after") for name in OWN)
"""In the order of the network's inputs."""


class BpNetwork:
    """Main text by the BP network. `alone`: classify each line by itself, as in the paper."""

    name = "bpnn"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL, *, alone: bool = False) -> None:
        self.model_name, self.alone = model, alone

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        blocks = document.blocks
        if not len(blocks):
            return Extraction(labels=np.zeros(0, np.int8), scores=np.zeros(0, np.float32))
        model = context.models.load(self.model_name)
        config = model.config
        x = features(document.title, blocks.texts, markup_sizes(blocks), _stop_terms_of(model))
        probabilities: NDArray[np.float32] = model.run(features=scaled(x, config["largest"]))[0][:, 0]
        chosen = probabilities > 0.5 if self.alone else decode(probabilities, blocks.chars, **config["decoding"])
        score = calibrated(expected_f1(probabilities, blocks.chars, chosen), config["score"])
        return extraction_of(blocks, chosen, scores=probabilities, score=score)


def features(
    title: str | None, texts: Sequence[str], markup: NDArray[np.int64], stop: NDArray[np.uint64] | None = None
) -> NDArray[np.float32]:
    """FEATURES of a page's lines, not yet scaled: float32 [lines, 12]; zeros before the first line and after the last.

    `markup`: characters of each line's tags. Lengths are bytes of UTF-8, so that one network serves all scripts.
    Relevance is the share of the title's terms, without stop words, that the line holds. The paper leaves the weighting open.
    """
    wanted = terms_of(clean_title(title))
    if stop is not None:
        wanted = np.setdiff1d(wanted, stop)
    counts, lengths = term_counts(texts, wanted), byte_sizes(texts)
    sizes = lengths + markup
    own = np.zeros((len(texts) + 2, len(OWN)), np.float32)
    own[1:-1, 0], own[1:-1, 1] = np.log1p(lengths), np.log1p(sizes)
    own[1:-1, 2], own[1:-1, 3] = lengths / np.maximum(sizes, 1), counts / max(1, len(wanted))
    return np.hstack((own[:-2], own[1:-1], own[2:]))


def scaled(x: NDArray[np.float32], largest: Sequence[float]) -> NDArray[np.float32]:
    """Features between 0 and 1: divided by the largest value of the training pages and cut there."""
    return np.minimum(x / np.asarray(largest, np.float32), 1).astype(np.float32)


@lru_cache(maxsize=8)
def _stop_terms_of(model: Model) -> NDArray[np.uint64]:
    return terms_of(*model.config["stop_words"])


def decode(
    probabilities: NDArray[np.floating[Any]], lengths: NDArray[np.integer[Any]], *, run: float, line: float, edge: float, weight: float
) -> NDArray[np.bool_]:
    """The body: lines of the best run of text (`best_run`).

    Lines of that run above `line` are taken, between the first and the last one above `edge`, if there is one.
    """
    chosen = np.zeros(len(probabilities), np.bool_)
    start, end = best_run(probabilities, lengths, run, weight)
    sure = start + np.flatnonzero(probabilities[start:end] > edge)
    if len(sure):
        start, end = int(sure[0]), int(sure[-1]) + 1
    chosen[start:end] = probabilities[start:end] > line
    return chosen
