"""The text of short pages, which extractors that learned from long ones take for pages without text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import are_tags
from webcontent.extraction import BODY, NOISE
from webcontent.fields.links.record_groups import boilerplate_rows

if TYPE_CHECKING:
    from webcontent.document.blocks import Blocks
    from webcontent.extraction import Extraction
    from webcontent.items import PageType

MAX_WORDS = 100
"""Of a short page. Extractors know longer ones."""
MIN_WORDS = 3
"""Of a sentence."""
EMPTY_FLAGS = frozenset(("error-page", "robot-check", "login", "consent-wall"))
"""Flags of pages whose words are no text."""
_IS_CONTROL = are_tags("form button label select option textarea noscript dialog template")
_IS_CODE = are_tags("pre")
_SENTENCE = re.compile(r"[.!?:;。！？：；…][\"'”’»)）」』]*$")


def with_short_text(blocks: Blocks, extraction: Extraction, page_type: PageType) -> Extraction:
    """The extraction; where it is empty and the page is short, with the sentences of the page and what stands between them."""
    if extraction.labels is None or extraction.body.strip() or not EMPTY_FLAGS.isdisjoint(page_type.flags) or len(blocks) > MAX_WORDS:
        return extraction
    outside = boilerplate_rows(blocks.elements, _IS_CONTROL[blocks.elements.tag])
    is_text = np.array([not outside[row] for row in blocks.element.tolist()], np.bool_) & ~blocks.hidden & ~blocks.noscript
    is_text &= blocks.link_chars * 2 <= blocks.chars
    is_sentence = np.array([_SENTENCE.search(text) is not None for text in blocks.texts], np.bool_) & (blocks.words >= MIN_WORDS)
    found = np.flatnonzero(is_text & (is_sentence | _IS_CODE[blocks.tag]))
    if not len(found) or blocks.words.sum() > MAX_WORDS:
        return extraction
    is_text[: int(found[0])] = is_text[int(found[-1]) + 1 :] = False
    body = "\n".join([blocks.texts[block] for block in np.flatnonzero(is_text).tolist()])
    labels = np.where(is_text, BODY, NOISE).astype(np.int8)
    return replace(extraction, labels=labels, body=body, flags=extraction.flags - {"empty", "not-rendered"}, score=None)
