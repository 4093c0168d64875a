"""Duplicates within a crawl: the items that were already delivered."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from webcontent.addresses import site_of
from webcontent.crawl.discovery.content_keys import MIN_CHARACTERS, own_canonical
from webcontent.crawl.discovery.urls import address_key
from webcontent.hashing import digest
from webcontent.items import Article, Candidate

if TYPE_CHECKING:
    from webcontent.items import Listing

T = TypeVar("T")

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
        self._bands: dict[tuple[int, int], deque[tuple[str, _Copies]]] = {}

    def add(self, item: Article | Listing) -> Reason | None:
        """Why the item is a duplicate; None for a new item. It is remembered either way. An item without text is never a duplicate.

        A syndicated item gets the earliest publishing time of its copies as the last candidate of its time.
        """
        if not item.body:
            return None
        site, time = site_of(item.url or ""), getattr(item, "time", None)
        text = "\x00".join((item.type, item.title or "", item.body))
        is_own_address = bool(item.url) and _is_known(
            self._addresses, f"{item.type} {address_key(own_canonical(item.url, item.canonical_url) or item.url)} {item.body}"
        )
        is_own_text = _is_known(self._texts, f"{site} {text}")
        own = _Copies(site, time)
        copies = [_remember(self._copies, digest(text, DIGEST_BYTES), own)]
        is_near_own = False
        if isinstance(item, Article) and item.fingerprint and len(item.body) >= MIN_CHARACTERS:
            near = self._add_fingerprint(item.fingerprint, own)
            is_near_own = any(other.site == site for other in near)
            copies += near
        earlier = next((other for other in copies if other.site != site), None)
        if earlier is not None:
            if earlier.time is not None:
                item.evidence = {**item.evidence, "time": [*item.evidence.get("time", ()), Candidate(earlier.time, COPY)]}
            earlier.time = min(filter(None, (earlier.time, time)), key=_instant, default=None)
        reasons: dict[Reason, bool] = {"address": is_own_address, "text": is_own_text, "near": is_near_own, SYNDICATED: earlier is not None}
        return next((reason for reason, holds in reasons.items() if holds), None)

    def _add_fingerprint(self, fingerprint: str, own: _Copies) -> list[_Copies]:
        """What is known of the articles with nearly the same text. It is remembered unless the site has one of them.

        Two values that differ in MAX_DISTANCE bits agree in at least one of their bands.
        """
        number = int(fingerprint, 16)
        keys = [(band, number >> BAND_BITS * band & (1 << BAND_BITS) - 1) for band in range(BANDS)]
        near = [copies for key in keys for other, copies in self._bands.get(key, ()) if is_near(fingerprint, other)]
        if all(copies.site != own.site for copies in near):
            for key in keys:
                self._bands.setdefault(key, deque(maxlen=MAX_BUCKET)).append((fingerprint, own))
        return near


def _remember(known: dict[bytes, T], key: bytes, value: T) -> T:
    """The value of a key, which is added if it is new."""
    found = known.setdefault(key, value)
    if len(known) > MAX_ITEMS:
        del known[next(iter(known))]
    return found


def _is_known(known: dict[bytes, None], text: str) -> bool:
    """Whether a text was added before; it is added."""
    is_known = (key := digest(text, DIGEST_BYTES)) in known
    _remember(known, key, None)
    return is_known


def is_near(one: str | None, other: str | None) -> bool:
    """Whether two texts are nearly the same, by their fingerprints."""
    return bool(one and other) and (int(one or "", 16) ^ int(other or "", 16)).bit_count() <= MAX_DISTANCE


def _instant(time: str) -> datetime:
    """The instant of an ISO 8601 time, to compare it. A missing part counts as its beginning, a missing offset as UTC."""
    try:
        parsed = datetime.fromisoformat(time + "-01-01"[len(time) - len("2024") :] if len(time) < len("2024-03-05") else time)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
