"""The body of an item, made of the blocks that an extractor selected.

An article's body leaves out what other fields hold, readers' comments and further articles; a listing's body keeps the titles of its
records. Other kinds keep what the extractor selected: the title of a product and the posts of a forum are their text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags
from webcontent.document.rich_text.writer import body_texts
from webcontent.document.text import body_text
from webcontent.extraction import BODY, NOISE
from webcontent.fields.body import left_out
from webcontent.fields.body.edges import begins_with_dateline, detached_end, edge_lines
from webcontent.fields.body.included import with_belongings, with_whole_units
from webcontent.fields.links.record_groups import boilerplate_rows
from webcontent.fields.page_signals import plain
from webcontent.items import ARTICLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.rich_text.constructs import Constructs
    from webcontent.extraction import Extraction
    from webcontent.fields.page_signals import PageSignals
    from webcontent.items import Candidate, PageType

KINDS_OF_TEXT = frozenset(("article", "documentation"))
"""Kinds of pages whose lists and tables are kept whole. On products and forums this costs word F1."""
MAX_HEAD_BLOCKS = 5
"""Blocks at the beginning of a body that may be the title or a line about the article."""
MAX_HEAD_CHARS = 80
"""The first longer block begins the article's text, unless it is the title."""

MAX_SHORT_WORDS = 100
"""Of a short page. Extractors know longer ones."""
MIN_SENTENCE_WORDS = 3
"""Of a sentence."""
EMPTY_FLAGS = frozenset(("error-page", "robot-check", "login", "consent-wall"))
"""Flags of pages whose words are no text."""
_IS_CONTROL = are_tags("form button label select option textarea noscript dialog template")
_IS_CODE = are_tags("pre")
_SHORT_SENTENCE = re.compile(r"[.,!?:;。，！？：；…][\"'”’»)）」』]*$")
_HEADINGS = frozenset(TAG_CODES[name] for name in ("h1", "h2", "h3"))
_SENTENCE_END = re.compile(r"[。！？；…][”’」』）)]?$|\w{3}[.!?][”’\"')]?$")


def with_short_text(blocks: Blocks, extraction: Extraction, page_type: PageType) -> Extraction:
    """The extraction; where it is empty and the page is short, with the sentences of the page and what stands between them."""
    if extraction.labels is None or extraction.body.strip() or not EMPTY_FLAGS.isdisjoint(page_type.flags) or len(blocks) > MAX_SHORT_WORDS:
        return extraction
    outside = boilerplate_rows(blocks.elements, _IS_CONTROL[blocks.elements.tag])
    is_text = np.array([not outside[row] for row in blocks.element.tolist()], np.bool_) & ~blocks.hidden & ~blocks.noscript
    is_text &= blocks.link_chars * 2 <= blocks.chars
    is_sentence = np.array([_SHORT_SENTENCE.search(text) is not None for text in blocks.texts], np.bool_)
    is_sentence &= blocks.words >= MIN_SENTENCE_WORDS
    found = np.flatnonzero(is_text & (is_sentence | _IS_CODE[blocks.tag]))
    if not len(found) or blocks.words.sum() > MAX_SHORT_WORDS:
        return extraction
    is_text[: int(found[0])] = is_text[int(found[-1]) + 1 :] = False
    body = "\n".join([blocks.texts[block] for block in np.flatnonzero(is_text).tolist()])
    labels = np.where(is_text, BODY, NOISE).astype(np.int8)
    return replace(extraction, labels=labels, body=body, flags=extraction.flags - {"empty", "not-rendered"}, score=None)


def selected_body(signals: PageSignals, extraction: Extraction, constructs: Constructs, kind: str) -> tuple[str, str]:
    """Body and body_html as the extractor selected them, with whole tables and lists; body_html also with what belongs to them."""
    if extraction.labels is None or has_own_body(signals, extraction):
        return extraction.body, extraction.body_html
    blocks, kept = signals.blocks, extraction.labels == BODY
    if kind in KINDS_OF_TEXT and not extraction.is_exact:
        kept = with_whole_units(blocks, kept, constructs)
    if extraction.dropped is not None:
        kept &= ~extraction.dropped
    kept &= ~left_out.hidden_blocks(blocks, kept)
    return body_texts(signals.document, kept, constructs, with_belongings(blocks, kept, constructs, extraction.scores))


def has_own_body(signals: PageSignals, extraction: Extraction) -> bool:
    """Whether an extractor with labels gives another body than its labels, which then stands."""
    if extraction.labels is None or not extraction.body:
        return False
    blocks, kept = signals.blocks, extraction.labels == BODY
    chars = blocks.chars[kept]
    has_its_length = len(extraction.body) == int(chars.sum()) + np.count_nonzero(chars) - 1  # as a rule, and cheaper to see
    return not has_its_length and extraction.body != body_text(blocks, kept)


