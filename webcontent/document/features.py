"""Document -> numbers for each block: what block classifiers learn from. Nothing here knows a site or a language by name.

All columns are made by numpy over the arrays of `Blocks` and `Elements`: subtrees are slices of cumulative sums, what is
handed down from ancestors goes level by level. `FeatureContext` holds what several columns share; a second stage that looks at the
scores of the first uses the same frame (`score_features`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import chain, pairwise
from operator import add, or_
from typing import TYPE_CHECKING, Any

import numpy as np

from webcontent.document.blocks import TAG_CODES, number_all
from webcontent.document.characters import STOP, UPPER, count_kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from webcontent.document.blocks import Blocks
    from webcontent.document.parsing import Document

    Column = NDArray[Any]

VERSION = 1
"""Of the feature code; stands in the config.json of models that use it."""

FEATURES: tuple[str, ...] = (
    "words", "chars_per_word", "link_share", "stops", "commas", "upper_share", "digit_share", "cjk_share", "currencies",
    "ends_sentence", "starts_upper", "hidden", "noscript", "copies", "copy_number", "tag", "depth", "level0_words", "level0_link_share",
    "level1_words_per_block", "level1_link_share", "level1_good_share", "level1_good_density", "level1_page_share", "level1_place",
    "level2_words", "level2_words_per_block", "level2_link_share", "level2_good_share", "level2_good_density", "level2_page_share",
    "level2_stops", "level3_words", "level3_words_per_block", "level3_link_share", "level3_good_share", "level3_page_share",
    "level3_stops", "level3_place", "level4_words", "level4_words_per_block", "level4_link_share", "level4_good_share",
    "level4_good_density", "level4_page_share", "level4_stops", "level4_place", "level5_words", "level5_words_per_block",
    "level5_link_share", "level5_good_share", "level5_good_density", "level5_page_share", "level5_stops", "level5_place", "path_blocks",
    "path_words", "path_page_share", "path_words_per_block", "path_link_share", "path_good_share", "path_stops", "tagpath_blocks",
    "tagpath_words", "tagpath_page_share", "tagpath_words_per_block", "tagpath_link_share", "tagpath_good_share", "tagpath_stops",
    "region40_offset", "region40_shared_depth", "region40_words", "region60_offset", "region60_shared_depth", "region60_words",
    "region80_offset", "region80_shared_depth", "region80_words", "climb_score", "climb_best", "tag_article", "tag_aside", "tag_button",
    "tag_figure", "tag_footer", "tag_form", "tag_h1", "tag_li", "tag_list", "tag_main", "tag_nav", "tag_section", "tag_table", "tag_td",
    "class_ad", "class_author", "class_body", "class_caption", "class_comment", "class_consent", "class_content", "class_description",
    "class_dialog", "class_filter", "class_footer", "class_form", "class_header", "class_hero", "class_hidden", "class_main",
    "class_menu", "class_message", "class_post", "class_product", "class_related", "class_review", "class_signature", "class_tab",
    "class_table", "class_tag", "class_title", "class_widget", "in_title", "title_found", "after_title", "place", "words_before",
    "good_before", "after_h1", "h1_shares", "heading_level", "section_level", "after_heading", "section_words", "headings_before",
    "since_good", "until_good", "link_share-2", "words-1", "link_share-1", "words+1", "link_share+1", "window5_link_share",
    "window15_words", "window15_link_share", "run_size", "run_words", "run_spread", "run_blocks", "run_page_share", "run_link_share",
    "run_linked", "run_pictured", "run_from_top", "run_place", "card_size", "card_words", "card_spread", "card_blocks",
    "card_page_share", "card_link_share", "card_priced", "card_from_top", "outer_size", "outer_words", "outer_spread", "outer_blocks",
    "outer_page_share", "outer_good_share", "outer_link_share", "outer_pictured", "outer_priced", "outer_from_top", "page_words",
    "page_blocks", "page_link_share", "page_good_share", "page_good_blocks", "page_longest", "page_hidden_share", "page_currencies",
    "page_digit_share", "page_articles", "page_paragraphs", "page_items", "page_images", "page_forms", "page_scripts",
)  # fmt: skip
"""The columns that models learn from, in their order: what is left of about 250 when those of the least gain are dropped."""

FAR = 60
"""Distance to an ancestor that is not there."""
LEVELS = 6
"""So many ancestors of a block are looked at, each wider (holding more blocks) than the one before."""
MIN_RUN = 3
"""Siblings of one tag and class that make a run of cards."""
GOOD_WORDS, GOOD_LINK_SHARE = 12, 0.35
"""A block with so many words and so few of them in links is taken for running text."""

TAG_GROUPS: dict[str, tuple[str, ...]] = {
    "article": ("article",),
    "aside": ("aside",),
    "button": ("button", "input"),
    "figure": ("figure", "figcaption", "picture"),
    "footer": ("footer",),
    "form": ("form", "fieldset"),
    "h1": ("h1",),
    "h2": ("h2",),
    "h3": ("h3",),
    "heading": ("h4", "h5", "h6"),
    "li": ("li",),
    "list": ("ul", "ol", "menu"),
    "main": ("main",),
    "nav": ("nav",),
    "section": ("section",),
    "table": ("table",),
    "td": ("td", "th"),
}
"""Groups of tags whose nearest ancestor's distance is a feature."""

