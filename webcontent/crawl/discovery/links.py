"""The links of a page that lead on, in the order in which they are requested, and the keys by which it is recognised elsewhere."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from webcontent.addresses import site_of
from webcontent.crawl.discovery.feeds_and_sitemaps import feeds_of_page
from webcontent.crawl.discovery.urls import address_key, clean_url

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from webcontent.crawl.discovery.feeds_and_sitemaps import SourceEntry
    from webcontent.crawl.discovery.seedlist import Seed
    from webcontent.document.parsing import Document
    from webcontent.site_files import SiteFile

OTHER, HEADLINE, NEXT_PAGE, DATED, SOURCES = range(5)
"""Priorities of requests: links whose text is as long as a headline; next pages, which lead to the most articles; dated entries of feeds
and sitemaps, which come newest first; and these feeds and sitemaps."""
MIN_HEADLINE_WORDS = 4
CHARACTERS_PER_WORD = 2
"""Chinese, Japanese and Korean characters that count as one word."""
MAX_LINKS = 5000
MIN_CHARACTERS = 200
"""Shorter texts are duplicates only when they are equal: a simhash of few words is not reliable, and the empty shells of pages
that scripts fill are all alike."""
_PAGE_ADDRESS = re.compile(r"[/?&_=-](?:page|paged|p|pg|index|list)[/=_-]?\d+", re.IGNORECASE)
_NUMBER = re.compile(r"\D{0,2}(\d{1,5})\D{0,2}")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")


class PrioritizedLink(NamedTuple):
    """A URL to request. Higher priorities are requested first."""

    url: str
    priority: int


class PageLinks(NamedTuple):
    """Where a page leads, and how it is recognised."""

    keys: list[str]
    """Keys that the page has under any of its URLs, see `content_keys`."""
    links: list[PrioritizedLink]
    feeds: list[str]


def links_of_page(document: Document, left_out: Collection[str] = (), site: SiteFile | None = None) -> PageLinks:
    """The keys and feeds of a page, and its links that may lead to other pages, each once with its highest priority, the highest first.

    `left_out`: URLs that are no links to other pages, such as the further pages of an article that is assembled. `site`: its file.
    """
    keys, priorities = {address_key(url) for url in left_out}, dict[str, int]()
    for node in islice(document.root.iter("a", "area", "link"), MAX_LINKS):
        rel = (node.get("rel") or "").lower().split()
        if "nofollow" in rel or (node.tag == "link" and not {"next", "prev"} & set(rel)):
            continue
        href = document.absolute(node.get("href"))
        if href and (url := clean_url(href)) and (not keys or address_key(url) not in keys):
            said = HEADLINE if site is not None and site.type_of(url) else OTHER
            priorities[url] = max(priorities.get(url, OTHER), said, _priority(url, "".join(node.itertext()), rel))
    links = sorted((PrioritizedLink(url, priority) for url, priority in priorities.items()), key=lambda link: -link.priority)
    return PageLinks(content_keys(document), links, feeds_of_page(document))


def links_of_entries(entries: Iterable[SourceEntry], seed: Seed, max_pages: int) -> list[PrioritizedLink]:
    """The pages of a feed or sitemap that are in the seed's scope, in its order, at most as many as the limits allow.

    `max_pages`: of the whole crawl; 0: no limit.
    """
    limit = min(filter(None, (seed.pages, max_pages)), default=None)
    recent = ((clean_url(entry.url), entry.time) for entry in entries if seed.is_recent(entry.time))
    in_scope = ((url, time) for url, time in recent if url and seed.allows(url))
    return [PrioritizedLink(url, DATED if time else HEADLINE) for url, time in islice(in_scope, limit)]


def _priority(url: str, text: str, rel: list[str]) -> int:
    """NEXT_PAGE in any language: by rel, by a URL with a page number, by a number as text that the URL repeats."""
    number = _NUMBER.fullmatch(text.strip())
    if "next" in rel or _PAGE_ADDRESS.search(url) or number and number[1] in re.findall(r"\d+", url):
        return NEXT_PAGE
    words = len(_CJK.sub("", text).split()) + len(_CJK.findall(text)) / CHARACTERS_PER_WORD
    return HEADLINE if words >= MIN_HEADLINE_WORDS else OTHER


def content_keys(document: Document) -> list[str]:
    """Keys by which a page is recognised under another URL of its site: its markup, and its text with its path or its canonical URL.

    A canonical URL alone makes no copy: some sites declare their front page on every page, and many declare the first page of a list
    on all its pages. Markup and text count for pages of at least MIN_CHARACTERS. A site whose copy is read first must not suppress the
    original of another site.
    """
    keys = []
    url, texts = document.url or "", document.blocks.texts
    if int(document.blocks.chars.sum()) >= MIN_CHARACTERS:
        keys += [f"html {site_of(url)} {document.text}", f"text {address_key(url).partition('?')[0]} {texts}"]
    canonical = document.absolute(next(iter(document.declared.values("url", "link:canonical")), None))
    if url and canonical and site_of(canonical) == site_of(url):
        keys.append(f"canonical {address_key(canonical)} {texts}")
    return keys
