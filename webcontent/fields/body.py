"""From the blocks that an extractor chose to the item's body.

A story does not say again what other fields hold; an index keeps the titles of its records. For pages of kind article and
listing only: by predictions of an earlier fusion model for unseen sites (word F1), the first gave wcxb-dev articles +0.000,
zh-gold-dev +0.001, fundus-dev +0.002, l3s-gn1 -0.017; the second wcxb-dev listings +0.019. On products and collections they cost.
Readers' comments are no part of a story (by today's model wcxb-dev articles +0.0015, l3s-gn1 +0.010; cleaneval, whose gold keeps
them, -0.0017); on forums they are the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES
from webcontent.document.features import has_class_word
from webcontent.document.text import body_html, body_text
from webcontent.fields.page_signals import BODY, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webcontent.extraction import Extraction
    from webcontent.fields.page_signals import PageSignals
    from webcontent.items import Candidate

HEAD_BLOCKS = 5
"""So many blocks at the beginning of a body may be the title and the lines below it ..."""
HEAD_CHARACTERS = 150
"""... none longer than this: the first longer one begins the story."""
_SENTENCE_END = re.compile(r"[。！？；…][”’」』）)]?$|\w{3}[.!?][”’\"')]?$")
MOST = 0.6
"""Share of a table's blocks."""
STORY_CHARACTERS = 300
"""An <article> with less text is a teaser or a comment."""
LEAST_STORY = 0.1
"""Of the chosen text: where less would be left, comments are what the page is about."""
STORY_SHARE = 0.3
"""Of the mean story: a first one with less is not what the page is about."""
_TABLE = TAG_CODES["table"]
_ARTICLE = TAG_CODES["article"]
_H1 = TAG_CODES["h1"]
_HEADINGS = {TAG_CODES[name] for name in ("h1", "h2", "h3")}
_CAPTION = TAG_CODES["figcaption"]


def plain_body(signals: PageSignals, extraction: Extraction) -> tuple[str, str]:
    """Body and body_html as the extractor chose them."""
    if extraction.labels is None:
        return extraction.body, extraction.body_html
    return extraction.body, body_html(signals.document, extraction.labels == BODY)


def story_body(signals: PageSignals, extraction: Extraction, evidence: dict[str, list[Candidate]]) -> tuple[str, str]:
    """Body and body_html of a story: with whole tables, without readers' comments, without the title, time, source and authors at
    its head; captions stand in body_html alone, below their pictures.

    What an extractor without labels gives stays as it is.
    """
    if extraction.labels is None:
        return plain_body(signals, extraction)
    chosen = extraction.labels == BODY
    captions = _captions(signals)
    kept = _with_whole_tables(signals, chosen) & ~captions
    kept[_end_of_first_story(signals, kept) :] = False
    kept = _without_comments(signals, kept)
    kept[list(_head_blocks(signals, np.flatnonzero(kept).tolist(), evidence))] = False
    if not kept.any():
        return plain_body(signals, extraction)
    places = np.flatnonzero(kept)
    shown = kept.copy()
    shown[places[0] : places[-1] + 1] |= captions[places[0] : places[-1] + 1]
    return _text(signals, extraction, chosen, kept), body_html(signals.document, shown)


def index_body(signals: PageSignals, extraction: Extraction, records: Candidate | None) -> str:
    """Body of an index of texts: the titles of its records are part of it. `records`: the entries and where they stand."""
    if extraction.labels is None or records is None or records.xpath is None:
        return extraction.body
    chosen = extraction.labels == BODY
    titles = {entry.title for entry in records.value}
    kept = chosen.copy()
    for block, text in enumerate(signals.blocks.texts):
        if text in titles and not kept[block]:
            kept[block] = signals.xpath(block).startswith(f"{records.xpath}/")
    return _text(signals, extraction, chosen, kept)


def _text(signals: PageSignals, extraction: Extraction, chosen: NDArray[np.bool_], kept: NDArray[np.bool_]) -> str:
    """The text of the kept blocks; the one that the extractor made where nothing changes."""
    return extraction.body if bool((kept == chosen).all()) else body_text(signals.blocks, kept)


