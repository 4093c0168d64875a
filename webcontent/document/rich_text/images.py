"""Addresses of images: the largest one that an image offers, lazily loaded ones included. And the credits beside images."""

from __future__ import annotations

import re
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.rich_text.class_names import Role

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document
    from webcontent.document.rich_text.class_names import ClassNames

_FIGURE, _IMG, _QUOTE = (TAG_CODES[name] for name in ("figure", "img", "blockquote"))
_LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-full-url", "data-hires", "data-large-file", "data-original-src",
    "data-url", "src",
)  # fmt: skip
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_CANDIDATE = re.compile(r"([^\s,]\S*[^\s,])(?: (\d+(?:\.\d+)?)([wx]))? ?(?:,|$)")
MAX_SET_CHARS = 8_000
"""Of a set of sources; further images in it are left out."""
MAX_SOURCES = 30
"""Of the sources of a <picture>."""
_PLACEHOLDER = re.compile(r"(?:^|[/_-])(?:blank|placeholder|spacer|pixel|transparent|lazy|loading|grey|1x1)[\w-]*\.(?:gif|png|svg)", re.I)
MAX_CREDIT_CHARS = 200
_CREDITS = Role("credit")
_CREDIT_PROPERTIES = frozenset(("copyrightHolder", "copyrightNotice", "creditText"))


def image_url(document: Document, node: HtmlElement) -> str | None:
    """Address of an image: the largest of its sets of sources, its own, or that in the <noscript> behind it; None for data: URIs."""
    values = dict(node.items())  # one call, because each look at an attribute costs a tenth of all this
    sizes = [
        (float(size) * (1000 if unit == "x" else 1) if size else 1.0, url)
        for text in _sets(node, values)
        for url, size, unit in _CANDIDATE.findall(" ".join(text[:MAX_SET_CHARS].split()))
    ]
    if sizes and (url := document.absolute(max(sizes, key=itemgetter(0))[1])):
        return url
    for name in _LAZY_SOURCES:
        if name in values and (url := document.absolute(values[name])) and not _PLACEHOLDER.search(url):
            return url
    following = node.getnext()
    image = next(following.iter("img"), None) if following is not None and following.tag == "noscript" else None
    return document.absolute(image.get("src")) if image is not None else None


def _sets(node: HtmlElement, values: dict[str, str]) -> list[str]:
    """The sets of sources of an <img> and its <picture>; `values`: the attributes of the image."""
    parent = node.getparent()
    while parent is not None and parent.tag == "source":  # libxml2 does not know that <source> is empty
        parent = parent.getparent()
    sources = islice(parent.iter("source"), MAX_SOURCES) if parent is not None and parent.tag == "picture" else ()
    return [text for holder in (values, *sources) for name in _SETS if (text := holder.get(name))]


def is_pixel(node: HtmlElement) -> bool:
    """Whether an image is a spacer or a counter."""
    return any((node.get(side) or "").strip().removesuffix("px") in ("0", "1", "2") for side in ("width", "height"))


def find_credits(blocks: Blocks, names: ClassNames) -> dict[int, int]:
    """Rows of the credits of images -> rows of the figures around both."""
    elements = blocks.elements
    images, quotes, figures = (np.flatnonzero(elements.tag == tag) for tag in (_IMG, _QUOTE, _FIGURE))
    holders = [row for row in figures.tolist() if _holds_one_of(images, blocks, row) and not _holds_one_of(quotes, blocks, row)]
    inside = set(np.flatnonzero(rows_inside(blocks, np.array(holders, np.intp))).tolist())
    named = inside.intersection(names.rows(_CREDITS)) if inside else set()
    found: dict[int, int] = {}
    for row in sorted(named | {row for row in inside if _is_marked_credit(elements.nodes[row])}):
        is_short = 0 < len("".join(elements.nodes[row].itertext()).strip()) <= MAX_CREDIT_CHARS
        if is_short and not _holds_one_of(images, blocks, row) and found.keys().isdisjoint(elements.around(row)):
            found[row] = next(outer for outer in elements.around(row) if outer in holders)
    return found


def rows_inside(blocks: Blocks, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which elements are among some or in their subtrees: bool [elements]."""
    count = len(blocks.elements) + 1
    ends = np.bincount(blocks.elements.last[rows] + 1, minlength=count)
    inside: NDArray[np.bool_] = np.cumsum(np.bincount(rows, minlength=count) - ends)[:-1] > 0
    return inside


def _is_marked_credit(node: HtmlElement) -> bool:
    """Whether an element of a figure is a credit by its tag, its property or its first character."""
    is_sign = node.tag in ("span", "small") and (node.text or "").lstrip().startswith("©")
    return is_sign or node.tag == "cite" or node.get("itemprop") in _CREDIT_PROPERTIES


def _holds_one_of(rows: NDArray[np.intp], blocks: Blocks, row: int) -> bool:
    """Whether one of the rows, in their order, is in the subtree of an element."""
    place = int(rows.searchsorted(row))
    return place < len(rows) and bool(rows[place] <= blocks.elements.last[row])
