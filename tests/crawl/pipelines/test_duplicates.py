"""Which items of a crawl are duplicates."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.crawl.crawls import TEXTS, article
from webcontent.crawl.discovery.links import content_keys
from webcontent.crawl.pipelines.duplicates import Duplicates
from webcontent.document.parsing import Document
from webcontent.items import Article, Listing, Page

BODY = "A text that is long enough for a fingerprint. " * 10


def test_articles_whose_fingerprints_differ_in_three_bits_are_the_same():
    """Four bits are too many."""
    duplicates = Duplicates()
    assert not duplicates.add(Article(body=BODY, fingerprint=f"{0:016x}"))
    assert duplicates.add(Article(body=BODY + "1", fingerprint=f"{0b111:016x}"))
    assert not duplicates.add(Article(body=BODY + "2", fingerprint=f"{0b1111 << 40:016x}"))


def test_near_fingerprints_are_found_wherever_their_bits_differ():
    """The three bits may stand in three different bands."""
    duplicates = Duplicates()
    duplicates.add(Article(body=BODY, fingerprint="0123456789abcdef"))
    apart = 0x0123456789ABCDEF ^ (1 << 63) ^ (1 << 40) ^ (1 << 20)
    assert duplicates.add(Article(body=BODY + "1", fingerprint=f"{apart:016x}"))


def test_short_texts_are_duplicates_only_when_equal():
    """A simhash of few words is not reliable."""
    duplicates = Duplicates()
    assert not duplicates.add(Article(title="One", body="Short.", fingerprint="0" * 16))
    assert not duplicates.add(Article(title="Two", body="Also short.", fingerprint="0" * 16))
    assert duplicates.add(Article(title="Two", body="Also short.", fingerprint="0" * 16))


def test_listings_are_duplicates_only_when_equal():
    """Two listings of one site share most of their text."""
    duplicates = Duplicates()
    assert not duplicates.add(Listing(title="Page 1", body=BODY, fingerprint="0" * 16))
    assert not duplicates.add(Listing(title="Page 2", body=BODY, fingerprint="0" * 16))
    assert duplicates.add(Listing(title="Page 2", body=BODY, fingerprint="0" * 16))


def test_items_without_text_are_never_duplicates():
    """Pages that could not be read are all alike, and each has its item."""
    duplicates = Duplicates()
    assert not duplicates.add(Article(url="http://example.com/1"))
    assert not duplicates.add(Article(url="http://example.com/2"))


def test_the_reason_is_given():
    """The same text, or nearly the same."""
    duplicates = Duplicates()
    duplicates.add(Article(url="https://a.example.com/1", title="One", body=BODY, fingerprint=f"{0:016x}"))
    assert duplicates.add(Article(url="https://a.example.com/2", title="One", body=BODY, fingerprint=f"{1 << 40:016x}")) == "text"
    assert duplicates.add(Article(url="https://a.example.com/3", title="Two", body=BODY + "x", fingerprint=f"{1:016x}")) == "near"


def test_pages_made_to_collide_cost_no_more_than_others():
    """A bucket of fingerprints with the same band holds the latest 256."""
    duplicates, chooser = Duplicates(), Random(0)
    fingerprints = [chooser.getrandbits(48) for _ in range(258)]
    for fingerprint in fingerprints:
        duplicates.add(Article(body=f"{BODY}{fingerprint}", fingerprint=f"{fingerprint:016x}"))
    assert max(len(bucket) for bucket in duplicates._bands.values()) == 256
    assert duplicates.add(Article(body=BODY + "x", fingerprint=f"{fingerprints[-1]:016x}")) == "near"


def test_another_sites_text_is_syndicated_and_never_a_duplicate():
    """A copy may be crawled before the original. Each site's own second copy is a duplicate."""
    duplicates = Duplicates()
    copy = Article(url="https://copies.example/1", title="Bridge", body=BODY, fingerprint=f"{0:016x}", time="2024-03-05")
    original = Article(url="https://paper.example.org/1", title="Bridge", body=BODY, fingerprint=f"{0:016x}", time="2024-03-04T10:00+08:00")
    assert duplicates.add(copy) is None
    assert duplicates.add(original) == "syndicated"
    assert duplicates.add(replace(original, url="https://paper.example.org/2")) == "text"
    assert duplicates.add(replace(copy, title="A bridge", url="https://copies.example/2")) == "near"


def test_nearly_the_same_text_of_another_site_is_syndicated():
    """Also where the title differs."""
    duplicates = Duplicates()
    duplicates.add(Article(url="https://a.example/1", title="Bridge", body=BODY, fingerprint=f"{0:016x}"))
    other = Article(url="https://b.example/1", title="The bridge", body=f"{BODY} By us.", fingerprint=f"{1:016x}")
    assert duplicates.add(other) == "syndicated"


def test_a_copied_page_has_other_keys_than_the_original():
    """So that the copy does not suppress it, whatever canonical URL it declares."""
    html = article("Bridge", head='<link rel="canonical" href="https://paper.example.org/1">')
    copy, original = (
        content_keys(Document.from_page(Page(url=url, html=html))) for url in ("https://copies.example/1", "https://paper.example.org/1")
    )
    assert original
    assert not set(copy) & set(original)


CANONICAL = '<link rel="canonical" href="https://paper.example.org/news">'


def keys_of(url: str, html: str) -> set[str]:
    return set(content_keys(Document.from_page(Page(url=url, html=html))))


def test_further_pages_of_a_list_have_keys_of_their_own():
    """All declare the first page as their canonical URL and have its title and its introduction."""
    introduction = "".join(f"<p>{text}</p>" for text in TEXTS)
    keys = [
        keys_of(
            f"https://paper.example.org/news{path}",
            f"<title>News</title>{CANONICAL}<body>{introduction}<ul>"
            + "".join(f"<li><a href=/{n}{k}>Headline {n}{k}</a>" for k in range(9)),
        )
        for n, path in enumerate(("", "?page=2", "/page/3", "?start=40"))
    ]
    assert all(keys)
    assert len(set.union(*keys)) == sum(map(len, keys))
