"""Which items a crawl has seen already: by their addresses, their texts, and their fingerprints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from webcontent.crawl.discovery.urls import address_key, site_of
from webcontent.hashing import digest
from webcontent.items import Article

if TYPE_CHECKING:
    from webcontent.items import Listing

MAX_DISTANCE = 3
"""Bits in which the 64-bit simhashes of two versions of one text may differ (Manku 2007, section 3)."""
MIN_CHARACTERS = 200
"""Shorter texts are the same only when they are equal: their simhash rests on too little."""
MAX_BUCKET = 256
"""Fingerprints that agree in a band of 16 bits and are compared one by one; of more the latest are. By chance 100,000 articles
put 1.5 into a bucket; pages made to collide would cost a comparison with all."""
MAX_ITEMS = 5_000_000
"""Items that are remembered; the earliest are forgotten first."""

Reason = Literal["address", "text", "near"]
"""The address that both name as canonical; the same title and text; nearly the same text."""


class Duplicates:
    """What a crawl has seen: about 400 bytes an item.

    An article is seen again when its body is nearly the same; a list when title and body are equal, since lists of one
    site share much of their text. Either is, when it names the same address of its site as its own, under the same title: the
    title counts since some sites name their front page as that of every page.
    """

    def __init__(self) -> None:
        self._exact: dict[bytes, None] = {}
        self._addresses: dict[bytes, None] = {}
        self._bands: tuple[dict[int, list[int]], ...] = ({}, {}, {}, {})

    def add(self, item: Article | Listing) -> Reason | None:
        """Why the item was there already; None for a new one. It is remembered either way. An item without text is never a duplicate."""
        if not item.body:
            return None
        reasons: list[Reason] = []
        if item.title and self._add(self._addresses, f"{item.type} {item.title} {_own_address(item)}"):
            reasons.append("address")
        if self._add(self._exact, "\x00".join((item.type, item.title or "", item.body))):
            reasons.append("text")
        if (
            isinstance(item, Article)
            and item.fingerprint
            and len(item.body) >= MIN_CHARACTERS
            and self._add_near(int(item.fingerprint, 16))
        ):
            reasons.append("near")
        return reasons[0] if reasons else None

    def _add(self, known: dict[bytes, None], text: str) -> bool:
        key = digest(text, size=16)
        seen = key in known
        known[key] = None
        if len(known) > MAX_ITEMS:
            del known[next(iter(known))]
        return seen

    def _add_near(self, fingerprint: int) -> bool:
        """Two values that differ in three bits agree in at least one of their four bands of 16."""
        places = [(band, fingerprint >> 16 * place & 0xFFFF) for place, band in enumerate(self._bands)]
        seen = any((fingerprint ^ other).bit_count() <= MAX_DISTANCE for band, key in places for other in band.get(key, ()))
        if not seen:
            for band, key in places:
                bucket = band.setdefault(key, [])
                bucket.append(fingerprint)
                del bucket[:-MAX_BUCKET]
        return seen


def _own_address(item: Article | Listing) -> str:
    """The canonical address where that lies on the item's own site, else its address; without what changes nothing on the page."""
    url, canonical = item.url or "", item.canonical_url or ""
    return address_key(canonical if canonical and site_of(canonical) == site_of(url) else url)
