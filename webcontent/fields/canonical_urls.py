"""The address that a page gives for itself."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.fields.page_signals import strings_of
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
LINK_SCORE = 0.9
OPEN_GRAPH_SCORE = 0.7
JSON_LD_SCORE = 0.5
MAX_LINKS = 20
"""Elements <link rel=canonical> of a page, of which the first counts."""


def find_canonical_urls(signals: PageSignals) -> list[Candidate]:
    """Absolute http(s) addresses, best first."""
    absolute = signals.document.absolute
    return [
        Candidate(url, origin, xpath, score)
        for text, origin, xpath, score in _iter_places(signals)
        if (url := absolute(text)) and url.startswith(("http:", "https:"))
    ]


def _iter_places(signals: PageSignals) -> Iterator[tuple[str | None, str, str | None, float]]:
    document = signals.document
    canonical = (node for node in document.tagged.get("link", ()) if "canonical" in (node.get("rel") or "").lower().split())
    for node in islice(canonical, MAX_LINKS):
        yield node.get("href"), "link:canonical", xpath_of(node), LINK_SCORE
    for text in document.meta.get("og:url", ())[:1]:
        yield text, "og:url", None, OPEN_GRAPH_SCORE
    for item in signals.objects[:1]:
        for text in strings_of(signals.resolve(item.get("mainEntityOfPage")) or item.get("url"), "@id", "url")[:1]:
            yield text, "json-ld:url", None, JSON_LD_SCORE
