"""All single-valued fields of a page, the authors and the images: one function a field, each giving every candidate, best first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES, xpath_of
from webcontent.document.text import image_url
from webcontent.fields.language import find_languages
from webcontent.fields.page_signals import PageSignals, collapse, node_text, strings_of
from webcontent.fields.people import find_authors, find_sources
from webcontent.fields.times import find_times
from webcontent.fields.titles import find_titles
from webcontent.items import Candidate, Image

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MAX_IMAGES = 30
SMALLEST_PX = 90
"""Pictures declared smaller than this, in either direction, are icons."""

_IMG = TAG_CODES["img"]
_ICON = re.compile(
    r"(?:^|[/_.-])(?:icons?|sprite|logo|avatar|gravatar|emoji|smil(?:ey|ies)|spacer|blank|pixel|placeholder|loading|lazy|button|"
    r"btn|badge|qrcode|captcha|tracking|transparent|default|1x1|favicon|ads?)(?:$|[/_.\d-])|\.svg(?:$|\?)|doubleclick|/count",
    re.I,
)
_SIZE = re.compile(r"^\s*(\d{1,5})(?:\.\d+)?\s*(?:px)?\s*$")
_FILE_NAME = re.compile(r"^\S+\.(?:jpe?g|png|gif|webp)$|^(?:img|image|dsc|photo|picture)?[\W\d_]*$", re.I)


def find_fields(signals: PageSignals) -> dict[str, list[Candidate]]:
    """Candidates of title, time, modified, source, authors, language and canonical_url."""
    titles = find_titles(signals)  # first: the others look around the title
    published, modified = find_times(signals)
    return {
        "title": titles,
        "time": published,
        "modified": modified,
        "source": _by_habit(signals, "source", find_sources(signals)),
        "authors": find_authors(signals),
        "language": find_languages(signals),
        "canonical_url": find_canonical_urls(signals),
    }


def _by_habit(signals: PageSignals, name: str, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates, those first that stand where the site's other pages have the field."""
    site = signals.host
    if site is None:
        return candidates
    return sorted(candidates, key=lambda candidate: -candidate.score - site.bonus(name, candidate.origin, candidate.xpath))


def find_canonical_urls(signals: PageSignals) -> list[Candidate]:
    """The addresses that the page names as its own."""
    document = signals.document
    found = [
        Candidate(url, "link:canonical", xpath_of(node), 0.9)
        for node in document.root.iter("link")
        if "canonical" in (node.get("rel") or "").lower().split() and (url := document.absolute(node.get("href")))
    ]
    found += [Candidate(url, "og:url", None, 0.7) for text in document.meta.get("og:url", ())[:1] if (url := document.absolute(text))]
    for item in signals.objects[:1]:
        for text in strings_of(signals.resolve(item.get("mainEntityOfPage")) or item.get("url"), "@id", "url")[:1]:
            if url := document.absolute(text):
                found.append(Candidate(url, "json-ld:url", None, 0.5))
    return [candidate for candidate in found if candidate.value.startswith(("http:", "https:"))]


# ---------------------------------------------------------------------------------------------- images
def find_images(signals: PageSignals) -> list[Candidate]:
    """One candidate a picture: the one that the page declares for itself, then those of the body in order."""
    found: dict[str, Candidate] = {}
    for candidate in _iter_declared(signals):
        found.setdefault(_name_of(candidate.value.url), candidate)
    for candidate in _iter_shown(signals):
        key = _name_of(candidate.value.url)
        if key in found:
            _complete(found[key].value, candidate.value)
        found.setdefault(key, candidate)
    return list(found.values())[:MAX_IMAGES]


def _complete(image: Image, shown: Image) -> None:
    """Adds what the body says of the same picture; `image` is updated inline."""
    image.caption = image.caption or shown.caption
    if image.url == shown.url and image.width is None and image.height is None:
        image.width, image.height = shown.width, shown.height


def _iter_declared(signals: PageSignals) -> list[Candidate]:
    document, meta = signals.document, signals.document.meta
    found = []
    for key in ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"):
        for text in meta.get(key, ())[:1]:
            if (url := document.absolute(text)) and not _ICON.search(url):
                size = [
                    _size(next(iter(meta.get(f"og:image:{side}", ())), None)) if key.startswith("og:") else None
                    for side in ("width", "height")
                ]
                found.append(Candidate(Image(url, None, *size), key, None, 0.8))
    for item in signals.objects[:1]:
        for value in map(signals.resolve, _listed(item.get("image"))[:3]):
            for text in strings_of(value, "url", "contentUrl", "@id")[:1]:
                if (url := document.absolute(text)) and not _ICON.search(url):
                    size = [_size(value.get(side)) for side in ("width", "height")] if isinstance(value, dict) else [None, None]
                    found.append(Candidate(Image(url, None, *size), "json-ld:image", None, 0.7))
    return found


def _iter_shown(signals: PageSignals) -> list[Candidate]:
    """Pictures between the title and the end of the body."""
    if signals.body is None:
        return []
    elements = signals.blocks.elements
    first, last = signals.body
    if signals.title_block is not None and first - 12 <= signals.title_block < first:
        first = signals.title_block
    rows = np.flatnonzero((elements.tag == _IMG) & (elements.start >= first) & (elements.start <= last))
    found = []
    for row in rows[: 3 * MAX_IMAGES].tolist():
        node = elements.nodes[row]
        url = image_url(signals.document, node)
        width, height = _size(node.get("width")), _size(node.get("height"))
        small = any(side is not None and side < SMALLEST_PX for side in (width, height))
        if url and not small and not _ICON.search(url):
            found.append(Candidate(Image(url, _caption(node), width, height), "img", xpath_of(node), 0.6))
    return found


def _caption(node: HtmlElement) -> str | None:
    """The figure's caption, else the alternative text where it is one."""
    parent = node.getparent()
    for _ in range(5):
        if parent is None or parent.tag == "figure":
            break
        parent = parent.getparent()
    if parent is not None and parent.tag == "figure":
        for caption in parent.iter("figcaption"):
            if text := node_text(caption):
                return text
    text = collapse(node.get("alt") or "")
    return text[:300] if text and not _FILE_NAME.match(text) else None


def _size(value: Any) -> int | None:
    match = _SIZE.match(str(value)[:12]) if value is not None and not isinstance(value, (dict, list)) else None
    return int(match[1]) if match else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _name_of(url: str) -> str:
    """What makes two addresses the same picture: the file's name without size and query."""
    name = url.split("?", maxsplit=1)[0].rstrip("/").rsplit("/", 1)[-1]
    return re.sub(r"[-_]?\d{2,4}x\d{2,4}", "", name).lower() or url
