"""The pager of an article that continues on further pages: the links to its other pages, and the page's own number.

A pager of an article leads to the article's own URL with a page number: `/a/12.html` to `/a/12_2.html`, `/story` to
`/story?page=2`, `/post/` to `/post/2/`. The pagination of a listing has the same form, so callers also check the type of the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webcontent.crawl.discovery.links import MAX_LINKS
from webcontent.crawl.discovery.urls import address_key
from webcontent.fields.lexicon import alternation, words
from webcontent.fields.links.next_page import NEXT_TEXT, is_next

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.document.parsing import Document

_PARAMETERS = frozenset(words("article_pages", "parameters"))
_QUERY_NUMBER = re.compile(r"(?:^|&)([a-z_]{1,12})=(\d{1,3})(?=&|$)", re.IGNORECASE)
_PATH_NUMBER = re.compile(
    rf"(?:[_-](?:p|page|part)?|/(?:{alternation('article_pages', 'segments')})[/_-]?|/)(\d{{1,3}})(?=(?:\.[a-z]{{3,5}})?/?$)", re.IGNORECASE
)
_INDEX = re.compile(r"/index\.(?:s?html?|php)$")
_NUMBER = re.compile(r"\W{0,2}(?:第\s*)?(\d{1,3})(?:\s*[页頁])?\W{0,2}")
_NEXT = re.compile(rf"{NEXT_TEXT.pattern}|\W*(?:{alternation('article_pages', 'next')})\W*", re.IGNORECASE)
_COMMENTS = re.compile(alternation("article_pages", "comments"), re.IGNORECASE)


@dataclass(slots=True)
class Pager:
    """The links between the pages of an article, as one of its pages shows them."""

    number: int
    """The page's own number, from 1."""
    links: dict[int, str]


def find_pager(document: Document) -> Pager | None:
    """The pager of a page whose links lead to its own URL with other page numbers; None when there is none."""
    own = document.url or ""
    if not urlsplit(own).path.strip("/"):
        return None
    key, stems = address_key(own), {stem for stem, _ in _readings(own)}
    numbered: dict[int, str] = {}
    next_url: str | None = None
    for node in islice(document.root.iter("a", "link"), MAX_LINKS):
        text = "" if node.tag == "link" else " ".join("".join(node.itertext()).split())
        match, leads_on = _NUMBER.fullmatch(text), is_next(node) or _NEXT.fullmatch(text)
        url = ((match or leads_on) and document.absolute(node.get("href")) or "").partition("#")[0]
        if not url or _COMMENTS.search(url) or address_key(url) == key or stems.isdisjoint(stem for stem, _ in _readings(url)):
            continue
        if match and int(match[1]):
            numbered.setdefault(int(match[1]), url)
        elif leads_on:
            next_url = next_url or url
    number = _own_number(own, numbered, next_url)
    if number is not None and next_url is not None:
        numbered.setdefault(number + 1, next_url)
    numbered.pop(number or 0, None)
    return Pager(number, numbered) if number is not None and numbered else None


def _own_number(own: str, numbered: dict[int, str], next_url: str | None) -> int | None:
    """The page's own number: 1 for a URL without a number. A number in the URL counts where the pager leads back to page 1."""
    others = list(numbered.values()) + ([next_url] if next_url else [])
    stems = {stem for url in others for stem, _ in _readings(url)}
    numbers = {number for stem, number in _readings(own) if stem in stems}
    if 1 in numbers and _leads_on(own, numbered.get(2) or next_url):
        return 1
    higher = {number for number in numbers if number > 1}
    if 1 in numbered and higher:
        # Drupal counts from 0: ?page=1 is the second page, and its pager has no link to 2.
        return next((number + shift for number in sorted(higher) for shift in (0, 1) if number + shift not in numbered), None)
    return None


def _leads_on(own: str, url: str | None) -> bool:
    """Whether the URL is the own one with a page number added: /n/2.html is a neighbour of /n/1.html, not its second page."""
    first_pages = {_stem(own), *(stem for stem, number in _query_readings(own) if number == 1)}
    return url is not None and any(stem in first_pages for stem, _ in _readings(url) if stem != _stem(url))


def _readings(url: str) -> set[tuple[str, int]]:
    """All ways to read a URL as stem and page number: the whole URL as page 1, and each reading that takes a number out of it.

    >>> sorted(_readings("http://a.example/n/7_2.html"))
    [('a.example/n/7.html?', 2), ('a.example/n/7_2.html?', 1)]
    """
    readings = {(_stem(url), 1), *_query_readings(url), *_path_readings(url)}
    return {(stem, number) for stem, number in readings if "/" in stem or not stem.endswith("?")}  # a front page is no article


def _stem(url: str) -> str:
    parts = urlsplit(url)
    path = _INDEX.sub("/", parts.path).rstrip("/")
    return f"{parts.netloc.removeprefix('www.')}{path}?{parts.query}"


def _query_readings(url: str) -> Iterator[tuple[str, int]]:
    parts = urlsplit(url)
    for match in _QUERY_NUMBER.finditer(parts.query):
        if match[1].lower() in _PARAMETERS:
            rest = (parts.query[: match.start()] + parts.query[match.end() :]).strip("&")
            yield _stem(parts._replace(query=rest).geturl()), int(match[2])


def _path_readings(url: str) -> Iterator[tuple[str, int]]:
    parts = urlsplit(url)
    if match := _PATH_NUMBER.search(parts.path):
        path = parts.path[: match.start()] + parts.path[match.end() :]
        yield _stem(parts._replace(path=path).geturl()), int(match[1])
        if match[0].startswith("/"):  # /story/2.html may be the second page of /story
            yield _stem(parts._replace(path=parts.path[: match.start()]).geturl()), int(match[1])
