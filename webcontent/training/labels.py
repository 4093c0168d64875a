"""Gold text -> labels of blocks: the longest common subsequence of the page's tokens and the gold's.

Tokens are those of the word F1: lower-cased runs of letters and digits; where the gold is mostly Chinese, Japanese or
Korean each character is one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import LCSseq

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_TOKENS = 60_000
"""Of a page; what follows has label 0. The matching needs memory for page times gold bits."""

_LETTERS_OF_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def is_cjk(text: str) -> bool:
    """Whether more than 30 % of a text's letters are Chinese, Japanese or Korean.

    >>> is_cjk("新闻 news"), is_cjk("The word 新")
    (True, False)
    """
    letters = sum(1 for char in text if char.isalpha())
    return letters > 0 and len(_LETTERS_OF_CJK.findall(text)) / letters > 0.3


def tokenize(text: str, *, by_character: bool) -> list[str]:
    """The tokens of a text.

    >>> tokenize("Two words.", by_character=False)
    ['two', 'words']
    """
    return re.findall(r"\w" if by_character else r"\w+", text.lower())


class GoldMatch:
    """The tokens of a page's blocks as numbers, how many of each the gold holds, and the blocks' labels."""

    def __init__(self, texts: list[str], gold: str) -> None:
        by_character = is_cjk(gold)
        wanted = tokenize(gold, by_character=by_character)
        found = [tokenize(text, by_character=by_character) for text in texts]
        codes: dict[str, int] = {}
        gold_codes = [codes.setdefault(token, len(codes)) for token in wanted]
        self.tokens = np.array([codes.setdefault(token, len(codes)) for tokens in found for token in tokens], np.int32)
        """Of all blocks, one after the other."""
        self.counts = np.array([len(tokens) for tokens in found], np.int32)
        """Tokens of each block."""
        self.wanted = np.bincount(np.array(gold_codes, np.int64), minlength=len(codes)).astype(np.int32)
        """How often the gold holds each token."""
        self.labels = _labels(self.tokens, self.counts, gold_codes)
        """Share of each block's tokens on the common subsequence, float32; 0 for a block without tokens."""

    def f1(self, chosen: NDArray[np.bool_]) -> float:
        """Word F1 of the chosen blocks; 1 when both are empty, 0 when one is."""
        taken = self.tokens[np.repeat(chosen, self.counts)]
        total = int(self.wanted.sum())
        if not len(taken) or not total:
            return float(not len(taken) and not total)
        both = int(np.minimum(np.bincount(taken, minlength=len(self.wanted)), self.wanted).sum())
        return 2 * both / (len(taken) + total)


def _labels(tokens: NDArray[np.int32], counts: NDArray[np.int32], gold: list[int]) -> NDArray[np.float32]:
    kept = tokens[:MAX_TOKENS].tolist()
    matched = np.ones(len(tokens), np.bool_)
    matched[MAX_TOKENS:] = False
    for operation in LCSseq.editops(kept, gold[:MAX_TOKENS]):
        if operation.tag == "delete":
            matched[operation.src_pos] = False
    sums = np.concatenate(([0], np.cumsum(matched)))
    ends = np.cumsum(counts)
    result: NDArray[np.float32] = ((sums[ends] - sums[ends - counts]) / np.maximum(1, counts)).astype(np.float32)
    return result
