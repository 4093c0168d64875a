"""I-AWCE: article pages by the standard deviation of text lengths, list pages by ranking elements of one class.

Qin Long, Li Xiaoge, Mu Zhenghui, Li Tao: 基于网页图像分类的自动化网页正文抽取模型, 2022, section 1.3. The paper's
network reads the page type from a screenshot; here it is that of `context.page_type`. Nothing is learned here.

Where the paper's text is lost or contradicts itself, measurements decided; docs/extractors.md has them. Link text counts nothing when
lengths are compared, as table 1 deletes `<a>`, but stays in the body. Lines 11 to 17 of algorithm 1 follow the prose: where one child is
far longer than the others the text is in it, where they are about equally long their parent is the text. `Awce(literal=True)` is the
pseudo code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import INLINE, TAG_CODES, TAGS, are_tags
from webcontent.document.features.columns import covered
from webcontent.extraction import NO_CONTEXT, Extraction, PageContext
from webcontent.extractors.awce.records import find_records
from webcontent.extractors.decoding import calibrated, extraction_of
from webcontent.items import LIST
from webcontent.pagetype.classify import classify_document

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Elements
    from webcontent.document.parsing import Document

MIN_DIFFERENCE = 100
"""Words by which the longest child has to exceed the second (algorithm 1, line 12)."""

ARTICLE_SCORES = {
    "raw": [0.0, 0.254, 0.486, 0.612, 0.713, 0.782, 0.846, 0.895, 0.943, 1.0],
    "corrected": [0.034, 0.113, 0.4, 0.563, 0.674, 0.747, 0.78, 0.826, 0.838, 0.838],
}
"""Share of the page's words outside of links that the article holds -> probability that the body's F1 exceeds 0.9. Isotonic regression on
2,193 pages of dragnet-dev, cleaneval, wcxb-dev, fundus-dev and zh-gold-dev; expected calibration error .012 (five folds by site)."""
LIST_SCORE = 0.15
"""The same for every list: the share of 207 list pages of wcxb-dev."""

_ARE_NOISE = are_tags("nav header footer aside button select")
"""Noise of article pages (table 1)."""
_IS_BLOCK_LEVEL = np.array([name not in INLINE and name != "br" for name in TAGS])


class Awce:
    """I-AWCE. An article's text keeps its paragraphs, a list is the text of its records; entries come from `webcontent.fields`.

    `literal`: algorithm 1 as in the pseudo code, instead of as in the paper's prose.
    """

    name = "awce"
    needs: frozenset[str] = frozenset()  # the page type needs the screenshot, not this method

    def __init__(self, *, literal: bool = False) -> None:
        self.literal = literal

    def __call__(self, document: Document, context: PageContext = NO_CONTEXT) -> Extraction:
        page_type = context.page_type or classify_document(document, models=context.models)
        if page_type.type == LIST and (records := find_records(document.blocks)) is not None:
            return _list_extraction(document, records)
        return _article_extraction(document, self.literal)


def _article_extraction(document: Document, literal: bool) -> Extraction:
    blocks = document.blocks
    if not len(blocks):
        return Extraction(labels=np.zeros(0, np.int8))
    noise = np.flatnonzero(_ARE_NOISE[blocks.elements.tag])
    kept = ~covered(blocks.elements.start[noise], blocks.elements.end[noise], len(blocks))
    weights = np.where(kept, blocks.words - blocks.link_words, 0)
    lengths = blocks.subtree_sums(weights)
    row = find_article(blocks.elements, lengths, literal=literal)
    chosen = np.zeros(len(blocks), bool)
    chosen[blocks.elements.start[row] : blocks.elements.end[row]] = True
    chosen &= kept
    total = max(1.0, float((blocks.words - blocks.link_words).sum()))
    return extraction_of(blocks, chosen, score=calibrated(min(1.0, float(lengths[row]) / total), ARTICLE_SCORES))


def _list_extraction(document: Document, records: NDArray[np.intp]) -> Extraction:
    elements = document.blocks.elements
    chosen = covered(elements.start[records], elements.end[records], len(document.blocks))
    return extraction_of(document.blocks, chosen, score=LIST_SCORE)


def find_article(elements: Elements, lengths: NDArray[np.float64], *, literal: bool = False) -> int:
    """Algorithm 1: row of the element whose text is the article. `lengths`: words of each element's text without noise."""
    row = int(np.argmax(elements.tag == TAG_CODES["body"]))
    has_text = _IS_BLOCK_LEVEL[elements.tag] & (lengths > 0)
    while True:
        children = np.flatnonzero((elements.parent == row) & has_text)
        if not len(children):  # line 3: a paragraph; its parent holds all of them
            return max(int(elements.parent[row]), 0)
        if len(children) == 1:  # line 5
            row = int(children[0])
            continue
        order = np.argsort(-lengths[children], kind="stable")
        first, second = (int(child) for child in children[order[:2]])
        lead = lengths[first] - lengths[second]
        stands_out = lead > float(lengths[children].std())  # line 11
        if literal:
            if stands_out and lead > MIN_DIFFERENCE:
                return min(first, second)  # line 13: "m1 before m2"
            if stands_out:
                return row  # line 16
            row = first  # line 17
        elif stands_out and lead > MIN_DIFFERENCE:
            row = first
        else:
            return row
