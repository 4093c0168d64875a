"""Fingerprints of a page's blocks: 64-bit hashes of their texts, and of their paths in the tree. Site histories store them.

A path is hashed in three ways, because each misses something: class names differ between the pages of some designs, and the numbers of
siblings change where a banner is added.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, TAGS, count_ranks
from webcontent.document.characters import BASIC_PLANE, code_points
from webcontent.hashing import GOLDEN, hash64, mix64, polynomial_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements

    Hashes = NDArray[np.uint64]

PATH_KINDS = ("named", "numbered", "around")
"""The path of tags and class names; the path of tags with their numbers among siblings; the latter of the element around the block."""
TEXT_CHARACTERS = 80
"""A longer text's fingerprint is that of its beginning and its length."""

_WITHOUT_NAMES = [TAG_CODES["html"], TAG_CODES["body"]]
"""Elements whose class names differ from page to page."""
_DIGITS = re.compile(r"\d+")
_NAME_FACTOR = np.uint64(0xD1B54A32D192ED03)
"""Combines the hash of class names with a tag; an odd number other than GOLDEN, which combines the steps of a path."""


@dataclass(slots=True, frozen=True, eq=False)
class Fingerprints:
    """Fingerprints of a page's blocks, n = len(blocks)."""

    texts: Hashes
    """[n]: of the texts without case; all digits are equal."""
    paths: Hashes
    """[len(PATH_KINDS), n]"""


def fingerprints_of(blocks: Blocks) -> Fingerprints:
    """Fingerprints of all blocks."""
    named, numbered = _path_hashes(blocks)
    rows = blocks.element
    around = np.maximum(0, blocks.elements.parent[rows])
    paths = np.stack((named[rows], mix64(numbered[rows] + np.uint64(1)), mix64(numbered[around] + np.uint64(2))))
    return Fingerprints(text_hashes(blocks.texts), paths)


def text_hashes(texts: list[str]) -> Hashes:
    """A hash of each text: of its first TEXT_CHARACTERS characters and its length. Case does not count, and all digits are equal."""
    cut = [text[:TEXT_CHARACTERS] for text in texts]
    codes = code_points(" ".join(cut) + " ")
    lengths = np.fromiter(map(len, cut), np.int64, len(cut)) + 1
    starts = np.cumsum(lengths) - lengths
    offsets = np.arange(len(codes)) - np.repeat(starts, lengths)
    sums = polynomial_sums(_CHARACTER_VALUES[np.minimum(codes, BASIC_PLANE - 1)], offsets, starts)
    return mix64(sums + np.fromiter(map(len, texts), np.uint64, len(texts)))


def _character_values() -> Hashes:
    """A random number for each character of the basic plane; one for all digits, one for both cases of a letter."""
    values = np.random.default_rng(1).integers(1, 2**63, BASIC_PLANE, np.uint64)
    for code in range(BASIC_PLANE):
        char = chr(code)
        lower = char.lower()
        if char.isdigit():
            values[code] = values[ord("0")]
        elif lower != char and len(lower) == 1:
            values[code] = values[ord(lower)]
    return values


_CHARACTER_VALUES = _character_values()


def _path_hashes(blocks: Blocks) -> tuple[Hashes, Hashes]:
    """For each element a hash of its path of tags and class names, and of its path of tags with their numbers (not mixed)."""
    elements = blocks.elements
    count = len(elements)
    tags = elements.tag.astype(np.uint64) + np.uint64(1)
    names, codes = blocks.class_codes
    own = np.zeros((count + 1, 2), np.uint64)  # the last row stands above the root
    own[:-1, 0] = np.array([_hash_of_classes(name) for name in names], np.uint64)[codes]
    own[:-1, 0][np.isin(elements.tag, _WITHOUT_NAMES)] = 0
    own[:-1, 0] = own[:-1, 0] * _NAME_FACTOR + tags
    numbers = count_ranks(elements.parent.astype(np.int64) * len(TAGS) + elements.tag)
    own[:-1, 1] = (numbers.astype(np.uint64) << np.uint64(8)) + tags
    paths = _sums_over_ancestors(own, elements)
    return mix64(paths[:, 0]), paths[:, 1]


def _sums_over_ancestors(own: Hashes, elements: Elements) -> Hashes:
    """For each element a polynomial in its own row and its ancestors' rows, by pointer jumping (Wyllie 1979): few steps at any depth."""
    above = np.append(elements.parent, -1)  # -1: the last row, which is above all
    factor = np.full(1, GOLDEN)
    for _ in range(int(elements.depth.max(initial=0) + 1).bit_length()):
        own = own + own[above] * factor
        above, factor = above[above], factor * factor
    return own[:-1]


@lru_cache(maxsize=50_000)
def _hash_of_classes(classes: str) -> int:
    """Hash of a class attribute; all digits are equal, and the order of names does not count."""
    names = sorted(set(_DIGITS.sub("0", classes).split()))
    return hash64(" ".join(names)) if names else 0
