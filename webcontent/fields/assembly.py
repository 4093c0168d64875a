"""Extraction -> Article | Listing: fields filled in, evidence for each, flags, fingerprint, score."""

from __future__ import annotations

import re
from dataclasses import is_dataclass, replace
from operator import is_not
from typing import TYPE_CHECKING, Any

from webcontent.document.blocks import xpath_of
from webcontent.document.rich_text.constructs import Constructs, find_constructs
from webcontent.extraction import BODY
from webcontent.fields.body.left_out import has_unseen_sentence
from webcontent.fields.body.selection import article_body, listing_body, selected_body, with_short_text
from webcontent.fields.language import find_languages
from webcontent.fields.links.anchors import Anchors
from webcontent.fields.links.entries import find_entries
from webcontent.fields.links.next_page import find_next_page
from webcontent.fields.links.related import find_related
from webcontent.fields.media.images import find_images
from webcontent.fields.media.players import find_media
from webcontent.fields.names import find_bylines
from webcontent.fields.names.publishers import find_publishers
from webcontent.fields.page_signals import PageSignals, plain, ranked
from webcontent.fields.threads import FirstPost, find_first_post
from webcontent.fields.times import find_times
from webcontent.fields.titles import find_titles
from webcontent.hashing import simhash
from webcontent.items import ARTICLE, LIST, Article, Candidate, Link, Listing, PageType
from webcontent.printable import without_unseen

if TYPE_CHECKING:
    from webcontent.document.parsing import Document
    from webcontent.extraction import Extraction, PageContext
    from webcontent.models import ModelRegistry

    Evidence = dict[str, list[Candidate]]
    """Candidates by field, best first."""

ARTICLE_PAGE = PageType(type="article", kind="article", score=1.0)
"""The type of a page that was not classified."""
DAY_CHARS = len("2024-03-05")
CERTAIN_LIST = 0.99
"""The own time and names of a list are looked for below this probability of its type: articles that are taken for lists have less."""
LIKELY_LIST = 0.85
"""The body of a listing has the titles of its entries from this probability of its type on. Below it, many are articles beside a list."""
DOUBTFUL_ARTICLE = 0.9
"""Entries of an article are looked for below this probability of its type."""
MIN_ENTRIES_SCORE = 0.45
"""Of the entries that an article keeps."""
CANONICAL_ORIGINS = ("link:canonical", "og:url")  # those of JSON-LD come behind them
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
UNKNOWN_SCORE = 0.5
"""Of an extractor that gives none."""


def assemble(document: Document, context: PageContext, extraction: Extraction, extractor_name: str) -> Article | Listing:
    """The item of a page. Candidates of the extraction stand before those that are found here; the first candidate is the value."""
    page_type = context.page_type or ARTICLE_PAGE
    extraction = with_short_text(document.blocks, extraction, page_type)
    signals = PageSignals(document, extraction, context.day_first)
    constructs = Constructs() if page_type.type == LIST else find_constructs(document)
    post = find_first_post(signals)
    if post.is_thread and page_type.kind == ARTICLE:
        page_type = replace(page_type, kind="forum")
    evidence = _find_fields(signals, extraction, constructs, context.models, page_type, post)
    for name, candidates in extraction.fields.items():
        evidence[name] = [*candidates, *evidence.get(name, ())]
    item: Article | Listing
    if page_type.type == LIST:
        item = _listing(signals, extraction, evidence, page_type)
    else:
        item = _article(signals, extraction, evidence, constructs, page_type.kind)
    item.kind = page_type.kind
    item.url = document.url
    item.extractor = extractor_name
    item.page_type_score = page_type.score
    item.fetched_at = document.fetched_at
    item.fingerprint = simhash(item.body)
    is_hiding = extraction.labels is not None and has_unseen_sentence(document.blocks, extraction.labels == BODY)
    states = (("truncated", document.blocks.is_cut), ("empty", _is_empty(item)), ("hidden-text", is_hiding))
    found = {name for name, is_so in states if is_so}
    item.flags = sorted(document.flags | extraction.flags | set(page_type.flags) | found)
    item.score = _score(item, extraction)
    item.evidence = {name: candidates for name, candidates in evidence.items() if candidates}
    cleaned: Article | Listing = _without_unseen_characters(item)
    return cleaned


