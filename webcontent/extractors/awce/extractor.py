"""I-AWCE: article pages by the standard deviation of text lengths, list pages by ranking elements of one class.

Qin Long, Li Xiaoge, Mu Zhenghui, Li Tao: 基于网页图像分类的自动化网页正文抽取模型, 2022, section 1.3. The paper's
network reads the page type from a screenshot; here it is that of `context.page_type`. Nothing is learned here.

Where the paper's text is lost or contradicts itself, measurements decided: word F1 of the body on the articles of
zh-gold-dev (76) and zh-silver (125) and on 400 pages of wcxb-dev that are articles, documentation, services, forums or products;
F1 of the set of links on the list pages of the first two (26 and 41). Three numbers stand for those corpora in this order.

Algorithm 1 as implemented here: .910 .928 .751; by the paper's own measure P .987 R .813 on zh-gold-dev, P 1.000 R .872 on zh-silver.

- Table 1, noise of article pages. Script, style, head, link and iframe are never text and comments no part of the tree. The prose
  names navigation and header; without header .909 .924 .759, without the controls (button, select) .886 .928 .745. What stays:
  form (without it .898 .928 .745), noscript (.910 .928 .740), figcaption (.912 .928 .751).
- Link text counts nothing when lengths are compared, as table 1 deletes `<a>`, but stays in the body. With nav and header as the
  only noise: .886 .922 .746, where it counts .818 .900 .743.
- Lines 11 to 17. The pseudo code ends at the first element with two children and gives the earlier of the two longest, whatever their
  lengths: .469 .731 .525; always the longer one: .693 .882 .824. The prose says otherwise: where one child is far longer than the
  others the text is in it, where they are about equally long their parent is the text. Followed downwards, that is the default;
  `Awce(literal=True)` is the pseudo code.
- `wordcount` counts words, a Chinese character being one: .886 .922 .746, in characters .889 .885 .664 (nav and header as noise).
- Children are block-level elements that have text; counting inline elements too: .871 .924 .744 instead of .886 .922 .746.
- Table 2, noise of list pages: links .784 .906 whatever is removed, but .746 .906 without header. Body F1 on 216 list pages of wcxb-dev
  .451 with nothing removed, .473 without footer, which is what is done; .466 without nav too, and then .452 without form, .471 aside.
- Formulas 4 and 5. TL = L / O, the mean length of an id's texts. R = O * L, for O >= 2: links .784 .906, body .466; log(O) * L .459,
  L .455, L * O / (O + 1) .454, with the same links: of the first n = 15 the longest mean wins, so R decides little.
- Algorithm 2 counts elements "without children", as section 1.3 says; all elements with their whole text: links .552 .757.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import INLINE, TAG_CODES, TAGS, are_tags
from webcontent.document.features.columns import covered
from webcontent.document.text import body_text
from webcontent.extraction import BODY, NO_CONTEXT, NOISE, Extraction, PageContext
from webcontent.extractors.awce.records import Records, find_records
from webcontent.extractors.decoding import calibrated
from webcontent.items import LIST
from webcontent.pagetype import classify_document

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
LIST_SCORES = {"raw": [0.0, 0.25, 0.6, 1.0], "corrected": [0.038, 0.116, 0.125, 0.125]}
"""The same for lists, from the share of records that give an entry: 205 pages, error .038."""

_ARE_NOISE = are_tags("nav header footer aside button select")
"""Noise of article pages (table 1)."""
_IS_BLOCK_LEVEL = np.array([name not in INLINE and name != "br" for name in TAGS])


class Awce:
    """I-AWCE. An article's text keeps its paragraphs; a list page gives entries.

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
    return Extraction(
        body=body_text(blocks, chosen),
        labels=np.where(chosen, BODY, NOISE).astype(np.int8),
        score=calibrated(min(1.0, float(lengths[row]) / total), ARTICLE_SCORES),
    )


def _list_extraction(document: Document, records: NDArray[np.intp]) -> Extraction:
    elements = document.blocks.elements
    chosen = covered(elements.start[records], elements.end[records], len(document.blocks))
    entries = list(Records(document, records).iter_entries())
    return Extraction(
        body=body_text(document.blocks, chosen),
        labels=np.where(chosen, BODY, NOISE).astype(np.int8),
        entries=entries,
        score=calibrated(min(1.0, len(entries) / len(records)), LIST_SCORES),
    )


def find_article(elements: Elements, lengths: NDArray[np.float64], *, literal: bool = False) -> int:
    """Algorithm 1: row of the element whose text is the article. `lengths`: words of each element's text without noise."""
    row = _body_row(elements)
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


def _body_row(elements: Elements) -> int:
    rows = np.flatnonzero(elements.tag == TAG_CODES["body"])
    return int(rows[0]) if len(rows) else 0