def article_body(
    signals: PageSignals, extraction: Extraction, evidence: Mapping[str, Sequence[Candidate]], constructs: Constructs
) -> tuple[str, str]:
    """Body and body_html of an article: the selected blocks with whole tables and lists, changed by one mask after the other.

    1. Captions are left out; body_html has them below their images.
    2. Short texts that the page hides for good are left out, the articles behind the first, and what stands far behind the text.
    3. Readers' comments are left out, and boxes behind the text: its author, newsletters, disclaimers, quoted mails.
    4. Title, time, source and authors at the head are left out.
    5. Lines at the edges are left out: captions and kickers before the text, bylines, shares and headings behind it.

    An extraction without labels stays as it is, and so does the selection where nothing is left. `evidence`: the candidates by field.
    """
    if extraction.labels is None or has_own_body(signals, extraction):
        return selected_body(signals, extraction, constructs, ARTICLE)
    blocks = signals.blocks
    kept = with_whole_units(blocks, extraction.labels == BODY, constructs)
    if extraction.dropped is not None:
        kept &= ~extraction.dropped
    captions = left_out.caption_blocks(blocks, constructs.credits)
    captions = left_out.unless_most(blocks, kept, captions, left_out.MIN_SHARE_BESIDE_CAPTIONS)
    kept &= ~captions
    kept &= ~left_out.hidden_blocks(blocks, kept)
    kept &= ~left_out.further_articles(blocks, kept)
    kept &= ~detached_end(blocks, kept, extraction.scores)
    kept &= ~left_out.unless_most(blocks, kept, left_out.comment_blocks(blocks), left_out.MIN_SHARE_BESIDE_COMMENTS)
    kept &= ~left_out.boxes_behind(blocks, kept, constructs.behind)
    kept[list(_head_blocks(signals, kept, evidence))] = False
    kept[_edge_blocks(signals, kept)] = False
    if not kept.any():
        return selected_body(signals, extraction, constructs, ARTICLE)
    shown = with_belongings(blocks, kept, constructs, extraction.scores)
    indices = np.flatnonzero(kept)
    text = slice(max(0, int(indices[0]) - MAX_HEAD_BLOCKS), int(indices[-1]) + 1)
    shown[text] |= (captions | left_out.inside(blocks, constructs.slides.values()))[text]
    return body_texts(signals.document, kept, constructs, shown)


def listing_body(signals: PageSignals, extraction: Extraction, entries: Candidate | None) -> str:
    """Body of a listing: the selected blocks, and the titles of its entries that are not among them, once each.

    `entries`: the entries and where they stand.
    """
    if extraction.labels is None or entries is None or entries.xpath is None:
        return extraction.body
    texts = signals.blocks.texts
    kept = extraction.labels == BODY
    missing = {entry.title for entry in entries.value} - {texts[block] for block in np.flatnonzero(kept).tolist()}
    added = False
    for block, text in enumerate(texts):
        if text in missing and signals.blocks.xpath(block).startswith(f"{entries.xpath}/"):
            kept[block] = added = True
            missing.discard(text)
    return body_text(signals.blocks, kept) if added else extraction.body


def _head_blocks(signals: PageSignals, kept: NDArray[np.bool_], evidence: Mapping[str, Sequence[Candidate]]) -> Iterator[int]:
    """The blocks at the head of a body that hold its title, time, source or authors."""
    blocks = signals.blocks
    title = plain(evidence["title"][0].value) if evidence.get("title") else None
    found = [evidence[name] for name in ("time", "source", "authors") if evidence.get(name) and evidence[name][0].value]
    xpaths = [candidate.xpath for candidates in found for candidate in candidates if candidate.xpath]
    for block in np.flatnonzero(kept)[:MAX_HEAD_BLOCKS].tolist():
        text = blocks.texts[block]
        is_title, own = plain(text) == title, signals.blocks.xpath(block)
        is_text = len(text) > MAX_HEAD_CHARS and not is_title or _SENTENCE_END.search(text) or begins_with_dateline(text)
        if is_text and int(blocks.tag[block]) not in _HEADINGS:
            return
        if is_title or any(xpath == own or xpath.startswith(f"{own}/") for xpath in xpaths):
            yield block


def _edge_blocks(signals: PageSignals, kept: NDArray[np.bool_]) -> list[int]:
    """The blocks of lines at the edges, with last headings."""
    texts, indices = signals.blocks.texts, np.flatnonzero(kept).tolist()
    dropped = {indices[line] for line in edge_lines([texts[block] for block in indices])}
    rest = [block for block in indices if block not in dropped]
    while len(rest) > 2 and int(signals.blocks.tag[rest[-1]]) in _HEADINGS:
        dropped.add(rest.pop())
    return list(dropped)
