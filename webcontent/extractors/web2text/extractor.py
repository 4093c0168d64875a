"""Web2Text: the text nodes of a page as a sequence, labelled by two convolutional networks and Viterbi's algorithm.

Vogels, Ganea, Eickhoff: Web2Text: Deep Structured Boilerplate Removal, ECIR 2018. Text nodes (leaves of the collapsed DOM) have
128 features, pairs of neighbours 25. A unary network gives the probability of each leaf to be main text, a pairwise network that of each
pair of labels of neighbours. The result is the sequence of labels with the highest sum of log probabilities (sections 3.3 to 3.5).
A block of the document is main text where most of its characters are.

EXTRA_FEATURES are not in the paper; they serve pages that are younger than it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.features.context import FAR
from webcontent.extraction import NO_CONTEXT, Extraction, PageContext
from webcontent.extractors.decoding import calibrated_probability, decode, extraction_of, page_features
from webcontent.extractors.web2text.collapsed import Collapsed
from webcontent.extractors.web2text.features import BLOCK_FEATURES, EXTRA_FEATURES, features

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.parsing import Document

    Column = NDArray[np.float64]
    Matrix = NDArray[np.float32]

MODEL = "web2text_v1"
_FURNITURE = [len(BLOCK_FEATURES) + EXTRA_FEATURES.index(f"paragraph_tag_{tag}") for tag in ("nav", "footer")]
_FAR = np.arcsinh(FAR) - 0.01


def biased(unary: Matrix, x: NDArray[np.floating], bias: float, furniture_bias: float) -> Matrix:
    """Log probabilities with `bias` added to those of text, and `furniture_bias` more for leaves inside <nav> and <footer>."""
    shifted = unary.copy()
    shifted[:, 1] += np.where(x[:, _FURNITURE].min(axis=1) < _FAR, bias + furniture_bias, bias)
    return shifted


def viterbi(unary: Matrix, pairwise: Matrix, weight: float) -> NDArray[np.bool_]:
    """The labels with the highest sum of log probabilities (section 3.5): bool [n].

    `unary`: log probabilities of noise and text, [n, 2]; `pairwise`: of the labels (0, 0), (0, 1), (1, 0), (1, 1) of each leaf and
    the next one, [n, 4], the last row unused; `weight`: the paper's lambda.
    """
    if not len(unary):
        return np.zeros(0, np.bool_)
    steps = (pairwise[:-1].astype(np.float64) * weight).tolist()
    noise, text = (float(value) for value in unary[0])
    choices = []  # whether the best path to each label comes from text
    for (stay, begin, end, go_on), (own_noise, own_text) in zip(steps, unary[1:].astype(np.float64).tolist(), strict=True):
        to_noise, to_text = text + end > noise + stay, text + go_on > noise + begin
        choices.append((to_noise, to_text))
        noise, text = (text + end if to_noise else noise + stay) + own_noise, (text + go_on if to_text else noise + begin) + own_text
    labels = [text > noise]
    for choice in reversed(choices):
        labels.append(choice[labels[-1]])
    return np.array(labels[::-1], np.bool_)


def block_shares(
    block: NDArray[np.int64], weights: NDArray[np.floating], values: NDArray[np.floating] | NDArray[np.bool_], count: int
) -> Column:
    """The weighted mean of the leaves' values for each of `count` blocks, 0 for a block without leaves. `block`: of each leaf."""
    return np.bincount(block, weights * values, count) / np.maximum(1, np.bincount(block, weights, count))


def chosen_blocks(shares: Column, scores: Matrix, words: Column) -> NDArray[np.bool_]:
    """The blocks whose characters are mostly text; where there is none, those with the highest expected F1."""
    chosen = shares > 0.5
    return chosen if chosen.any() or not words.any() else decode(scores, words)


class Web2Text:
    """Main text by two sequence networks over the leaves of the collapsed DOM, and Viterbi's algorithm."""

    name = "web2text"
    needs: frozenset[str] = frozenset()

    def __init__(self, model: str = MODEL) -> None:
        self.model_name = model

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        blocks = document.blocks
        collapsed = Collapsed(blocks)
        if not len(collapsed):
            return Extraction(labels=np.zeros(len(blocks), np.int8), scores=np.zeros(len(blocks), np.float32))
        x, edges = features(document, collapsed)
        model = context.models.load(self.model_name)
        unary, pairwise = model.run(blocks=x, edges=edges)
        config = model.config
        labels = viterbi(biased(unary, x, config["bias"], config["furniture_bias"]), pairwise, config["lambda"])
        block, characters = collapsed.block, collapsed.leaf_sums["characters"]
        scores = block_shares(block, characters, np.exp(unary[:, 1]), len(blocks)).astype(np.float32)
        words = np.bincount(block, collapsed.leaf_sums["words"], len(blocks)).astype(np.float64)
        chosen = chosen_blocks(block_shares(block, characters, labels, len(blocks)), scores, words)
        score = calibrated_probability(page_features(scores, words, chosen), config["score"]) if chosen.any() else None
        return extraction_of(blocks, chosen, scores=np.clip(scores, 0, 1), score=score)