CLASS_GROUPS: dict[str, tuple[str, ...]] = {
    "ad": ("=ad", "=ads", "advert", "sponsor", "promo", "adsense", "adslot"),
    "author": ("author", "byline", "contributor", "writer"),
    "body": ("body", "text", "=copy", "richtext", "prose", "markdown"),
    "caption": ("caption", "credit", "figure", "gallery", "photo"),
    "comment": ("comment", "disqus", "respond", "discussion"),
    "consent": ("cookie", "consent", "gdpr", "privacy", "ccpa"),
    "content": ("content", "entry", "story"),
    "description": ("description", "=desc", "detail", "overview", "spec", "feature"),
    "dialog": ("modal", "popup", "overlay", "lightbox", "dialog", "toast", "tooltip"),
    "filter": ("filter", "facet", "=sort", "toolbar", "search", "select", "dropdown"),
    "footer": ("footer", "bottom", "copyright", "legal", "colophon"),
    "form": ("form", "newsletter", "subscri", "signup", "login", "register", "account"),
    "header": ("header", "masthead", "topbar", "=top"),
    "hero": ("hero", "banner", "slide", "carousel", "swiper"),
    "hidden": ("=hide", "hidden", "invisible", "=sr", "collapse", "screenreader"),
    "main": ("main", "primary", "center"),
    "menu": ("menu", "=nav", "navbar", "navigation", "navi"),
    "message": ("message", "reply", "replies", "thread", "topic", "forum", "quote", "answer"),
    "post": ("post", "article", "blog", "news"),
    "product": ("product", "=sku", "shop", "catalog", "variant", "collection"),
    "related": ("related", "recommend", "similar", "=also", "upsell", "crosssell", "trending", "popular", "latest"),
    "review": ("review", "rating", "star", "testimonial", "feedback"),
    "signature": ("signature", "avatar", "profile", "user", "member", "=bio"),
    "tab": ("=tab", "=tabs", "accordion", "panel", "=faq", "toggle", "expand"),
    "table": ("table", "=row", "=list", "=toc"),
    "tag": ("=tag", "=tags", "category", "categories", "keyword", "label", "badge"),
    "title": ("title", "headline", "heading", "subject"),
    "widget": ("widget", "module", "block", "gadget", "plugin"),
}
"""Groups of words in class and id whose nearest ancestor's distance is a feature: standard words of the web's markup.

A word with `=` must stand alone ("top-bar" holds "top"), the others may be parts ("maincontent").
"""

_WORD = re.compile(r"[a-z]+")
_DIGITS = re.compile(r"\d")
_ZEROS = str.maketrans("123456789", "000000000")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]|\w+")
_BITS = {name: 1 << i for i, name in enumerate(CLASS_GROUPS)}


_PATH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def _tag_groups() -> NDArray[np.bool_]:
    """Which groups each tag code belongs to: bool [codes, len(TAG_GROUPS)]."""
    groups = np.zeros((len(TAG_CODES) + 1, len(TAG_GROUPS)), np.bool_)
    for column, names in enumerate(TAG_GROUPS.values()):
        groups[[TAG_CODES[name] for name in names], column] = True
    return groups


_TAG_GROUPS = _tag_groups()


# ---------------------------------------------------------------------------------------------------- classes and ids
def _bits_by_key() -> tuple[dict[str, int], dict[str, int]]:
    """Bits of the class groups by words that must stand alone, and by parts of words: those of all parts that a part begins with."""
    alone: dict[str, int] = {}
    parts: dict[str, int] = {}
    for name, words in CLASS_GROUPS.items():
        for key in words:
            table = alone if key[0] == "=" else parts
            plain = key.removeprefix("=")
            table[plain] = table.get(plain, 0) | _BITS[name]
    grown = {key: reduce(or_, (bits for part, bits in parts.items() if key.startswith(part))) for key in parts}
    return alone, grown


_ALONE, _PARTS = _bits_by_key()
_PART = re.compile("(?=(" + "|".join(sorted(_PARTS, key=len, reverse=True)) + "))")
"""The longest part at each place of a word: ten times faster than a look for each."""


@lru_cache(maxsize=50_000)
def _groups_of_word(word: str) -> int:
    """Bits of the class groups that a word of a class name belongs to."""
    bits = _ALONE.get(word, 0)
    for part in _PART.findall(word):
        bits |= _PARTS[part]
    return bits


def _parted(names: str, sign: str) -> str:
    """Names in lower case, with a sign where one word ends and another begins in camel case."""
    return names if names.islower() else _CAMEL.sub(sign, names).lower()


@lru_cache(maxsize=50_000)
def _groups_of_names(names: str) -> int:
    """Bits of the class groups in the value of a class or id attribute."""
    bits = 0
    for word in _WORD.findall(_parted(names[:500], " ")):
        bits |= _groups_of_word(word)
    return bits


def speaks_of(group: str, names: str) -> bool:
    """Whether the value of a class or id attribute has a word of a class group.

    >>> speaks_of("comment", "post-comments"), speaks_of("comment", "content")
    (True, False)
    """
    return bool(names) and bool(_groups_of_names(names) & _BITS[group])


