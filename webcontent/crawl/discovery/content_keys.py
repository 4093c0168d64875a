"""The keys by which a page is recognised under another URL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.addresses import site_of
from webcontent.crawl.discovery.urls import address_key
from webcontent.fields.canonical_urls import LINK, find_canonical_urls

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

MIN_CHARACTERS = 200
"""Shorter texts are duplicates only when they are equal: a simhash of few words is not reliable, and the empty shells of pages
that scripts fill are all alike."""
PARAGRAPH_CHARACTERS = 100
"""Texts of this length outside of links are paragraphs: hardly any menu, headline or label is as long."""
MIN_PARAGRAPHS = 3
"""Pages with fewer paragraphs are compared by all their text. A list may have an introduction, which is the same on all its pages."""
_NUMBER = re.compile(r"\d{1,9}")


def content_keys(document: Document) -> list[str]:
    """Keys by which a page is recognised under another URL of its site: its markup, and its text with its path or its canonical URL.

    A canonical URL alone makes no copy: some sites declare their front page on every page, and many declare the first page of a list
    on all its pages. Where nothing hints at a further page, the paragraphs stand for the text, so that a print view is recognised, too.
    Markup and text count for pages of at least MIN_CHARACTERS. A site whose copy is read first must not suppress the original of
    another site.
    """
    keys = []
    url, texts = document.url or "", document.blocks.texts
    if int(document.blocks.chars.sum()) >= MIN_CHARACTERS:
        keys += [f"html {site_of(url)} {document.text}", f"text {address_key(url).partition('?')[0]} {texts}"]
    if canonical := find_canonical(document):
        keys.append(f"canonical {address_key(canonical)} {texts}")
        paragraphs = _paragraphs(document)
        if len(paragraphs) >= MIN_PARAGRAPHS and not _may_be_further_page(url, canonical):
            keys.append(f"paragraphs {address_key(canonical)} {document.title} {paragraphs}")
    return keys


def _paragraphs(document: Document) -> list[str]:
    """The long texts of a page outside of links."""
    blocks = document.blocks
    return [blocks.texts[row] for row in ((blocks.chars >= PARAGRAPH_CHARACTERS) & (blocks.link_chars == 0)).nonzero()[0]]


def _may_be_further_page(url: str, canonical: str) -> bool:
    """Whether a URL has a number from 2 on, as a page number or an offset, which its canonical URL has not.

    >>> _may_be_further_page("https://a.example/news/2", "https://a.example/news"), _may_be_further_page("https://a.example/7/amp", "https://a.example/7")
    (True, False)
    """
    known = set(_NUMBER.findall(canonical))
    return any(int(number) > 1 for number in _NUMBER.findall(url) if number not in known)


def find_canonical(document: Document) -> str | None:
    """The canonical URL that a page declares, if it lies on the page's site."""
    url = next((candidate.value for candidate in find_canonical_urls(document) if candidate.origin == LINK), None)
    return url if url and document.url and site_of(url) == site_of(document.url) else None
