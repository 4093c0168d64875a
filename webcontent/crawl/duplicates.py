"""Which items a crawl has seen already, by their fingerprints."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from webcontent.items import Article

if TYPE_CHECKING:
    from webcontent.items import Listing

MAX_DISTANCE = 3
"""Bits in which the 64-bit simhashes of two versions of one text may differ (Manku 2007, section 3)."""
MIN_CHARACTERS = 200
"""Shorter texts are the same only when they are equal: their simhash rests on too little."""


class Duplicates:
    """The fingerprints of a crawl: about 400 bytes an item.

    An article is seen again when its body is nearly the same; a list when title and body are equal, since lists of one
    site share much of their text.
    """

    def __init__(self) -> None:
        self._exact: set[bytes] = set()
        self._bands: tuple[dict[int, list[int]], ...] = ({}, {}, {}, {})

    def add(self, item: Article | Listing) -> bool:
        """Whether the item was there already; it is remembered either way. An item without text is never a duplicate."""
        if not item.body:
            return False
        seen = self._add_exact(item)
        if isinstance(item, Article) and item.fingerprint and len(item.body) >= MIN_CHARACTERS:
            seen = self._add_near(int(item.fingerprint, 16)) or seen
        return seen

    def _add_exact(self, item: Article | Listing) -> bool:
        text = "\x00".join((item.type, item.title or "", item.body))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        seen = digest in self._exact
        self._exact.add(digest)
        return seen

    def _add_near(self, fingerprint: int) -> bool:
        """Two values that differ in three bits agree in at least one of their four bands of 16."""
        places = [(band, fingerprint >> 16 * place & 0xFFFF) for place, band in enumerate(self._bands)]
        seen = any((fingerprint ^ other).bit_count() <= MAX_DISTANCE for band, key in places for other in band.get(key, ()))
        if not seen:
            for band, key in places:
                band.setdefault(key, []).append(fingerprint)
        return seen
