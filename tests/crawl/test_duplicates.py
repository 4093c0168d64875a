"""Which items a crawl takes for the same."""

from __future__ import annotations

from webcontent.crawl.duplicates import Duplicates
from webcontent.items import Article, Listing

BODY = "A text that is long enough for a fingerprint. " * 10


def test_articles_whose_fingerprints_differ_in_three_bits_are_the_same():
    """Three bits is near, four is not."""
    seen = Duplicates()
    assert not seen.add(Article(body=BODY, fingerprint=f"{0:016x}"))
    assert seen.add(Article(body=BODY + "1", fingerprint=f"{0b111:016x}"))
    assert not seen.add(Article(body=BODY + "2", fingerprint=f"{0b1111 << 40:016x}"))


def test_near_fingerprints_are_found_wherever_their_bits_differ():
    """The three bits may stand in three different bands."""
    seen = Duplicates()
    seen.add(Article(body=BODY, fingerprint="0123456789abcdef"))
    apart = 0x0123456789ABCDEF ^ (1 << 63) ^ (1 << 40) ^ (1 << 20)
    assert seen.add(Article(body=BODY + "1", fingerprint=f"{apart:016x}"))


def test_short_texts_are_the_same_only_when_equal():
    """A simhash of a few words says little."""
    seen = Duplicates()
    assert not seen.add(Article(title="One", body="Short.", fingerprint="0" * 16))
    assert not seen.add(Article(title="Two", body="Also short.", fingerprint="0" * 16))
    assert seen.add(Article(title="Two", body="Also short.", fingerprint="0" * 16))


def test_lists_are_the_same_only_when_equal():
    """Two lists of one site share most of their text."""
    seen = Duplicates()
    assert not seen.add(Listing(title="Page 1", body=BODY, fingerprint="0" * 16))
    assert not seen.add(Listing(title="Page 2", body=BODY, fingerprint="0" * 16))
    assert seen.add(Listing(title="Page 2", body=BODY, fingerprint="0" * 16))


def test_items_without_text_are_never_duplicates():
    """Pages that could not be read are all alike, and each is worth its item."""
    seen = Duplicates()
    assert not seen.add(Article(url="http://example.com/1"))
    assert not seen.add(Article(url="http://example.com/2"))