# --------------------------------------------------------------------------------------------------------------- frame
@dataclass(frozen=True, slots=True)
class AncestorTree:
    """The elements that hold blocks, and their ancestors, the root first, by depth: what is handed down to blocks goes along it.

    Half of a page's elements or fewer; those of one depth stand side by side.
    """

    rows: NDArray[np.intp]
    """Their rows in the table of elements."""
    parent: NDArray[np.intp]
    """The place of each one's parent; the root's is its own."""
    depths: list[slice]
    """Their places by depth, from the root's children down."""
    block: NDArray[np.intp]
    """The place of each block's element."""


def spine_of(blocks: Blocks) -> AncestorTree:
    """The spine of a page's blocks."""
    elements = blocks.elements
    parents = elements.parent.tolist()
    found: set[int] = set()
    for holder in dict.fromkeys(blocks.element.tolist()):
        row = holder
        while row >= 0 and row not in found:
            found.add(row)
            row = parents[row]
    kept = np.array(sorted(found), np.intp)
    depth = elements.depth[kept]
    order = np.argsort(depth, kind="stable")
    rows = kept[order]
    place = np.zeros(len(elements), np.intp)
    place[rows] = np.arange(len(rows))
    cuts = np.cumsum(np.bincount(depth)).tolist()
    depths = [slice(first, last) for first, last in pairwise(cuts)]
    return AncestorTree(rows, place[np.maximum(elements.parent[rows], 0)], depths, place[blocks.element])


