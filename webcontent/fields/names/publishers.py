"""The publisher: what the site calls itself in meta elements, in JSON-LD, in the title element, on links to its front page, and behind ©.

A name that the host's name is made of gains: sections and companies also stand where the site's name is expected.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from webcontent.addresses import site_of, split_url
from webcontent.document.declared import OTHER
from webcontent.fields.lexicon import alternation
from webcontent.fields.names.people import MAX_NAME_CHARS
from webcontent.fields.page_signals import collapse, plain, ranked
from webcontent.fields.titles.site_names import tail_of_title
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor


ORIGINS = (
    "og:site_name", "json-ld:publisher", "og:site:name", "json-ld:site", "meta:dc.publisher", "meta:publisher", "og:site",
    "meta:application-name", "meta:site_name", "meta:sitename", "title", "meta:apple-mobile-web-app-title", "front page", "copyright",
)  # fmt: skip
"""Places, the most trusted one first. What the page shows counts only where the host has the name."""
MAX_COPYRIGHT_BLOCKS, MAX_COPYRIGHT_CHARS, MAX_FRONT_LINKS = 40, 300, 6
"""Blocks at the end of the page with their first characters, and links to the front page, that are looked at."""
_COMPANY = re.compile(rf"(?:^|[\s,])(?:{alternation('publishers', 'legal_form')})(?:$|[\s,.;)])")
_ARTICLE = re.compile(rf"(?:{alternation('publishers', 'article')})\s+", re.I)
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|\bcopyright\b)[\s©]*(?:\(c\)\s*)?(?:\d{4}(?:\s?[-–]\s?\d{4})?\s*,?\s*)?(?:by\s+)?([^.,|©\n]{2,40}?)(?:[.,|©]|$)", re.I
)
_OTHER_SCRIPT = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
"""A letter that is not Latin: the host has the name in other letters."""
_INITIAL = re.compile(r"\b\w")
_WWW = re.compile(r"^(?:www\d?|m|mobile|amp)\.")
_FRONT_PAGE = re.compile(r"(?:https?:)?(?://[^/?#]+)?/?")


def find_publishers(signals: PageSignals, anchor: TitleAnchor) -> list[Candidate]:
    """Names of the site, best first: names that several places give gain, and those that the host has."""
    site = site_of(signals.document.url) or "" if signals.document.url else ""
    found = [(collapse(text), origin) for text, origin in _iter_places(signals, anchor)]
    found = [(text, origin) for text, origin in found if 1 < len(text) <= MAX_NAME_CHARS and "http" not in text]
    is_other_script = signals.is_han or any(_OTHER_SCRIPT.search(text) for text, _ in found)
    label = "" if is_other_script else _label(signals.document.url, site)
    if label and not any(_names_host(text, label, site) for text, _ in found):
        found += [(text, origin) for text, origin in _iter_shown(signals) if _names_host(text, label, site)]
    keys = {text: _key(text, site) for text, _ in found}
    places = Counter(key for key, _ in {(keys[text], origin) for text, origin in found})
    forms = {keys[text]: text for text, _ in reversed(found) if text.lower() != site}

    def rank(pair: tuple[str, str]) -> tuple[bool, bool, int, bool, int]:
        text, origin = pair
        is_company = _COMPANY.search(text) is not None
        return not _names_host(text, label, site), is_company, -places[keys[text]], text.lower() == site, ORIGINS.index(origin)

    return ranked(
        Candidate(forms.get(keys[text], _without_suffix(text, site)) if text.lower() == site else text, origin)
        for text, origin in sorted(found, key=rank)
    )


def _label(url: str | None, site: str) -> str:
    """The plain form of the registered domain before its top-level domain; "" for its subdomains, which may be sites of others."""
    parts = split_url(url) if url else None
    return plain(site.split(".", maxsplit=1)[0]) if parts and _WWW.sub("", parts.hostname or "") == site else ""


def _names_host(text: str, label: str, site: str) -> bool:
    """Whether a host has this name or its initials. `label`: from `_label`."""
    if not label:
        return False
    initials = _INITIAL.findall(text)
    short = {_folded("".join(initials)), _folded("".join(filter(str.isupper, initials)))} if len(initials) > 1 else set()
    return label in (_key(text, site), _folded(text)) or label in short


def _key(text: str, site: str) -> str:
    """The plain form of a name without its article, top-level domain and accents, as host names are."""
    name = _without_suffix(text, site)
    article = _ARTICLE.match(name)
    return _folded(name[article.end() :] if article else name)


def _without_suffix(text: str, site: str) -> str:
    """A name without the top-level domain, where it is the registered domain itself."""
    return text[: site.index(".")] if text.lower() == site and "." in site else text


def _folded(text: str) -> str:
    """The plain form of a text without its accents."""
    if text.isascii():
        return plain(text)
    return plain("".join(character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character)))


def _iter_shown(signals: PageSignals) -> Iterator[tuple[str, str]]:
    """Names that the page shows: of links to its front page, and behind ©."""
    blocks = signals.blocks
    rows = (row for row, address in blocks.addresses.items() if address and _FRONT_PAGE.fullmatch(address.strip()))
    for link in (blocks.elements.nodes[row] for row in islice(rows, MAX_FRONT_LINKS)):
        texts = [link.get("title"), link.get("aria-label"), "".join(link.itertext()), *(image.get("alt") for image in link.iter("img"))]
        yield from ((collapse(text), "front page") for text in texts if text and len(text) <= MAX_NAME_CHARS)
    for text in blocks.texts[-MAX_COPYRIGHT_BLOCKS:]:
        for match in _COPYRIGHT.finditer(text[:MAX_COPYRIGHT_CHARS]):
            yield collapse(match[1]), "copyright"


def _iter_places(signals: PageSignals, anchor: TitleAnchor) -> Iterator[tuple[str, str]]:
    for row in (row for field in ("site", "site_alias", "publisher") for row in signals.declared.rows(field)):
        if row.position == 0 and (row.field != "publisher" or row.object != OTHER):
            yield row.value, row.origin
    if anchor.key and (tail := tail_of_title(signals.document.title or "", anchor.key)):
        yield tail, "title"
