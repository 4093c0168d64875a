"""All single-valued fields of a page and the authors: one function a field, each giving every candidate, best first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.fields.language import find_languages
from webcontent.fields.page_signals import strings_of
from webcontent.fields.people import find_authors, find_sources
from webcontent.fields.times import find_times
from webcontent.fields.titles import find_titles
from webcontent.items import Candidate

if TYPE_CHECKING:
    from webcontent.fields.page_signals import PageSignals


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
