"""The source: who published the text first, else the name of the site. From labels, meta elements, date lines and JSON-LD."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webcontent.document.blocks import xpath_of
from webcontent.fields.dates import iter_times
from webcontent.fields.lexicon import alternation
from webcontent.fields.page_signals import collapse, node_text, plain, strings_of, type_of
from webcontent.fields.people.names import HAN, LABEL, is_name, names_of
from webcontent.fields.titles.site_names import ORGANIZATION_TYPES, tail_of_title
from webcontent.items import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webcontent.fields.page_signals import PageSignals
    from webcontent.fields.titles import TitleAnchor

MAX_TEXT_CHARS = 200
"""Characters of a text behind a label that are read."""
MAX_SOURCE_CHARS = 40
MAX_SITE_NAME_CHARS = 60
SOURCE_BESIDE_DATE_CHARS = range(2, 17)
MAX_PHRASE_CHARS = 12
"""Of a longer text beside a date only what stands before its first space."""
MAX_NEXT_LINE_CHARS = 20
"""A label without a name has it in the next line, where that is short."""
MAX_DATE_LINE_CHARS = 80
MAX_CLASS_CHARS = 20

# Blocks from the title, and around the end of the body, whose lines are read.
CLASS_RANGE = range(-6, 13)
DATE_LINE_RANGE = range(-4, 13)
TAIL_BLOCKS_BEFORE, TAIL_BLOCKS_BEHIND = 2, 6
MAX_TAIL_CHARS = 80
DATE_TAIL_BLOCKS = 4
# Places that are looked at, at most.
MAX_FIELD_ROWS = 80
MAX_AUTHOR_LINKS, MAX_AUTHOR_CHARS = 6, 100
MAX_OBJECTS = 3
MAX_JSON_LD_OBJECTS = 60

# Ranks of candidates by place; they order the candidates of a page and are no probabilities.
LABEL_SCORE, LABEL_SCORE_PER_BLOCK = 0.9, 0.004
CLASS_SCORE = 0.6
BEHIND_DATE_SCORE, BEFORE_DATE_SCORE = 0.7, 0.66
PUBLISHER_SCORE = 0.52
ORGANIZATION_SCORE = 0.45
TITLE_TAIL_SCORE = 0.34
HOST_NAME = 0.05
"""Subtracted for a site's name that is a host name."""
_META_SCORES = {
    "source": 0.74,
    "contentsource": 0.78,
    "article:source": 0.72,
    "dc.source": 0.6,
    "original-source": 0.4,
    "syndication-source": 0.4,
    "mediaid": 0.6,
}
_SITE_META_SCORES = {
    "og:site_name": 0.53,
    "og:site": 0.4,
    "application-name": 0.38,
    "site_name": 0.38,
    "sitename": 0.38,
    "dc.publisher": 0.42,
    "publisher": 0.4,
    "apple-mobile-web-app-title": 0.3,
}


def _either(name: str) -> str:
    return f"(?:{alternation('sources', name)})"


SOURCE_LABEL = re.compile(
    rf"(?:^|[\s|｜/（(\[【\]】)），,;；。:：\d])(?:{_either('kind_of_text')}?{_either('from')}|{alternation('sources', 'label')})"
    r"\s?[:：]\s*(?P<name>.*)$",
    re.I,
)
"""A label and, behind its colon, the name."""
_NAME_END = re.compile(
    rf"\s*(?:[|｜]|\s{{1,}}{_either('next_label')}|{_either('next_label_with_colon')}\s?[:：]|{alternation('sources', 'end')})"
)
_NO_SOURCE = re.compile(rf"^(?:[-—–.·:：\s]*|{alternation('sources', 'no_source')})$", re.I)
_BESIDE_SOURCE = re.compile(alternation("sources", "beside_source"))
_NO_NEXT_LINE = re.compile(r"[:：\d]")
_NO_NAME = re.compile(r"[0-9，。！？:：]")
_HOST_NAME = re.compile(r"\w\.\w{2,4}$")
_EDGES = " 　:：|,，;；-–—·/()（）[]【】"


def find_sources(signals: PageSignals, anchor: TitleAnchor) -> list[Candidate]:
    """Names of those who published the text first, and of the site itself; best first.

    A candidate gains where the host's other pages have their source in the same place.
    """
    candidates = [
        *_iter_meta(signals),
        *_iter_labelled(signals, anchor),
        *_iter_beside_dates(signals, anchor),
        *_iter_classes(signals, anchor),
        *_iter_site_names(signals, anchor),
    ]
    candidates.sort(key=lambda candidate: -candidate.score)
    host = signals.host
    if host is None:
        return candidates
    return sorted(candidates, key=lambda candidate: -candidate.score - host.bonus("source", candidate.origin, candidate.xpath))


def source_name(text: str) -> str | None:
    """The name behind a label, until the next label.

    >>> source_name("新华社 作者：张三")
    '新华社'
    """
    text = collapse(text)[:MAX_TEXT_CHARS]
    if match := SOURCE_LABEL.search(" " + text):
        text = match["name"]
    if end := _NAME_END.search(text):
        text = text[: end.start()]
    first = next(iter_times(text), None)
    if first:
        text = text[: first.start] if first.start > 1 else text[first.end :]
    text = text.strip(_EDGES)
    return text if 1 < len(text) <= MAX_SOURCE_CHARS and not _NO_SOURCE.match(text) else None


