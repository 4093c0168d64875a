"""The address that a page gives for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.fields.page_signals import strings_of
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
LINK_SCORE = 0.9
OPEN_GRAPH_SCORE = 0.7
JSON_LD_SCORE = 0.5


def find_canonical_urls(signals: PageSignals) -> list[Candidate]:
    """Absolute http(s) addresses, best first."""
    document = signals.document
    candidates = [
        Candidate(url, "link:canonical", xpath_of(node), LINK_SCORE)
        for node in document.root.iter("link")
        if "canonical" in (node.get("rel") or "").lower().split() and (url := document.absolute(node.get("href")))
    ]
    for text in document.meta.get("og:url", ())[:1]:
        if url := document.absolute(text):
            candidates.append(Candidate(url, "og:url", None, OPEN_GRAPH_SCORE))
    for item in signals.objects[:1]:
        for text in strings_of(signals.resolve(item.get("mainEntityOfPage")) or item.get("url"), "@id", "url")[:1]:
            if url := document.absolute(text):
                candidates.append(Candidate(url, "json-ld:url", None, JSON_LD_SCORE))
    return [candidate for candidate in candidates if candidate.value.startswith(("http:", "https:"))]
