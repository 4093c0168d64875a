"""Items whose text another item of the crawl had before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from webcontent.addresses import site_of
from webcontent.crawl.discovery.links import MIN_CHARACTERS
from webcontent.hashing import LONG, digest
from webcontent.items import Article

if TYPE_CHECKING:
    from webcontent.items import Listing

MAX_DISTANCE = 3
"""Bits in which the 64-bit simhashes of two versions of one text may differ (Manku 2007, section 3)."""
BAND_DIGITS = 16 // (MAX_DISTANCE + 1)
"""Of the 16 digits of a simhash: so many bits can't differ in each of its bands, and those that agree in one are compared."""
MAX_BUCKET = 256
"""Fingerprints with the same band that are compared one by one; the latest are kept. 100,000 random fingerprints put 1.5 into a
bucket; without the limit, pages that are made to collide would each cost a comparison with all."""

Reason = Literal["text", "near", "syndicated"]
"""The same title and text; nearly the same text; the text of another site's item."""
SYNDICATED: Final = "syndicated"
"""The flag, and the reason, of an item whose text another site had before."""


class Duplicates:
    """Remembers the items of a crawl, about 1,000 bytes each.

    Within a site, an article is a duplicate when its body is nearly the same as an earlier one. A listing is a duplicate when title and
    body are equal, because the listings of a site share much of their text.

    An item whose text another site had before is `syndicated`. It is not known which of the two is the original.
    """

    def __init__(self) -> None:
        self._texts: dict[bytes, set[str | None]] = {}
        """Digest of a text -> the sites that had it."""
        self._bands: dict[tuple[int, str], list[tuple[str, str | None]]] = {}
        """Number and digits of a band -> fingerprints with it, and their sites."""

    def add(self, item: Article | Listing) -> Reason | None:
        """Why the item is a duplicate; None for a new item. It is remembered either way. An item without text is never a duplicate."""
        if not item.body:
            return None
        site = site_of(item.url or "")
        sites = self._texts.setdefault(digest("\x00".join((item.type, item.title or "", item.body)), LONG), set())
        has_fingerprint = isinstance(item, Article) and item.fingerprint and len(item.body) >= MIN_CHARACTERS
        near = self._add_fingerprint(item.fingerprint or "", site) if has_fingerprint else []
        reason: Reason | None = "text" if site in sites else "near" if site in near else SYNDICATED if sites or near else None
        sites.add(site)
        return reason

    def _add_fingerprint(self, fingerprint: str, site: str | None) -> list[str | None]:
        """The sites of articles with nearly the same text. It is remembered unless the site has one of them.

        Two values that differ in MAX_DISTANCE bits agree in at least one of their bands.
        """
        keys = [(place, fingerprint[place : place + BAND_DIGITS]) for place in range(0, len(fingerprint), BAND_DIGITS)]
        near = [other_site for key in keys for other, other_site in self._bands.get(key, ()) if is_near(fingerprint, other)]
        if site not in near:
            for key in keys:
                bucket = self._bands.setdefault(key, [])
                bucket.append((fingerprint, site))
                del bucket[:-MAX_BUCKET]
        return near


def is_near(one: str | None, other: str | None) -> bool:
    """Whether two texts are nearly the same, by their fingerprints."""
    return bool(one and other) and (int(one or "", 16) ^ int(other or "", 16)).bit_count() <= MAX_DISTANCE
