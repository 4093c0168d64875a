"""Addresses of images: the largest one that an image offers, lazily loaded ones included. And the credits beside images."""

from __future__ import annotations

import re
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.features.columns import covered
from webcontent.document.rich_text.class_names import Role, words_of
from webcontent.document.text import TextLengths

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document
    from webcontent.document.rich_text.class_names import ClassNames

_FIGURE, _IMG, _QUOTE = (TAG_CODES[name] for name in ("figure", "img", "blockquote"))
_LAZY_SOURCES, _SETS = words_of("image", "sources"), words_of("image", "sets")
_CANDIDATE = re.compile(r"([^\s,]\S*[^\s,])(?: (\d+(?:\.\d+)?)([wx]))? ?(?:,|$)")
MAX_SET_CHARS = 8_000
"""Of a set of sources; further images in it are left out."""
MAX_SOURCES = 30
"""Of the sources of a <picture>."""
MAX_BESIDE = 20
"""Elements before a <noscript>, and behind it, among which the image is looked for that it stands for."""
_PLACEHOLDER = re.compile(r"(?:^|[/_-])(?:blank|placeholder|spacer|pixel|transparent|lazy|loading|grey|1x1)[\w-]*\.(?:gif|png|svg)", re.I)
MAX_CREDIT_CHARS = 200
"""Three times as many has an element at most that holds images and their credit, unless it is a <figure>."""
MAX_CREDIT_LEVELS, MAX_FIGURE_DEPTH = 3, 6
"""Elements around a credit among which that one is looked for, and a <figure>."""
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


def is_fallback(node: HtmlElement) -> bool:
    """Whether an image stands in a <noscript> beside the image that it stands for."""
    parent = node.getparent()
    beside = (islice(parent.itersiblings(preceding=is_before), MAX_BESIDE) for is_before in (True, False)) if parent is not None else ()
    return parent is not None and parent.tag == "noscript" and any(one.tag in ("img", "picture") for side in beside for one in side)


def find_credits(blocks: Blocks, names: ClassNames) -> dict[int, int]:
    """Rows of the credits of images -> rows of the elements around credit and images."""
    elements = blocks.elements
    images, quotes, figures = (np.flatnonzero(elements.tag == tag) for tag in (_IMG, _QUOTE, _FIGURE))
    if not len(images):
        return {}
    rows = {row for row in np.flatnonzero(rows_inside(blocks, figures)).tolist() if _is_marked_credit(elements.nodes[row])}
    lengths = TextLengths()
    found: dict[int, int] = {}
    for row in sorted(rows.union(names.rows(_CREDITS))):
        holder = _credited(blocks, row, lengths, images)
        around = islice(elements.around(row), MAX_FIGURE_DEPTH)
        if holder is not None and not _holds_one_of(quotes, blocks, holder) and found.keys().isdisjoint(around):
            found[row] = holder
    return found


def rows_inside(blocks: Blocks, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which elements are among some or in their subtrees: bool [elements]."""
    return covered(rows, blocks.elements.last[rows] + 1, len(blocks.elements))


def _is_marked_credit(node: HtmlElement) -> bool:
    """Whether an element of a figure is a credit by its tag, its property or its first character."""
    is_sign = node.tag in ("span", "small") and (node.text or "").lstrip().startswith("©")
    return is_sign or node.tag == "cite" or node.get("itemprop") in _CREDIT_PROPERTIES


def _credited(blocks: Blocks, row: int, lengths: TextLengths, images: NDArray[np.intp]) -> int | None:
    """The element around a credit and its images; None where it is no credit of images. `images`: rows of all images."""
    elements = blocks.elements
    if not 0 < lengths[elements.nodes[row]] <= MAX_CREDIT_CHARS or _holds_one_of(images, blocks, row):
        return None
    for level, parent in enumerate(islice(elements.around(row), MAX_FIGURE_DEPTH)):
        node = elements.nodes[parent]
        if node.tag in ("body", "article", "main"):
            return None
        if _holds_one_of(images, blocks, parent):
            is_small = level < MAX_CREDIT_LEVELS and lengths[node] <= 3 * MAX_CREDIT_CHARS
            return parent if node.tag == "figure" or is_small else None
    return None


def _holds_one_of(rows: NDArray[np.intp], blocks: Blocks, row: int) -> bool:
    """Whether one of the rows, in their order, is in the subtree of an element."""
    place = int(rows.searchsorted(row))
    return place < len(rows) and bool(rows[place] <= blocks.elements.last[row])
