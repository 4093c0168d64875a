"""BP network: body or not, line by line, from twelve figures of three neighbouring lines.

An Zengwen, Wang Chao, Xu Jiefeng: 基于机器学习的网页正文提取方法, 微型机与应用 2010(12). The figures, the 12-5-1 network and logsig are
the paper's; lengths are in bytes, and taken as logarithms before they are scaled. The paper takes each line by itself; here the lines
have to form one run of text (`decode`), which keeps notices and comments out. `BpNetwork(alone=True)` is the paper's way.
What else an item has comes from `fields`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.lines import byte_sizes, clean_title, markup_sizes, term_counts, terms_of
from webcontent.document.text import body_text
from webcontent.extraction import BODY, NO_CONTEXT, NOISE, Extraction, PageContext

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from webcontent.document.parsing import Document
    from webcontent.models import Model

MODEL = "bpnn_v1"
OWN = ("log_length", "log_size", "density", "relevance")
FEATURES = tuple(f"{place}_{name}" for place in ("before", "own", "after") for name in OWN)
"""In the order of the network's inputs."""
ALONE = 0.5
"""A line by itself is body above this."""


class BpNetwork:
    """Main text by the BP network. `alone`: each line by itself, as in the paper."""

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
        chosen = probabilities > ALONE if self.alone else decode(probabilities, blocks.chars, **config["decoding"])
        return Extraction(
            body=body_text(blocks, chosen),
            labels=np.where(chosen, BODY, NOISE).astype(np.int8),
            scores=probabilities,
            score=trust(probabilities, blocks.chars, chosen),
        )


def features(
    title: str | None, texts: Sequence[str], markup: NDArray[np.int64], stop: NDArray[np.uint64] | None = None
) -> NDArray[np.float32]:
    """FEATURES of a page's lines, not yet scaled: float32 [lines, 12]; zeros before the first line and behind the last.

    `markup`: characters of each line's tags. Lengths are bytes of UTF-8, so that one network serves all scripts.
    Relevance is the share of the title's terms that the line holds (the paper leaves the weighting open), stop words left out.
    """
    wanted = terms_of(clean_title(title))
    if stop is not None:
        wanted = np.setdiff1d(wanted, stop)
    found, _ = term_counts(texts, wanted)
    lengths = byte_sizes(texts)
    sizes = lengths + markup
    own = np.zeros((len(texts) + 2, len(OWN)), np.float32)
    own[1:-1, 0], own[1:-1, 1] = np.log1p(lengths), np.log1p(sizes)
    own[1:-1, 2], own[1:-1, 3] = lengths / np.maximum(sizes, 1), found / max(1, len(wanted))
    return np.hstack((own[:-2], own[1:-1], own[2:]))


def scaled(x: NDArray[np.float32], largest: Sequence[float]) -> NDArray[np.float32]:
    """Features between 0 and 1: divided by the largest value of the training pages and cut there."""
    result: NDArray[np.float32] = np.minimum(x / np.asarray(largest, np.float32), 1).astype(np.float32)
    return result


@lru_cache(maxsize=8)
def _stop_terms_of(model: Model) -> NDArray[np.uint64]:
    return stop_terms(model.config["stop_words"])


def stop_terms(words: Iterable[str]) -> NDArray[np.uint64]:
    """The terms of words that are on every page: no sign of a line's subject."""
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *(terms_of(word) for word in words)]))


def decode(
    probabilities: NDArray[np.floating[Any]], lengths: NDArray[np.integer[Any]], *, run: float, line: float, edge: float, weight: float
) -> NDArray[np.bool_]:
    """The lines of the run of text that is most body.

    Of the best run those above `line` are taken, between the first and the last one above `edge`, if there is one.
    """
    chosen = np.zeros(len(probabilities), np.bool_)
    start, end = best_run(probabilities, lengths, run, weight)
    sure = start + np.flatnonzero(probabilities[start:end] > edge)
    if len(sure):
        start, end = int(sure[0]), int(sure[-1]) + 1
    chosen[start:end] = probabilities[start:end] > line
    return chosen


def best_run(probabilities: NDArray[np.floating[Any]], lengths: NDArray[np.integer[Any]], run: float, weight: float) -> tuple[int, int]:
    """The run [i, j) with the largest sum of (length + `weight`) * (probability - `run`).

    `weight` makes short lines count, so that many of them end a text.
    """
    sums = np.concatenate(([0.0], np.cumsum((lengths + weight) * (probabilities.astype(np.float64) - run))))
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    return int(np.argmin(sums[: end + 1])), end


def trust(probabilities: NDArray[np.floating[Any]], lengths: NDArray[np.integer[Any]], chosen: NDArray[np.bool_]) -> float:
    """Expected F1 of the chosen lines, counted in characters: 0 to 1."""
    expected = probabilities.astype(np.float64) * lengths
    return round(min(1.0, float(2 * expected[chosen].sum() / max(1e-9, lengths[chosen].sum() + expected.sum()))), 4)
