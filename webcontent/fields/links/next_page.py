"""The address of a list's next page: from `rel=next`, from the text or class of a link, or from the numbers of a pager."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.fields.lexicon import alternation
from webcontent.fields.links.anchors import address_key
from webcontent.fields.page_signals import ranked
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.fields.links.anchors import Anchor, Anchors

ORIGINS = ("link:rel", "text", "a:rel", "pager", "class")
"""What says "next", the most trusted one first."""
MAX_TEXT_CHARS = 30
"""A longer text is a title."""

NEXT_TEXT = re.compile(rf"\W*(?:{alternation('next_page', 'text')})\W*", re.I)
_NEXT_CLASS = re.compile(rf"(?:^|[\s_-])(?:{alternation('class_names', 'next_page')})(?:$|[\s_-])", re.I)
_CURRENT_CLASS = re.compile(alternation("class_names", "current_page"), re.I)
_NUMBER = re.compile(r"\W{0,2}(\d{1,4})\W{0,2}")


def find_next_page(anchors: Anchors) -> list[Candidate]:
    """Addresses of the list's next page, best first."""
    own = address_key(anchors.document.url)
    links = (*_iter_links(anchors), *_iter_numbered(anchors))
    return ranked(
        Candidate(url, origin, xpath_of(node))
        for node, origin in sorted(links, key=lambda link: ORIGINS.index(link[1]))
        if (url := anchors.document.absolute(node.get("href"))) and address_key(url) != own
    )


def is_next(node: HtmlElement) -> bool:
    """Whether an element declares by its relation that it leads to the next page."""
    return "next" in (node.get("rel") or "").lower().split()


def _iter_links(anchors: Anchors) -> Iterator[tuple[HtmlElement, str]]:
    """Elements that lead to the next page, and what says so: one of ORIGINS."""
    yield from ((node, "link:rel") for node in anchors.document.tagged.get("link", ()) if is_next(node))
    for anchor in anchors.all:
        node, text = anchor.node, anchor.text or (anchor.node.get("aria-label") or anchor.node.get("title") or "")
        if len(text) > MAX_TEXT_CHARS:
            continue
        if NEXT_TEXT.fullmatch(text):
            yield node, "text"
        elif is_next(node):
            yield node, "a:rel"
        elif _NEXT_CLASS.search(node.get("class") or ""):
            yield node, "class"


def _iter_numbered(anchors: Anchors) -> Iterator[tuple[HtmlElement, str]]:
    """The link behind the current number of each pager."""
    parents = anchors.places.parents
    pagers: dict[int, dict[int, Anchor]] = {}
    for anchor in anchors.all:
        if match := _NUMBER.fullmatch(anchor.text):
            parent = parents[anchor.row]
            pager = parent if len(anchors.within(parent)) > 1 else parents[parent]  # an element around each link, else none
            pagers.setdefault(pager, {})[int(match[1])] = anchor
    for pager, links in pagers.items():
        following = links.get(_current_number(anchors, pager, links) + 1)
        if following is not None and (len(links) > 1 or following is links.get(2)):
            yield following.node, "pager"


def _current_number(anchors: Anchors, pager: int, links: dict[int, Anchor]) -> int:
    """The first number of a pager that is marked as the current one, or that is no link; -1 where there is none."""
    elements = anchors.elements
    for row in range(pager + 1, anchors.places.subtree_ends[pager]):
        if match := _NUMBER.fullmatch(anchors.places.text(row)):
            node = elements.nodes[row]
            is_linked = any(link.get("href") for link in (node, *node.iterancestors("a"), *node.iter("a")))
            is_current = _CURRENT_CLASS.search(f"{elements.classes[row]} {node.get('aria-current') or ''}")
            if is_current or int(match[1]) not in links and not is_linked:
                return int(match[1])
    return -1
