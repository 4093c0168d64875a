"""Addresses of images: the largest one that an image offers, lazily loaded ones included. And the credits beside images."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document
    from webcontent.document.rich_text.class_names import ClassNames

_FIGURE = TAG_CODES["figure"]
_LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-full-url", "data-hires", "data-large-file", "data-original-src",
    "data-url", "src",
)  # fmt: skip
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_CANDIDATE = re.compile(r"([^\s,]\S*[^\s,])(?: (\d+(?:\.\d+)?)([wx]))? ?(?:,|$)")
MAX_SET_CHARS = 8_000
"""Of a set of sources; further images in it are left out."""
_PLACEHOLDER = re.compile(r"(?:^|[/_-])(?:blank|placeholder|spacer|pixel|transparent|lazy|loading|grey|1x1)[\w-]*\.(?:gif|png|svg)", re.I)
MAX_CREDIT_CHARS = 200
MAX_CREDITED_CHARS = 600
"""Of the text of an element that holds images and their credit, unless it is a <figure>."""
MAX_CLIMB, MAX_FIGURE_DEPTH = 3, 6
"""Elements around a credit among which that one is looked for, and a <figure>."""
CREDIT_WORDS = (
    "credit", "copyright", "attribution", "photographer", "courtesy", "photo-by", "photoby", "image-source", "img-source", "photo-source",
)  # fmt: skip
CREDIT_CLASSES = re.compile(
    r"(?:^|[\s_-])(?:photo|image|img|media|picture|figure|caption)?[_-]?(?:credits?|copyright|attribution|photographer|courtesy)(?:$|[\s_-])"
    r"|photo-?by|(?:image|img|photo)-source",
    re.IGNORECASE,
)
"""Class attributes of credits."""
_CREDIT_PROPERTIES = frozenset(("copyrightHolder", "copyrightNotice", "creditText"))


def image_url(document: Document, node: HtmlElement) -> str | None:
    """Address of an image: the largest of its sets of sources, else its own; None for data: URIs and the like."""
    values = dict(node.items())  # one call, because each look at an attribute costs a tenth of all this
    if url := _largest(document, node, values):
        return url
    for name in _LAZY_SOURCES:
        if name in values and (url := document.absolute(values[name])) and not _PLACEHOLDER.search(url):
            return url
    return _of_noscript(document, node)


def _largest(document: Document, node: HtmlElement, values: dict[str, str]) -> str | None:
    """The largest image of the sets of sources of an <img> and its <picture>."""
    best: tuple[float, str] | None = None
    for text in _iter_sets(node, values):
        for url, size, unit in _CANDIDATE.findall(" ".join(text[:MAX_SET_CHARS].split())):
            width = float(size) * (1000 if unit == "x" else 1) if size else 1.0
            if best is None or width > best[0]:
                best = (width, url)
    return document.absolute(best[1]) if best else None


def _iter_sets(node: HtmlElement, values: dict[str, str]) -> Iterator[str]:
    """The sets of sources; `values`: the attributes of the image."""
    for name in _SETS:
        if text := values.get(name):
            yield text
    parent = node.getparent()
    while parent is not None and parent.tag == "source":  # libxml2 does not know that <source> is empty
        parent = parent.getparent()
    if parent is not None and parent.tag == "picture":
        for source in parent.iter("source"):
            for name in _SETS:
                if text := source.get(name):
                    yield text


def _of_noscript(document: Document, node: HtmlElement) -> str | None:
    """The address of the image in the <noscript> that follows a placeholder."""
    following = node.getnext()
    if following is None or following.tag != "noscript":
        return None
    image = next(following.iter("img"), None)
    return document.absolute(image.get("src")) if image is not None else None


def is_pixel(node: HtmlElement) -> bool:
    """Whether an image is a spacer or a counter."""
    return any((node.get(side) or "").strip().removesuffix("px") in ("0", "1", "2") for side in ("width", "height"))


def is_fallback(node: HtmlElement) -> bool:
    """Whether an image stands in a <noscript> beside the image that it stands for."""
    parent = node.getparent()
    if parent is None or parent.tag != "noscript":
        return False
    return any(sibling.tag in ("img", "picture") for direction in (True, False) for sibling in parent.itersiblings(preceding=direction))


def find_credits(blocks: Blocks, names: ClassNames) -> dict[int, int]:
    """Rows of the credits of images -> rows of the elements around credit and images."""
    elements = blocks.elements
    rows = set(names.rows(CREDIT_CLASSES, CREDIT_WORDS))
    for figure in np.flatnonzero(elements.tag == _FIGURE).tolist():
        rows |= {blocks.row_of[node] for node in _marked_credits(elements.nodes[figure]) if node in blocks.row_of}
    found: dict[int, int] = {}
    for row in sorted(rows):
        holder = _credited(elements.nodes[row])
        if holder in blocks.row_of and not any(parent in found for parent in _rows_around(blocks, row)):
            found[row] = blocks.row_of[holder]
    return found


def _marked_credits(figure: HtmlElement) -> Iterator[HtmlElement]:
    """The elements of a figure that are credits by their tag, their property or their first character."""
    if next(figure.iter("img"), None) is not None and next(figure.iter("blockquote"), None) is None:
        for node in figure.iter("cite", "span", "div", "p", "small"):
            is_named = node.get("itemprop") in _CREDIT_PROPERTIES or node.tag == "cite"
            if is_named or (node.tag in ("span", "small") and (node.text or "").lstrip().startswith("©")):
                yield node


def _credited(node: HtmlElement) -> HtmlElement | None:
    """The element around a credit and its images; None where it is no credit of images."""
    if not 0 < len("".join(node.itertext()).strip()) <= MAX_CREDIT_CHARS or next(node.iter("img"), None) is not None:
        return None
    for level, parent in enumerate(islice(node.iterancestors(), MAX_FIGURE_DEPTH)):
        if parent.tag in ("body", "article", "main"):
            return None
        if next(parent.iter("img"), None) is not None:
            is_small = level < MAX_CLIMB and len("".join(parent.itertext()).strip()) <= MAX_CREDITED_CHARS
            return parent if parent.tag == "figure" or is_small else None
    return None


def _rows_around(blocks: Blocks, row: int) -> Iterator[int]:
    parents = blocks.elements.parent
    for _ in range(MAX_FIGURE_DEPTH):
        row = int(parents[row])
        if row < 0:
            return
        yield row
