"""Images of a page: those that it declares for itself and those of its body, with caption and size."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.rich_text.images import image_url
from webcontent.document.text import node_text
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import collapse, ranked
from webcontent.items import Candidate, Image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from webcontent.document.rich_text.constructs import Constructs
    from webcontent.fields.page_signals import PageSignals

MAX_IMAGES = 30
MIN_SIZE_PX = 90
"""An image with a declared width or height below this is an icon."""
MAX_TITLE_BLOCKS = 12
"""Blocks beside the body: players stand there, and images, where the title stands among those before it."""
MAX_ALT_CHARS = 300

_SIDES = ("width", "height")
_IMG = TAG_CODES["img"]
_DECORATION = re.compile(
    rf"(?:^|[/_.-])(?:{alternation('images', 'decoration')})(?:$|[/_.\d-])|\.svg(?:$|\?)|{alternation('images', 'tracker')}", re.I
)
"""Addresses of icons, placeholders, advertisements and counters."""
_SIZE = re.compile(r"^\s*(\d{1,5})(?:\.\d+)?\s*(?:px)?\s*$")
_IMAGE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|bmp)$")
_SIZE_IN_PATH = re.compile(r"[-_/]?\d{2,4}x\d{2,4}")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]|（\s*）")
_AROUND_CREDIT = " |/·•–—-(["
"""What divides a caption from its credit."""
_FILE_NAME = re.compile(r"^\S+\.(?:jpe?g|png|gif|webp)$|^(?:img|image|dsc|photo|picture)?[\W\d_]*$", re.I)
"""Alternative texts that are no caption."""


def find_images(signals: PageSignals, title_block: int | None, constructs: Constructs) -> list[Candidate]:
    """One candidate an image: first those that the page declares for itself, then those of the body in order.

    `title_block`: block of the title, where it is known. `constructs`: those of the page: credits, and formulas that are drawn by images.
    """
    shown = list(_iter_shown(signals, title_block, constructs))
    addresses_of = Counter(name for name, _ in {_keys_of(candidate.value.url) for candidate in shown})
    candidates: dict[str, Candidate] = {}
    for candidate in (*_iter_declared(signals), *shown):
        name, address = _keys_of(candidate.value.url)
        image, other = candidates.setdefault(address if addresses_of[name] > 1 else name, candidate).value, candidate.value
        image.caption, image.credit = image.caption or other.caption, image.credit or other.credit
        if image.url == other.url and image.width is None and image.height is None:
            image.width, image.height = other.width, other.height
    return ranked(islice(candidates.values(), MAX_IMAGES))


def _iter_declared(signals: PageSignals) -> Iterator[Candidate]:
    """Images of meta elements, then of the first JSON-LD object."""
    declared = signals.declared
    sizes = [_size(next(iter(declared.values(f"image:{side}", f"og:image:{side}")), None)) for side in _SIDES]
    images = [row for row in declared.rows("image") if row.object == 0 and (row.is_json_ld or row.position == 0)]
    for row in sorted(images, key=lambda row: row.is_json_ld):
        if not (url := signals.document.absolute(row.value)) or _DECORATION.search(url):
            continue
        if row.is_json_ld:
            credit = collapse(str(row.data.get("creditText") or ""))[:MAX_ALT_CHARS]
            width, height = (_size(row.data.get(side)) for side in _SIDES)
            yield Candidate(Image(url, None, width, height, credit or None), row.origin)
        else:
            width, height = sizes if row.origin.startswith("og:") else (None, None)
            yield Candidate(Image(url, None, width, height), row.origin)


def _iter_shown(signals: PageSignals, title_block: int | None, constructs: Constructs) -> Iterator[Candidate]:
    """Images between the title and the end of the body; of variants of one in a figure, or for pages without scripts, the first."""
    if signals.body is None:
        return
    elements = signals.blocks.elements
    first, last = signals.body
    if title_block is not None and first - MAX_TITLE_BLOCKS <= title_block < first:
        first = title_block
    credit_of = {elements.nodes[holder]: node_text(elements.nodes[row]) for row, holder in reversed(list(constructs.credits.items()))}
    rows = np.flatnonzero((elements.tag == _IMG) & (elements.start >= first) & (elements.start <= last))
    earlier: tuple[str, HtmlElement | None, int] = ("", None, -1)
    for row in rows[: 3 * MAX_IMAGES].tolist():
        node, block = elements.nodes[row], int(elements.start[row])
        url = image_url(signals.document, node)
        width, height = (_size(node.get(side)) for side in _SIDES)
        is_small = any(side is not None and side < MIN_SIZE_PX for side in (width, height))
        if not url or is_small or row in constructs.replaced or _DECORATION.search(url):
            continue
        name, figure = _keys_of(url)[0], next(node.iterancestors("figure"), None)
        in_noscript = next(node.iterancestors("noscript"), None) is not None
        is_variant = figure is not None and figure is earlier[1] or in_noscript and block == earlier[2]
        if is_variant and name == earlier[0]:
            continue
        earlier = name, figure, -1 if in_noscript else block
        credit = next((credit_of[parent] for parent in node.iterancestors() if parent in credit_of), None) if credit_of else None
        yield Candidate(Image(url, _caption(node, figure, credit), width, height, credit), "img", xpath_of(node))


def _caption(node: HtmlElement, figure: HtmlElement | None, credit: str | None) -> str | None:
    """The figure's caption without its credit, else the alternative text unless it is a file name."""
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
    match = _SIZE.match(str(value)) if isinstance(value, (str, int, float)) else None
    return int(match[1]) if match else None


@lru_cache(maxsize=1_000)
def _keys_of(url: str) -> tuple[str, str]:
    """The file name of an address and its path, both without sizes.

    Variants of one image share the name; so do different images that a page shows as /1/large.jpg and /2/large.jpg, and then the path
    tells them apart. The query belongs to the path where it is no image file that is named: /media.php?id=1.
    """
    path, _, query = url.partition("?")
    path = _SIZE_IN_PATH.sub("", path).lower().rstrip("/")
    name = path.rsplit("/", 1)[-1]
    return name or url, path if _IMAGE_FILE.search(name) else f"{path}?{query}"