# ------------------------------------------------------------------------------------------- fields
def _find_fields(
    signals: PageSignals, extraction: Extraction, constructs: Constructs, models: ModelRegistry, page_type: PageType, post: FirstPost
) -> Evidence:
    """Candidates of all fields. Entries that the extraction has for a list, even none, take the place of those found here.

    Where an article may be a list, its entries are looked for, too. Where a list may be an article, its own time, names and images are.
    """
    is_list, links = page_type.type == LIST, Anchors(signals.document)
    titles, anchor = find_titles(signals, models)
    entries: list[Candidate] = []
    if is_list and extraction.entries is not None:
        entries = [Candidate(extraction.entries, "extractor", score=extraction.score or 0.0)]
    elif is_list or page_type.score < DOUBTFUL_ARTICLE:
        entries = [found for found in find_entries(signals, links) if is_list or found.score >= MIN_ENTRIES_SCORE]
    evidence: Evidence = {
        "title": _without_entries(titles, entries, signals) if is_list else titles,
        "publisher": find_publishers(signals, anchor),
        "language": find_languages(signals),
        "canonical_url": find_canonical_urls(signals.document),
        "related": find_related(signals, links),
        "entries": entries,
    }
    if is_list:
        evidence["next_page"] = find_next_page(links)
    if is_list and page_type.score >= CERTAIN_LIST:
        return evidence
    bylines = find_bylines(signals, anchor, models)
    times, changes = find_times(signals, anchor, page_type.kind)
    changed = {change.value for change in changes}
    posted = [time for time in post.times if time.value not in changed]
    values = [*posted, *times], changes, *bylines._replace(authors=[*post.authors, *bylines.authors])
    found = zip(("time", "modified", "source", "authors", "editors"), values, strict=True)
    origin = {name: _without_those_of_entries(candidates, entries) if is_list else candidates for name, candidates in found}
    players = {} if is_list else dict(zip(("videos", "audios"), find_media(signals, constructs.players), strict=True))
    return evidence | origin | players | {"images": find_images(signals, anchor.block, constructs)}


def _without_those_of_entries(candidates: list[Candidate], entries: list[Candidate]) -> list[Candidate]:
    """Candidates without those that the page shows for one of its entries: times of an entry's day, other values inside of the records.

    The only dated entry may be the page's own story: its day stays.
    """
    if not entries or not entries[0].value:
        return candidates
    times = [entry.time[:DAY_CHARS] for entry in entries[0].value if entry.time]
    days = times if len(times) > 1 else []
    records = f"{entries[0].xpath}/" if entries[0].xpath else None

    def is_of_entry(candidate: Candidate) -> bool:
        if isinstance(candidate.value, str) and _DAY.match(candidate.value):
            return candidate.xpath is not None and candidate.value[:DAY_CHARS] in days
        return records is not None and (candidate.xpath or "").startswith(records)

    return [candidate for candidate in candidates if not is_of_entry(candidate)]


def _without_entries(titles: list[Candidate], entries: list[Candidate], signals: PageSignals) -> list[Candidate]:
    """The titles of a list, with those behind the others that one of its entries shows.

    The ranking was trained on articles, where the largest heading of the text is the title. What the title element or a first-level
    heading outside of links shows, too, keeps its rank.
    """
    link_chars = signals.blocks.link_chars
    headings = [plain(heading.text) for heading in signals.headings if heading.level == 1 and not link_chars[heading.block]]
    declared = " ".join([plain(signals.document.title or ""), *headings])
    names = {plain(entry.title) for entry in (entries[0].value if entries else ())}
    # a stable sort: the order of the others stays
    return sorted(titles, key=lambda title: (key := plain(title.value)) in names and key not in declared)


