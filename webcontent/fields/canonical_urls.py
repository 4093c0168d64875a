"""The address that a page gives for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.document.parsing import Document

LINK = "link:canonical"
SCORES = {LINK: 0.9, "og:url": 0.7}
"""Ranks by origin; others, those of JSON-LD, have half. They order the candidates of a page and are no probabilities."""


def find_canonical_urls(document: Document) -> list[Candidate]:
    """Absolute http(s) addresses, best first."""
    rows = [row for row in document.declared.rows("url") if row.object == 0]
    candidates = [
        Candidate(url, row.origin, None if row.node is None else xpath_of(row.node), SCORES.get(row.origin, 0.5))
        for row in rows
        if (url := document.absolute(row.value)) and url.startswith(("http:", "https:"))
    ]
    return sorted(candidates, key=lambda candidate: -candidate.score)
