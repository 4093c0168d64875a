"""The address of a list's next page: from `rel=next`, from the text of a link, or from the numbers of a pager."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.document.blocks import TAGS, xpath_of
from webcontent.fields.lexicon import alternation
from webcontent.fields.links.anchors import address_key
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.parsing import Document
    from webcontent.fields.links.anchors import Anchor, Anchors

HEAD_SCORE = 0.9
"""For a <link rel=next>."""
TEXT_SCORE = 0.88
REL_SCORE = 0.85
"""For an <a rel=next>."""
PAGER_SCORE = 0.75
CLASS_SCORE = 0.7
ARROW_SCORE = 0.5

MAX_TEXT_CHARS = 30
"""A longer text is a title."""
MAX_CLASS_TEXT_CHARS = 12
"""Texts of links with a class such as `next` are shorter than this; others are titles."""

_NEXT_TEXT = re.compile(rf"^\W*(?:{alternation('next_page', 'text')})\W*$", re.I)
_NEXT_ARTICLE_TEXT = re.compile(alternation("next_page", "next_article"), re.I)
_NEXT_CLASS = re.compile(rf"(?:^|[\s_-])(?:{alternation('class_names', 'next_page')})(?:$|[\s_-])", re.I)
_CURRENT_CLASS = re.compile(alternation("class_names", "current_page"), re.I)
_ARROW = re.compile(r"^\s*(?:>|›|→|＞|»|>>|▶|&gt;)\s*$")
_NUMBER = re.compile(r"\W{0,2}(\d{1,4})\W{0,2}")
_WRAPPERS = frozenset({"li", "span", "td", "div"})
"""Elements that hold one link of a pager each."""
_NUMBER_TAGS = frozenset({"span", "strong", "b", "em", "li", "a", "font", "i"})
"""Elements in which pagers show the current number."""


def find_next_page(anchors: Anchors) -> list[Candidate]:
    """Addresses of the list's next page, best first."""
    own = address_key(anchors.document.url)
    candidates = [*_iter_declared(anchors.document), *_iter_named(anchors), *_iter_numbered(anchors)]
    return sorted((candidate for candidate in candidates if address_key(candidate.value) != own), key=lambda candidate: -candidate.score)


def _iter_declared(document: Document) -> Iterator[Candidate]:
    for node in document.tagged.get("link", ()):
        if "next" in (node.get("rel") or "").lower().split() and (url := document.absolute(node.get("href"))):
            yield Candidate(url, "link:rel", xpath_of(node), HEAD_SCORE)


def _iter_named(anchors: Anchors) -> Iterator[Candidate]:
    """Links whose text, relation or class says "next"."""
    for anchor in anchors.all:
        score = _score(anchor)
        if score and anchor.url:
            yield Candidate(anchor.url, "text", xpath_of(anchor.node), score)


def _score(anchor: Anchor) -> float:
    text = anchor.text or (anchor.node.get("aria-label") or anchor.node.get("title") or "")
    if len(text) > MAX_TEXT_CHARS or _NEXT_ARTICLE_TEXT.search(text):
        return 0.0
    if "next" in (anchor.node.get("rel") or "").lower().split():
        return REL_SCORE
    if _NEXT_TEXT.match(text):
        return TEXT_SCORE
    if len(text) < MAX_CLASS_TEXT_CHARS and _NEXT_CLASS.search(anchor.node.get("class") or ""):
        return CLASS_SCORE
    return ARROW_SCORE if _ARROW.match(text) else 0.0


def _iter_numbered(anchors: Anchors) -> Iterator[Candidate]:
    """The link behind the current number of each pager."""
    pagers: dict[int, dict[int, Anchor]] = {}
    for anchor in anchors.all:
        if match := _NUMBER.fullmatch(anchor.text):
            pagers.setdefault(_pager_of(anchors, anchor), {})[int(match[1])] = anchor
    for row, links in pagers.items():
        current = _current_number(anchors, row, links)
        if current is None or (len(links) == 1 and current != 1):
            continue
        following = links.get(current + 1)
        if following is not None and following.url:
            yield Candidate(following.url, "pager", xpath_of(following.node), PAGER_SCORE)


def _pager_of(anchors: Anchors, anchor: Anchor) -> int:
    """Row of the element that holds the numbers of a pager: a link's parent, or that one's parent where it holds one link only."""
    parent = anchors.places.parents[anchor.row]
    is_wrapper = TAGS[anchors.places.tags[parent]] in _WRAPPERS and len(anchors.within(parent)) == 1
    return anchors.places.parents[parent] if is_wrapper else parent


def _current_number(anchors: Anchors, pager: int, links: dict[int, Anchor]) -> int | None:
    """The first number of a pager that is marked as the current one, or that is no link."""
    elements = anchors.elements
    for row in range(pager + 1, anchors.places.subtree_ends[pager]):
        match = _NUMBER.fullmatch(anchors.places.text(row))
        if match is None:
            continue
        number, node = int(match[1]), elements.nodes[row]
        if _CURRENT_CLASS.search(f"{elements.classes[row]} {node.get('aria-current') or ''}"):
            return number
        if number not in links and node.tag in _NUMBER_TAGS and not _is_linked(node):
            return number
    return None


def _is_linked(node: HtmlElement) -> bool:
    """Whether an element is a link, stands in one or holds one."""
    return any(link.get("href") for link in (node, *node.iterancestors("a"), *node.iter("a")))
