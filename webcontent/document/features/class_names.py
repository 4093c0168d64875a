"""Tokens of class and id names, and the features that their learned weights give a block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, repeat
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.features.markup_groups import WORD, split_camel_case

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.features.context import FeatureContext
    from webcontent.document.features.groups import AncestorTree

CLASS_NAME_FEATURES = ("name_nearest", "name_sum", "name_best", "name_worst", "name_strongest_sum")
"""Features from the learned weights of the tokens in the names of a block's ancestors."""
MIN_WEIGHT = 0.15
"""Weights nearer to 0 do not count as the nearest one."""
MAX_CLASSES, MAX_TOKEN_CHARACTERS = 16, 40
"""Classes of an element, and characters of a token, that are read."""

_DIGITS = re.compile(r"\d")
_ZEROS = bytes.maketrans(b"123456789", b"000000000")


@dataclass(frozen=True, slots=True)
class ClassNameTokens:
    """Tokens of the class and id names over a page's blocks: plain lists and arrays, which can be stored."""

    tokens: list[tuple[str, ...]]
    """`name_tokens` of each different pair of class and id."""
    pair: NDArray[np.int64]
    """For each element of the ancestor tree the number of its pair."""
    ancestors: AncestorTree


def class_name_tokens(context: FeatureContext) -> ClassNameTokens:
    """The tokens of a page's class and id names."""
    names, numbers = context.names
    return ClassNameTokens([name_tokens(classes, own_id) for classes, own_id in names], numbers, context.ancestors)


@lru_cache(maxsize=50_000)
def name_tokens(classes: str, own_id: str) -> tuple[str, ...]:
    """Tokens of class and id names: each whole name (digits as 0) and the words in it, each once.

    >>> name_tokens("entry-content", "post12")
    ('.entry-content', 'entry', 'content', '#post00', 'post')
    """
    names = classes.split()[:MAX_CLASSES]
    tokens = [_tokens_of_name(f".{name}") for name in names] + ([_tokens_of_name(f"#{own_id}")] if own_id else [])
    return tuple(dict.fromkeys(chain.from_iterable(tokens)))


@lru_cache(maxsize=50_000)
def _tokens_of_name(name: str) -> tuple[str, ...]:
    plain = split_camel_case(name, "-")
    plain = (plain.encode().translate(_ZEROS).decode() if plain.isascii() else _DIGITS.sub("0", plain))[:MAX_TOKEN_CHARACTERS]
    return (plain, *[word for word in WORD.findall(plain) if len(word) > 1])


def class_name_features(tokens: ClassNameTokens, weights: dict[str, float]) -> NDArray[np.float32]:
    """CLASS_NAME_FEATURES of each block: float32 [blocks, 5]. `weights`: of tokens, above 0 for main text."""
    tree = tokens.ancestors
    counts = np.fromiter(map(len, tokens.tokens), np.int64, len(tokens.tokens)) + 1
    padded = (token for names in tokens.tokens for token in ("", *names))  # no name is empty: a weight of 0, so that each pair has one
    own = np.fromiter(map(weights.get, padded, repeat(0.0)), np.float64)
    starts = np.cumsum(counts) - counts
    total = np.bincount(np.repeat(np.arange(len(counts)), counts), own, len(counts))[tokens.pair]
    best, worst = np.maximum.reduceat(own, starts)[tokens.pair], np.minimum.reduceat(own, starts)[tokens.pair]
    strongest = np.where(best > -worst, best, worst)
    nearest = strongest[tree.nearest(np.abs(strongest) > MIN_WEIGHT)]
    peaks = tree.highest(np.stack((best, -worst), axis=1))
    sums = np.stack((total, strongest), axis=1)
    for level in tree.depths:  # from the root down: the order of a sum changes its last digits
        sums[level] += sums[tree.parent[level]]
    columns = np.stack((nearest, sums[:, 0], peaks[:, 0], -peaks[:, 1], sums[:, 1]))
    return columns[:, tree.block].T.astype(np.float32)
