"""The blocks of a page as features: how much text there is, how much of it is linked, what repeats, where the headings are."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webcontent.document.blocks import TAG_CODES, TAGS, are_tags
from webcontent.document.features.columns import covered
from webcontent.pagetype.measures import log_count, share, unevenness

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks, Elements
    from webcontent.document.parsing import Document

MIN_SHOWN_SHARE = 0.3
"""Pages with a smaller share of visible words hide everything until a script runs: all of their blocks count as visible."""
LINKED_SHARE = 0.6
"""A block counts as linked when so much of it is: a title may carry a date or "4 minute read"."""
MAX_PLAIN_LINKED_SHARE = 0.3
"""A block with less of it in links is no link."""
TITLE_WORDS = 5
"""From so many linked words a block is taken for the title of another page."""
PLAIN_WORDS = 8
"""From so many words that are not linked a block is taken for running text ..."""
LONG_WORDS, VERY_LONG_WORDS = 25, 60
"""... and from so many for a long one."""
GROUP_WORDS = 3
"""Words of a block that counts in groups."""
GROUP_BLOCKS, REPEATED_BLOCKS = 3, 4
"""Blocks of a group that counts, and of one that repeats."""
SHORT_WORDS = 20
"""Blocks up to this length are searched for dates and prices: records and bylines stand in them."""
MAX_SHORT_BLOCKS, MAX_SHORT_CHARS = 6000, 200
MAX_LONG_BLOCKS, MAX_LONG_CHARS = 200, 1000
MAX_TITLE_CHARS = 200

_DATE = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d[-/.年]\s?\d{1,2}(?:[-/.月]|\b)|\d{1,2}[-/. ](?:\d{1,2}|[^\W\d]{3,9})[-/., ]{1,2}(?:19|20)\d\d"
    r"|[^\W\d]{3,9}\.? \d{1,2},? (?:19|20)\d\d)"
)
_PRICE = re.compile(r"(?:[$€£¥￥₹₩₽]|\b(?:USD|EUR|GBP|CNY|RMB|JPY)\b)\s?\d|\d\s?(?:[€£¥￥₹₩₽元円]|(?:USD|EUR|GBP|CNY|RMB|JPY)\b)")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"(?:19|20)\d\d")
_COMMAS = ",，、;；"


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


class _Columns(NamedTuple):
    """The columns of a page's blocks that several features are made of; words are float64 [n], the rest bool [n]."""

    words: NDArray[Any]
    link_words: NDArray[Any]
    shown_words: NDArray[Any]
    """0 for blocks that are hidden."""
    total: float
    """Sum of the shown words, 1 at least."""
    shown: NDArray[Any]
    linked: NDArray[Any]
    plain: NDArray[Any]
    """Shown running text."""
    title: NDArray[Any]
    """Shown titles of other pages."""
    heading: NDArray[Any]
    region: NDArray[Any]
    """Whether the block stands in an element whose text is no main text."""


def block_features(document: Document) -> dict[str, float]:
    """The features by name; none for a page without blocks."""
    blocks = document.blocks
    if not len(blocks):
        return {}
    columns = _columns(blocks)
    return {  # `plain_share` of the group replaces that of the page: the model was trained so
        **_amounts(blocks, columns),
        **_runs(blocks, columns),
        **_records(blocks, columns),
        **_links(columns),
        **_articles(blocks, columns),
        **_headings(document, columns),
        **_groups(blocks, columns),
        **_texts(blocks, columns),
        **{name: columns.shown_words[tags[blocks.tag]].sum() / columns.total for name, tags in _TEXT_TAGS.items()},
    }


def _columns(blocks: Blocks) -> _Columns:
    words, link_words = blocks.words.astype(float), blocks.link_words.astype(float)
    shown = ~blocks.hidden & ~blocks.noscript
    if words[shown].sum() < MIN_SHOWN_SHARE * words.sum():
        shown = np.ones(len(blocks), dtype=bool)
    linked = link_words >= LINKED_SHARE * np.maximum(words, 1)
    shown_words = np.where(shown, words, 0.0)
    return _Columns(
        words=words,
        link_words=link_words,
        shown_words=shown_words,
        total=max(shown_words.sum(), 1.0),
        shown=shown,
        linked=linked,
        plain=shown & (link_words < MAX_PLAIN_LINKED_SHARE * words) & (words >= PLAIN_WORDS),
        title=shown & linked & (link_words >= TITLE_WORDS),
        heading=shown & _ARE_HEADINGS[blocks.tag],
        region=_are_inside(blocks.elements, _ARE_REGIONS, len(blocks)),
    )


