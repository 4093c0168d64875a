"""Blocks that are no text of an article by their markup: captions, comments, further articles, and what the page hides for good.

Each function gives a mask: bool [blocks].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import INLINE, TAG_CODES, are_tags
from webcontent.document.features.markup_groups import has_class_word
from webcontent.document.rich_text.hidden import MAX_CHARS, stays_hidden
from webcontent.fields.page_signals import rows_within

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks

MIN_ARTICLE_CHARS = 300
"""An <article> element with less text is a teaser or a comment."""
MIN_SHARE_BESIDE_CAPTIONS, MIN_SHARE_BESIDE_COMMENTS = 0.3, 0.1
"""Where less of the text is left without captions or comments, the page is about them."""
MAX_HIDDEN_SHARE = 0.1
"""Of the body's characters. Where a larger part is hidden, a script shows it."""
_IS_TEXT = are_tags("pre code p h1 h2 h3 h4 h5 h6")


def caption_blocks(blocks: Blocks, credit_rows: Iterable[int] = ()) -> NDArray[np.bool_]:
    """Captions and the credits of images: on corpora of news 89 to 100 % of them are no part of the gold text."""
    captions = np.flatnonzero(blocks.elements.tag == TAG_CODES["figcaption"])
    return _inside(blocks, (*captions.tolist(), *credit_rows))


def comment_blocks(blocks: Blocks) -> NDArray[np.bool_]:
    """Sections whose class or id names comments. Words within a line, paragraphs and code are named so, too: those are text."""
    elements = blocks.elements
    names = {name for name in {*elements.classes, *elements.ids} if has_class_word("comment", name)}
    if not names:
        return np.zeros(len(blocks), np.bool_)
    rows = [row for row, both in enumerate(zip(elements.classes, elements.ids, strict=True)) if not names.isdisjoint(both)]
    in_text = rows_within(elements, _IS_TEXT[elements.tag])
    return _inside(blocks, [row for row in rows if not in_text[row] and elements.nodes[row].tag not in INLINE])


def hidden_blocks(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Short texts that the page hides for good: notes of scripts, copies for search engines, forms that open in a window.

    Much of what pages hide is their own text all the same: tabs, answers, parts that a script puts into place.
    """
    hiding = np.array(blocks.hiding, np.int64)
    chars = blocks.subtree_sums(np.where(kept, blocks.chars, 0))
    limit = min(MAX_CHARS, MAX_HIDDEN_SHARE * chars[0]) if len(chars) else 0
    rows = hiding[(chars[hiding] > 0) & (chars[hiding] <= limit)].tolist()
    return _inside(blocks, [row for row in rows if stays_hidden(blocks.elements.nodes[row])]) & blocks.hidden


def further_articles(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Everything from the second article of a page on: pages with endless scrolling show the next articles whole.

    Articles are outermost <article> elements with MIN_ARTICLE_CHARS of kept text. A second article begins a part of the page with an
    <h1> of its own, which the items of a round-up lack.
    """
    elements = blocks.elements
    sums = blocks.subtree_sums(np.where(kept, blocks.chars, 0))
    rows = np.flatnonzero((elements.tag == TAG_CODES["article"]) & (sums >= MIN_ARTICLE_CHARS)).tolist()
    result = np.zeros(len(blocks), np.bool_)
    first_end = int(elements.end[rows[0]]) if rows else 0
    part = next((row for row in rows if elements.start[row] >= first_end), None)
    if part is None:
        return result
    while elements.start[elements.parent[part]] >= first_end:
        part = int(elements.parent[part])
    headings = elements.start[elements.tag == TAG_CODES["h1"]]
    start = int(elements.start[part])
    result[start:] = ((headings >= start) & (headings < elements.end[part])).any() and (headings < start).any()
    return result


def unless_most(blocks: Blocks, kept: NDArray[np.bool_], mask: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """The mask, or nothing where no more than this share of the kept text would be left without it."""
    is_most = blocks.chars[kept & ~mask].sum() <= share * blocks.chars[kept].sum()
    return np.zeros_like(mask) if is_most else mask


def _inside(blocks: Blocks, rows: Iterable[int]) -> NDArray[np.bool_]:
    """The blocks inside of elements."""
    mask = np.zeros(len(blocks), np.bool_)
    for row in rows:
        mask[int(blocks.elements.start[row]) : int(blocks.elements.end[row])] = True
    return mask
