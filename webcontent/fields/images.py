"""Images of a page: those that it declares for itself and those of its body, with caption and size."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.rich_text.images import image_url
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import collapse, node_text, strings_of
from webcontent.items import Candidate, Image

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    from webcontent.document.rich_text.constructs import Constructs
    from webcontent.fields.page_signals import PageSignals

MAX_IMAGES = 30
MAX_LOOKED_AT = 90
"""Images of the body that are looked at."""
MIN_SIZE_PX = 90
"""An image with a declared width or height below this is an icon."""
MAX_TITLE_BLOCKS = 12
"""Blocks from the title to the body: where there are at most so many, the images between the two are images of the body."""
MAX_JSON_LD_IMAGES = 3
MAX_FIGURE_DEPTH = 6
"""Ancestors of an image among which its <figure> is looked for."""
MAX_ALT_CHARS = 300
MAX_SIZE_CHARS = 12
"""Characters of a declared width or height that are read."""
META_SCORE = 0.8
JSON_LD_SCORE = 0.7
BODY_SCORE = 0.6

_SIDES = ("width", "height")
_META_NAMES = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src")
_IMG = TAG_CODES["img"]
_DECORATION = re.compile(
    rf"(?:^|[/_.-])(?:{alternation('images', 'decoration')})(?:$|[/_.\d-])|\.svg(?:$|\?)|{alternation('images', 'tracker')}", re.I
)
"""Addresses of icons, placeholders, advertisements and counters."""
_SIZE = re.compile(r"^\s*(\d{1,5})(?:\.\d+)?\s*(?:px)?\s*$")
_SIZE_IN_NAME = re.compile(r"[-_]?\d{2,4}x\d{2,4}")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]|（\s*）")
_AROUND_CREDIT = " |/·•–—-(["
"""What divides a caption from its credit."""
_FILE_NAME = re.compile(r"^\S+\.(?:jpe?g|png|gif|webp)$|^(?:img|image|dsc|photo|picture)?[\W\d_]*$", re.I)
"""Alternative texts that are no caption."""


def find_images(signals: PageSignals, title_block: int | None, constructs: Constructs) -> list[Candidate]:
    """One candidate an image: first those that the page declares for itself, then those of the body in order.

    `title_block`: block of the title, where it is known. `constructs`: those of the page: credits, and formulas that are drawn by images.
    """
    candidates: dict[str, Candidate] = {}
    for candidate in _iter_declared(signals):
        candidates.setdefault(_name_key(candidate.value.url), candidate)
    for candidate in _iter_shown(signals, title_block, constructs):
        key = _name_key(candidate.value.url)
        if key in candidates:
            _complete(candidates[key].value, candidate.value)
        candidates.setdefault(key, candidate)
    return list(candidates.values())[:MAX_IMAGES]


def _complete(image: Image, shown: Image) -> None:
    """Adds caption, credit and size of the same image in the body; `image` is updated inline."""
    image.caption = image.caption or shown.caption
    image.credit = image.credit or shown.credit
    if image.url == shown.url and image.width is None and image.height is None:
        image.width, image.height = shown.width, shown.height


def _iter_declared(signals: PageSignals) -> Iterator[Candidate]:
    """Images of meta elements, then of the first JSON-LD object."""
    document, meta = signals.document, signals.document.meta
    for name in _META_NAMES:
        for text in meta.get(name, ())[:1]:
            if (url := document.absolute(text)) and not _DECORATION.search(url):
                size = [_size(_first(meta.get(f"og:image:{side}"))) if name.startswith("og:") else None for side in _SIDES]
                yield Candidate(Image(url, None, size[0], size[1]), name, None, META_SCORE)
    for item in signals.objects[:1]:
        for value in map(signals.resolve, _as_list(item.get("image"))[:MAX_JSON_LD_IMAGES]):
            for text in strings_of(value, "url", "contentUrl", "@id")[:1]:
                if (url := document.absolute(text)) and not _DECORATION.search(url):
                    size = [_size(value.get(side)) if isinstance(value, dict) else None for side in _SIDES]
                    credit = collapse(str(value.get("creditText") or ""))[:MAX_ALT_CHARS] if isinstance(value, dict) else ""
                    yield Candidate(Image(url, None, size[0], size[1], credit or None), "json-ld:image", None, JSON_LD_SCORE)


def _iter_shown(signals: PageSignals, title_block: int | None, constructs: Constructs) -> Iterator[Candidate]:
    """Images between the title and the end of the body."""
    if signals.body is None:
        return
    elements = signals.blocks.elements
    first, last = signals.body
    if title_block is not None and first - MAX_TITLE_BLOCKS <= title_block < first:
        first = title_block
    credit_of = {elements.nodes[holder]: node_text(elements.nodes[row]) for row, holder in reversed(list(constructs.credits.items()))}
    rows = np.flatnonzero((elements.tag == _IMG) & (elements.start >= first) & (elements.start <= last))
    for row in rows[:MAX_LOOKED_AT].tolist():
        node = elements.nodes[row]
        url = image_url(signals.document, node)
        width, height = (_size(node.get(side)) for side in _SIDES)
        is_small = any(side is not None and side < MIN_SIZE_PX for side in (width, height))
        if url and not is_small and row not in constructs.replaced and not _DECORATION.search(url):
            around = islice(node.iterancestors(), MAX_FIGURE_DEPTH) if credit_of else ()
            credit = next((credit_of[parent] for parent in around if parent in credit_of), None)
            yield Candidate(Image(url, _caption(node, credit), width, height, credit), "img", xpath_of(node), BODY_SCORE)


def _caption(node: HtmlElement, credit: str | None) -> str | None:
    """The figure's caption without its credit, else the alternative text unless it is a file name."""
    figure = next((parent for parent in islice(node.iterancestors(), MAX_FIGURE_DEPTH) if parent.tag == "figure"), None)
    for caption in figure.iter("figcaption") if figure is not None else ():
        text = node_text(caption)
        if credit and credit in text:
            text = collapse(_EMPTY_BRACKETS.sub(" ", text.replace(credit, " ", 1))).strip(_AROUND_CREDIT)
        if text:
            return text
    text = collapse(node.get("alt") or "")
    return text[:MAX_ALT_CHARS] if text and not _FILE_NAME.match(text) else None


def _size(value: Any) -> int | None:
    """Pixels of a declared width or height; None for percentages and what is no number."""
    match = _SIZE.match(str(value)[:MAX_SIZE_CHARS]) if value is not None and not isinstance(value, (dict, list)) else None
    return int(match[1]) if match else None


def _first(values: Sequence[str] | None) -> str | None:
    return values[0] if values else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _name_key(url: str) -> str:
    """What two addresses of the same image have in common: the name of the file without size and query."""
    name = url.split("?", maxsplit=1)[0].rstrip("/").rsplit("/", 1)[-1]
    return _SIZE_IN_NAME.sub("", name).lower() or url
