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

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from webcontent.document.blocks import INLINE, TAG_CODES, TAGS
from webcontent.document.text import body_text
from webcontent.extraction import BODY, NO_CONTEXT, NOISE, Extraction, PageContext
from webcontent.extractors.decoding import calibrated
from webcontent.fields.dates import iter_times
from webcontent.items import LIST, Entry
from webcontent.pagetype import classify_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document

ARTICLE_NOISE = ("nav", "header", "footer", "aside", "button", "select")
LIST_NOISE = ("footer",)
MIN_DIFFERENCE = 100
"""Words by which the longest child has to exceed the second (algorithm 1, line 12)."""
CANDIDATES = 15
"""The paper's n: number of ids that are kept by rank."""
PARTS_SHARE = 0.8
"""Share of siblings that have to differ in tag to be parts of one record."""
MIN_COUNT = 2
"""An id that occurs less often is no list."""
MAX_LINKS = 50
"""Links of a record that are compared."""
MAX_TIME_LINE = 80
"""Characters of a line that may hold an entry's time."""

ARTICLE_SCORES = {
    "raw": [0.0, 0.254, 0.486, 0.612, 0.713, 0.782, 0.846, 0.895, 0.943, 1.0],
    "corrected": [0.034, 0.113, 0.4, 0.563, 0.674, 0.747, 0.78, 0.826, 0.838, 0.838],
}
"""Share of the page's words outside of links that the article holds -> probability that the body's F1 exceeds 0.9. Isotonic regression on
2,193 pages of dragnet-dev, cleaneval, wcxb-dev, fundus-dev and zh-gold-dev; expected calibration error .012 (five folds by site)."""
LIST_SCORES = {"raw": [0.0, 0.25, 0.6, 1.0], "corrected": [0.038, 0.116, 0.125, 0.125]}
"""The same for lists, from the share of records that give an entry: 205 pages, error .038."""

_IS_BLOCK_LEVEL = np.array([name not in INLINE and name != "br" for name in TAGS])
_LINK, _TIME = TAG_CODES["a"], TAG_CODES["time"]
_HEADINGS = tuple(f"h{level}" for level in range(1, 7))


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
    kept = ~_inside(blocks.elements, _rows_named(blocks.elements, ARTICLE_NOISE), len(blocks))
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
    chosen = _inside(document.blocks.elements, records, len(document.blocks))
    entries = list(_Records(document, records).iter_entries())
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


def find_records(blocks: Blocks) -> NDArray[np.intp] | None:
    """Algorithm 2: rows of the list's records, in page order; None where no id occurs twice.

    The paper gives the elements of the best id. A record is the largest element around one of them that holds no other; where
    siblings found like that differ in tag (headline, lead and date of one class), they are parts, and their parent is the record.
    """
    elements = blocks.elements
    rows = _elements_of_best_id(blocks)
    while rows is not None:
        rows = _widened(elements, rows, len(blocks.pieces))
        parents: NDArray[np.intp] = np.unique(elements.parent[rows]).astype(np.intp)
        differing = np.unique(elements.parent[rows].astype(np.int64) * len(TAGS) + elements.tag[rows])
        if not 1 < len(parents) < len(rows) or len(differing) < PARTS_SHARE * len(rows):
            break
        rows = parents
    return rows


def _widened(elements: Elements, rows: NDArray[np.intp], pieces: int) -> NDArray[np.intp]:
    """The largest elements that hold one of the rows each, at the depth that most of them have."""
    marks = np.bincount(elements.piece[rows], minlength=pieces)
    sums = np.concatenate(([0], np.cumsum(marks)))
    held = sums[elements.piece_end] - sums[elements.piece]
    tops = np.flatnonzero((held == 1) & (held[elements.parent] > 1) & (elements.parent >= 0))
    if not len(tops):
        return rows
    depth = int(np.bincount(elements.depth[tops]).argmax())
    return np.flatnonzero((elements.depth == depth) & (held > 0))


def _elements_of_best_id(blocks: Blocks) -> NDArray[np.intp] | None:
    """Rows of the id (depth and class) that algorithm 2 gives."""
    elements = blocks.elements
    gone = _inside_pieces(elements, _rows_named(elements, LIST_NOISE), len(blocks.pieces))
    lengths = _own_lengths(blocks, gone)
    is_leaf = np.ones(len(elements), bool)
    is_leaf[elements.parent[elements.parent >= 0]] = False
    ids: dict[tuple[int, str], list[int]] = defaultdict(list)
    depths = elements.depth.tolist()
    for row in np.flatnonzero(is_leaf & (lengths > 0)).tolist():
        ids[depths[row], elements.classes[row]].append(row)
    lists = [np.array(rows) for rows in ids.values() if len(rows) >= MIN_COUNT]
    if not lists:
        return None
    count = np.array([len(rows) for rows in lists])
    length = np.array([int(lengths[rows].sum()) for rows in lists])
    ranked = np.argsort(-(count * length), kind="stable")[:CANDIDATES]  # formula 4
    return lists[int(ranked[np.argmax((length / count)[ranked])])]  # formula 5