def _are_inside(elements: Elements, tags: NDArray[np.bool_], count: int) -> NDArray[Any]:
    """bool [count]: which blocks stand inside elements of the given tags."""
    rows = np.flatnonzero(tags[elements.tag])
    return covered(elements.start[rows], elements.end[rows], count)


def _amounts(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """How much text there is, and of what sort."""
    words, link_words, shown_words, total, shown, linked, plain, title, _, region = columns
    plain_words = words[plain]
    return {
        "blocks": log_count(len(blocks)), "words": log_count(total), "link_share": link_words[shown].sum() / total,
        "plain": log_count(plain.sum()), "plain_share": plain_words.sum() / total,
        "plain_25": log_count((plain_words >= LONG_WORDS).sum()),
        "plain_25_share": plain_words[plain_words >= LONG_WORDS].sum() / total,
        "plain_60": log_count((plain_words >= VERY_LONG_WORDS).sum()), "longest": log_count(plain_words.max(initial=0)),
        "median_plain": log_count(np.median(plain_words)) if len(plain_words) else 0.0,
        "titles": log_count(title.sum()), "titles_share": words[title].sum() / total,
        "title_words": log_count(words[title].mean()) if title.any() else 0.0,
        "short_links": log_count((shown & linked & ~title).sum()),
        "hidden_share": share(words[blocks.hidden].sum(), words.sum()),
        "region_share": shown_words[region].sum() / total,
    }  # fmt: skip


def _runs(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """Running text between two titles of other pages: an article has one long run, a list many short ones of even length."""
    words, plain, title, total = columns.words, columns.plain, columns.title, columns.total
    main = columns.shown & ~columns.region
    run = np.cumsum(title)
    sums = np.bincount(run, weights=np.where(plain, words, 0))
    best = int(np.argmax(sums))
    main_run = np.cumsum(title & main)
    main_sums = np.bincount(main_run, weights=np.where(plain & main, words, 0))
    main_start = int(np.argmax(main_run == int(np.argmax(main_sums))))
    ordered = np.sort(sums)[::-1]
    return {
        "run": log_count(sums[best]), "run_share": sums[best] / total, "run_blocks": log_count((plain & (run == best)).sum()),
        "run_start": float(np.argmax(run == best)) / len(blocks), "main_run": log_count(main_sums.max()),
        "main_run_share": main_sums.max() / max(words[main].sum(), 1.0),
        "main_run_titles": log_count((title & main)[:main_start].sum()),
        "second_run": share(ordered[1] if len(ordered) > 1 else 0, ordered[0]),
    }  # fmt: skip


def _records(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """The longest run of the main text, with the heads and feet of records."""
    is_edge = _are_inside(blocks.elements, _ARE_EDGES, len(blocks)) & _are_inside(blocks.elements, _ARE_ARTICLES, len(blocks))
    record = columns.shown & (~columns.region | is_edge)
    title = columns.title & record
    sums = np.bincount(np.cumsum(title), weights=np.where(columns.plain & record, columns.words, 0))
    return {
        "record_run": log_count(sums.max()),
        "record_run_share": share(sums.max(), sums.sum()),
        "record_titles": log_count(title.sum()),
    }


def _links(columns: _Columns) -> dict[str, float]:
    """The longest running text that no linked block at all breaks."""
    run = np.cumsum(columns.shown & columns.linked & ~columns.region)
    sums = np.bincount(run, weights=np.where(columns.plain, columns.words, 0))
    best = int(np.argmax(sums))
    return {
        "link_run": log_count(sums[best]),
        "link_run_share": sums[best] / columns.total,
        "link_run_blocks": log_count((columns.plain & (run == best)).sum()),
    }


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


def _headings(document: Document, columns: _Columns) -> dict[str, float]:
    """Headings, and the longest of level 1; -1 where there is none."""
    blocks, words, linked = document.blocks, columns.words, columns.linked
    rows = np.flatnonzero(columns.heading)
    values = {
        "headings": log_count(len(rows)), "headings_linked": log_count(linked[rows].sum()),
        "headings_linked_share": share(linked[rows].sum(), len(rows)),
        "headings_words": float(words[rows].mean()) if len(rows) else 0.0, "h1_words": -1.0, "h1_linked": -1.0, "h1_place": -1.0,
        "h1_in_title": -1.0,
    }  # fmt: skip
    first = np.flatnonzero((blocks.tag == _H1) & columns.heading)
    if len(first):
        place = int(first[np.argmax(words[first])])
        title = " ".join((document.title or "").split()).lower()
        values |= {
            "h1_words": float(words[place]),
            "h1_linked": float(linked[place]),
            "h1_place": columns.shown_words[:place].sum() / columns.total,
            "h1_in_title": float(blocks.texts[place].lower()[:MAX_TITLE_CHARS] in title),
        }
    return values


def _groups(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """Blocks in equal markup are the records of a list, or the paragraphs of a text.

    The features are of the group with the most words among the linked blocks, among the others, and among all.
    """
    words, shown, linked = columns.words, columns.shown, columns.linked
    group = _group_numbers(blocks)
    sizes = np.bincount(group)
    size = sizes[group]
    values = {"groups": log_count((sizes >= REPEATED_BLOCKS).sum()), "repeats": float((size >= REPEATED_BLOCKS).mean())}
    for prefix, wanted in (("linked", shown & linked), ("plain", shown & ~linked), ("any", shown)):
        weights = np.where(wanted & (words >= GROUP_WORDS) & (size >= GROUP_BLOCKS), words, 0.0)
        sums = np.bincount(group, weights=weights)
        members = np.flatnonzero((group == int(np.argmax(sums))) & (weights > 0))
        steps = np.diff(members)
        values |= {
            f"{prefix}_count": log_count(len(members)), f"{prefix}_share": sums.max() / columns.total,
            f"{prefix}_words": log_count(words[members].mean()) if len(members) else 0.0,
            f"{prefix}_span": share(members[-1] - members[0], len(blocks)) if len(members) else 0.0,
            f"{prefix}_start": float(members[0]) / len(blocks) if len(members) else 1.0,
            f"{prefix}_step": unevenness(steps) if len(members) > 2 else -1.0,
        }  # fmt: skip
    return values


def _group_numbers(blocks: Blocks) -> NDArray[Any]:
    """A number for each block, the same for blocks in equal markup: tag and class of the element and of the two around it."""
    elements = blocks.elements
    names, classes = blocks.class_codes
    pair = classes * len(TAGS) + elements.tag
    rows = np.arange(len(pair))
    first = np.empty(len(names) * len(TAGS), dtype=np.int64)
    first[pair[::-1]] = rows[::-1]  # of each pair of tag and class the row where it comes first
    number = np.cumsum(first[pair] == rows)
    own = number[first[pair]]
    parent = elements.parent
    above = np.where(parent >= 0, own[parent], 0)
    further = np.where(parent >= 0, above[parent], 0)
    base = int(number[-1]) + 1
    key = ((own * base + above) * base + further)[blocks.element]
    _, group = np.unique(key, return_inverse=True)
    return np.asarray(group)


def _texts(blocks: Blocks, columns: _Columns) -> dict[str, float]:
    """Dates, prices and questions in short blocks, commas in long ones."""
    is_short = columns.words <= SHORT_WORDS
    short = np.flatnonzero(columns.shown & is_short)[:MAX_SHORT_BLOCKS].tolist()
    texts = [blocks.texts[i][:MAX_SHORT_CHARS] for i in short]
    with_digit = [(i, text) for i, text in zip(short, texts, strict=True) if _DIGIT.search(text)]
    dates = [i for i, text in with_digit if _YEAR.search(text) and _DATE.search(text)]  # every date has a year, which is found sooner
    prices = sum(_PRICE.search(text) is not None for _, text in with_digit)
    last = Counter([text[-1] for text in texts])
    questions, colons = last["?"] + last["？"], last[":"] + last["："]
    long = np.flatnonzero(columns.shown & ~is_short)[:MAX_LONG_BLOCKS].tolist()
    long_text = "".join([blocks.texts[i][:MAX_LONG_CHARS] for i in long])
    commas = sum(map(long_text.count, _COMMAS))
    return {
        "dates": log_count(len(dates)), "dates_first": dates[0] / len(blocks) if dates else -1.0, "prices": log_count(prices),
        "price_share": share(prices, len(texts)), "questions": log_count(questions), "question_share": share(questions, len(texts)),
        "colons": log_count(colons), "comma_rate": share(100 * commas, len(long_text)),
    }  # fmt: skip
