"""Addresses of images: the largest one that an image offers, lazily loaded ones included."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.parsing import Document

_LAZY_SOURCES = (
    "data-src", "data-original", "data-lazy-src", "data-actualsrc", "data-full-url", "data-hires", "data-large-file", "data-original-src",
    "data-url", "src",
)  # fmt: skip
_SETS = ("data-srcset", "data-lazy-srcset", "srcset")
_CANDIDATE = re.compile(r"([^\s,]\S*[^\s,])(?: (\d+(?:\.\d+)?)([wx]))? ?(?:,|$)")
MAX_SET_CHARS = 8_000
"""Of a set of sources; further images in it are left out."""
_PLACEHOLDER = re.compile(r"(?:^|[/_-])(?:blank|placeholder|spacer|pixel|transparent|lazy|loading|grey|1x1)[\w-]*\.(?:gif|png|svg)", re.I)


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
