"""The body of an item, made of the blocks that an extractor selected.

An article's body leaves out what other fields hold, and readers' comments; a listing's body keeps the titles of its records. This is
done for pages of kind article and listing only. Measured as word F1 on predictions of an earlier fusion model for unseen sites:
leaving out title, time, source and authors gave wcxb-dev articles +0.000, zh-gold-dev +0.001, fundus-dev +0.002, l3s-gn1 -0.017;
keeping the titles of records gave wcxb-dev listings +0.019 (+0.009 with the model of 2026-11-23, on pages that are certainly lists).
Both lower the F1 of products and collections. Leaving out comments gives
wcxb-dev articles +0.0015 and l3s-gn1 +0.010 with today's model; cleaneval, whose gold text has comments, loses 0.0017. On forums
comments are the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags
from webcontent.document.features import CLASS_GROUPS, has_class_word
from webcontent.document.rich_text.plain import plain_text
from webcontent.document.rich_text.writer import body_html
from webcontent.document.text import body_text
from webcontent.extraction import BODY
from webcontent.fields.body_edges import begins_with_dateline, edge_lines
from webcontent.fields.end_blocks import (
    HEADINGS,
    SENTENCE_END,
    lead,
    signature,
    without_end_matter,
    without_last_headings,
    without_signed_lines,
)
from webcontent.fields.hidden_text import without_hidden
from webcontent.fields.kept_blocks import kept_together, with_belongings
from webcontent.fields.page_signals import plain
from webcontent.items import ARTICLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.rich_text.constructs import Constructs
    from webcontent.extraction import Extraction
    from webcontent.fields.page_signals import PageSignals
    from webcontent.items import Candidate

KINDS_OF_TEXT = frozenset(("article", "documentation"))
"""Kinds of pages whose lists and tables are kept whole. On products and forums this costs 0.011 and 0.003 of word F1."""
MAX_HEAD_BLOCKS = 5
"""Blocks at the beginning of a body that may be the title or a line about the article."""
MAX_HEAD_CHARS = 150
"""The first longer block begins the article's text."""
MAX_SHARED_HEAD_CHARS = 60
"""Of such a line in an element that holds further blocks: the candidates may stand in another of them."""
MIN_ARTICLE_CHARS = 300
"""An <article> element with less text is a teaser or a comment."""
MIN_ARTICLE_SHARE = 0.3
"""Of the mean length of a page's articles: where the first has less, the page is about something else."""
MIN_TEXT_SHARE = 0.1
"""Of the selected text: where less is left without comments, the page is about the comments."""
MIN_SHARE_BESIDE_CAPTIONS = 0.3
"""Of the selected text: where less is left without captions, the page shows a picture, and its caption is the text. On pages of six
corpora captions are at most 0.3 of the selected text, on three slideshows of dragnet-dev 0.78 to 0.9 (2026-11-23)."""

_COMMENT_WORDS = tuple(word.removeprefix("=") for word in CLASS_GROUPS["comment"])
"""One of them is in whatever names comments. Most pages have none of them, which costs little to see."""
_IS_CODE = are_tags("pre code")
_ARTICLE = TAG_CODES["article"]
_CAPTION = TAG_CODES["figcaption"]
_H1 = TAG_CODES["h1"]


def selected_body(signals: PageSignals, extraction: Extraction, constructs: Constructs, kind: str) -> tuple[str, str]:
    """Body and body_html as the extractor selected them, with whole tables and lists; body_html also with what belongs to them."""
    if extraction.labels is None:
        return extraction.body, extraction.body_html
    selected = extraction.labels == BODY
    together = kept_together(signals.blocks, selected, constructs) if kind in KINDS_OF_TEXT else selected
    kept = without_hidden(signals.blocks, together)
    shown = with_belongings(signals.blocks, kept, constructs, extraction.scores)
    return plain_text(signals.blocks, kept, constructs), body_html(signals.document, shown, constructs)


def article_body(
    signals: PageSignals, extraction: Extraction, evidence: Mapping[str, Sequence[Candidate]], constructs: Constructs
) -> tuple[str, str]:
    """Body and body_html of an article.

    Tables and lists are kept whole; readers' comments are left out, and so are title, time, source and authors at the head. Captions are
    part of body_html alone, below their images, and so is what else belongs to the text (`with_belongings`). An extraction without
    labels stays as it is. `evidence`: the candidates by field.
    """
    if extraction.labels is None:
        return selected_body(signals, extraction, constructs, ARTICLE)
    blocks = signals.blocks
    selected = extraction.labels == BODY
    captions = caption_blocks(blocks, constructs.credits)
    if blocks.chars[selected & ~captions].sum() < MIN_SHARE_BESIDE_CAPTIONS * blocks.chars[selected].sum():
        captions[:] = False
    kept = without_hidden(blocks, kept_together(blocks, selected, constructs) & ~captions)
    kept[first_article_end(blocks, kept) :] = False
    kept = without_end_matter(blocks, kept, extraction.scores)
    kept = without_comments(blocks, kept)
    kept[list(_head_blocks(signals, np.flatnonzero(kept).tolist(), evidence))] = False
    places = np.flatnonzero(kept)
    kept[places[list(edge_lines([blocks.texts[place] for place in places.tolist()]))]] = False
    authors = evidence["authors"][0].value if signals.is_han and evidence.get("authors") else ()
    kept = without_last_headings(blocks, without_signed_lines(blocks, kept, authors))
    if not kept.any():
        return selected_body(signals, extraction, constructs, ARTICLE)
    kept |= signature(blocks, kept, extraction.scores) | lead(signals, kept, extraction.scores)
    shown = with_belongings(blocks, kept, constructs, extraction.scores)
    places = np.flatnonzero(kept)
    first = max(0, int(places[0]) - MAX_HEAD_BLOCKS)
    shown[first : places[-1] + 1] |= captions[first : places[-1] + 1]
    return plain_text(blocks, kept, constructs), body_html(signals.document, shown, constructs)