class FeatureContext:
    """What the features of a document share: sums, levels, paths, runs of cards. Reads the blocks, changes nothing."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.blocks: Blocks = document.blocks
        self.elements = self.blocks.elements
        self.count = len(self.blocks)
        kinds, starts = self.blocks.kinds
        self.letters = count_kinds(kinds, starts)
        self.first_kind, self.last_kind = kinds[starts], kinds[np.append(starts[1:], len(kinds)) - 2]
        self.chars = self.blocks.chars.astype(np.float64)
        self.words = self.blocks.words.astype(np.float64)
        linked = self.blocks.link_chars
        self.link_share = np.minimum(1.0, linked / np.maximum(self.chars, 1))
        self.link_words = self.words * self.link_share
        shown = ~(self.blocks.hidden | self.blocks.noscript)
        self.is_good = (self.words >= GOOD_WORDS) & (self.link_share < GOOD_LINK_SHARE) & shown
        self.good_words = np.where(self.is_good, self.words, 0.0)
        self._sums: dict[str, NDArray[np.float64]] = {}

    # ---- the tree
    @cached_property
    def spine(self) -> AncestorTree:
        return spine_of(self.blocks)

    @cached_property
    def last(self) -> NDArray[np.int64]:
        """The last row of each element's subtree."""
        last = np.arange(len(self.elements))
        for rows, parents in reversed(self.blocks.steps):
            last[parents] = last[rows]  # children in order: the last one stays
        return last

    @cached_property
    def levels(self) -> list[NDArray[np.int32]]:
        """For each block its element and the next ancestors that hold more blocks; above the root comes the root."""
        spine = self.spine
        start, end = self.elements.start[spine.rows], self.elements.end[spine.rows]
        same = (start == start[spine.parent]) & (end == end[spine.parent])
        wider = np.zeros(len(spine.rows), np.intp)
        for level in spine.depths:
            parent = spine.parent[level]
            wider[level] = np.where(same[level], wider[parent], parent)
        levels = [spine.block]
        for _ in range(LEVELS - 1):
            levels.append(wider[levels[-1]])
        return [spine.rows[places].astype(np.int32) for places in levels]

    @property
    def class_codes(self) -> NDArray[np.int64]:
        """A number for each class attribute of the page."""
        return self.blocks.class_codes[1]

    @cached_property
    def names(self) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
        """The pairs of class and id over the page's blocks, each once, and for each element of the spine the number of its own."""
        classes, ids = self.elements.classes, self.elements.ids
        return number_all([(classes[row], ids[row]) for row in self.spine.rows.tolist()])

    @cached_property
    def paths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each block a number of its path of tags and classes, and of its path of tags alone."""
        spine = self.spine
        tags = self.elements.tag[spine.rows].astype(np.uint64)
        own = np.stack((self.class_codes[spine.rows].astype(np.uint64) * np.uint64(128) + tags, tags))
        path = own.copy()
        own += np.uint64(1)
        for level in spine.depths:
            path[:, level] = (path[:, spine.parent[level]] + own[:, level]) * _PATH_FACTOR
        full, bare = (np.unique(codes, return_inverse=True)[1] for codes in path[:, spine.block])
        return full, bare

    @cached_property
    def distances(self) -> NDArray[np.uint8]:
        """For each block the distance from its element to the nearest ancestor (or itself: 0) of each tag and class group; FAR: none."""
        spine = self.spine
        names, number = self.names
        bits = np.array([_groups_of_names(classes) | _groups_of_names(own) for classes, own in names], np.uint64)
        marked = (bits[:, None] >> np.arange(len(CLASS_GROUPS), dtype=np.uint64)) & np.uint64(1)
        own = np.hstack((_TAG_GROUPS[self.elements.tag[spine.rows]], marked.astype(np.bool_)[number]))
        result = np.where(own, np.uint8(0), np.uint8(FAR))
        for level in spine.depths:
            handed = np.minimum(result[spine.parent[level]], np.uint8(FAR - 1))
            result[level] = np.minimum(result[level], handed + np.uint8(1))
        return result[spine.block]

    # ---- sums
    def subtree(self, name: str, column: Column) -> NDArray[np.float64]:
        """Sums of a block column over each element's subtree, kept under a name."""
        if name not in self._sums:
            self._sums[name] = self.blocks.subtree_sums(column)
        return self._sums[name]

    def count_inside(self, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """For each element how many elements of a kind stand in its subtree."""
        sums = np.concatenate(([0.0], np.cumsum(rows, dtype=np.float64)))
        result: NDArray[np.float64] = sums[self.last + 1] - sums[np.arange(len(self.elements))]
        return result

    # ---- runs of cards
    @cached_property
    def run(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each element the number of its run (siblings of one tag and class under one parent), and the runs' sizes.

        Elements without text are in no run: a run's size counts those with text.
        """
        elements = self.elements
        classes = int(self.class_codes.max(initial=0)) + 1
        key = ((elements.parent.astype(np.int64) + 1) * classes + self.class_codes) * 128 + elements.tag
        _, run = np.unique(key, return_inverse=True)
        sizes = np.bincount(run, weights=elements.end > elements.start).astype(np.int64)
        return run, sizes

    @cached_property
    def cards(self) -> dict[str, NDArray[np.int32]]:
        """For each block the card that it stands in, or -1: the innermost element of a run, the innermost and the
        outermost of a run whose cards hold several blocks."""
        elements = self.elements
        run, sizes = self.run
        blocks_inside = (elements.end - elements.start).astype(np.float64)
        is_card = (sizes[run] >= MIN_RUN) & (blocks_inside > 0)
        means = np.bincount(run, weights=blocks_inside) / np.maximum(1, sizes)
        is_composite = is_card & (means[run] >= 2)
        spine = self.spine
        rows = spine.rows.astype(np.int32)
        own_card, own_composite = is_card[rows], is_composite[rows]
        inner, composite = np.where(own_card, rows, np.int32(-1)), np.where(own_composite, rows, np.int32(-1))
        inner[0] = composite[0] = -1
        outer = composite.copy()
        for level in spine.depths:
            parent = spine.parent[level]
            inner[level] = np.where(own_card[level], rows[level], inner[parent])
            composite[level] = np.where(own_composite[level], rows[level], composite[parent])
            outer[level] = np.where((outer[parent] < 0) & own_composite[level], rows[level], outer[parent])
        return {"run": inner[spine.block], "card": composite[spine.block], "outer": outer[spine.block]}


# -------------------------------------------------------------------------------------------------------------- groups
def _own(frame: FeatureContext) -> dict[str, Column]:
    """What a block is by itself."""
    blocks, letters, chars = frame.blocks, frame.letters, np.maximum(frame.chars, 1)
    number, copies = _copies(blocks.texts)
    return {
        "words": frame.words,
        "chars_per_word": chars / frame.words,
        "link_share": frame.link_share,
        "stops": letters["stop"],
        "commas": letters["comma"],
        "upper_share": letters["upper"] / chars,
        "digit_share": letters["digit"] / chars,
        "cjk_share": letters["cjk"] / chars,
        "currencies": letters["currency"],
        "ends_sentence": frame.last_kind == STOP,
        "starts_upper": frame.first_kind == UPPER,
        "hidden": blocks.hidden,
        "noscript": blocks.noscript,
        "copies": copies,
        "copy_number": number,
        "tag": blocks.tag,
        "depth": frame.elements.depth[blocks.element],
    }


def _copies(texts: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each text how often it stood on the page before, and how often it stands there at all."""
    seen: dict[str, int] = {}
    number = []
    for text in texts:
        count = seen.get(text, 0)
        number.append(count)
        seen[text] = count + 1
    return np.array(number, np.float64), np.array([seen[text] for text in texts], np.float64)


def _levels(frame: FeatureContext) -> dict[str, Column]:
    """The block's element and its next wider ancestors: how much they hold, and of what sort."""
    sums = {
        "words": frame.subtree("words", frame.words),
        "links": frame.subtree("links", frame.link_words),
        "good": frame.subtree("good", frame.good_words),
        "stops": frame.subtree("stops", frame.letters["stop"]),
    }
    total_good, total = max(1.0, float(sums["good"][0])), float(sums["words"][0])
    blocks_inside = frame.elements.end - frame.elements.start
    columns: dict[str, Column] = {}
    for level, rows in enumerate(frame.levels):
        words = np.maximum(1.0, sums["words"][rows])
        columns |= {
            f"level{level}_words": words,
            f"level{level}_words_per_block": words / np.maximum(1, blocks_inside[rows]),
            f"level{level}_link_share": sums["links"][rows] / words,
            f"level{level}_good_share": sums["good"][rows] / total_good,
            f"level{level}_good_density": sums["good"][rows] / words,
            f"level{level}_page_share": words / total,
            f"level{level}_stops": sums["stops"][rows] / words,
            f"level{level}_place": (np.arange(frame.count) - frame.elements.start[rows]) / np.maximum(1, blocks_inside[rows]),
        }
    return columns


def _paths(frame: FeatureContext) -> dict[str, Column]:
    """All blocks of the page with the same path of tags and classes, or of tags alone."""
    columns: dict[str, Column] = {}
    total, good = frame.words.sum(), max(1.0, frame.good_words.sum())
    for name, code in zip(("path", "tagpath"), frame.paths, strict=True):
        count = np.bincount(code)
        words = np.bincount(code, weights=frame.words)
        columns |= {
            f"{name}_blocks": count[code],
            f"{name}_words": words[code],
            f"{name}_page_share": words[code] / total,
            f"{name}_words_per_block": words[code] / count[code],
            f"{name}_link_share": np.bincount(code, weights=frame.link_words)[code] / words[code],
            f"{name}_good_share": np.bincount(code, weights=frame.good_words)[code] / good,
            f"{name}_stops": np.bincount(code, weights=frame.letters["stop"])[code] / words[code],
        }
    return columns


def _regions(frame: FeatureContext) -> dict[str, Column]:
    """The smallest elements that hold much of the page's running text, and where the block is to them."""
    elements = frame.elements
    good = frame.subtree("good", frame.good_words)
    words = frame.subtree("words", frame.words)
    positions = np.arange(frame.count)
    columns: dict[str, Column] = {}
    for share in (40, 60, 80):
        holders = np.flatnonzero(good >= share / 100 * good[0]) if good[0] > 0 else np.zeros(1, np.int64)
        row = int(holders[np.argmin(words[holders] + 1e-6 * (len(elements) - holders))])
        start, end = int(elements.start[row]), int(elements.end[row])
        before, after = np.maximum(0, start - positions), np.maximum(0, positions - end + 1)
        columns |= {
            f"region{share}_offset": after - before,
            f"region{share}_shared_depth": _shared_depth(frame, row),
            f"region{share}_words": np.full(frame.count, words[row]),
        }
    score, best = _climb(frame)
    return {**columns, "climb_score": score, "climb_best": best}


def _shared_depth(frame: FeatureContext, row: int) -> Column:
    """How many levels above an element the smallest ancestor lies that it shares with each block."""
    elements = frame.elements
    above = [row]
    while elements.parent[above[-1]] >= 0:
        above.append(int(elements.parent[above[-1]]))
    result = np.full(frame.count, len(above), np.int32)
    for up in range(len(above) - 1, -1, -1):
        ancestor = above[up]
        result[elements.start[ancestor] : elements.end[ancestor]] = up
    return result


def _climb(frame: FeatureContext) -> tuple[Column, Column]:
    """Score of the best container above each block, and how it compares with the page's best.

    A running-text block gives its words to its parent and half of them to the grandparent, as Readability does.
    """
    spine = frame.spine
    holder = spine.parent[spine.block]
    count = len(spine.rows)
    score = np.bincount(holder, frame.good_words, count) + np.bincount(spine.parent[holder], frame.good_words / 2, count)
    best = score.copy()
    for level in spine.depths:
        best[level] = np.maximum(best[level], best[spine.parent[level]])
    found = best[spine.block]
    return found, found / max(1.0, float(score.max(initial=0)))


def _ancestors(frame: FeatureContext) -> dict[str, Column]:
    """Distances to the nearest ancestor of each tag group and class group."""
    names = [f"tag_{name}" for name in TAG_GROUPS] + [f"class_{name}" for name in CLASS_GROUPS]
    return dict(zip(names, frame.distances.T, strict=True))


def _similarity(frame: FeatureContext) -> dict[str, Column]:
    """Likeness with the page's title."""
    title = _tokens(frame.document.title or "")
    in_title, title_found = np.zeros(frame.count), np.zeros(frame.count)
    for i in np.flatnonzero(frame.chars <= 400).tolist() if title else []:
        words = _TOKEN.findall(frame.blocks.texts[i].lower())
        if not title.isdisjoint(words):
            tokens = frozenset(words)
            both = len(tokens & title)
            in_title[i], title_found[i] = both / len(tokens), both / len(title)
    similar = in_title * title_found
    return {
        "in_title": in_title,
        "title_found": title_found,
        "after_title": np.arange(frame.count) - (int(np.argmax(similar)) if similar.max(initial=0) > 0.3 else 0),
    }


def _tokens(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text.lower()))


def _position(frame: FeatureContext) -> dict[str, Column]:
    """Where the block stands on the page."""
    positions = np.arange(frame.count)
    tags = frame.distances[:, [list(TAG_GROUPS).index(name) for name in ("h1", "h2", "h3", "heading")]]
    is_h1 = tags[:, 0] < FAR
    level = np.where(is_h1, 1, np.where(tags[:, 1] < FAR, 2, np.where(tags[:, 2] < FAR, 3, np.where(tags[:, 3] < FAR, 4, 0))))
    is_heading = level > 0
    last_heading = np.maximum.accumulate(np.where(is_heading, positions, -1))
    next_heading = np.minimum.accumulate(np.where(is_heading, positions, frame.count)[::-1])[::-1]
    words_before = np.cumsum(frame.words) - frame.words
    good_before = np.cumsum(frame.good_words) - frame.good_words
    good_at = np.where(frame.is_good, positions, -1)
    last_good = np.maximum.accumulate(np.where(positions > 0, np.roll(good_at, 1), -1))
    good_next = np.append(np.where(frame.is_good, positions, 2 * frame.count)[1:], 2 * frame.count)
    next_good = np.minimum.accumulate(good_next[::-1])[::-1]
    section_words = np.concatenate((words_before, [frame.words.sum()]))
    return {
        "place": positions / frame.count,
        "words_before": words_before / frame.words.sum(),
        "good_before": good_before / max(1.0, frame.good_words.sum()),
        "after_h1": positions - (int(np.argmax(is_h1)) if is_h1.any() else 0),
        "h1_shares": _shared_depth(frame, int(frame.blocks.element[int(np.argmax(is_h1))])),
        "heading_level": level,
        "section_level": np.where(last_heading >= 0, level[last_heading], 0),
        "after_heading": positions - last_heading,
        "section_words": section_words[next_heading] - section_words[np.maximum(last_heading, 0)],
        "headings_before": np.cumsum(is_heading),
        "since_good": np.minimum(positions - last_good, 99),
        "until_good": np.minimum(next_good - positions, 99),
    }


def _neighbours(frame: FeatureContext) -> dict[str, Column]:
    """The blocks beside it."""
    columns = {f"words{step:+d}": _shifted(frame.words, step) for step in (-1, 1)}
    columns |= {f"link_share{step:+d}": _shifted(frame.link_share, step) for step in (-2, -1, 1)}
    windows = {width: _window(frame.words, width) for width in (5, 15)}
    columns |= {f"window{width}_link_share": _window(frame.link_words, width) / words for width, words in windows.items()}
    return columns | {"window15_words": windows[15]}


def _shifted(column: Column, step: int) -> Column:
    """The value of the block `step` places further on; 0 beyond the ends."""
    result = np.zeros(len(column), np.float64)
    if abs(step) < len(column):
        if step > 0:
            result[:-step] = column[step:]
        else:
            result[-step:] = column[:step]
    return result


def _window(column: Column, width: int) -> NDArray[np.float64]:
    """Sums over the blocks at most `width` places away."""
    sums = np.concatenate(([0.0], np.cumsum(column)))
    positions = np.arange(len(column))
    result: NDArray[np.float64] = sums[np.minimum(len(column), positions + width + 1)] - sums[np.maximum(0, positions - width)]
    return result


def _runs(frame: FeatureContext) -> dict[str, Column]:
    """Runs of cards: siblings of one tag and class under one parent, as products in a grid or posts in a thread."""
    elements = frame.elements
    run, sizes = frame.run
    words = frame.subtree("words", frame.words)
    has_text = elements.end > elements.start
    pictures = frame.count_inside(np.isin(elements.tag, [TAG_CODES["img"], TAG_CODES["picture"]]))
    marks = {
        "words": words,
        "squares": words**2,
        "blocks": elements.end - elements.start,
        "links": frame.subtree("links", frame.link_words),
        "linked": frame.subtree("links", frame.link_words) > 0,
        "pictured": pictures > 0,
        "priced": frame.subtree("currencies", frame.letters["currency"]) > 0,
        "good": frame.subtree("good", frame.good_words),
    }
    sums = {name: np.bincount(run, weights=np.where(has_text, column, 0)) for name, column in marks.items()}
    count = np.maximum(1, sizes)
    mean = sums["words"] / count
    spread = np.sqrt(np.maximum(0, sums["squares"] / count - mean**2)) / np.maximum(1, mean)
    firsts = np.full(len(sizes), len(elements), np.int64)
    with_text = np.flatnonzero(has_text)[::-1]
    firsts[run[with_text]] = with_text  # the last one written stays: the first of each run
    total, good = max(1.0, float(words[0])), max(1.0, float(frame.good_words.sum()))
    columns: dict[str, Column] = {}
    for name, card in frame.cards.items():
        row = np.maximum(card, 0)
        mine = run[row]
        found = {
            "size": sizes[mine],
            "words": mean[mine],
            "spread": spread[mine],
            "blocks": sums["blocks"][mine] / count[mine],
            "page_share": sums["words"][mine] / total,
            "good_share": sums["good"][mine] / good,
            "link_share": sums["links"][mine] / np.maximum(1, sums["words"][mine]),
            "linked": sums["linked"][mine] / count[mine],
            "pictured": sums["pictured"][mine] / count[mine],
            "priced": sums["priced"][mine] / count[mine],
            "from_top": elements.start[firsts[mine].clip(max=len(elements) - 1)] / frame.count,
            "place": np.arange(frame.count) - elements.start[row],
        }
        columns |= {f"{name}_{key}": np.where(card >= 0, column, -1) for key, column in found.items()}
    return columns


def _page(frame: FeatureContext) -> dict[str, Column]:
    """The page as a whole: the same in each row."""
    words = frame.words.sum()
    count = frame.count
    tags = frame.elements.tag
    figures = {
        "page_words": words,
        "page_blocks": count,
        "page_link_share": frame.link_words.sum() / words,
        "page_good_share": frame.good_words.sum() / words,
        "page_good_blocks": frame.is_good.sum(),
        "page_longest": frame.words.max(),
        "page_hidden_share": frame.words[frame.blocks.hidden].sum() / words,
        "page_currencies": frame.letters["currency"].sum() / count,
        "page_digit_share": frame.letters["digit"].sum() / frame.chars.sum(),
        "page_articles": np.count_nonzero(tags == TAG_CODES["article"]),
        "page_paragraphs": np.count_nonzero(tags == TAG_CODES["p"]),
        "page_items": np.count_nonzero(tags == TAG_CODES["li"]),
        "page_images": np.count_nonzero(tags == TAG_CODES["img"]),
        "page_forms": np.count_nonzero(tags == TAG_CODES["form"]),
        "page_scripts": min(99, sum(1 for _ in frame.document.root.iter("script"))),
    }
    return {name: np.full(count, value) for name, value in figures.items()}


GROUPS: tuple[Callable[[FeatureContext], dict[str, Column]], ...] = (
    _own, _levels, _paths, _regions, _ancestors, _similarity, _position, _neighbours, _runs, _page,
)  # fmt: skip


def all_features(frame: FeatureContext) -> dict[str, Column]:
    """Every column that this module can make, by name."""
    columns: dict[str, Column] = {}
    for group in GROUPS:
        columns |= group(frame)
    return columns


def features(document: Document, frame: FeatureContext | None = None) -> NDArray[np.float32]:
    """The features of a document's blocks: float32 [blocks, len(FEATURES)], finite. `frame`: its frame, if it was made before."""
    if not len(document.blocks):
        return np.zeros((0, len(FEATURES)), np.float32)
    columns = all_features(frame or FeatureContext(document))
    result = np.empty((len(document.blocks), len(FEATURES)), np.float32)
    for i, name in enumerate(FEATURES):
        result[:, i] = columns[name]
    return result


# ---------------------------------------------------------------------------------------------- words of class names
@dataclass(frozen=True, slots=True)
class ClassNameTokens:
    """The class and id names over a page's blocks: plain lists and arrays, they can be stored."""

    tokens: list[tuple[str, ...]]
    """See `name_tokens`; of each pair of class and id once."""
    name: NDArray[np.int64]
    """For each element of the spine the number of its pair."""
    spine: AncestorTree


CLASS_NAME_FEATURES = ("name_nearest", "name_sum", "name_best", "name_worst", "name_strongest_sum")
"""What the learned weights of class words say of a block's ancestors."""
MIN_WEIGHT = 0.15
"""Weights nearer to 0 say nothing."""


def class_name_tokens(frame: FeatureContext) -> ClassNameTokens:
    """The frame's class and id names."""
    names, numbers = frame.names
    return ClassNameTokens([name_tokens(classes, own) for classes, own in names], numbers, frame.spine)


@lru_cache(maxsize=50_000)
def name_tokens(classes: str, own_id: str) -> tuple[str, ...]:
    """What is learned from class and id names: each whole name (digits as 0) and the words in it, each once.

    >>> name_tokens("entry-content", "post12")
    ('.entry-content', 'entry', 'content', '#post00', 'post')
    """
    names = classes[:1000].split()[:16]
    marked = [_tokens_of_name(f".{name}") for name in names] + ([_tokens_of_name(f"#{own_id}")] if own_id else [])
    return tuple(dict.fromkeys(chain.from_iterable(marked)))


@lru_cache(maxsize=50_000)
def _tokens_of_name(name: str) -> tuple[str, ...]:
    """A name and the words in it."""
    plain = _parted(name, "-")
    plain = (plain.translate(_ZEROS) if plain.isascii() else _DIGITS.sub("0", plain))[:40]
    return (plain, *[word for word in _WORD.findall(plain) if len(word) > 1])


def class_name_features(naming: ClassNameTokens, weights: dict[str, float]) -> NDArray[np.float32]:
    """CLASS_NAME_FEATURES of each block: float32 [blocks, 5]. `weights`: of tokens, above 0 for main text."""
    spine = naming.spine
    total, best, worst = np.array([_weigh(tokens, weights) for tokens in naming.tokens]).reshape(-1, 3).T[:, naming.name]
    strongest = np.where(best > -worst, best, worst)
    nearest = strongest.copy()
    is_telling = np.abs(strongest) > MIN_WEIGHT
    sums, peaks = np.stack((total, strongest)), np.stack((best, -worst))
    for level in spine.depths:
        parent = spine.parent[level]
        nearest[level] = np.where(is_telling[level], strongest[level], nearest[parent])
        sums[:, level] += sums[:, parent]
        peaks[:, level] = np.maximum(peaks[:, level], peaks[:, parent])
    columns = np.stack((nearest, sums[0], peaks[0], -peaks[1], sums[1]))
    return columns[:, spine.block].T.astype(np.float32)


def _weigh(tokens: tuple[str, ...], weights: dict[str, float]) -> tuple[float, float, float]:
    """The sum, the largest and the smallest of the tokens' weights; a token without one weighs 0."""
    known = [weights[token] for token in tokens if token in weights]
    return reduce(add, known, 0.0), max((*known, 0.0)), min((*known, 0.0))


# -------------------------------------------------------------------------------------------------- the second stage
SCORE_FEATURES: tuple[str, ...] = (
    "p", "p-4", "p-3", "p-2", "p-1", "p+1", "p+2", "p+3", "p+4", "p_window2", "p_window5", "p_window12", "p_window30", "p_level0",
    "p_level0_share", "p_level1", "p_level1_share", "p_level2", "p_level2_share", "p_level3", "p_level3_share", "p_level4",
    "p_level4_share", "p_level5", "p_level5_share", "p_path", "p_path_share", "p_path_out", "p_tagpath", "p_tagpath_share",
    "p_tagpath_out", "p_run", "p_run_share", "p_run_out", "p_card", "p_card_share", "p_card_out", "p_outer", "p_outer_share",
    "p_outer_out", "p_own_card", "p_own_card_share", "p_own_card_out", "page_expected_f1", "page_cut", "page_p", "page_expected_words",
    "page_certain_share", "page_doubtful_share", "page_top", "rank_share", "p_over_cut",
)  # fmt: skip
"""The columns of the second stage."""


@dataclass(frozen=True, slots=True)
class BlockGroups:
    """What a second stage needs of a page beside the scores of the first: plain arrays, n blocks."""

    words: NDArray[np.float64]
    starts: list[NDArray[np.int32]]
    """For each level the first block of each block's ancestor at that level."""
    ends: list[NDArray[np.int32]]
    groups: dict[str, NDArray[np.int64]]
    """Blocks that belong together: of one path, of one run of cards; a number a group, -1: none."""


def block_groups(frame: FeatureContext) -> BlockGroups:
    """The frame's plain arrays; they can be stored."""
    elements, (run, _) = frame.elements, frame.run
    groups = dict(zip(("path", "tagpath"), frame.paths, strict=True))
    for name, card in frame.cards.items():
        groups[name] = np.where(card >= 0, run[np.maximum(card, 0)], -1)
    groups["own_card"] = frame.cards["card"].astype(np.int64)
    return BlockGroups(frame.words, [elements.start[rows] for rows in frame.levels], [elements.end[rows] for rows in frame.levels], groups)


def score_features(shape: BlockGroups, probabilities: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """SCORE_FEATURES of each block, what the first stage says of it and of everything around it: float32 [blocks, len(SCORE_FEATURES)]."""
    columns = _score_columns(shape, probabilities)
    result = np.empty((len(probabilities), len(SCORE_FEATURES)), np.float32)
    for i, name in enumerate(SCORE_FEATURES):
        result[:, i] = columns[name]
    return result


def _score_columns(shape: BlockGroups, probabilities: NDArray[np.floating[Any]]) -> dict[str, Column]:
    p = probabilities.astype(np.float64)
    columns: dict[str, Column] = {"p": p}
    for step in (-4, -3, -2, -1, 1, 2, 3, 4):
        columns[f"p{step:+d}"] = _shifted(p, step)
    expected = p * shape.words
    for width in (2, 5, 12, 30):
        columns[f"p_window{width}"] = _window(expected, width) / _window(shape.words, width)
    words_to, expected_to = (np.concatenate(([0.0], np.cumsum(column))) for column in (shape.words, expected))
    total = max(1e-9, float(expected_to[-1]))
    for level, (start, end) in enumerate(zip(shape.starts, shape.ends, strict=True)):
        inside = expected_to[end] - expected_to[start]
        columns[f"p_level{level}"] = inside / np.maximum(1e-9, words_to[end] - words_to[start])
        columns[f"p_level{level}_share"] = inside / total
    for name, group in shape.groups.items():
        code = group + 1
        words, inside = np.bincount(code, weights=shape.words), np.bincount(code, weights=expected)
        columns[f"p_{name}"] = np.where(group >= 0, inside[code] / np.maximum(1e-9, words[code]), p)
        columns[f"p_{name}_share"] = np.where(group >= 0, inside[code] / total, 0.0)
        columns[f"p_{name}_out"] = np.where(group >= 0, (total - inside[code]) / np.maximum(1e-9, words_to[-1] - words[code]), 0.0)
    order = np.argsort(-p, kind="stable")
    value = 2 * np.cumsum(expected[order]) / (np.cumsum(shape.words[order]) + total)
    rank = np.empty(len(p), np.float64)
    rank[order] = np.cumsum(shape.words[order])
    best = int(np.argmax(value))
    figures = {
        "page_expected_f1": value[best],
        "page_cut": p[order[best]],
        "page_p": total / words_to[-1],
        "page_expected_words": total,
        "page_certain_share": shape.words[p > 0.7].sum() / words_to[-1],
        "page_doubtful_share": shape.words[(p > 0.2) & (p < 0.7)].sum() / words_to[-1],
        "page_top": p[order[0]],
    }
    columns |= {name: np.full(len(p), figure) for name, figure in figures.items()}
    columns["rank_share"] = rank / total
    columns["p_over_cut"] = p - figures["page_cut"]
    return columns
