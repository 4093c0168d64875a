"""Gold text -> labels of blocks, by the longest common subsequence of the tokens of the page and of the gold text.

Tokens are those of the word F1: lower-case runs of letters and digits. Where the gold text is mostly Chinese, Japanese or Korean,
each character is a token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz.distance import LCSseq

from webcontent.evaluation.scores import is_cjk, plain, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webcontent.evaluation.corpora import Record

MAX_TOKENS = 60_000
"""Tokens of a page that are aligned; later ones get the label 0. The alignment needs one bit of memory for each pair of tokens."""
WITH_HEAD = frozenset({"dragnet-dev"})
"""Corpora whose bodies begin with headline and byline."""
HEAD_LINES = 5
"""At most so many first lines of a body are headline and byline."""
HEAD_WORDS = 14
"""A line of more words is no byline."""
STOPS = '.!?:…"”'
"""What a line of running text ends with."""
MAX_LINK_SHARE = 0.7
"""Between the edges of a body, blocks that are links to a larger share are not taken."""


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


def gold_body(corpus: str, record: Record, texts: Sequence[str], link_shares: Sequence[float]) -> str | None:
    """The main text of a page without headline and byline; None where the corpus does not tell it.

    `texts`, `link_shares`: of the page's blocks, which the edges of a body are looked for in.
    """
    gold = record["gold"]
    body: str | None = gold.get("body")
    if body is not None:
        return without_head(body) if corpus in WITH_HEAD else body
    if gold.get("body_start") and gold.get("body_end"):
        return between(texts, link_shares, gold["body_start"], gold["body_end"])
    return None


def without_head(body: str) -> str:
    """A body without its first lines, as far as they are short and no sentences.

    >>> without_head("A bridge opens\\nBy Jane Doe\\nThe bridge over the river opened on Monday.").splitlines()
    ['The bridge over the river opened on Monday.']
    """
    lines = body.splitlines()
    for line in lines[: min(HEAD_LINES, len(lines) - 1)]:
        if len(line.split()) > HEAD_WORDS or line.rstrip().endswith(tuple(STOPS)) and line is not lines[0]:
            break
        lines = lines[1:]
    return "\n".join(lines)


def between(texts: Sequence[str], link_shares: Sequence[float], start: str, end: str) -> str | None:
    """The text from the block that has the first characters of the body to the next one that has the last; None without these.

    White space does not count. Blocks of links between them are left out.
    """
    squeezed = [plain(text) for text in texts]
    start, end = plain(start), plain(end)
    first = next((i for i, text in enumerate(squeezed) if text.startswith(start)), None)
    if first is None:
        first = next((i for i, text in enumerate(squeezed) if start in text), None)
    if first is None or not start or not end:
        return None
    last = next((i for i in range(first, len(squeezed)) if squeezed[i].endswith(end)), None)
    if last is None:
        return None
    return "\n".join(texts[i] for i in range(first, last + 1) if link_shares[i] <= MAX_LINK_SHARE)
