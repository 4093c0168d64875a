"""The publisher: what the site calls itself in meta elements, in JSON-LD and in the title element."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from webcontent.fields.page_signals import collapse, plain, strings_of, type_of
from webcontent.fields.titles.site_names import ORGANIZATION_TYPES, tail_of_title
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

MAX_NAME_CHARS = 60
MAX_OBJECTS, MAX_JSON_LD_OBJECTS = 3, 60
"""JSON-LD objects of the page, and of all kinds, that are looked at."""

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
PUBLISHER_SCORE = 0.52
SITE_SCORE = 0.45
TITLE_TAIL_SCORE = 0.34
HOST_NAME = 0.05
"""Subtracted for a name that is a host name."""
SUPPORT = 0.1
"""Gain for each other place that gives the same name: sections name themselves where the site's name is expected."""
_META_SCORES = {
    "og:site_name": 0.53,
    "og:site:name": 0.5,
    "og:site": 0.4,
    "application-name": 0.38,
    "site_name": 0.38,
    "sitename": 0.38,
    "dc.publisher": 0.42,
    "publisher": 0.4,
    "apple-mobile-web-app-title": 0.3,
}
_HOST_NAME = re.compile(r"\w\.\w{2,4}$")


def find_publishers(signals: PageSignals, anchor: TitleAnchor) -> list[Candidate]:
    """Names of the site, best first: names that several places give gain."""
    found = [(collapse(text), origin, score) for text, origin, score in _iter_places(signals, anchor)]
    found = [(text, origin, score) for text, origin, score in found if 1 < len(text) <= MAX_NAME_CHARS and "http" not in text]
    places = Counter(key for key, _ in {(plain(text), origin) for text, origin, _ in found})
    candidates = []
    for text, origin, score in found:
        rank = score + SUPPORT * (places[plain(text)] - 1) - HOST_NAME * (_HOST_NAME.search(text) is not None)
        candidates.append(Candidate(text, origin, None, round(min(1.0, rank), 4)))
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _iter_places(signals: PageSignals, anchor: TitleAnchor) -> Iterator[tuple[str, str, float]]:
    for key, score in _META_SCORES.items():
        for text in signals.document.meta.get(key, ())[:1]:
            yield text, key if ":" in key else f"meta:{key}", score
    for item in signals.objects[:MAX_OBJECTS]:
        for text in strings_of(signals.resolve(item.get("publisher")), "name")[:1]:
            yield text, "json-ld:publisher", PUBLISHER_SCORE
    for item in signals.document.json_ld[:MAX_JSON_LD_OBJECTS]:
        if type_of(item) in ORGANIZATION_TYPES:
            for text in strings_of(item.get("name"))[:1]:
                yield text, "json-ld:site", SITE_SCORE
    if anchor.key and (tail := tail_of_title(signals.document.title or "", anchor.key)):
        yield tail, "title", TITLE_TAIL_SCORE
