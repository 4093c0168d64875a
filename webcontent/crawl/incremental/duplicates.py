"""Duplicates within a crawl: the keys by which a page is recognised under another URL, and the items that were already delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from webcontent.addresses import site_of
from webcontent.crawl.discovery.urls import address_key
from webcontent.hashing import digest
from webcontent.items import Article

if TYPE_CHECKING:
    from webcontent.document.parsing import Document
    from webcontent.items import Listing

MAX_DISTANCE = 3
"""Bits in which the 64-bit simhashes of two versions of one text may differ (Manku 2007, section 3)."""
BANDS, BAND_BITS = 4, 16
"""A simhash is compared with those that agree with it in one of its bands."""
MIN_CHARACTERS = 200
"""Shorter texts are duplicates only when they are equal: a simhash of few words is not reliable, and the empty shells of pages
that scripts fill are all alike."""
MAX_BUCKET = 256
"""Fingerprints with the same band that are compared one by one; the latest are kept. 100,000 random fingerprints put 1.5 into a
bucket; without the limit, pages that are made to collide would each cost a comparison with all."""
MAX_ITEMS = 5_000_000
"""Items that are remembered; the earliest are forgotten first."""
DIGEST_BYTES = 16

Reason = Literal["address", "text", "near"]
"""The same canonical URL and title; the same title and text; nearly the same text."""


def content_keys(document: Document) -> list[str]:
    """Keys by which a page is recognised under another URL: its markup; its text with the path of its URL; its canonical URL.

    The canonical URL counts together with the title, because some sites declare their front page on every page. Markup and text
    count for pages of at least MIN_CHARACTERS.
    """
    keys = []
    if int(document.blocks.chars.sum()) >= MIN_CHARACTERS:
        path = address_key(document.url or "").partition("?")[0]
        keys += [f"html {document.text}", f"text {path} {document.blocks.texts}"]
    if document.title and (canonical := find_canonical(document)):
        keys.append(f"canonical {address_key(canonical)} {document.title}")
    return keys


def find_canonical(document: Document) -> str | None:
    """The canonical URL that a page declares, if it lies on the page's site."""
    for node in document.root.iter("link"):
        if "canonical" in (node.get("rel") or "").lower().split():
            url = document.absolute(node.get("href"))
            return url if url and document.url and site_of(url) == site_of(document.url) else None
    return None


class Duplicates:
    """Remembers the items of a crawl, about 400 bytes each.

    An article is a duplicate when its body is nearly the same as an earlier one. A listing is a duplicate when title and body are
    equal, because the listings of a site share much of their text. Either is a duplicate when it has the canonical URL and the
    title of an earlier item; the title counts because some sites declare their front page on every page.
    """

    def __init__(self) -> None:
        self._texts: dict[bytes, None] = {}
        self._addresses: dict[bytes, None] = {}
        self._bands: tuple[dict[int, list[int]], ...] = tuple({} for _ in range(BANDS))

    def add(self, item: Article | Listing) -> Reason | None:
        """Why the item is a duplicate; None for a new item. It is remembered either way. An item without text is never a duplicate."""
        if not item.body:
            return None
        reasons: list[Reason] = []
        if item.title and self._add_text(self._addresses, f"{item.type} {item.title} {_own_address(item)}"):
            reasons.append("address")
        if self._add_text(self._texts, "\x00".join((item.type, item.title or "", item.body))):
            reasons.append("text")
        if isinstance(item, Article) and self._add_article(item):
            reasons.append("near")
        return reasons[0] if reasons else None

    def _add_article(self, item: Article) -> bool:
        """Whether an article with nearly the same text is known. Short articles are neither compared nor remembered."""
        if not item.fingerprint or len(item.body) < MIN_CHARACTERS:
            return False
        return self._add_fingerprint(int(item.fingerprint, 16))

    def _add_text(self, known: dict[bytes, None], text: str) -> bool:
        """Whether the text is known; it is then."""
        key = digest(text, DIGEST_BYTES)
        is_known = key in known
        known[key] = None
        if len(known) > MAX_ITEMS:
            del known[next(iter(known))]
        return is_known

    def _add_fingerprint(self, fingerprint: int) -> bool:
        """Whether a near fingerprint is known. Two values that differ in MAX_DISTANCE bits agree in at least one of their bands."""
        keys = [fingerprint >> BAND_BITS * place & (1 << BAND_BITS) - 1 for place in range(BANDS)]
        buckets = [band.get(key, ()) for band, key in zip(self._bands, keys, strict=True)]
        is_known = any((fingerprint ^ other).bit_count() <= MAX_DISTANCE for bucket in buckets for other in bucket)
        if not is_known:
            for band, key in zip(self._bands, keys, strict=True):
                bucket = band.setdefault(key, [])
                bucket.append(fingerprint)
                del bucket[:-MAX_BUCKET]
        return is_known


def _own_address(item: Article | Listing) -> str:
    """Key of the canonical URL when it lies on the item's own site, else of the item's URL."""
    url, canonical = item.url or "", item.canonical_url or ""
    return address_key(canonical if canonical and site_of(canonical) == site_of(url) else url)
