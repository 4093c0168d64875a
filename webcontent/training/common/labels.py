"""Gold text -> labels of blocks, by the longest common subsequence of the tokens of the page and of the gold text.

Tokens are those of the word F1: lower-case runs of letters and digits. Where the gold text is mostly Chinese, Japanese or Korean,
each character is a token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import LCSseq

from webcontent.evaluation.scores import is_cjk, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_TOKENS = 60_000
"""Tokens of a page that are aligned; later ones get the label 0. The alignment needs one bit of memory for each pair of tokens."""


class GoldMatch:
    """The tokens of a page's blocks as numbers, how often the gold text holds each of them, and the labels of the blocks."""

    def __init__(self, texts: list[str], gold: str) -> None:
        by_character = is_cjk(gold)
        blocks = [tokenize(text, by_character=by_character) for text in texts]
        codes: dict[str, int] = {}
        gold_codes = [codes.setdefault(token, len(codes)) for token in tokenize(gold, by_character=by_character)]
        self.tokens = np.array([codes.setdefault(token, len(codes)) for tokens in blocks for token in tokens], np.int32)
        """Codes of the tokens of all blocks, in order."""
        self.counts = np.array([len(tokens) for tokens in blocks], np.int32)
        """Number of tokens of each block."""
        self.gold_counts = np.bincount(np.array(gold_codes, np.int64), minlength=len(codes)).astype(np.int32)
        """How often the gold text holds each token."""
        self.labels = _labels(self.tokens, self.counts, gold_codes)
        """Share of the tokens of each block on the common subsequence, float32; 0 for a block without tokens."""

    def f1(self, chosen: NDArray[np.bool_]) -> float:
        """Word F1 of the chosen blocks; 1 when both texts are empty, 0 when one of them is."""
        tokens = self.tokens[np.repeat(chosen, self.counts)]
        gold_total = int(self.gold_counts.sum())
        if not len(tokens) or not gold_total:
            return float(not len(tokens) and not gold_total)
        return 2 * self.common_tokens(tokens) / (len(tokens) + gold_total)

    def common_tokens(self, tokens: NDArray[np.int32]) -> int:
        """Number of tokens that a multiset of tokens shares with the gold text."""
        return int(np.minimum(np.bincount(tokens, minlength=len(self.gold_counts)), self.gold_counts).sum())


def text_f1(text: str, gold: str) -> float:
    """Word F1 of a text."""
    return GoldMatch([text], gold).f1(np.ones(1, bool))


def _labels(tokens: NDArray[np.int32], counts: NDArray[np.int32], gold: list[int]) -> NDArray[np.float32]:
    is_matched = np.ones(len(tokens), np.bool_)
    is_matched[MAX_TOKENS:] = False
    for operation in LCSseq.editops(tokens[:MAX_TOKENS].tolist(), gold[:MAX_TOKENS]):
        if operation.tag == "delete":
            is_matched[operation.src_pos] = False
    sums = np.concatenate(([0], np.cumsum(is_matched)))
    ends = np.cumsum(counts)
    labels: NDArray[np.float32] = ((sums[ends] - sums[ends - counts]) / np.maximum(1, counts)).astype(np.float32)
    return labels
