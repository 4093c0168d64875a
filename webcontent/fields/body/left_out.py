"""Blocks that are no text of an article by their markup: captions, comments, further articles, and what the page hides for good.

Each function gives a mask: bool [blocks].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import TAG_CODES, are_tags, is_inline
from webcontent.document.characters import character_classes, count_words
from webcontent.document.features.columns import covered
from webcontent.document.features.markup_groups import has_class_word
from webcontent.document.hidden import MAX_CHARS, is_unnamed, stays_hidden
from webcontent.fields.page_signals import rows_within, text_within

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
MAX_UNNAMED_SHARE = 0.3
"""The same for hidden elements that no script can name: they have no class, no id and no attribute of a script."""
SENTENCE_WORDS, SHORT_SENTENCE_WORDS = 12, 5
"""Words of a text that is a sentence, and of one that ends as a sentence."""
_ARE_CLOSED = are_tags("dialog template textarea")
_IS_TEXT = are_tags("pre code p h1 h2 h3 h4 h5 h6")


def caption_blocks(blocks: Blocks, credit_rows: Iterable[int] = ()) -> NDArray[np.bool_]:
    """Captions and the credits of images: on corpora of news 89 to 100 % of them are no part of the gold text."""
    captions = np.flatnonzero(blocks.elements.tag == TAG_CODES["figcaption"])
    return inside(blocks, (*captions.tolist(), *credit_rows))


def boxes_behind(blocks: Blocks, kept: NDArray[np.bool_], rows: Iterable[int]) -> NDArray[np.bool_]:
    """What is kept behind the text, where all of it stands in boxes that are named as such. `rows`: of these boxes."""
    text = np.flatnonzero(kept & ~inside(blocks, rows))
    found = np.arange(len(blocks)) > (text[-1] if len(text) else len(blocks))
    return unless_most(blocks, kept, found, 0.5)


def comment_blocks(blocks: Blocks) -> NDArray[np.bool_]:
    """Sections whose class or id names comments. Words within a line, paragraphs and code are named so, too: those are text."""
    elements = blocks.elements
    names = {name for name in {*elements.classes, *elements.ids} if has_class_word("comment", name)}
    if not names:
        return np.zeros(len(blocks), np.bool_)
    rows = [row for row, both in enumerate(zip(elements.classes, elements.ids, strict=True)) if not names.isdisjoint(both)]
    in_text = rows_within(elements, _IS_TEXT[elements.tag])
    return inside(blocks, [row for row in rows if not in_text[row] and not is_inline(elements.nodes[row])])


def hidden_blocks(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Short texts that the page hides for good: notes of scripts, copies for search engines, forms that open in a window.

    Much of what pages hide is their own text all the same: tabs, answers, parts that a script puts into place.
    """
    hiding = np.array([*blocks.hiding, *np.flatnonzero(_ARE_CLOSED[blocks.elements.tag]).tolist()], np.int64)
    chars = blocks.subtree_sums(np.where(kept, blocks.chars, 0))
    most = MAX_UNNAMED_SHARE * chars[0] if len(chars) else 0
    rows = hiding[(chars[hiding] > 0) & (chars[hiding] <= most)].tolist()
    limit, nodes = min(MAX_CHARS, MAX_HIDDEN_SHARE * most / MAX_UNNAMED_SHARE), blocks.elements.nodes
    rows = [row for row in rows if (chars[row] <= limit or is_unnamed(nodes[row])) and stays_hidden(nodes[row])]
    at_block_level = [row for row in rows if not is_inline(nodes[row])]  # the others cover blocks of which they are a part
    return unseen_blocks(blocks, kept) | inside(blocks, at_block_level) | (inside(blocks, rows) & blocks.hidden)


def unseen_blocks(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks that nobody sees, where they are no large part of the text."""
    mask = inside(blocks, [row for row in blocks.unseen if not is_inline(blocks.elements.nodes[row])])
    return unless_most(blocks, kept, mask, 1 - MAX_UNNAMED_SHARE)


def has_unseen_sentence(blocks: Blocks, kept: NDArray[np.bool_]) -> bool:
    """Whether a sentence among the kept blocks is not seen."""
    hidden = [blocks.texts[i] for i in np.flatnonzero(kept & hidden_blocks(blocks, kept)).tolist()]
    elements, padded = blocks.elements, np.append(kept, False)
    rows = [row for row in blocks.unseen if padded[elements.start[row]] and is_inline(elements.nodes[row])]
    return any(map(_is_sentence, (*hidden, *(text_within(blocks, row) for row in rows))))


def _is_sentence(text: str) -> bool:
    words = int(count_words(*character_classes([text]))[0])
    return words >= SENTENCE_WORDS or (words >= SHORT_SENTENCE_WORDS and text[-1:] in ".!?。！？")


def further_articles(blocks: Blocks, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Everything from the second <article> on, if each has an <h1>: pages with endless scrolling show the next articles whole."""
    elements, result = blocks.elements, np.zeros(len(blocks), np.bool_)
    chars, headings = blocks.subtree_sums(np.where(kept, blocks.chars, 0)), elements.start[elements.tag == TAG_CODES["h1"]]
    articles = np.flatnonzero((elements.tag == TAG_CODES["article"]) & (chars >= MIN_ARTICLE_CHARS)).tolist()
    end = int(elements.end[articles[0]]) if articles else 0
    second = next((row for row in articles[1:] if elements.start[row] >= end), None)
    if second is None:
        return result
    own = headings[(headings >= end) & (headings < elements.end[second])]
    if len(own) and (headings < end).any():
        result[min(own[0], elements.start[second]) :] = True
    return result


def unless_most(blocks: Blocks, kept: NDArray[np.bool_], mask: NDArray[np.bool_], share: float) -> NDArray[np.bool_]:
    """The mask, or nothing where no more than this share of the kept text would be left without it."""
    is_most = blocks.chars[kept & ~mask].sum() <= share * blocks.chars[kept].sum()
    return np.zeros_like(mask) if is_most else mask


def inside(blocks: Blocks, rows: Iterable[int]) -> NDArray[np.bool_]:
    """The blocks in some elements."""
    found = np.array([*rows], np.int64)
    return covered(blocks.elements.start[found], blocks.elements.end[found], len(blocks))
