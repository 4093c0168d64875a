"""Hashes of texts: one digest, one mixer, one polynomial, simhash. None of them is meant for security.

Crawl states, site histories, items and the folds of corpora store these values, so a function here never changes its results.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, made odd: spreads small numbers over 64 bits (Knuth 1973, section 6.4)."""
LONG = 16
"""Bytes of a digest by which many texts are told apart."""
GRAM = 4
"""Characters of the grams that a simhash counts."""
MAX_SIMHASH_CHARACTERS = 200_000

MAX_RUN = 128
"""Positions of a polynomial hash; longer runs are cut by the caller."""
_POWERS = np.cumprod(np.full(MAX_RUN, GOLDEN, np.uint64), dtype=np.uint64)
_NO_WORD = re.compile(r"\W")
_ASCII_WORD = np.array([_NO_WORD.match(chr(code)) is None for code in range(128)])
_FIRST_OF_OCTET = 256 * np.arange(8)
_BITS_OF_OCTET = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)


def digest(text: str, size: int = 8) -> bytes:
    """BLAKE2b of a text in UTF-8, `size` bytes long. Lone surrogates are encoded as they are.

    >>> digest("Mill sold").hex(), digest("Mill sold", size=4).hex()
    ('50bb7607e20b3126', 'fbd1b957')
    """
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def hash64(text: str) -> int:
    """64-bit hash of a text: its `digest` as a big-endian number."""
    return int.from_bytes(digest(text), "big")


def mix64(values: Hashes) -> Hashes:
    """The finalizer of splitmix64 (Steele, Lea, Flood 2014): each bit of the input changes each bit of the output. One to one.

    >>> mix64(np.array([1], np.uint64))
    array([6238072747940578789], dtype=uint64)
    """
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def polynomial_sums(values: Hashes, positions: NDArray[np.int64], starts: NDArray[np.int64]) -> Hashes:
    """A polynomial in GOLDEN for each run of values (Karp and Rabin 1987), not mixed.

    `positions`: of each value in its run, below MAX_RUN; `starts`: index of each run's first value, ascending.
    """
    return np.add.reduceat(values * _POWERS[positions], starts, dtype=np.uint64)


def simhash(text: str) -> str | None:
    """64-bit simhash (Charikar 2002) of a text over its character 4-grams, as 16 hexadecimal digits; None for an empty text.

    Only letters and digits count, in lower case. Texts that differ in a few words differ in a few bits.

    >>> simhash("The ferry was cancelled."), simhash("...")
    ('6ab21d781c3a5523', None)
    """
    codes = _word_codes(text[:MAX_SIMHASH_CHARACTERS].lower()).astype(np.uint64)
    if not len(codes):
        return None
    codes = np.pad(codes, (0, max(0, GRAM - len(codes))), constant_values=ord(" "))
    count = len(codes) - GRAM + 1
    grams = np.zeros(count, np.uint64)
    for place in range(GRAM):
        grams = grams * GOLDEN + codes[place : place + count]
    octets = mix64(grams).astype("<u8").view(np.uint8).reshape(count, 8)
    seen = np.bincount((octets + _FIRST_OF_OCTET).ravel(), minlength=8 * 256).reshape(8, 256)  # far fewer sums than by bit
    sums = (seen @ _BITS_OF_OCTET).ravel()
    return f"{sum(1 << int(place) for place in np.flatnonzero(2 * sums > count)):016x}"


def _word_codes(text: str) -> NDArray[np.uint32]:
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype="<u4")
    kept = _ASCII_WORD[np.minimum(codes, 127)]
    foreign = codes > 127
    if foreign.any():
        different, places = np.unique(codes[foreign], return_inverse=True)
        kept[foreign] = np.array([_NO_WORD.match(chr(code)) is None for code in different.tolist()])[places]
    words: NDArray[Any] = codes[kept]
    return words
