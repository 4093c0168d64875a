"""Duplicates within a crawl: the items that were already delivered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

from webcontent.addresses import site_of
from webcontent.crawl.discovery.content_keys import MIN_CHARACTERS
from webcontent.crawl.discovery.urls import address_key
from webcontent.hashing import digest
from webcontent.items import Article, Candidate

if TYPE_CHECKING:
    from webcontent.items import Listing

MAX_DISTANCE = 3
"""Bits in which the 64-bit simhashes of two versions of one text may differ (Manku 2007, section 3)."""
BANDS, BAND_BITS = 4, 16
"""A simhash is compared with those that agree with it in one of its bands."""
MAX_BUCKET = 256
"""Fingerprints with the same band that are compared one by one; the latest are kept. 100,000 random fingerprints put 1.5 into a
bucket; without the limit, pages that are made to collide would each cost a comparison with all."""
MAX_ITEMS = 5_000_000
"""Items that are remembered; the earliest are forgotten first."""
DIGEST_BYTES = 16

Reason = Literal["address", "text", "near", "syndicated"]
"""The same canonical URL and text; the same title and text; nearly the same text; the text of another site's item."""
SYNDICATED: Final = "syndicated"
"""The flag, and the reason, of an item whose text another site had before."""
COPY = "copy"
"""Origin of a time that another site's item with the same text has."""


@dataclass(slots=True)
class _Copies:
    """What is known of the items with one text."""

    site: str | None
    """Of the first item."""
    time: str | None
    """The earliest publishing time of the items."""


class Duplicates:
    """Remembers the items of a crawl, about 1,000 bytes each.

    Within a site, an article is a duplicate when its body is nearly the same as an earlier one. A listing is a duplicate when title and
    body are equal, because the listings of a site share much of their text. Either is a duplicate when it has the canonical URL and
    the body of an earlier item, whatever its title.

    An item whose text another site had before is `syndicated`. It is not known which of the two is the original.
    """

    def __init__(self) -> None:
        self._texts: dict[bytes, None] = {}
        self._addresses: dict[bytes, None] = {}
        self._copies: dict[bytes, _Copies] = {}
        self._bands: tuple[dict[int, list[tuple[int, _Copies]]], ...] = tuple({} for _ in range(BANDS))

    def add(self, item: Article | Listing) -> Reason | None:
        """Why the item is a duplicate; None for a new item. It is remembered either way. An item without text is never a duplicate.

        A syndicated item gets the earliest publishing time of its copies as the last candidate of its time.
        """
        if not item.body:
            return None
        site = site_of(item.url or "")
        reasons: list[Reason] = []
        if item.url and self._add_text(self._addresses, f"{item.type} {_own_address(item)} {item.body}"):
            reasons.append("address")
        text = "\x00".join((item.type, item.title or "", item.body))
        if self._add_text(self._texts, f"{site} {text}"):
            reasons.append("text")
        copies = self._add_copy(text, site, item)
        is_near, near_copies = self._add_article(item, site)
        if is_near:
            reasons.append("near")
        if earlier := copies or near_copies:
            _add_hint(item, earlier)
            reasons.append(SYNDICATED)
        return reasons[0] if reasons else None

    def _add_copy(self, text: str, site: str | None, item: Article | Listing) -> _Copies | None:
        """What is known of another site's items with the same text."""
        key, time = digest(text, DIGEST_BYTES), getattr(item, "time", None)
        copies = self._copies.setdefault(key, _Copies(site, time))
        if len(self._copies) > MAX_ITEMS:
            del self._copies[next(iter(self._copies))]
        return copies if copies.site != site else None

    def _add_article(self, item: Article | Listing, site: str | None) -> tuple[bool, _Copies | None]:
        """Whether the site has an article with nearly the same text, and what is known of another site's such article.

        Short articles are neither compared nor remembered.
        """
        if not isinstance(item, Article) or not item.fingerprint or len(item.body) < MIN_CHARACTERS:
            return False, None
        return self._add_fingerprint(int(item.fingerprint, 16), _Copies(site, item.time))

    def _add_text(self, known: dict[bytes, None], text: str) -> bool:
        """Whether the text is known; it is then."""
        key = digest(text, DIGEST_BYTES)
        is_known = key in known
        known[key] = None
        if len(known) > MAX_ITEMS:
            del known[next(iter(known))]
        return is_known

    def _add_fingerprint(self, fingerprint: int, own: _Copies) -> tuple[bool, _Copies | None]:
        """As `_add_article`. Two values that differ in MAX_DISTANCE bits agree in at least one of their bands."""
        keys = [fingerprint >> BAND_BITS * place & (1 << BAND_BITS) - 1 for place in range(BANDS)]
        buckets = [band.get(key, ()) for band, key in zip(self._bands, keys, strict=True)]
        near = [copies for bucket in buckets for other, copies in bucket if (fingerprint ^ other).bit_count() <= MAX_DISTANCE]
        is_known = any(copies.site == own.site for copies in near)
        if not is_known:
            for band, key in zip(self._bands, keys, strict=True):
                bucket = band.setdefault(key, [])
                bucket.append((fingerprint, own))
                del bucket[:-MAX_BUCKET]
        return is_known, next((copies for copies in near if copies.site != own.site), None)


def _add_hint(item: Article | Listing, copies: _Copies) -> None:
    """Adds the earliest publishing time of the copies to the item's candidates, and the item's own time to what is known."""
    time = getattr(item, "time", None)
    if copies.time is not None:
        item.evidence = {**item.evidence, "time": [*item.evidence.get("time", ()), Candidate(copies.time, COPY)]}
    copies.time = min(filter(None, (copies.time, time)), key=_instant, default=None)


def _instant(time: str) -> datetime:
    """The instant of an ISO 8601 time, to compare it. A missing part counts as its beginning, a missing offset as UTC."""
    try:
        parsed = datetime.fromisoformat(time + "-01-01"[len(time) - len("2024") :] if len(time) < len("2024-03-05") else time)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def _own_address(item: Article | Listing) -> str:
    """Key of the canonical URL when it lies on the item's own site, else of the item's URL."""
    url, canonical = item.url or "", item.canonical_url or ""
    return address_key(canonical if canonical and site_of(canonical) == site_of(url) else url)