def _own_lengths(blocks: Blocks, gone: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Characters that each element itself holds, outside of its children."""
    count = len(blocks.pieces)
    lengths = np.fromiter((len(text.strip()) for text, _ in blocks.pieces), np.int64, count)
    holders = np.fromiter((row for _, row in blocks.pieces), np.int64, count)
    return np.bincount(holders, np.where(gone, 0, lengths), len(blocks.elements)).astype(np.int64)


def _rows_named(elements: Elements, names: Iterable[str]) -> NDArray[np.intp]:
    is_named = np.zeros(len(TAGS), bool)
    is_named[[TAG_CODES[name] for name in names]] = True
    return np.flatnonzero(is_named[elements.tag])


def _inside(elements: Elements, rows: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    """Which of `count` blocks stand in one of the elements."""
    return _covered(elements.start[rows], elements.end[rows], count)


def _inside_pieces(elements: Elements, rows: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    return _covered(elements.piece[rows], elements.piece_end[rows], count)


def _covered(starts: NDArray[np.int32], ends: NDArray[np.int32], count: int) -> NDArray[np.bool_]:
    changes = np.bincount(starts, minlength=count + 1) - np.bincount(np.maximum(starts, ends), minlength=count + 1)
    return np.cumsum(changes[: count + 1])[:count] > 0


def _body_row(elements: Elements) -> int:
    rows = np.flatnonzero(elements.tag == TAG_CODES["body"])
    return int(rows[0]) if len(rows) else 0


class _Records:
    """The records of a list page, with the tables for reading entries from them."""

    def __init__(self, document: Document, rows: NDArray[np.intp]) -> None:
        self.document = document
        self.blocks = document.blocks
        self.elements = elements = document.blocks.elements
        self.rows = rows.tolist()
        borders = np.append(np.flatnonzero(elements.depth <= elements.depth[rows[0]]), len(elements))
        self.ends = borders[np.searchsorted(borders, rows, side="right")].tolist()
        """The row behind each record."""
        self.links = np.flatnonzero(elements.tag == _LINK).tolist()
        self.times = np.flatnonzero(elements.tag == _TIME).tolist()
        self.piece, self.piece_end = elements.piece.tolist(), elements.piece_end.tolist()
        self.block_starts = set(document.blocks.piece_start.tolist())
        """The pieces that begin a block."""
        headings = _rows_named(elements, _HEADINGS)
        self.in_heading = _inside_pieces(elements, headings, len(document.blocks.pieces)).tolist()

    def iter_entries(self) -> Iterator[Entry]:
        """An entry for each record that has a link, each address once."""
        seen: set[str] = set()
        for first, end in zip(self.rows, self.ends, strict=True):
            link, url = self._find_link(first, end)
            if url is not None and url not in seen:
                seen.add(url)
                yield Entry(title=self._title(link), url=url, time=self._time(first, end))

    def _find_link(self, first: int, end: int) -> tuple[int, str | None]:
        """Row and address of a record's main link: one in a heading before others, the longest text before shorter ones."""
        rows = _between(self.links, first, end) or self._links_around(first)
        weights = {row: (any(self.in_heading[self.piece[row] : self.piece_end[row]]), len(self._text(row))) for row in rows[:MAX_LINKS]}
        for row in sorted(weights, key=lambda row: weights[row], reverse=True):
            if (url := self.document.absolute(self.elements.nodes[row].get("href"))) is not None:
                return row, url
        return first, None

    def _links_around(self, row: int) -> list[int]:
        """The link that a record stands in, if any."""
        while row >= 0 and self.elements.tag[row] != _LINK:
            row = int(self.elements.parent[row])
        return [row] if row >= 0 else []

    def _text(self, row: int, *, headings_only: bool = False) -> str:
        """Text of an element, or of the headings around and in it."""
        places = range(self.piece[row], self.piece_end[row])
        parts = [
            (" " if place in self.block_starts else "") + self.blocks.pieces[place][0]
            for place in places
            if self.in_heading[place] or not headings_only
        ]
        return " ".join("".join(parts).split())

    def _title(self, row: int) -> str:
        """The title of the linked page: the link's heading, its text, else its title attribute or its image's alt text.

        A text that ends in an ellipsis is completed from the link's title attribute.
        """
        node = self.elements.nodes[row]
        named = " ".join((node.get("title") or "").split())
        shown = self._text(row, headings_only=True) or self._text(row)
        start = shown.rstrip(".… ")
        if len(start) < len(shown) and named.startswith(start):
            return named
        return shown or named or " ".join(" ".join(image.get("alt") or "" for image in node.iter("img")).split())

    def _time(self, first: int, end: int) -> str | None:
        """The first time of a record: from its time elements, else from its short lines, the shortest first."""
        marked = [self.elements.nodes[row].get("datetime") or "" for row in _between(self.times, first, end)]
        lines = self.blocks.texts[self.elements.start[first] : self.elements.end[first]]
        short = [line for line in lines if len(line) <= MAX_TIME_LINE]
        for line in (*marked, *sorted(short, key=len)):
            for found in iter_times(line, now=self.document.fetched_at):
                return found.value
        return None


def _between(rows: list[int], first: int, end: int) -> list[int]:
    """The sorted rows that lie in [first, end)."""
    return rows[bisect_left(rows, first) : bisect_left(rows, end)]
