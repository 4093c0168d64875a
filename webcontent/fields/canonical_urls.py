"""The address that a page gives for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
SCORES = {"link:canonical": 0.9, "og:url": 0.7}
JSON_LD_SCORE = 0.5


def find_canonical_urls(signals: PageSignals) -> list[Candidate]:
    """Absolute http(s) addresses, best first."""
    rows = [row for row in signals.declared.rows("url") if row.object == 0]
    candidates = [
        Candidate(url, row.origin, None if row.node is None else xpath_of(row.node), SCORES.get(row.origin, JSON_LD_SCORE))
        for row in rows
        if (url := signals.document.absolute(row.value)) and url.startswith(("http:", "https:"))
    ]
    return sorted(candidates, key=lambda candidate: -candidate.score)