def _best(evidence: Evidence, name: str) -> Any:
    """The value of the first candidate, None where there is none."""
    candidates = evidence.get(name)
    return candidates[0].value if candidates else None


# ------------------------------------------------------------------------------------------- items
def _article(signals: PageSignals, extraction: Extraction, evidence: Evidence, constructs: Constructs, kind: str) -> Article:
    if kind == ARTICLE and not extraction.is_exact:
        body, body_html = article_body(signals, extraction, evidence, constructs)
    else:
        body, body_html = selected_body(signals, extraction, constructs, kind)
    videos, audios = ([candidate.value for candidate in evidence[name]] for name in ("videos", "audios"))
    return Article(**_shared_fields(evidence), body=body, body_html=body_html, videos=videos, audios=audios)


def _listing(signals: PageSignals, extraction: Extraction, evidence: Evidence, page_type: PageType) -> Listing:
    """The list page. Related links that are entries too are dropped; `evidence` is updated inline."""
    urls = {entry.url for entry in _best(evidence, "entries") or ()}
    with_titles = page_type.kind == "listing" and page_type.score >= LIKELY_LIST
    evidence["related"] = [candidate for candidate in evidence["related"] if not any(link.url in urls for link in candidate.value)]
    body = listing_body(signals, extraction, next(iter(evidence["entries"]), None)) if with_titles else extraction.body
    return Listing(**_shared_fields(evidence), body=body, next_page=_best(evidence, "next_page"))


def _shared_fields(evidence: Evidence) -> dict[str, Any]:
    """The fields of articles and lists that follow from the candidates alone."""
    single = ("title", "time", "modified", "source", "publisher", "canonical_url", "language")
    links: dict[str, Link] = {}  # each address once
    for link in (link for candidate in evidence["related"] for link in candidate.value):
        links.setdefault(link.url, link)
    return {
        **{name: _best(evidence, name) for name in single},
        **{name: list(_best(evidence, name) or ()) for name in ("authors", "editors", "entries")},
        "images": [candidate.value for candidate in evidence.get("images", ())],
        "related": list(links.values()),
    }


def _is_empty(item: Article | Listing) -> bool:
    return not item.body.strip() and not (isinstance(item, Listing) and item.entries)


def _score(item: Article | Listing, extraction: Extraction) -> float:
    """Probability that the body is right, as the extractor gives it; 0 for an empty item."""
    score = UNKNOWN_SCORE if extraction.score is None else extraction.score
    return 0.0 if _is_empty(item) else round(min(1.0, max(0.0, score)), 4)


def _without_unseen_characters(value: Any) -> Any:
    """An item or a part of one without control characters and changes of direction; the same object where it has none."""
    if isinstance(value, str):
        return without_unseen(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, list):
        parts = list(map(_without_unseen_characters, value))
        return parts if any(map(is_not, parts, value)) else value
    if isinstance(value, dict):
        changed = {name: new for name, old in value.items() if (new := _without_unseen_characters(old)) is not old}
        return value | changed if changed else value
    if is_dataclass(value) and not isinstance(value, type):
        names = type(value).__dataclass_fields__
        changed = {name: new for name in names if (new := _without_unseen_characters(old := getattr(value, name))) is not old}
        return replace(value, **changed) if changed else value
    return value


def find_canonical_urls(document: Document) -> list[Candidate]:
    """Absolute http(s) addresses that a page gives for itself, best first."""
    rows = [row for row in document.declared.rows("url") if row.object == 0]
    return ranked(
        Candidate(url, row.origin, None if row.node is None else xpath_of(row.node))
        for row in sorted(rows, key=lambda row: (*CANONICAL_ORIGINS, row.origin).index(row.origin))
        if (url := document.absolute(row.value)) and url.startswith(("http:", "https:"))
    )
