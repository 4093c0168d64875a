"""Extraction -> Article | Listing: fields filled in, evidence for each, flags, fingerprint, score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webcontent.fields.body import article_body, listing_body, selected_body
from webcontent.fields.images import find_images
from webcontent.fields.links.anchors import Anchors
from webcontent.fields.links.entries import find_entries
from webcontent.fields.links.next_page import find_next_page
from webcontent.fields.links.related import find_related
from webcontent.fields.metadata import find_fields
from webcontent.fields.page_signals import PageSignals
from webcontent.hashing import simhash
from webcontent.items import ARTICLE, LIST, Article, Candidate, Link, Listing, PageType

if TYPE_CHECKING:
    from webcontent.document.parsing import Document
    from webcontent.extraction import Extraction, PageContext

ARTICLE_PAGE = PageType(type="article", kind="article", score=1.0)
"""The type of a page that was not classified."""
UNKNOWN_SCORE = 0.5
"""Of an extractor that gives none."""


def assemble(document: Document, context: PageContext, extraction: Extraction, extractor_name: str) -> Article | Listing:
    """The item of a page. What the extraction says of a field stands first in the evidence and wins."""
    page_type = context.page_type or ARTICLE_PAGE
    signals = PageSignals(document, extraction, context)
    evidence = find_fields(signals)
    evidence["related"] = find_related(signals, anchors := Anchors(document))
    item: Article | Listing
    if page_type.type == LIST:
        item = _listing(signals, anchors, extraction, evidence, page_type.kind)
    else:
        item = _article(signals, extraction, evidence, page_type.kind)
    item.kind = page_type.kind
    item.url = document.url
    item.canonical_url = _best(evidence, "canonical_url")
    item.language = _best(evidence, "language")
    item.related = _all_links(evidence["related"])
    item.extractor = extractor_name
    item.page_type_score = page_type.score
    item.fetched_at = document.fetched_at
    item.fingerprint = simhash(item.body)
    item.flags = sorted(document.flags | extraction.flags | set(page_type.flags) | ({"empty"} if _is_empty(item) else set()))
    item.score = _score(item, extraction)
    item.evidence = {name: candidates for name, candidates in evidence.items() if candidates}
    return item


def _article(signals: PageSignals, extraction: Extraction, evidence: dict[str, list[Candidate]], kind: str) -> Article:
    evidence["images"] = find_images(signals, signals.title_block)
    _put_first(evidence, extraction)
    body, body_html = article_body(signals, extraction, evidence) if kind == ARTICLE else selected_body(signals, extraction)
    return Article(
        title=_best(evidence, "title"),
        time=_best(evidence, "time"),
        modified=_best(evidence, "modified"),
        source=_best(evidence, "source"),
        authors=list(_best(evidence, "authors") or ()),
        body=body,
        body_html=body_html,
        images=[candidate.value for candidate in evidence["images"]],
    )


def _listing(signals: PageSignals, anchors: Anchors, extraction: Extraction, evidence: dict[str, list[Candidate]], kind: str) -> Listing:
    for name in ("time", "modified", "source", "authors"):  # a list page has none of its own
        del evidence[name]
    evidence["entries"] = (
        find_entries(signals, anchors)
        if extraction.entries is None
        else [Candidate(extraction.entries, "extractor", None, extraction.score)]
    )
    evidence["next_page"] = find_next_page(anchors)
    _put_first(evidence, extraction)
    entries = list(_best(evidence, "entries") or ())
    shown = {entry.url for entry in entries}
    evidence["related"] = [candidate for candidate in evidence["related"] if not any(link.url in shown for link in candidate.value)]
    body = listing_body(signals, extraction, next(iter(evidence["entries"]), None)) if kind == "listing" else extraction.body
    return Listing(title=_best(evidence, "title"), entries=entries, next_page=_best(evidence, "next_page"), body=body)


def _put_first(evidence: dict[str, list[Candidate]], extraction: Extraction) -> None:
    """Adds the extraction's candidates before the others; `evidence` is updated inline."""
    for name, candidates in extraction.fields.items():
        evidence[name] = [*candidates, *evidence.get(name, ())]


def _best(evidence: dict[str, list[Candidate]], name: str) -> Any:
    candidates = evidence.get(name)
    return candidates[0].value if candidates else None


def _all_links(candidates: list[Candidate]) -> list[Link]:
    """The links of all candidates, each address once."""
    found: dict[str, Link] = {}
    for candidate in candidates:
        for link in candidate.value:
            found.setdefault(link.url, link)
    return list(found.values())


def _is_empty(item: Article | Listing) -> bool:
    return not item.body.strip() and not (isinstance(item, Listing) and item.entries)


def _score(item: Article | Listing, extraction: Extraction) -> float:
    """Probability that the body is right, as the extractor gives it; 0 for an empty item."""
    return 0.0 if _is_empty(item) else round(min(1.0, max(0.0, extraction.score or UNKNOWN_SCORE)), 4)