def _without_comments(signals: PageSignals, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The kept blocks outside of sections whose class or id speaks of comments."""
    elements = signals.blocks.elements
    speaking = {name for name in {*elements.classes, *elements.ids} if has_class_word("comment", name)}
    names = zip(elements.classes, elements.ids, strict=True)
    outside = kept.copy()
    for row in [row for row, (name, own) in enumerate(names) if name in speaking or own in speaking] if speaking else ():
        outside[int(elements.start[row]) : int(elements.end[row])] = False
    chars = signals.blocks.chars
    return outside if chars[outside].sum() > LEAST_STORY * chars[kept].sum() else kept


def _captions(signals: PageSignals) -> NDArray[np.bool_]:
    """Which blocks stand in a caption: on corpora of news 89 to 100 % of them are no part of the gold text."""
    elements = signals.blocks.elements
    inside = np.zeros(len(signals.blocks), np.bool_)
    for row in np.flatnonzero(elements.tag == _CAPTION).tolist():
        inside[int(elements.start[row]) : int(elements.end[row])] = True
    return inside


def _with_whole_tables(signals: PageSignals, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The chosen blocks, and the other cells of each innermost table that is chosen for the most part: one that lacks cells misleads."""
    elements = signals.blocks.elements
    whole = chosen.copy()
    tables = np.flatnonzero(elements.tag == _TABLE)
    for place, row in enumerate(tables.tolist()):
        start, end = int(elements.start[row]), int(elements.end[row])
        is_innermost = place + 1 == len(tables) or int(elements.start[tables[place + 1]]) >= end
        if is_innermost and end > start and chosen[start:end].mean() > MOST:
            whole[start:end] = True
    return whole


def _end_of_first_story(signals: PageSignals, kept: NDArray[np.bool_]) -> int:
    """The block where the second of several stories begins (pages that go on without end show the next ones whole), else their number.

    Stories are outermost <article> elements with STORY_CHARACTERS of kept text; a second story is a part of the page with an <h1> of
    its own, which the items of a round-up lack.
    """
    blocks, elements = signals.blocks, signals.blocks.elements
    sums = blocks.subtree_sums(np.where(kept, blocks.chars, 0))
    stories: list[int] = []
    for row in np.flatnonzero((elements.tag == _ARTICLE) & (sums >= STORY_CHARACTERS)).tolist():
        if not stories or int(elements.start[row]) >= int(elements.end[stories[-1]]):
            stories.append(row)
    if len(stories) < 2 or sums[stories[0]] < STORY_SHARE * sums[stories].mean():
        return len(blocks)
    part = stories[1]
    while int(elements.start[elements.parent[part]]) >= int(elements.end[stories[0]]):
        part = int(elements.parent[part])
    begin, end = int(elements.start[part]), int(elements.end[part])
    headings = elements.start[elements.tag == _H1]
    is_story = bool(((headings >= begin) & (headings < end)).any() and (headings < begin).any())
    return begin if is_story else len(blocks)


def _head_blocks(signals: PageSignals, chosen: Iterable[int], evidence: dict[str, list[Candidate]]) -> Iterable[int]:
    """The blocks at the head of a body that hold its title, time, source or authors."""
    elements = signals.blocks.elements
    title = plain(evidence["title"][0].value) if evidence.get("title") else None
    places = [candidate.xpath for name in ("time", "source", "authors") for candidate in evidence.get(name, ()) if candidate.xpath]
    for block in list(chosen)[:HEAD_BLOCKS]:
        text = signals.blocks.texts[block]
        is_heading = int(elements.tag[signals.blocks.element[block]]) in _HEADINGS
        if not is_heading and (len(text) > HEAD_CHARACTERS or _SENTENCE_END.search(text)):
            return
        xpath = signals.xpath(block)
        if plain(text) == title or any(place == xpath or place.startswith(f"{xpath}/") for place in places):
            yield block