# ------------------------------------------------------------------------------------------- named sources
def _iter_meta(signals: PageSignals) -> Iterator[Candidate]:
    for key, score in _META_SCORES.items():
        for text in signals.document.meta.get(key, ())[:1]:
            if name := source_name(text):
                yield Candidate(name, f"meta:{key}", None, score)


def _iter_labelled(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Names behind a label ("Source:", 来源：) near the title or the end of the body."""
    for block, text in _iter_lines(signals, anchor):
        match = SOURCE_LABEL.search(text)
        if not match or signals.in_figure(int(signals.blocks.element[block])):
            continue
        name = source_name(match["name"])
        if not name and not match["name"].strip():
            name = _name_in_next_line(signals.blocks.texts, block)
        if name:
            yield Candidate(name, "text", signals.xpath(block), LABEL_SCORE - LABEL_SCORE_PER_BLOCK * abs(anchor.distance(block)))


def _iter_lines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[tuple[int, str]]:
    yield from anchor.lines()
    if signals.body is not None:
        texts, last = signals.blocks.texts, signals.body[1]
        for block in range(max(0, last - TAIL_BLOCKS_BEFORE), min(len(texts), last + TAIL_BLOCKS_BEHIND)):
            if len(texts[block]) <= MAX_TAIL_CHARS:
                yield block, texts[block]


def _name_in_next_line(texts: list[str], block: int) -> str | None:
    text = texts[block + 1] if block + 1 < len(texts) else ""
    return source_name(text) if len(text) <= MAX_NEXT_LINE_CHARS and not _NO_NEXT_LINE.search(text) else None


def _iter_beside_dates(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Chinese date lines name the source beside the time: 2019年11月25日 18:57 参考消息."""
    if not signals.is_han:
        return
    links = signals.marked.get("rel=author", ())[:MAX_AUTHOR_LINKS]
    authors = {plain(name) for node in links for name in names_of(node_text(node)[:MAX_AUTHOR_CHARS])}
    for block, text in _iter_date_lines(signals, anchor):
        if len(text) > MAX_DATE_LINE_CHARS or not HAN.search(text):
            continue
        first = next(iter_times(text), None)
        if first is None or "T" not in first.value:
            continue
        for part, score in ((text[first.end :], BEHIND_DATE_SCORE), (text[: first.start], BEFORE_DATE_SCORE)):
            if name := _name_beside_date(part, authors):
                yield Candidate(name, "text", signals.xpath(block), score)


def _iter_date_lines(signals: PageSignals, anchor: TitleAnchor) -> Iterator[tuple[int, str]]:
    for block, text in anchor.lines():
        if anchor.distance(block) in DATE_LINE_RANGE:
            yield block, text
    if signals.body:
        texts, last = signals.blocks.texts, signals.body[1]
        for block in range(last, min(len(texts), last + DATE_TAIL_BLOCKS)):
            yield block, texts[block]


def _name_beside_date(text: str, authors: set[str]) -> str | None:
    """What is left of a date line when date, labels and numbers are gone, where that is a name and no author's."""
    name = _BESIDE_SOURCE.sub("", text).strip(_EDGES)
    name = name.split(" ")[0] if len(name) > MAX_PHRASE_CHARS else name
    if LABEL.match(name) or {plain(author) for author in names_of(name)} & authors:
        return None
    is_source = len(name) in SOURCE_BESIDE_DATE_CHARS and HAN.search(name) and not _NO_SOURCE.match(name) and not _NO_NAME.search(name)
    return name if is_source else None


def _iter_classes(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Elements near the title of a Chinese page whose class names a source."""
    elements = signals.blocks.elements
    for row, fields in signals.field_rows[:MAX_FIELD_ROWS] if signals.is_han else ():
        if "source" not in fields or anchor.distance(int(elements.start[row])) not in CLASS_RANGE:
            continue
        name = source_name(signals.row_text(row))
        if name and len(name) <= MAX_CLASS_CHARS and is_name(name) and not LABEL.match(name):
            yield Candidate(name, "class:source", xpath_of(elements.nodes[row]), CLASS_SCORE)


# ------------------------------------------------------------------------------------------- the site itself
def _iter_site_names(signals: PageSignals, anchor: TitleAnchor) -> Iterator[Candidate]:
    """Names of the site itself."""
    for value, origin, score in _iter_site_places(signals, anchor):
        text = collapse(value)
        if 1 < len(text) <= MAX_SITE_NAME_CHARS and "http" not in text:
            yield Candidate(text, origin, None, score - HOST_NAME * (_HOST_NAME.search(text) is not None))


def _iter_site_places(signals: PageSignals, anchor: TitleAnchor) -> Iterator[tuple[str, str, float]]:
    for key, score in _SITE_META_SCORES.items():
        for text in signals.document.meta.get(key, ())[:1]:
            yield text, key if ":" in key else f"meta:{key}", score
    for item in signals.objects[:MAX_OBJECTS]:
        for text in strings_of(signals.resolve(item.get("publisher")), "name")[:1]:
            yield text, "json-ld:publisher", PUBLISHER_SCORE
    for item in signals.document.json_ld[:MAX_JSON_LD_OBJECTS]:
        if type_of(item) in ORGANIZATION_TYPES:
            for text in strings_of(item.get("name"))[:1]:
                yield text, "json-ld:site", ORGANIZATION_SCORE
    if anchor.key and (tail := tail_of_title(signals.document.title or "", anchor.key)):
        yield tail, "title", TITLE_TAIL_SCORE
