"""The blocks of a page as features: how much text there is, how much of it is linked, what repeats, where the headings are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES, TAGS, are_tags
from webcontent.document.features.columns import covered
from webcontent.pagetype.measures import log_count, share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document

MIN_SHOWN_SHARE = 0.3
"""Pages with a smaller share of visible words hide everything until a script runs: all of their blocks count as visible."""
LINKED_SHARE = 0.6
"""A block counts as linked when so much of it is: a title may carry a date or "4 minute read"."""
MAX_PLAIN_LINKED_SHARE = 0.3
"""A block with less of it in links is no link."""
LEAST_WORDS = {"title": 5, "running text": 8, "long": 25, "grouped": 3}
"""Words from which on a linked block is taken for the title of another page, and an unlinked one for running text or a long one; words of
a block that counts in groups."""
GROUP_BLOCKS = 3
"""Blocks of a group that counts."""
SHORT_WORDS = 20
"""Blocks up to this length are searched for dates and prices: records and bylines stand in them."""
MAX_SHORT_BLOCKS, MAX_SHORT_CHARS = 6000, 200

_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d[-/.年]\s?\d{1,2}(?:[-/.月]|\b)|\d{1,2}[-/. ](?:\d{1,2}|[^\W\d]{3,9})[-/., ]{1,2}(?:19|20)\d\d"
    r"|[^\W\d]{3,9}\.? \d{1,2},? (?:19|20)\d\d)"
)
_PRICE = re.compile(r"(?:[$€£¥￥₹₩₽]|\b(?:USD|EUR|GBP|CNY|RMB|JPY)\b)\s?\d|\d\s?(?:[€£¥￥₹₩₽元円]|(?:USD|EUR|GBP|CNY|RMB|JPY)\b)")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_H1, _ARTICLE = TAG_CODES["h1"], TAG_CODES["article"]
_ARE_HEADINGS = are_tags("h1 h2 h3 h4 h5 h6")
_ARE_REGIONS = are_tags("nav header footer aside form")
"""The text in these is no main text ..."""
_ARE_EDGES = are_tags("header footer")
"""... but in an article these are the head and foot of a record."""
_ARE_ARTICLES = are_tags("article")
_TEXT_TAGS = {
    "p_share": are_tags("p"),
    "li_share": are_tags("li"),
    "div_share": are_tags("div section article body"),
    "heading_share": _ARE_HEADINGS,
}


class _Columns:
    """The columns of a page's blocks that several features are made of; words are float64 [n], the rest bool [n]."""

    def __init__(self, blocks: Blocks) -> None:
        self.words, self.link_words = blocks.words.astype(float), blocks.link_words.astype(float)
        is_shown = ~blocks.hidden & ~blocks.noscript
        is_usual = self.words[is_shown].sum() >= MIN_SHOWN_SHARE * self.words.sum()
        self.shown = is_shown if is_usual else np.ones(len(blocks), bool)
        self.shown_words = np.where(self.shown, self.words, 0.0)
        self.total = max(float(self.shown_words.sum()), 1.0)
        self.linked = self.link_words >= LINKED_SHARE * np.maximum(self.words, 1)
        self.plain = self.shown & (self.link_words < MAX_PLAIN_LINKED_SHARE * self.words) & (self.words >= LEAST_WORDS["running text"])
        """Shown running text."""
        self.title = self.shown & self.linked & (self.link_words >= LEAST_WORDS["title"])
        """Shown titles of other pages."""
        self.heading = self.shown & _ARE_HEADINGS[blocks.tag]
        self.region = _are_inside(blocks, _ARE_REGIONS)
        """Whether the block stands in an element whose text is no main text."""

    def runs(self, breaks: NDArray[np.bool_], counted: NDArray[np.bool_]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The number of the run of each block, where some blocks begin a new one, and the words of counted blocks in each run."""
        run = np.cumsum(breaks)
        return run, np.bincount(run, weights=np.where(counted, self.words, 0))


def block_features(document: Document) -> dict[str, float]:
    """The features by name; none for a page without blocks."""
    blocks = document.blocks
    if not len(blocks):
        return {}
    columns = _Columns(blocks)
    return {
        **_amounts(blocks, columns),
        **_runs(blocks, columns),
        **_articles(blocks, columns),
        **_headings(blocks, columns),
        **_groups(blocks, columns),
        **_texts(blocks, columns),
        **{name: columns.shown_words[tags[blocks.tag]].sum() / columns.total for name, tags in _TEXT_TAGS.items()},
    }


def _are_inside(blocks: Blocks, tags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which blocks stand inside elements of the given tags."""
    rows = np.flatnonzero(tags[blocks.elements.tag])
    return covered(blocks.elements.start[rows], blocks.elements.end[rows], len(blocks))


def _amounts(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """How much text there is, and of what sort."""
    words, total, title, plain_words = columns.words, columns.total, columns.title, columns.words[columns.plain]
    return {
        "blocks": log_count(len(blocks)), "link_share": columns.link_words[columns.shown].sum() / total,
        "plain": log_count(len(plain_words)), "plain_25": log_count((plain_words >= LEAST_WORDS["long"]).sum()),
        "titles_share": words[title].sum() / total, "title_words": log_count(words[title].mean()) if title.any() else 0.0,
    }  # fmt: skip


def _runs(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """Running text between two titles of other pages: an article has one long run, a list many short ones.

    Of all blocks, of those outside of regions, of these with the head and the foot of each record; last between any linked blocks.
    """
    plain, title, total = columns.plain, columns.title, columns.total
    main = columns.shown & ~columns.region
    record = columns.shown & (~columns.region | (_are_inside(blocks, _ARE_EDGES) & _are_inside(blocks, _ARE_ARTICLES)))
    run, sums = columns.runs(title, plain)
    main_sums = columns.runs(title & main, plain & main)[1]
    link_run, link_sums = columns.runs(main & columns.linked, plain)
    record_sums = columns.runs(title & record, plain & record)[1]
    best, best_link = int(np.argmax(sums)), int(np.argmax(link_sums))
    ordered = np.sort(sums)[::-1]
    return {
        "run": log_count(sums[best]), "run_share": sums[best] / total, "run_blocks": log_count((plain & (run == best)).sum()),
        "run_start": float(np.argmax(run == best)) / len(blocks), "second_run": share(ordered[1] if len(ordered) > 1 else 0, ordered[0]),
        "main_run": log_count(main_sums.max()), "main_run_share": main_sums.max() / max(columns.words[main].sum(), 1.0),
        "main_run_titles": log_count(int(np.argmax(main_sums)) - 1),
        "record_run": log_count(record_sums.max()), "record_run_share": share(record_sums.max(), record_sums.sum()),
        "record_titles": log_count((title & record).sum()),
        "link_run": log_count(link_sums[best_link]), "link_run_share": link_sums[best_link] / total,
        "link_run_blocks": log_count((plain & (link_run == best_link)).sum()),
    }  # fmt: skip


def _articles(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """The text in <article>."""
    rows = np.flatnonzero(blocks.elements.tag == _ARTICLE)
    sizes = blocks.subtree_sums(columns.shown_words)[rows]
    sizes = sizes[sizes > 0]
    return {
        "article_words": log_count(sizes.max(initial=0)),
        "article_share": sizes.max(initial=0) / columns.total,
        "article_count": log_count(len(sizes)),
    }


def _headings(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """Headings, and the longest of level 1; -1 where there is none."""
    words, linked = columns.words, columns.linked
    rows, first = np.flatnonzero(columns.heading), np.flatnonzero((blocks.tag == _H1) & columns.heading)
    longest = int(first[np.argmax(words[first])]) if len(first) else None
    return {
        "headings": log_count(len(rows)), "headings_linked": log_count(linked[rows].sum()),
        "headings_linked_share": share(linked[rows].sum(), len(rows)),
        "headings_words": float(words[rows].mean()) if len(rows) else 0.0,
        "h1_words": -1.0 if longest is None else float(words[longest]), "h1_linked": -1.0 if longest is None else float(linked[longest]),
    }  # fmt: skip


def _groups(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """Blocks in equal markup are the records of a list, or the paragraphs of a text.

    The features are of the group with the most words among the linked blocks, and among the others.
    """
    words = columns.words
    values: dict[str, float] = {}
    group = _group_numbers(blocks)
    is_counted = columns.shown & (words >= LEAST_WORDS["grouped"]) & (np.bincount(group)[group] >= GROUP_BLOCKS)
    for prefix, wanted in (("linked", columns.linked), ("plain", ~columns.linked)):
        weights = np.where(wanted & is_counted, words, 0.0)
        sums = np.bincount(group, weights=weights)
        members = np.flatnonzero((group == int(np.argmax(sums))) & (weights > 0))
        values |= {
            f"{prefix}_count": log_count(len(members)), f"{prefix}_share": sums.max() / columns.total,
            f"{prefix}_words": log_count(words[members].mean()) if len(members) else 0.0,
            f"{prefix}_span": share(members[-1] - members[0], len(blocks)) if len(members) else 0.0,
        }  # fmt: skip
    return values


def _group_numbers(blocks: Blocks) -> NDArray[Any]:
    """A number for each block, the same for blocks in equal markup: tag and class of the element and of the two around it."""
    parent, (names, classes) = blocks.elements.parent, blocks.class_codes
    base = len(names) * len(TAGS) + 1
    own = classes * len(TAGS) + blocks.elements.tag + 1
    above = np.where(parent >= 0, own[parent], 0)
    further = np.where(parent >= 0, above[parent], 0)
    keys = ((own * base + above) * base + further)[blocks.element]
    return np.asarray(np.unique(keys, return_inverse=True)[1])


def _texts(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """Dates and prices in short blocks."""
    short = np.flatnonzero(columns.shown & (columns.words <= SHORT_WORDS))[:MAX_SHORT_BLOCKS].tolist()
    texts = [(i, text) for i in short if _DIGIT.search(text := blocks.texts[i][:MAX_SHORT_CHARS])]
    dates = [i for i, text in texts if _YEAR.search(text) and _DATE.search(text)]  # a year is found sooner
    prices = sum(_PRICE.search(text) is not None for _, text in texts)
    return {
        "dates": log_count(len(dates)), "dates_first": dates[0] / len(blocks) if dates else -1.0, "prices": log_count(prices),
        "price_share": share(prices, len(short)),
    }  # fmt: skip