def listing_body(signals: PageSignals, extraction: Extraction, entries: Candidate | None) -> str:
    """Body of a listing: the selected blocks, and the titles of its entries that are not among them, once each.

    `entries`: the entries and where they stand.
    """
    if extraction.labels is None or entries is None or entries.xpath is None:
        return extraction.body
    texts = signals.blocks.texts
    kept = extraction.labels == BODY
    missing = {entry.title for entry in entries.value} - {texts[block] for block in np.flatnonzero(kept).tolist()}
    for block, text in enumerate(texts):
        if text in missing and signals.xpath(block).startswith(f"{entries.xpath}/"):
            kept[block] = True
            missing.discard(text)
    return _text(signals.blocks, extraction, kept)


def _text(blocks: Blocks, extraction: Extraction, kept: NDArray[np.bool_]) -> str:
    """The text of the kept blocks; the extractor's own where these are the blocks that it selected."""
    return extraction.body if np.array_equal(kept, extraction.labels == BODY) else body_text(blocks, kept)


def caption_blocks(blocks: Blocks, credit_rows: Iterable[int] = ()) -> NDArray[np.bool_]:
    """Which blocks stand in a caption or credit: on corpora of news 89 to 100 % of captions are no part of the gold text."""
    elements = blocks.elements
    inside = np.zeros(len(blocks), np.bool_)
    for row in (*np.flatnonzero(elements.tag == _CAPTION).tolist(), *credit_rows):
        inside[int(elements.start[row]) : int(elements.end[row])] = True
    return inside


def first_article_end(blocks: Blocks, kept: NDArray[np.bool_]) -> int:
    """The block with which the second of several articles begins; the number of blocks where there is one article.

    Pages with endless scrolling show the next articles whole. Articles are outermost <article> elements with MIN_ARTICLE_CHARS of kept
    text. A second article begins a part of the page with an <h1> of its own, which the items of a round-up lack.
    """
    elements = blocks.elements
    sums = blocks.subtree_sums(np.where(kept, blocks.chars, 0))
    articles: list[int] = []
    for row in np.flatnonzero((elements.tag == _ARTICLE) & (sums >= MIN_ARTICLE_CHARS)).tolist():
        if not articles or int(elements.start[row]) >= int(elements.end[articles[-1]]):
            articles.append(row)
    if len(articles) < 2 or sums[articles[0]] < MIN_ARTICLE_SHARE * sums[articles].mean():
        return len(blocks)
    part = articles[1]
    while int(elements.start[elements.parent[part]]) >= int(elements.end[articles[0]]):
        part = int(elements.parent[part])
    start, end = int(elements.start[part]), int(elements.end[part])
    headings = elements.start[elements.tag == _H1]
    has_headings = bool(((headings >= start) & (headings < end)).any() and (headings < start).any())
    return start if has_headings else len(blocks)


def without_comments(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The kept blocks outside of sections whose class or id names comments; all of them where little else would be left."""
    elements = blocks.elements
    found = {*blocks.class_codes[0], *elements.ids}
    joined = "\n".join(found).lower()
    if not any(word in joined for word in _COMMENT_WORDS):
        return kept
    names = {name for name in found if any(word in name.lower() for word in _COMMENT_WORDS) and has_class_word("comment", name)}
    if not names:
        return kept
    outside, code = kept.copy(), _elements_of_code(blocks)
    for row, (class_name, element_id) in enumerate(zip(elements.classes, elements.ids, strict=True)):
        if (class_name in names or element_id in names) and not code[row]:
            outside[int(elements.start[row]) : int(elements.end[row])] = False
    return outside if blocks.chars[outside].sum() > MIN_TEXT_SHARE * blocks.chars[kept].sum() else kept


def _elements_of_code(blocks: Blocks) -> NDArray[np.bool_]:
    """Which elements stand inside of code. Highlighters name the comments of the code itself there."""
    inside = np.zeros(len(blocks.elements), np.bool_)
    for row in np.flatnonzero(_IS_CODE[blocks.elements.tag]).tolist():
        inside[row + 1 : int(blocks.elements.last[row]) + 1] = True
    return inside


def _head_blocks(signals: PageSignals, kept: Sequence[int], evidence: Mapping[str, Sequence[Candidate]]) -> Iterator[int]:
    """The blocks at the head of a body that hold its title, time, source or authors."""
    blocks = signals.blocks
    title = plain(evidence["title"][0].value) if evidence.get("title") else None
    found = [evidence[name] for name in ("time", "source", "authors") if evidence.get(name) and evidence[name][0].value]
    places = [candidate.xpath for candidates in found for candidate in candidates if candidate.xpath]
    elements = blocks.elements
    for block in kept[:MAX_HEAD_BLOCKS]:
        text = blocks.texts[block]
        row = int(blocks.element[block])
        is_heading = int(elements.tag[row]) in HEADINGS
        if not is_heading and (len(text) > MAX_HEAD_CHARS or SENTENCE_END.search(text) or begins_with_dateline(text)):
            return
        is_paragraph = len(text) > MAX_SHARED_HEAD_CHARS and elements.end[row] - elements.start[row] > 1
        xpath = signals.xpath(block)
        if plain(text) == title or not is_paragraph and any(place == xpath or place.startswith(f"{xpath}/") for place in places):
            yield block
